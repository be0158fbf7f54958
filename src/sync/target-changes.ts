/**
 * Changes of records that the target of a run makes by itself: after a group is renamed, it replaces the name in the records that
 * have it; it gives a dataset the columns of its newest version; and queries get the new name of their dataset with its move.
 */
import { kindAndRefOfPath } from '../catalogue/layout.ts';
import type { Replica } from '../catalogue/replica.ts';
import { computeChecksum } from '../disk/checksum.ts';
import { changedFields } from './field-conflicts.ts';
import { syncFileKind } from './files.ts';
import type { Renaming } from './moves.ts';
import type { SyncState } from './state.ts';
import type { SyncStep } from './steps.ts';
import { collectRecordText, parseRecordFields } from './texts.ts';

/** A group that was renamed: its slug before and after. */
export interface RenamedGroup {
  readonly from: string;
  readonly to: string;
}

/** The group that a move renames; null if it moves another record. */
export function groupRenamedBy(move: Renaming): RenamedGroup | null {
  if (syncFileKind(move.path) !== 'group') return null;
  const [from, to] = [move.path, move.to].map((path) => kindAndRefOfPath(path).ref);
  return from && to && 'slug' in from && 'slug' in to ? { from: from.slug, to: to.slug } : null;
}

/** Kinds of records that name groups. */
const kinds: readonly string[] = ['user', 'namespace', 'dataset'];

/**
 * The checksum to expect of a record before a step writes it: of its present text, if that differs from the one of before only by
 * what the target has changed itself; else the one of before.
 * @param run with the groups that were renamed, and the queries that have got the new names of their datasets
 * @param state with the text that the record had on the target before
 * @throws as `Replica.read`
 */
export async function findExpectedChecksum(
  step: SyncStep,
  run: { readonly renamedGroups: readonly RenamedGroup[]; isQueryOfMove(path: string): boolean },
  { target, state }: { readonly target: Replica; readonly state: SyncState },
): Promise<string | null> {
  if (step.ifMatch !== null && step.do !== 'put' && step.do !== 'remove' && run.isQueryOfMove(step.path))
    return checksumOfMovedQuery(step, step.ifMatch, { target, state });
  if (step.do !== 'write') return step.ifMatch;
  const { path, from, ifMatch, replaces } = step;
  const renamed = run.renamedGroups;
  const kind = syncFileKind(path);
  // Other records of datasets are written before the versions.
  const mayBeFitted = kind === 'dataset' && step.audience === 'wider';
  const mayBeChanged = mayBeFitted || (renamed.length > 0 && kinds.includes(kind));
  const before = mayBeChanged && state.files.get(from)?.checksum === ifMatch ? await state.text(from) : null;
  if (before === null) return ifMatch;
  const renamedBefore = replaceNames(before, renamed);
  if (!mayBeFitted && renamedBefore === before) return ifMatch;
  const place = replaces ?? path;
  const now = await collectRecordText(await target.read(place));
  const renamedNow = replaceNames(now, renamed);
  if (renamedNow === renamedBefore) return computeChecksum(now);
  const [old, present] = [parseRecordFields(from, renamedBefore), parseRecordFields(place, renamedNow)];
  const isFitted = mayBeFitted && old && present && changedFields(old, present).every((name) => name === 'columns');
  return isFitted ? computeChecksum(now) : ifMatch;
}

/** The present checksum of a query, if only the name of its dataset differs from before. */
async function checksumOfMovedQuery(
  step: Extract<SyncStep, { readonly do: 'write' | 'move' }>,
  ifMatch: string,
  { target, state }: { readonly target: Replica; readonly state: SyncState },
): Promise<string> {
  const before = state.files.get(step.from)?.checksum === ifMatch ? await state.text(step.from) : null;
  if (before === null) return ifMatch;
  const place = step.do === 'write' ? (step.replaces ?? step.path) : step.path;
  const now = await collectRecordText(await target.read(place));
  const [old, present] = [parseRecordFields(step.from, before), parseRecordFields(place, now)];
  const isOwn = old && present && changedFields(old, present).every((name) => name === 'dataset');
  return isOwn ? computeChecksum(now) : ifMatch;
}

/** The text with the new names of the groups. */
function replaceNames(text: string, renamed: readonly RenamedGroup[]): string {
  return renamed.reduce((named, { from, to }) => named.replace(wholeName(from), () => to), text);
}

/** A slug, but not as a part of another one. */
const wholeName = (slug: string) =>
  new RegExp(`(?<![\\w-])${slug.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w-])`, 'g');
