/** Transfer: performs the steps on one side with the files of the other, and records them in the common state. */
import { Readable } from 'node:stream';
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { NotPermittedError, StaleError, UnreachableError } from '../catalogue/errors.ts';
import type { FileEntry, RecordChange, Replica } from '../catalogue/replica.ts';
import { batchesOf, stagesOf } from './batches.ts';
import { lostIdError } from './lost-ids.ts';
import type { PayloadCheck } from './payloads.ts';
import { concernsOneFileOnly, type Failure, type Progress, type TransferOutcome, TransferRun } from './run.ts';
import type { SyncState } from './state.ts';
import { type SyncStep, sortByStage, sourcePath, statePath } from './steps.ts';
import { findExpectedChecksum } from './target-changes.ts';
import { type TextReader, textsAtOnce } from './texts.ts';

export interface TransferJob {
  readonly steps: readonly SyncStep[];
  readonly source: Pick<Replica, 'read'>;
  /** The side that is changed. */
  readonly target: Replica;
  /** Texts of the source. */
  readonly texts: TextReader;
  readonly payloadCheck: PayloadCheck;
  /** True to refuse records that have lost their ids. */
  readonly keepsIds?: boolean | undefined;
  readonly state: SyncState;
  /** See `SyncOptions`. */
  readonly isClone?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

type DryRunJob = Omit<TransferJob, 'source' | 'isClone' | 'onProgress'>;

/** Concurrency limits. */
const batchesAtOnce = 4;
const payloadsAtOnce = 2;

/**
 * Performs the steps in order. A step that is refused is reported as a failure, and the others go on.
 * @throws an error that concerns all steps, such as UnreachableError; the signal's reason. Steps that are done by then
 *   are recorded.
 */
export async function performSyncSteps(job: TransferJob): Promise<TransferOutcome> {
  const { steps, state, onProgress } = job;
  const run = new TransferRun(steps, onProgress);
  try {
    await performInStages(job, steps, run);
    await performInStages(job, sortByStage(run.takeBackClashes()), run);
  } finally {
    await state.flush();
  }
  return run;
}

async function performInStages(job: TransferJob, steps: readonly SyncStep[], run: TransferRun): Promise<void> {
  const { signal } = job;
  for (const stage of stagesOf(steps)) {
    const ready = stage.map((group) => group.filter((step) => !run.skipIfBlocked(step)));
    await forEachConcurrent(
      ready.flat().filter((step) => step.do === 'put'),
      payloadsAtOnce,
      async (step) => {
        signal?.throwIfAborted();
        await transferBytes(job, step, run);
      },
    );
    const records = ready.filter(([step]) => step && step.do !== 'put');
    // A move may make room for the next one.
    const limit = records[0]?.[0]?.do === 'move' ? 1 : batchesAtOnce;
    await forEachConcurrent(batchesOf(records), limit, async (batch) => {
      signal?.throwIfAborted();
      await applyBatch(job, batch, run);
    });
  }
}

async function applyBatch(job: TransferJob, batch: readonly SyncStep[], run: TransferRun): Promise<void> {
  const { target, state, isClone, signal } = job;
  const ready = await makeChanges(job, batch, run, (step) => findExpectedChecksum(step, run, job));
  if (ready.length === 0) return;
  const outcomes = await target.apply(
    ready.map(({ change }) => change),
    { isClone, signal },
  );
  for (const [i, { step, text }] of ready.entries()) {
    const outcome = outcomes[i];
    if (!outcome?.done) {
      // Its dataset may have failed in this batch.
      if (!run.skipIfBlocked(step)) run.markFailed(step, outcome?.error ?? new StaleError());
      continue;
    }
    if (step.do === 'move') await state.move(step.from, step.fromTo);
    else if (step.do === 'remove') await state.remove(step.from);
    else if (step.do === 'write') await state.replace(step.from, statePath(step), step.now, text);
    run.markDone(step);
  }
  await state.flush();
}

/** The steps that would fail, whatever the others do, found without changing anything: those that the target doesn't permit, for example. */
export async function findForbiddenSteps(job: DryRunJob): Promise<readonly Failure[]> {
  const run = new TransferRun(job.steps);
  for (const batch of batchesOf(job.steps.flatMap((step) => (step.do === 'put' ? [] : [[step]])))) {
    const ready = await makeChanges(job, batch, run, async ({ ifMatch }) => ifMatch);
    const changes = ready.map(({ change }) => change);
    const outcomes = changes.length ? await job.target.apply(changes, { dryRun: true, signal: job.signal }) : [];
    for (const [i, { step }] of ready.entries()) {
      const outcome = outcomes[i];
      // Other reasons may be gone once the steps before are done.
      if (outcome?.done === false && outcome.error instanceof NotPermittedError) run.markFailed(step, outcome.error);
    }
  }
  return run.failures;
}

interface ReadyStep {
  readonly step: SyncStep;
  readonly change: RecordChange;
  /** Text that the step brings, if it writes a record. */
  readonly text: string | undefined;
}

/**
 * The changes of a batch. Steps whose texts can't be read, or must not be written, fail.
 * @param expect finds the checksum to expect of the record
 */
async function makeChanges(
  job: DryRunJob,
  batch: readonly SyncStep[],
  run: TransferRun,
  expect: (step: SyncStep) => Promise<string | null>,
): Promise<readonly ReadyStep[]> {
  const { texts, payloadCheck, keepsIds, state } = job;
  const ready = new Map<SyncStep, ReadyStep>();
  await forEachConcurrent(batch, textsAtOnce, (step) =>
    failIfRefused(step, run, async () => {
      const text = step.do === 'write' ? await texts.get(sourcePath(step), step.now.checksum) : undefined;
      const error =
        text === undefined
          ? null
          : (payloadCheck(step, text) ?? (keepsIds ? await lostIdError(step, text, state) : null));
      if (error) throw error;
      ready.set(step, { step, change: recordChange(step, await expect(step), text ?? ''), text });
    }),
  );
  return batch.flatMap((step) => ready.get(step) ?? []);
}

function recordChange(step: SyncStep, ifMatch: string | null, text: string): RecordChange {
  const { path } = step;
  if (step.do === 'move') {
    const { to, aliased, queries } = step;
    // That text has the former name of the dataset of a query.
    const withText = aliased !== undefined && ifMatch === step.ifMatch;
    const expected = ifMatch ?? step.ifMatch;
    return { do: 'move', path, to, ifMatch: expected, ...(withText && { text: aliased }), ...(queries && { queries }) };
  }
  if (step.do === 'remove') return { do: 'remove', path, ifMatch: step.ifMatch };
  const { replaces, merged = text } = step.do === 'write' ? step : {};
  return { do: 'write', path, text: merged, ifMatch, ...(replaces !== undefined && { replaces }) };
}

async function transferBytes(
  { source, target, state, signal }: TransferJob,
  step: SyncStep,
  run: TransferRun,
): Promise<void> {
  if (step.do !== 'put') return;
  const { path, from, now } = step;
  const { checksum, size } = now;
  await failIfRefused(step, run, async () => {
    const onProgress = (bytes: number) => run.reportSent(step, bytes);
    await target.put(path, {
      source: () => openBytes(source, sourcePath(step), now, signal),
      checksum,
      size,
      onProgress,
      signal,
    });
    await state.set(from, now);
    await state.flush();
    run.markDone(step);
  });
}

/**
 * A stream of a file's bytes, which are requested when the stream is read.
 * @param file its size is 0 if the record of the version doesn't have it
 */
function openBytes(
  source: Pick<Replica, 'read'>,
  path: string,
  { checksum, size }: Pick<FileEntry, 'checksum' | 'size'>,
  signal: AbortSignal | undefined,
): Readable {
  async function* bytes() {
    let count = 0;
    for await (const chunk of await source.read(path, { checksum, signal })) {
      count += chunk.length;
      // They might be endless.
      if (size > 0 && count > size) throw new UnreachableError(`${path} has more bytes than its ${size}. Try again.`);
      yield chunk;
    }
  }
  return Readable.from(bytes(), { objectMode: false });
}

/** Reports the step as failed if the work is refused. */
async function failIfRefused(step: SyncStep, run: TransferRun, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!concernsOneFileOnly(error)) throw error;
    run.markFailed(step, error);
  }
}
