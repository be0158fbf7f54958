/** Stages and batches of a transfer: the steps that may be performed at the same time, and those that go in one request. Pure. */
import { enclosingContainerFolders } from '../catalogue/layout.ts';
import { syncFileKind } from './files.ts';
import { type SyncStep, sortByStage, stepStage, transferSize } from './steps.ts';

/** Limits of one batch of records. */
const batchLength = 1000;
const batchBytes = 4_000_000;
/** Largest dataset that is sent with its versions. A version counts as a thousand bytes more than it has. */
const maxGroupBytes = 200_000;

/** Steps that go together: a new dataset and its new versions, or one step. */
type StepGroup = readonly SyncStep[];

/** Groups of steps by stage. */
export function stagesOf(steps: readonly SyncStep[]): readonly (readonly StepGroup[])[] {
  const stages = new Map<number, SyncStep[][]>();
  const groups = new Map<string, SyncStep[]>();
  const isAlone = makeLargeDatasetTest(steps);
  for (const step of steps) {
    const folder = isNewRecord(step) ? (enclosingContainerFolders(step.path)[0] ?? '') : '';
    const kind = syncFileKind(step.path);
    const group = kind === 'version' ? groups.get(folder) : undefined;
    if (group) {
      group.push(step);
      continue;
    }
    const started = [step];
    if (kind === 'dataset' && folder !== '' && !isAlone(folder)) groups.set(folder, started);
    const stage = stages.get(stepStage(step));
    if (stage) stage.push(started);
    else stages.set(stepStage(step), [started]);
  }
  return [...stages].sort(([a], [b]) => a - b).map(([, stage]) => stage);
}

const isNewRecord = (step: SyncStep) => step.do === 'write' && step.ifMatch === null;

/** A function that returns true for the folder of a dataset that gets payloads, before its versions, or many versions. */
function makeLargeDatasetTest(steps: readonly SyncStep[]): (folder: string) => boolean {
  const sizes = new Map<string, number>();
  for (const step of steps) {
    const [folder = ''] = enclosingContainerFolders(step.path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + (step.do === 'put' ? maxGroupBytes : transferSize(step) + 1000));
  }
  return (folder) => (sizes.get(folder) ?? 0) > maxGroupBytes;
}

const bytesOf = (steps: readonly SyncStep[]): number => steps.reduce((sum, step) => sum + transferSize(step), 0);

export function* batchesOf(groups: readonly StepGroup[]): Generator<readonly SyncStep[]> {
  let batch: SyncStep[] = [];
  let bytes = 0;
  for (const group of joinWithinNamespaces(groups)) {
    const size = bytesOf(group);
    if (batch.length && (batch.length + group.length > batchLength || bytes + size > batchBytes)) {
      yield sortByStage(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(...group);
    bytes += size;
  }
  if (batch.length) yield sortByStage(batch);
}

/**
 * Neighbouring groups of one namespace as one group, if they fit in a batch. While datasets are added, the server locks the
 * folder of their namespace: two batches with the same namespace would wait for each other.
 */
function* joinWithinNamespaces(groups: readonly StepGroup[]): Generator<StepGroup> {
  const namespaceOf = (group: StepGroup | undefined) => enclosingContainerFolders(group?.[0]?.path ?? '').at(-1);
  for (let start = 0, end = 1; start < groups.length; start = end++) {
    while (end < groups.length && namespaceOf(groups[end]) === namespaceOf(groups[start])) end++;
    const own = groups.slice(start, end);
    const joined = own.flat();
    if (joined.length <= batchLength && bytesOf(joined) <= batchBytes) yield joined;
    else yield* own;
  }
}
