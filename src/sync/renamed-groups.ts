/** Records that name a group which a run has renamed on its target: the target has replaced the name in them. */
import { kindAndRefOfPath } from '../catalogue/layout.ts';
import type { Replica } from '../catalogue/replica.ts';
import { computeChecksum } from '../disk/checksum.ts';
import { syncFileKind } from './files.ts';
import type { SyncState } from './state.ts';
import type { SyncStep } from './steps.ts';
import { collectRecordText } from './texts.ts';

/** A group that was renamed: its slug before and after. */
export interface RenamedGroup {
  readonly from: string;
  readonly to: string;
}

/** The group that a step renames; null if it is another step. */
export function groupRenamedBy(step: SyncStep): RenamedGroup | null {
  if (step.do !== 'move' || syncFileKind(step.path) !== 'group') return null;
  const [from, to] = [step.path, step.to].map((path) => kindAndRefOfPath(path).ref);
  return from && to && 'slug' in from && 'slug' in to ? { from: from.slug, to: to.slug } : null;
}

/** Kinds of records that name groups. */
const kinds: readonly string[] = ['user', 'namespace', 'dataset'];

/**
 * The checksum to expect of a record before a step writes it: of its present text, if that differs from the one of before by the
 * names of the groups only; else the one of before.
 * @param state with the text that the record had on the target before
 * @throws as `Replica.read`
 */
export async function checksumAfterRenames(
  step: SyncStep,
  renamed: readonly RenamedGroup[],
  { target, state }: { readonly target: Replica; readonly state: SyncState },
): Promise<string | null> {
  if (step.do !== 'write') return step.ifMatch;
  const { path, from, ifMatch, replaces } = step;
  const before = kinds.includes(syncFileKind(path)) && state.files.get(from)?.checksum === ifMatch;
  const old = before ? await state.text(from) : null;
  if (old === null || replaceNames(old, renamed) === old) return ifMatch;
  const now = await collectRecordText(await target.read(replaces ?? path));
  return replaceNames(now, renamed) === replaceNames(old, renamed) ? computeChecksum(now) : ifMatch;
}

/** The text with the new names of the groups. */
function replaceNames(text: string, renamed: readonly RenamedGroup[]): string {
  return renamed.reduce((named, { from, to }) => named.replace(wholeName(from), () => to), text);
}

/** A slug, but not as a part of another one. */
const wholeName = (slug: string) =>
  new RegExp(`(?<![\\w-])${slug.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w-])`, 'g');
