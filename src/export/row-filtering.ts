/** Which rows of an export the browser filters: those that are small as a file. */
import type { VersionProfile } from '../catalogue/column-statistics.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Query, Version } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import type { RowFiltering } from '../pages/page-context.ts';
import { filesOfRows } from '../pages/rows-in-files.tsx';
import type { Responses } from './responses.ts';

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
  async note(responses: Responses, version: Version, profile: VersionProfile, others: readonly (Dataset | Query)[]) {
    // JSON has no infinite numbers.
    if (profile.columns.some(({ min, max }) => min === -Infinity || max === Infinity)) return;
    const filtering = (await isLarge(responses, filesOfRows(version).rows)) ? 'tooLarge' : 'inBrowser';
    for (const one of [version, ...others]) this.#paths.set(`${apiPath(refOf(one))}data/`, filtering);
  }
}

async function isLarge(responses: Responses, path: string): Promise<boolean> {
  const { status, parts, drop } = await responses.get(path, '*/*');
  if (status !== 200) throw new Error(`${path} can't be exported: The status is ${status}.`);
  let size = 0;
  for (let part = await parts.next(); !part.done; part = await parts.next()) {
    size += part.value.length;
    if (size <= mostBytes) continue;
    drop();
    return true;
  }
  return false;
}
