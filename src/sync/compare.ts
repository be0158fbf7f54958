/** What both sides have and had, looked at once: the plan, and the texts that it may need. */
import type { Depot, Manifest } from '../catalogue/depot.ts';
import type { Parse } from './conflict.ts';
import type { FileState, Files, Side } from './files.ts';
import { candidatesOf, fingerprintsIn, formerPath, type Move, movable, movedAll, movesAmong } from './moves.ts';
import { isKept } from './paths.ts';
import { type Plan, planFor } from './plan.ts';
import { isRefusal } from './run.ts';
import type { State } from './state.ts';
import { Spool, type Texts, textsOf } from './texts.ts';

/** Two catalogues, and what is known of them. */
export interface Pair {
  readonly ours: Depot;
  readonly theirs: Depot;
  readonly state: State;
  /** Path of a file that may be made for texts that wait; it is gone afterwards. */
  readonly spool: string;
  /** Whether somebody is signed in at the other side. */
  readonly signedIn: boolean;
  readonly parse: Parse;
}

export interface Comparison {
  readonly plan: Plan;
  readonly texts: Readonly<Record<Side, Texts>>;
  /** What the other side has, and its manifest's tag. */
  readonly theirs: Files;
  readonly tag: string;
  /** Whether the two, or one of them, have or had something of that name. */
  knows(matches: (path: string) => boolean): boolean;
  close(): Promise<void>;
}

/** Of more records than that, ids aren't compared: their texts would have to be read. */
const mostIds = 500;

/**
 * Compares the sides.
 * @param withTexts whether all of the other side's texts will be wanted, where nothing is known of it yet
 */
export async function compare(pair: Pair, withTexts = false): Promise<Comparison> {
  const { state } = pair;
  const known = state.header.tag ?? undefined;
  const isNew = withTexts && state.files.size === 0;
  const [ourManifest, theirManifest] = await Promise.all([
    pair.ours.manifest(),
    pair.theirs.manifest({ known, texts: isNew }),
  ]);
  const spool = isNew ? await Spool.open(pair.spool) : undefined;
  try {
    const base: Files = new Map(state.files);
    const broken = new Map<string, string>();
    const ours = await filesIn(ourManifest, broken, 'here');
    const theirs = theirManifest ? await filesIn(theirManifest, broken, 'there', spool) : base;
    const texts = { ours: textsOf(pair.ours), theirs: textsOf(pair.theirs, spool) };
    const moved = await withMoves(pair, { base, ours, theirs }, texts);
    const outOfSight =
      state.header.signedIn && !pair.signedIn
        ? 'It is gone there, or only for those who are not signed in: sign in as before.'
        : undefined;
    return {
      plan: planFor({ ...moved, broken, outOfSight }),
      texts,
      theirs,
      tag: theirManifest?.tag ?? known ?? '',
      knows: (matches) => [base, ours, theirs].some((files) => [...files.keys()].some(matches)),
      close: async () => void (await spool?.close()),
    };
  } catch (error) {
    await spool?.close();
    throw error;
  }
}

/** The files of a manifest that are kept in step. */
async function filesIn(
  manifest: Manifest | null,
  broken: Map<string, string>,
  where: string,
  spool?: Spool,
): Promise<Files> {
  const files = new Map<string, FileState>();
  if (manifest === null) return files;
  for await (const entry of manifest.entries) {
    const { path, checksum, size } = entry;
    if (!isKept(path)) continue;
    files.set(path, { checksum, size });
    if (checksum === '') broken.set(path, `The file can't be read ${where}.`);
    await spool?.add(entry);
  }
  return files;
}

interface Three {
  readonly base: Files;
  readonly ours: Files;
  readonly theirs: Files;
}

function nullIfRefused(error: unknown): null {
  if (isRefusal(error)) return null;
  throw error;
}

/** All three with the paths that they will have after what either side has renamed. */
async function withMoves(
  { state, parse }: Pair,
  three: Three,
  texts: Readonly<Record<Side, Texts>>,
): Promise<Three & { readonly moves: readonly Move[] }> {
  let { base, ours, theirs } = three;
  const moves: Move[] = [];
  const idIn = (path: string, text: string | null) => {
    const id = text === null ? undefined : parse(path, text)?.id;
    return id === undefined ? [] : [`id ${id}`];
  };
  for (const kind of movable)
    for (const by of ['ours', 'theirs'] as const) {
      const [mover, other] = by === 'ours' ? [ours, theirs] : [theirs, ours];
      const candidates = candidatesOf(kind, base, mover, other);
      const { gone, come } = candidates;
      if (gone.length === 0 || come.length === 0) continue;
      const undone = moves.filter((move) => move.by !== by);
      const marks = new Map<string, readonly string[]>();
      const before = fingerprintsIn(base, gone);
      const after = fingerprintsIn(mover, come);
      for (const path of gone)
        marks.set(path, [...idIn(path, await state.text(formerPath(path, moves))), `all ${before.get(path)}`]);
      for (const path of come) {
        const { checksum = '' } = mover.get(path) ?? {};
        const text =
          come.length > mostIds ? null : await texts[by].get(formerPath(path, undone), checksum).catch(nullIfRefused);
        marks.set(path, [...idIn(path, text), `all ${after.get(path)}`]);
      }
      const found = movesAmong(candidates, (path) => marks.get(path) ?? [], by);
      base = movedAll(base, found);
      if (by === 'ours') theirs = movedAll(theirs, found);
      else ours = movedAll(ours, found);
      moves.push(...found);
    }
  return { base, ours, theirs, moves };
}
