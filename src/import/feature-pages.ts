/**
 * Features of OGC API - Features, and items of a STAC API, as one GeoJSON file: all pages, one after the other, so that memory
 * holds one of them.
 */
import { open, rm } from 'node:fs/promises';
import { ValidationError } from '../catalogue/errors.ts';
import { type Documents, maxDocument, type OpenDocument, readJsonDocument } from './documents.ts';
import { membersOf } from './imported.ts';
import { endlessPages } from './list-pages.ts';
import { nextPageRequest, type PageRequest, pageKey } from './next-page.ts';

/** Pages of one collection, at most: links that never end are refused. */
const maxPages = 100_000;
/** Features that a page is asked for. */
const pageLength = 1000;
const accept = 'application/geo+json, application/json;q=0.9';

interface FeatureLimits {
  /** Most features. */
  readonly most?: number;
  /** Most bytes of the file. */
  readonly maxSize?: number;
}

/**
 * Writes the features that a request finds into a file.
 * @throws ValidationError if a page is no collection of features, if a link to the next one is not followed, or if there are too
 *   many
 */
export async function bringFeaturePages(
  documents: Documents,
  request: PageRequest,
  { most = Number.POSITIVE_INFINITY, maxSize = maxDocument }: FeatureLimits = {},
): Promise<OpenDocument> {
  const first = withPageLength(request, most === Number.POSITIVE_INFINITY ? pageLength : pageLength / 4);
  const start = await documents.open(first.address, optionsOf(first));
  const path = `${start.path}.features.geojson`;
  const file = await open(path, 'w');
  let size = 0;
  let count = 0;
  let isWhole = false;
  const write = async (text: string) => {
    size += Buffer.byteLength(text);
    if (size > maxSize)
      throw new ValidationError({ source: [`${request.address} has more than ${maxSize} bytes of features.`] });
    await file.write(text);
  };
  try {
    await write('{"type":"FeatureCollection","features":[');
    const seen = new Set<string>();
    for (let next: PageRequest | null = first; next; ) {
      if (seen.has(pageKey(next)) || seen.size >= maxPages) throw endlessPages(request.address);
      seen.add(pageKey(next));
      const page = membersOf(await readJsonDocument(documents, next.address, optionsOf(next)));
      if (!Array.isArray(page.features))
        throw new ValidationError({ source: [`${next.address} is no collection of features.`] });
      assertNotTooMany(request.address, Math.max(matchedOf(page), count + page.features.length), most);
      for (const feature of page.features) await write(`${count++ ? ',' : ''}\n${JSON.stringify(feature)}`);
      next = page.features.length ? nextPageRequest(page, next, first) : null;
    }
    await write('\n]}\n');
    isWhole = true;
  } finally {
    await file.close();
    if (!isWhole) await rm(path, { force: true });
  }
  return { address: request.address, path, mediaType: 'application/geo+json', size };
}

const optionsOf = ({ body, headers }: PageRequest) => ({
  accept,
  ...(body && { body: JSON.stringify(body) }),
  ...(headers && { headers }),
});

/** The request with a number of features for each page, if it doesn't have one of its own. */
function withPageLength({ address, body }: PageRequest, length: number): PageRequest {
  if (body) return { address, body: { limit: length, ...body } };
  const url = new URL(address);
  if (!url.searchParams.has('limit')) url.searchParams.set('limit', String(length));
  return { address: url.href };
}

/** The number of features that the server has found, if it says so: in OGC API, and in older STAC APIs. */
function matchedOf(page: Readonly<Record<string, unknown>>): number {
  return Number(page.numberMatched ?? page.numMatched ?? membersOf(page.context).matched) || 0;
}

function assertNotTooMany(address: string, count: number, most: number): void {
  if (count <= most) return;
  const search = new URL(address);
  search.search = '?collections=NAME&bbox=WEST,SOUTH,EAST,NORTH&datetime=FROM/TO';
  search.pathname = search.pathname.replace(/\/(?:collections\/.*|search)$/, '/search');
  throw new ValidationError({
    source: [
      `It has ${count} items or more, and at most ${most} are taken. Import a part: ${decodeURIComponent(search.href)}`,
    ],
  });
}
