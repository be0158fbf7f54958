/** Steps and conflicts as people are told of them: by name, with the fields that change. */

import { mapConcurrent } from '../catalogue/concurrency.ts';
import type { Comparison, Pair } from './compare.ts';
import { changedFields, type FieldConflict, fieldConflicts } from './conflict.ts';
import { fileAt, isBytes, nameOf } from './paths.ts';
import type { Conflict, FileAt, Step } from './plan.ts';
import type { Texts } from './texts.ts';

export interface Change {
  readonly change: 'add' | 'change' | 'remove' | 'move';
  readonly name: string;
  readonly path: string;
  /** What it is called after a move. */
  readonly to?: string;
  /** Bytes of payloads and images that travel with it. */
  readonly size?: number;
  /** Of a record that changes, as far as both texts are known. */
  readonly fields?: readonly string[];
}

export type What = 'added' | 'changed' | 'removed' | 'unchanged';

export interface ToldConflict {
  readonly name: string;
  readonly path: string;
  readonly ours: What;
  readonly theirs: What;
  readonly fields: readonly FieldConflict[];
}

/** Of so many, the texts are read to say which fields are concerned. */
const most = 500;

/**
 * The changes that steps make, by path.
 * @param texts of the side that the steps bring from
 */
export async function changesOf(
  steps: readonly Step[],
  { state, parse }: Pair,
  texts: Texts,
): Promise<readonly Change[]> {
  const versions = new Map(
    steps.flatMap((step) =>
      fileAt(step.path).kind === 'version' && step.do === 'write' ? [[nameOf(step.path), step]] : [],
    ),
  );
  const sizes = new Map<Step, number>();
  const alone: Step[] = [];
  for (const step of steps) {
    const owner = step.do === 'put' ? versions.get(versionOfPayload(step.path)) : undefined;
    if (owner && step.do === 'put') sizes.set(owner, (sizes.get(owner) ?? 0) + step.now.size);
    else alone.push(step);
  }
  const fields = new Map<Step, readonly string[]>();
  const changing = alone.filter((step) => step.do === 'write' && step.ifMatch !== null).slice(0, most);
  await mapConcurrent(changing, 8, async (step) => {
    if (step.do !== 'write') return;
    const before = await state.text(step.from);
    const [was, is] = [before, await texts.get(step.from, step.now.checksum).catch(() => null)].map((text) =>
      text === null ? null : parse(step.path, text),
    );
    if (was && is) fields.set(step, changedFields(was, is));
  });
  return alone
    .map((step) => changeOf(step, step.do === 'put' ? step.now.size : sizes.get(step), fields.get(step)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function changeOf(step: Step, size?: number, fields?: readonly string[]): Change {
  const { path } = step;
  const own = { name: nameOf(path), path };
  if (step.do === 'move') return { change: 'move', ...own, to: nameOf(step.to) };
  if (step.do === 'remove') return { change: 'remove', ...own };
  const change = step.ifMatch === null ? 'add' : 'change';
  return { change, ...own, ...(size !== undefined && { size }), ...(fields && { fields }) };
}

/** The version that a payload is named after, as `parks/trees@…`. */
function versionOfPayload(path: string): string {
  const [namespace, dataset, file = ''] = fileAt(path).names;
  return `${namespace}/${dataset}@${file.split('.')[0]}`;
}

/** Conflicts, field by field. */
export async function conflictsOf(
  conflicts: readonly Conflict[],
  { state, parse }: Pair,
  { texts }: Comparison,
): Promise<readonly ToldConflict[]> {
  const told = new Map<Conflict, readonly FieldConflict[]>();
  const read = async (file: FileAt | null, text: (file: FileAt) => Promise<string | null>) => {
    const found = file && !isBytes(file.path) ? await text(file).catch(() => null) : null;
    return found === null ? null : parse(file?.path ?? '', found);
  };
  await mapConcurrent(conflicts.slice(0, most), 8, async (conflict) => {
    const [base, ours, theirs] = await Promise.all([
      read(conflict.base, ({ path }) => state.text(path)),
      read(conflict.ours, ({ path, checksum }) => texts.ours.get(path, checksum)),
      read(conflict.theirs, ({ path, checksum }) => texts.theirs.get(path, checksum)),
    ]);
    told.set(conflict, fieldConflicts({ base, ours, theirs }));
  });
  return conflicts.map((conflict) => ({
    name: nameOf(conflict.path),
    path: conflict.path,
    ours: whatOf(conflict.base, conflict.ours),
    theirs: whatOf(conflict.base, conflict.theirs),
    fields: told.get(conflict) ?? [],
  }));
}

function whatOf(base: FileAt | null, now: FileAt | null): What {
  if (base?.checksum === now?.checksum) return 'unchanged';
  if (base === null) return 'added';
  return now === null ? 'removed' : 'changed';
}
