/**
 * Queries that get the new name of their dataset with its move. A query names its dataset: until its own step, it would belong to
 * another dataset that has taken over the former name, and be visible with that.
 */
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { datasetFolder, kindAndRefOfPath } from '../catalogue/layout.ts';
import { type ComparedTexts, readSideFields } from './compared-texts.ts';
import { isSameFile } from './extensions.ts';
import { containerFolder, type Side, syncFileKind } from './files.ts';
import { locateFile, type Move, movesLackedBy, pathAfterMove } from './moves.ts';
import { textsAtOnce } from './texts.ts';

/**
 * Slugs of the queries that name a dataset which a move renames, on the side that lacks the move, by the move. One that is the same on
 * both sides stays as it is: it names the dataset that has the former name.
 */
export async function findQueriesOfMoves(compared: ComparedTexts): Promise<ReadonlyMap<Move, readonly string[]>> {
  const found = new Map<Move, readonly string[]>();
  for (const side of ['ours', 'theirs'] as const) {
    const moves = movesLackedBy(side, compared.moves).filter(({ path }) => containerFolder(path) !== null);
    if (moves.length === 0) continue;
    const slugsByFolder = await readQueriesByDataset(compared, side);
    for (const move of moves) {
      const renamed = [...foldersInMove(move, slugsByFolder)];
      const slugs = renamed.flatMap((folder) => slugsByFolder.get(folder) ?? []);
      for (const folder of renamed) {
        const to = pathAfterMove(folder, move);
        slugsByFolder.set(to, [...(slugsByFolder.get(to) ?? []), ...(slugsByFolder.get(folder) ?? [])]);
        slugsByFolder.delete(folder);
      }
      if (slugs.length) found.set(move, slugs);
    }
  }
  return found;
}

function foldersInMove({ path }: Move, folders: ReadonlyMap<string, unknown>): Iterable<string> {
  const folder = containerFolder(path) ?? '';
  if (syncFileKind(path) === 'dataset') return folders.has(folder) ? [folder] : [];
  return [...folders.keys()].filter((one) => one.startsWith(folder));
}

/** Slugs of the queries of a side that differ, by the folder of the dataset that they name there. */
async function readQueriesByDataset(compared: ComparedTexts, side: Side): Promise<Map<string, readonly string[]>> {
  const { ours, theirs } = compared;
  const isDifferent = (path: string) => syncFileKind(path) === 'query' && !isSameFile(ours.get(path), theirs.get(path));
  const slugsByFolder = new Map<string, readonly string[]>();
  await forEachConcurrent([...compared[side].keys()].filter(isDifferent), textsAtOnce, async (path) => {
    const folder = folderOfNamedDataset((await readSideFields(compared, side, path))?.dataset);
    const { ref } = kindAndRefOfPath(locateFile(compared, side, path)?.path ?? path);
    if (folder !== null && ref?.kind === 'query')
      slugsByFolder.set(folder, [...(slugsByFolder.get(folder) ?? []), ref.slug]);
  });
  return slugsByFolder;
}

/** The folder of the dataset that a query names; null if that is no name. */
export function folderOfNamedDataset(dataset: unknown): string | null {
  const [, namespace, slug] = /^([\w-]+)\/([\w-]+)/.exec(String(dataset ?? '')) ?? [];
  return namespace === undefined || slug === undefined ? null : `${datasetFolder(namespace, slug)}/`;
}
