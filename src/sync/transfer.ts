/** Does steps at one side with what the other has, and writes down what is done. */
import { Readable } from 'node:stream';
import { mapConcurrent } from '../catalogue/concurrency.ts';
import { StaleError } from '../catalogue/errors.ts';
import type { RecordChange, Replica } from '../catalogue/replica.ts';
import { fileAt } from './paths.ts';
import { type Step, stageOf } from './plan.ts';
import { isRefusal, type Outcome, type Progress, Run, sizeOf } from './run.ts';
import type { State } from './state.ts';
import type { Texts } from './texts.ts';

export interface Work {
  readonly steps: readonly Step[];
  /** Has what is to be had. */
  readonly source: Replica;
  /** Where it is to be had. */
  readonly target: Replica;
  /** Texts of the source. */
  readonly texts: Texts;
  readonly state: State;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** So much is handed over at once. */
const batchLength = 200;
const batchBytes = 4_000_000;
/** And so many of each at a time. */
const batchesAtOnce = 4;
const textsAtOnce = 8;
const payloadsAtOnce = 2;

/**
 * Does the steps in their order; what isn't allowed or doesn't fit is left out, and the rest goes on.
 * @throws what makes going on useless, such as UnreachableError; the signal's reason. What was done until then is
 *   written down.
 */
export async function transfer(work: Work): Promise<Outcome> {
  const { steps, signal, state, onProgress } = work;
  const run = new Run(steps, onProgress);
  try {
    for (const stage of stagesOf(steps)) {
      const wanted = stage.filter((step) => !run.skips(step));
      await mapConcurrent(
        wanted.filter((step) => step.do === 'put'),
        payloadsAtOnce,
        async (step) => {
          signal?.throwIfAborted();
          await putOne(work, step, run);
        },
      );
      const records = wanted.filter((step) => step.do !== 'put');
      const isMoves = records[0]?.do === 'move';
      // A move may make room for the next.
      const lanes = isMoves ? 1 : batchesAtOnce;
      await mapConcurrent(batchesOf(records), lanes, async (batch) => {
        signal?.throwIfAborted();
        await applyAll(work, batch, run);
      });
    }
  } finally {
    await state.flush();
  }
  return run;
}

function stagesOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const stages = new Map<number, Step[]>();
  for (const step of steps) {
    const stage = stages.get(stageOf(step));
    if (stage) stage.push(step);
    else stages.set(stageOf(step), [step]);
  }
  return [...stages].sort(([a], [b]) => a - b).map(([, stage]) => stage);
}

function* batchesOf(steps: readonly Step[]): Generator<readonly Step[]> {
  let batch: Step[] = [];
  let bytes = 0;
  for (const step of steps) {
    if (batch.length === batchLength || (batch.length && bytes + sizeOf(step) > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(step);
    bytes += sizeOf(step);
  }
  if (batch.length) yield batch;
}

async function applyAll({ target, texts, state }: Work, batch: readonly Step[], run: Run): Promise<void> {
  const found = new Map<Step, string>();
  await mapConcurrent(batch, textsAtOnce, async (step) => {
    if (step.do !== 'write') return;
    await tried(step, run, async () => void found.set(step, await texts.get(step.from, step.now.checksum)));
  });
  const steps = batch.filter((step) => step.do !== 'write' || found.has(step));
  if (steps.length === 0) return;
  const changes = await Promise.all(
    steps.map(async (step) => {
      const ifMatch = run.hasRenamedGroups ? await seenAnew(step, target) : step.ifMatch;
      return changeFor(step, ifMatch, found.get(step) ?? '');
    }),
  );
  const outcomes = await target.apply(changes);
  for (const [i, step] of steps.entries()) {
    const outcome = outcomes[i];
    if (!outcome?.done) {
      run.failed(step, outcome?.error ?? new StaleError());
      continue;
    }
    if (step.do === 'move') await state.move(step.from, step.fromTo);
    else if (step.do === 'remove') await state.drop(step.from);
    else if (step.do === 'write') await state.note(step.from, step.now, found.get(step));
    run.did(step);
  }
  await state.flush();
}

function changeFor(step: Step, ifMatch: string | null, text: string): RecordChange {
  const { path } = step;
  if (step.do === 'move') return { do: 'move', path, to: step.to, ifMatch: step.ifMatch };
  if (step.do === 'remove') return { do: 'remove', path, ifMatch: step.ifMatch };
  return { do: 'write', path, text, ifMatch };
}

/** A group that is renamed is renamed in the records of its members and namespaces, too: they are others by then. */
async function seenAnew(step: Step, target: Replica): Promise<string | null> {
  if (step.do !== 'write' || step.ifMatch === null || !['user', 'namespace'].includes(fileAt(step.path).kind))
    return step.ifMatch;
  return (await target.entry(step.path)).checksum;
}

async function putOne({ source, target, state, signal }: Work, step: Step, run: Run): Promise<void> {
  if (step.do !== 'put') return;
  const { path, from, now } = step;
  const { checksum, size } = now;
  await tried(step, run, async () => {
    const onProgress = (bytes: number) => run.sent(step, bytes);
    await target.put(path, { source: () => bytesOf(source, from, checksum), checksum, size, onProgress, signal });
    await state.note(from, now);
    await state.flush();
    run.did(step);
  });
}

/** Asks for the bytes when they are wanted. */
function bytesOf(source: Replica, path: string, checksum: string): Readable {
  async function* bytes() {
    yield* await source.read(path, { checksum });
  }
  return Readable.from(bytes(), { objectMode: false });
}

async function tried(step: Step, run: Run, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    run.failed(step, error);
  }
}
