/**
 * Aliases that the sides have added to a record. Aliases are a set, so they are merged by union: if the same record was renamed on both
 * sides, each side has added a former name. The dataset of a query is merged, too, if both sides name the same one. Other conflicts are
 * left to the user, but a move still takes its former name along.
 */
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { ConflictError } from '../catalogue/errors.ts';
import { recordFormat } from '../catalogue/layout.ts';
import { schemas } from '../catalogue/schemas.ts';
import { editRecordText } from '../text/document.ts';
import { parseRecordText } from '../text/parse.ts';
import type { Merge } from './classify.ts';
import { type Side, syncFileKind } from './files.ts';
import { movableKinds } from './moves.ts';
import type { Conflict } from './plan.ts';
import { nullIfRefused } from './run.ts';
import type { SyncState } from './state.ts';
import { parseRecordFields, type TextReaders, textsAtOnce } from './texts.ts';

/** Of more conflicts than this, texts are not read. */
const maxMerged = 500;

/** @returns the merges by the path of the conflict, of those in which aliases were added */
export async function findAliasMerges(
  conflicts: readonly Conflict[],
  state: SyncState,
  texts: TextReaders,
): Promise<ReadonlyMap<string, Merge>> {
  const merges = new Map<string, Merge>();
  const candidates = conflicts.filter(({ path }) => movableKinds.includes(syncFileKind(path))).slice(0, maxMerged);
  await forEachConcurrent(candidates, textsAtOnce, async ({ path, from, base, ours, theirs }) => {
    if (!base || !ours || !theirs || ours.extension !== theirs.extension || ours.extension !== base.extension) return;
    const [before, local, remote] = await Promise.all([
      state.text(from),
      texts.ours.get(ours.path, ours.checksum).catch(nullIfRefused),
      texts.theirs.get(theirs.path, theirs.checksum).catch(nullIfRefused),
    ]);
    if (before === null || local === null || remote === null) return;
    const merge = mergeAddedAliases(ours.path, { base: before, ours: local, theirs: remote });
    if (merge) merges.set(path, merge);
  });
  return merges;
}

/** @param path of the record, for its kind and format; @param texts that differ */
export function mergeAddedAliases(
  path: string,
  texts: { readonly base: string; readonly ours: string; readonly theirs: string },
): Merge | null {
  const base = aliasesAndRest(path, withSharedDataset(path, texts));
  const ours = aliasesAndRest(path, texts.ours);
  const theirs = aliasesAndRest(path, texts.theirs);
  if (!base || !ours || !theirs || !includesAll(ours.aliases, base.aliases)) return null;
  if (!includesAll(theirs.aliases, base.aliases)) return null;
  // The side whose text has all other changes.
  const isOursFull = theirs.rest === base.rest || theirs.rest === ours.rest;
  const isTheirsFull = ours.rest === base.rest || theirs.rest === ours.rest;
  if (isOursFull && includesAll(ours.aliases, theirs.aliases)) return { status: 'outgoing' };
  if (isTheirsFull && includesAll(theirs.aliases, ours.aliases)) return { status: 'incoming' };
  const aliases = [...new Set([...theirs.aliases, ...ours.aliases])];
  if (includesAll(ours.aliases, aliases) && includesAll(theirs.aliases, aliases)) return null;
  const withAll = (side: Side, own: readonly string[]) =>
    includesAll(own, aliases) ? null : withAliases(path, texts[side], aliases);
  const aliased = { ours: withAll('ours', ours.aliases), theirs: withAll('theirs', theirs.aliases) };
  if (!isOursFull && !isTheirsFull) return { status: 'conflict', aliased };
  const text = isTheirsFull ? aliased.theirs : aliased.ours;
  return text === null ? null : { status: 'incoming', text, aliased };
}

const includesAll = (aliases: readonly string[], others: readonly string[]): boolean =>
  others.every((alias) => aliases.includes(alias));

/** The aliases in a record, and its text without them; null if it can't be read or edited. */
function aliasesAndRest(path: string, text: string) {
  const parsed = parseRecordText(text, recordFormat(path));
  const { aliases = [] } = 'value' in parsed ? Object(parsed.value) : { aliases: null };
  const isList = Array.isArray(aliases) && aliases.every((alias) => typeof alias === 'string');
  const rest = isList ? withAliases(path, text, undefined) : null;
  return rest === null ? null : { aliases: aliases as readonly string[], rest };
}

const withAliases = (path: string, text: string, aliases: readonly string[] | undefined): string | null =>
  withFields(path, text, { aliases });

/**
 * The text of before; of a query, with the dataset that both sides have: a move gives it the new name on the other side, too, and an
 * interrupted run may have ended there.
 */
function withSharedDataset(
  path: string,
  { base, ours, theirs }: { readonly base: string; readonly ours: string; readonly theirs: string },
): string {
  if (syncFileKind(path) !== 'query') return base;
  const [dataset, other] = [ours, theirs].map((text) => parseRecordFields(path, text)?.dataset);
  return typeof dataset === 'string' && dataset === other ? (withFields(path, base, { dataset }) ?? base) : base;
}

function withFields(path: string, text: string, fields: Readonly<Record<string, unknown>>): string | null {
  const order = Object.keys(schemas[syncFileKind(path) as keyof typeof schemas].properties);
  try {
    return editRecordText(text, recordFormat(path), fields, order);
  } catch (error) {
    if (error instanceof ConflictError) return null;
    throw error;
  }
}
