/** Files that git leaves out of the local folder, as in a sparse checkout: they are missing locally, and were not removed. */
import { parseRecordFileName, pathsWithRecordExtensions } from '../catalogue/layout.ts';
import { actualPath } from './extensions.ts';
import type { ThreeWay } from './files.ts';
import { type Move, pathBeforeMoves } from './moves.ts';

/** Reason why they are left alone. */
export const notCheckedOutReason = 'Git leaves it out of the local folder (sparse checkout).';

/**
 * The files of the last common state that are missing locally because git leaves them out.
 * @param list lists what git leaves out; called only if a file is missing
 */
export async function findFilesNotCheckedOut(
  { base, ours, moves }: Pick<ThreeWay, 'base' | 'ours'> & { readonly moves: readonly Move[] },
  list: () => Promise<ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  // The record of a namespace or dataset is listed without a checksum while others below it are there.
  const missing = [...base.keys()].filter((path) => !ours.get(path)?.checksum);
  const leftOut = missing.length ? await list() : new Set();
  if (leftOut.size === 0) return new Set();
  const byTheirs = moves.filter(({ by }) => by === 'theirs');
  return new Set(
    missing.filter((path) => {
      const local = actualPath(pathBeforeMoves(path, byTheirs), base.get(path));
      const stem = parseRecordFileName(local) && local.replace(/\.[^./]+$/, '');
      return (stem ? pathsWithRecordExtensions(stem) : [local]).some((one) => leftOut.has(one));
    }),
  );
}
