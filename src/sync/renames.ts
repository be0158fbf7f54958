/** Finding what was renamed: by ids, for which texts have to be read, and by what lies in the folders. */
import type { Parse } from './conflict.ts';
import type { Files, Side } from './files.ts';
import {
  type Candidates,
  candidatesOf,
  commonCandidatesOf,
  fingerprintsIn,
  formerPath,
  type Move,
  movable,
  movedAll,
  movesAmong,
} from './moves.ts';
import { isRefusal } from './run.ts';
import type { State } from './state.ts';
import type { Texts } from './texts.ts';

interface Known {
  readonly state: State;
  readonly parse: Parse;
}

interface Three {
  readonly base: Files;
  readonly ours: Files;
  readonly theirs: Files;
}

type TextsOf = Readonly<Record<Side, Texts>>;

/** Of more records than that, ids aren't compared: their texts would have to be read. */
const mostIds = 500;

/** Notes what both sides have renamed alike: as after a run that was broken off before it could note it. */
export async function noteRenamedAlike(known: Known, { base, ours, theirs }: Three, texts: TextsOf): Promise<void> {
  let was = base;
  for (const kind of movable) {
    const candidates = commonCandidatesOf(kind, was, ours, theirs);
    const found = await pairsAmong(known, candidates, {
      before: was,
      after: [ours, theirs],
      texts: texts.ours,
      baseAt: (path) => path,
      textAt: (path) => path,
    });
    for (const { path, to } of found) await known.state.move(path, to);
    was = movedAll(was, found);
  }
}

/** All three with the paths that they will have after what either side has renamed. */
export async function withMoves(
  known: Known,
  three: Three,
  texts: TextsOf,
): Promise<Three & { readonly moves: readonly Move[] }> {
  let { base, ours, theirs } = three;
  const moves: Move[] = [];
  for (const kind of movable)
    for (const by of ['ours', 'theirs'] as const) {
      const [mover, other] = by === 'ours' ? [ours, theirs] : [theirs, ours];
      const undone = moves.filter((move) => move.by !== by);
      const found = await pairsAmong(known, candidatesOf(kind, base, mover, other), {
        before: base,
        after: [mover],
        texts: texts[by],
        baseAt: (path) => formerPath(path, moves),
        textAt: (path) => formerPath(path, undone),
      });
      base = movedAll(base, found);
      if (by === 'ours') theirs = movedAll(theirs, found);
      else ours = movedAll(ours, found);
      moves.push(...found.map((pair) => ({ ...pair, by })));
    }
  return { base, ours, theirs, moves };
}

/** Where to look for what tells a record. */
interface Places {
  readonly before: Files;
  readonly after: readonly Files[];
  /** Of the first of `after`. */
  readonly texts: Texts;
  /** Where it lies in the last common state, and where its text does. */
  baseAt(path: string): string;
  textAt(path: string): string;
}

async function pairsAmong(
  { state, parse }: Known,
  candidates: Candidates,
  { before, after, texts, baseAt, textAt }: Places,
): Promise<readonly Omit<Move, 'by'>[]> {
  const { gone, come } = candidates;
  if (gone.length === 0 || come.length === 0) return [];
  const idIn = (path: string, text: string | null) => {
    const id = text === null ? undefined : parse(path, text)?.id;
    return typeof id === 'number' ? [`id ${id}`] : [];
  };
  const marks = new Map<string, string[]>();
  for (const path of gone) marks.set(path, idIn(path, await state.text(baseAt(path))));
  for (const path of come) {
    const { checksum = '' } = after[0]?.get(path) ?? {};
    const text = come.length > mostIds ? null : await texts.get(textAt(path), checksum).catch(nullIfRefused);
    marks.set(path, idIn(path, text));
  }
  for (const [files, paths] of [[before, gone], ...after.map((files) => [files, come] as const)] as const)
    for (const [path, print] of fingerprintsIn(files, paths)) marks.get(path)?.push(`all ${print}`);
  return movesAmong(candidates, (path) => [...new Set(marks.get(path))]);
}

function nullIfRefused(error: unknown): null {
  if (isRefusal(error)) return null;
  throw error;
}
