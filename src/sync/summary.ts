/** Summary of a plan for people: steps and conflicts by name, with the fields that change. */
import { extname } from 'node:path/posix';
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { describeFilePath, isBytesPath, parseCataloguePath } from '../catalogue/layout.ts';
import { formatRef } from '../catalogue/ref.ts';
import type { Comparison, Pair } from './compare.ts';
import { isSameFile } from './extensions.ts';
import { changedFields, compareFieldsOfSides, type FieldConflict } from './field-conflicts.ts';
import { type LocatedFile, syncFileKind } from './files.ts';
import { pathBeforeMoves } from './moves.ts';
import type { Conflict } from './plan.ts';
import { nullIfRefused } from './run.ts';
import type { SyncState } from './state.ts';
import { type SyncStep, sourcePath } from './steps.ts';
import { parseRecordFields, type TextReader, textsAtOnce } from './texts.ts';

export interface ChangeSummary {
  readonly change: 'add' | 'change' | 'remove' | 'move';
  readonly name: string;
  readonly path: string;
  /** Name after a move. */
  readonly to?: string;
  /** Bytes of payloads and images that are transferred with it. */
  readonly size?: number;
  /** Changed fields of a record, if both texts are known. */
  readonly fields?: readonly string[];
}

export type SideChange = 'added' | 'changed' | 'removed' | 'unchanged';

export interface ConflictSummary {
  readonly name: string;
  /** Name before, if a side has moved it. */
  readonly from?: string;
  readonly path: string;
  readonly ours: SideChange;
  readonly theirs: SideChange;
  readonly fields: readonly FieldConflict[];
}

/** Number of records whose texts are read to compare fields. */
const maxCompared = 500;

/**
 * The changes that steps make, by path. A payload is part of its version's.
 * @param texts of the side that the changes come from
 */
export async function summarizeEachChange(
  steps: readonly SyncStep[],
  { state }: Pair,
  texts: TextReader,
): Promise<readonly ChangeSummary[]> {
  const versions = new Map<string, SyncStep>();
  for (const step of steps)
    if (step.do === 'write' && syncFileKind(step.path) === 'version') versions.set(describeFilePath(step.path), step);
  const sizes = new Map<SyncStep, number>();
  const listed: SyncStep[] = [];
  for (const step of steps) {
    const version = step.do === 'put' ? versions.get(versionOfPayload(step.path) ?? '') : undefined;
    if (version && step.do === 'put') sizes.set(version, (sizes.get(version) ?? 0) + step.now.size);
    else listed.push(step);
  }
  const fields = await fieldsOfSteps(listed, state, texts);
  return joinMoves(listed)
    .map((step) => stepSummary(step, step.do === 'put' ? step.now.size : sizes.get(step), fields.get(step)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Steps in which the moves of a record are one: of two that have exchanged their names, one has a name in between. */
function joinMoves(steps: readonly SyncStep[]): readonly SyncStep[] {
  const starts = new Map<string, SyncStep>();
  const joined = new Set<SyncStep>();
  for (const step of steps) {
    if (step.do !== 'move') {
      joined.add(step);
      continue;
    }
    const start = starts.get(step.path);
    if (start) joined.delete(start);
    starts.delete(step.path);
    const whole = start ? { ...step, path: start.path } : step;
    starts.set(step.to, whole);
    joined.add(whole);
  }
  return [...joined];
}

/** Changed fields of the records that steps change. */
async function fieldsOfSteps(
  steps: readonly SyncStep[],
  state: SyncState,
  texts: TextReader,
): Promise<ReadonlyMap<SyncStep, readonly string[]>> {
  const fields = new Map<SyncStep, readonly string[]>();
  // The state is that of before the moves.
  const moves = steps.flatMap((step) => (step.do === 'move' ? [{ path: step.from, to: step.fromTo }] : []));
  const changing = steps.filter((step) => step.do === 'write' && step.ifMatch !== null).slice(0, maxCompared);
  await forEachConcurrent(changing, textsAtOnce, async (step) => {
    if (step.do !== 'write') return;
    const from = pathBeforeMoves(step.from, moves);
    const oldText = await state.text(from);
    const newText = await texts.get(sourcePath(step), step.now.checksum).catch(nullIfRefused);
    const before = oldText === null ? null : parseRecordFields(from, oldText);
    const after = newText === null ? null : parseRecordFields(step.path, newText);
    const extension = step.replaces === undefined ? [] : ['extension'];
    if (!before || !after) return;
    const changed = [...changedFields(before, after), ...extension];
    // The file may be another one than in the last common state: that of a remote that was set back is older.
    const isBase = state.files.get(from)?.checksum === step.ifMatch;
    if (changed.length || isBase) fields.set(step, changed);
  });
  return fields;
}

function stepSummary(step: SyncStep, size?: number, fields?: readonly string[]): ChangeSummary {
  const { path } = step;
  const own = { name: describeFilePath(path), path };
  if (step.do === 'move') return { change: 'move', ...own, to: describeFilePath(step.to) };
  if (step.do === 'remove') return { change: 'remove', ...own };
  const change = step.ifMatch === null ? 'add' : 'change';
  return { change, ...own, ...(size !== undefined && { size }), ...(fields && { fields }) };
}

/** The version that a payload is named after, as `parks/trees@…`; null for other bytes. */
function versionOfPayload(path: string): string | null {
  const info = parseCataloguePath(path);
  if (info.kind !== 'payload') return null;
  const { dataset, file } = info;
  const slug = file.split('.')[0] ?? '';
  return formatRef({ kind: 'version', namespace: dataset.namespace, dataset: dataset.slug, slug });
}

/** Conflicts, field by field. */
export async function summarizeEachConflict(
  conflicts: readonly Conflict[],
  { state }: Pair,
  { texts }: Comparison,
): Promise<readonly ConflictSummary[]> {
  const fields = new Map<Conflict, readonly FieldConflict[]>();
  const read = async (file: LocatedFile | null, readText: (file: LocatedFile) => Promise<string | null>) => {
    const text = file && !isBytesPath(file.path) ? await readText(file).catch(nullIfRefused) : null;
    return text === null ? null : parseRecordFields(file?.path ?? '', text);
  };
  await forEachConcurrent(conflicts.slice(0, maxCompared), textsAtOnce, async (conflict) => {
    const [base, ours, theirs] = await Promise.all([
      read(conflict.base, ({ path }) => state.text(path)),
      read(conflict.ours, ({ path, checksum }) => texts.ours.get(path, checksum)),
      read(conflict.theirs, ({ path, checksum }) => texts.theirs.get(path, checksum)),
    ]);
    fields.set(conflict, [...compareFieldsOfSides({ base, ours, theirs }), ...compareExtensions(conflict)]);
  });
  return conflicts.map((conflict) => {
    const [name, from] = [conflict.path, conflict.from].map(describeFilePath) as [string, string];
    return {
      name,
      ...(from !== name && { from }),
      path: conflict.path,
      ours: sideChange(conflict.base, conflict.ours),
      theirs: sideChange(conflict.base, conflict.theirs),
      fields: fields.get(conflict) ?? [],
    };
  });
}

/** The extensions of a record as a field, if the sides have different ones. */
function compareExtensions({ base, ours, theirs }: Conflict): readonly FieldConflict[] {
  const fieldsOf = (file: LocatedFile | null) => file && { extension: extname(file.path).slice(1) };
  return compareFieldsOfSides({ base: fieldsOf(base), ours: fieldsOf(ours), theirs: fieldsOf(theirs) });
}

function sideChange(base: LocatedFile | null, now: LocatedFile | null): SideChange {
  if (isSameFile(base, now)) return 'unchanged';
  if (base === null) return 'added';
  return now === null ? 'removed' : 'changed';
}
