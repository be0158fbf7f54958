/** Who writes asides: the main thread where they are few, and a thread where they are many: in a push of thousands of datasets, that takes longest. */
import { moduleBeside } from '../../data/module-beside.ts';
import { WorkerPool } from '../../data/worker-pool.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import { type Aside, type Naming, nameAsides, packTexts, writeAsides } from './asides.ts';

type Task = typeof import('./asides.ts');

/** Number of asides from which a thread is worth its start. */
const fewestForThread = 50;
/** Number of asides that the main thread writes in one turn. */
const inOneTurn = 5;
/** A thread of their own: a question that takes long doesn't delay writers. One, since a disk makes the files of several no faster. */
const threads = new WorkerPool({ size: 1 });
const task = moduleBeside(import.meta.url, './asides');

/** `writeAsides` of the module of asides. */
export function writeAsidesInThread(root: string, asides: readonly Aside[]): Promise<readonly boolean[]> {
  return inThread(
    asides,
    () => {
      const packed = packTexts(asides);
      return threads.run<Task, 'writeAsides'>(task, 'writeAsides', [root, asides.map(withoutTexts), packed], {
        move: [packed.bytes.buffer],
      });
    },
    (some) => writeAsides(root, some),
  );
}

/**
 * `nameAsides` of the module of asides.
 * @param signal aborted if no more names may be given
 */
export async function nameAsidesInThread(
  root: string,
  asides: readonly Aside[],
  withStamps: boolean,
  signal: AbortSignal,
): Promise<readonly Naming[]> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const onAbort = () => void Atomics.store(stop, 0, 1);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const plain = asides.map(withoutTexts);
  try {
    return await inThread(
      plain,
      () => threads.run<Task, 'nameAsides'>(task, 'nameAsides', [root, plain, withStamps, stop]),
      (some) => nameAsides(root, some, withStamps, stop),
    );
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** An aside as a message to a thread, which needs the paths of its records only. */
const withoutTexts = ({ temporary, target, isFolder, records }: Aside): Aside => ({
  temporary,
  target,
  isFolder,
  records: records.map(({ path }) => ({ path, text: '' })),
});

/**
 * The results for items, one for each.
 * @param here does the work in the main thread, where the items are few, or the thread has died
 */
async function inThread<Item, Result>(
  items: readonly Item[],
  there: () => Promise<readonly Result[]>,
  here: (some: readonly Item[]) => readonly Result[],
): Promise<readonly Result[]> {
  const found = items.length < fewestForThread ? null : await there().catch(() => null);
  if (found) return found;
  const results: Result[] = [];
  const pause = makeRegularPause();
  for (let at = 0; at < items.length; at += inOneTurn) {
    results.push(...here(items.slice(at, at + inOneTurn)));
    await pause();
  }
  return results;
}
