/** Chunks of steps that are locked, planned and performed together. */
import { dirname } from 'node:path/posix';
import { type RecordRef, unitKey, unitOfRecord } from '../../catalogue/layout.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { lockNamesOfWriteStep, renamesFile, type Step } from './change.ts';

export type NumberedStep = readonly [i: number, step: Step];
export type StepChunk = readonly NumberedStep[];

/** The most steps of a chunk, which are written together: if they change records; if they add records; with new datasets. */
const maxChanges = 128;
const maxAdditions = 250;
const maxInNewDatasets = 1000;

/**
 * Steps in their order; together those that write different records of one kind, which do not depend on each other; and new
 * datasets with their versions behind them.
 * @param together false for chunks of one step
 */
export function* splitIntoChunks(steps: readonly Step[], together: boolean): Generator<StepChunk> {
  let chunk: NumberedStep[] = [];
  let kind: RecordRef['kind'] | undefined;
  let newDatasets = new Set<string>();
  const paths = new Set<string>();
  for (const [i, step] of steps.entries()) {
    const own = writtenRecord(step);
    const path = own?.path ?? '';
    const isInNewDataset = own?.isAdded === true && newDatasets.has(own.unit);
    const isOfSameKind = own !== undefined && own.kind === kind && (kind === 'dataset' || newDatasets.size === 0);
    const max = own?.isAdded ? (newDatasets.size ? maxInNewDatasets : maxAdditions) : maxChanges;
    const isNext = (isOfSameKind || isInNewDataset) && chunk.length < (together ? max : 1) && !paths.has(path);
    if (!isNext && chunk.length) {
      yield chunk;
      chunk = [];
      paths.clear();
      newDatasets = new Set();
    }
    chunk.push([i, step]);
    paths.add(path);
    if (own?.kind === 'dataset' && own.isAdded) newDatasets.add(own.unit);
    kind = own?.kind;
  }
  if (chunk.length) yield chunk;
}

/** The record that a step writes; undefined for other steps, and if the file gets another extension. */
function writtenRecord({ changes }: Step) {
  const [change, ...others] = typeof changes === 'function' ? [] : changes;
  if (change?.do !== 'write' || renamesFile(change) || others.length) return undefined;
  const info = parseUntrustedCataloguePath(change.path);
  const isAdded = change.ifMatch === null;
  // Permissions depend on namespaces: steps of other kinds are planned after a namespace has changed.
  if (info?.kind !== 'record') return undefined;
  const { ref } = info;
  return { path: change.path, kind: ref.kind, unit: unitKey(unitOfRecord(ref)), isAdded };
}

/** The steps of a chunk by kind of record, in their order. */
export function splitByKind(chunk: StepChunk): readonly StepChunk[] {
  const versions = chunk.filter(([, step]) => writtenRecord(step)?.kind === 'version');
  return [chunk.filter((one) => !versions.includes(one)), versions].filter(({ length }) => length > 0);
}

/** Keys of the datasets that a chunk adds. */
function newDatasetsOfChunk(chunk: StepChunk): ReadonlySet<string> {
  const written = chunk.flatMap(([, step]) => writtenRecord(step) ?? []);
  return new Set(written.flatMap(({ kind, isAdded, unit }) => (kind === 'dataset' && isAdded ? unit : [])));
}

/** Folders of the datasets that a chunk adds, if there are several. */
export function newFoldersOfChunk(chunk: StepChunk): readonly string[] {
  return chunk.length > 1 ? [...newDatasetsOfChunk(chunk)].map((key) => dirname(key)) : [];
}

/** Names of the locks that a chunk needs, sorted. While its folder is locked, nobody else writes in a new dataset. */
export function lockNamesOfChunk(chunk: StepChunk): readonly string[] {
  const newDatasets = newDatasetsOfChunk(chunk);
  const names = new Set(chunk.flatMap(([, step]) => lockNamesOfWriteStep(step)));
  return [...names].filter((name) => !newDatasets.has(name)).sort();
}
