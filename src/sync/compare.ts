/** What both sides have and had, looked at once: the plan, and the texts that it may need. */
import type { Manifest, Replica } from '../catalogue/replica.ts';
import type { Parse } from './conflict.ts';
import type { FileState, Files, Side } from './files.ts';
import { isKept } from './paths.ts';
import { type Plan, planFor } from './plan.ts';
import { noteRenamedAlike, withMoves } from './renames.ts';
import type { State } from './state.ts';
import { Spool, type Texts, textsOf } from './texts.ts';

/** Two catalogues, and what is known of them. */
export interface Pair {
  readonly ours: Replica;
  readonly theirs: Replica;
  readonly state: State;
  /** Path of a file that may be made for texts that wait; it is gone afterwards. */
  readonly spool: string;
  /** Whether somebody is signed in at the other side. */
  readonly signedIn: boolean;
  readonly parse: Parse;
}

export interface Comparison {
  /** @param settled what the last common state is to be taken for, by path; null for what it is to lack */
  plan(settled?: ReadonlyMap<string, FileState | null>): Promise<Plan>;
  readonly texts: Readonly<Record<Side, Texts>>;
  /** What the other side has, and its manifest's tag. */
  readonly theirs: Files;
  readonly tag: string;
  /** Whether the two, or one of them, have or had something of that name. */
  knows(matches: (path: string) => boolean): boolean;
  close(): Promise<void>;
}

/**
 * Compares the sides.
 * @param withTexts whether all of the other side's texts will be wanted, where nothing is known of it yet
 */
export async function compare(pair: Pair, withTexts = false): Promise<Comparison> {
  const { state } = pair;
  const known = state.header.tag ?? undefined;
  const isNew = withTexts && state.files.size === 0;
  const spool = isNew ? await Spool.open(pair.spool) : undefined;
  try {
    const broken = new Map<string, string>();
    // Both are read at once, and each as soon as it comes.
    const read = await Promise.allSettled([
      pair.ours.manifest().then((manifest) => filesIn(manifest, broken, 'here')),
      pair.theirs.manifest({ known, texts: isNew }).then((manifest) => filesIn(manifest, broken, 'there', spool)),
    ]);
    for (const end of read) if (end.status === 'rejected') throw end.reason;
    const [{ files: ours }, there] = read.map((end) => (end as PromiseFulfilledResult<Listed>).value) as [
      Listed,
      Listed,
    ];
    const theirs = there.tag === null ? new Map(state.files) : there.files;
    const texts = { ours: textsOf(pair.ours), theirs: textsOf(pair.theirs, spool) };
    await noteRenamedAlike(pair, { base: state.files, ours, theirs }, texts);
    const base: Files = new Map(state.files);
    const outOfSight =
      state.header.signedIn && !pair.signedIn
        ? 'It is gone there, or only for those who are not signed in: sign in as before.'
        : undefined;
    return {
      async plan(settled = new Map()) {
        const had = new Map(base);
        for (const [path, file] of settled) {
          if (file) had.set(path, file);
          else had.delete(path);
        }
        const moved = await withMoves(pair, { base: had, ours, theirs }, texts);
        return planFor({ ...moved, broken, outOfSight });
      },
      texts,
      theirs,
      tag: there.tag ?? known ?? '',
      knows: (matches) => [base, ours, theirs].some((files) => [...files.keys()].some(matches)),
      close: async () => void (await spool?.close()),
    };
  } catch (error) {
    await spool?.close();
    throw error;
  }
}

interface Listed {
  readonly files: Files;
  /** Null where there was no manifest, because the one that is known still holds. */
  readonly tag: string | null;
}

/** The files of a manifest that are kept in step. */
async function filesIn(
  manifest: Manifest | null,
  broken: Map<string, string>,
  where: string,
  spool?: Spool,
): Promise<Listed> {
  const files = new Map<string, FileState>();
  for await (const entry of manifest?.entries ?? []) {
    const { path, checksum, size } = entry;
    if (!isKept(path)) continue;
    files.set(path, { checksum, size });
    if (checksum === '') broken.set(path, `The file can't be read ${where}.`);
    await spool?.add(entry);
  }
  return { files, tag: manifest?.tag ?? null };
}
