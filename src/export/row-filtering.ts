/** Which rows of an export the browser filters: those that are small as a file. */
import type { RequestListener } from 'node:http';
import type { VersionProfile } from '../catalogue/column-statistics.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Query, Version } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import type { RowFiltering } from '../pages/page-context.ts';
import { filesOfRows } from '../pages/rows-in-files.tsx';
import { getInProcess } from '../server/in-process.ts';

/** Most bytes of the rows as NDJSON that a browser loads to filter them. */
const mostBytes = 2 * 1024 * 1024;

/** How rows are filtered, by the path of their page: of the unit that is written. */
export class RowFilterings {
  readonly #paths = new Map<string, RowFiltering>();

  readonly of = (path: string): RowFiltering | undefined => this.#paths.get(path);

  /** Forgets all: pages of the next unit are made of its records alone. */
  clear(): void {
    this.#paths.clear();
  }

  /** Notes how the rows of a version are filtered, at its own page and at those of other records that show them. */
  async note(
    listener: RequestListener,
    version: Version,
    profile: VersionProfile,
    others: readonly (Dataset | Query)[],
  ) {
    // JSON has no infinite numbers.
    if (profile.columns.some(({ min, max }) => min === -Infinity || max === Infinity)) return;
    const filtering = (await isLarge(listener, filesOfRows(version).rows)) ? 'tooLarge' : 'inBrowser';
    for (const one of [version, ...others]) this.#paths.set(`${apiPath(refOf(one))}data/`, filtering);
  }
}

async function isLarge(listener: RequestListener, path: string): Promise<boolean> {
  const { status, body } = await getInProcess(listener, path, '*/*');
  if (status !== 200) throw new Error(`The export of ${path} failed with status ${status}.`);
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > mostBytes) return true;
  }
  return false;
}
