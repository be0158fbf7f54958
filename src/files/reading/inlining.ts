/**
 * How much code V8 puts into one optimized function, while a large catalogue is read, or thousands of records are written. What
 * does that is optimized once in each thread and runs for seconds: by default, that takes a quarter of the processor time.
 * (Decision 0136.)
 */
import { setFlagsFromString } from 'node:v8';

/** Bytecode in all functions that are inlined into one. */
const whileReading = 100;
/** V8's own value. */
const byDefault = 920;

const setInlining = (bytes: number): void => setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${bytes}`);

/** To be called when all threads run: for threads that start later, V8 compiles Node's own modules again. */
export const inlineLess = (): void => setInlining(whileReading);
export const inlineAsUsual = (): void => setInlining(byDefault);

/** Milliseconds from the last batch of many changes in which the next one is expected. */
const betweenBatches = 5000;
let ending: NodeJS.Timeout | undefined;

/** To be called for each batch of many changes: less is inlined until no more of them come. */
export function inlineLessForBatches(): void {
  if (ending === undefined) inlineLess();
  clearTimeout(ending);
  ending = setTimeout(() => {
    ending = undefined;
    inlineAsUsual();
  }, betweenBatches).unref();
}
