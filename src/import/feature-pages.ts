/**
 * Features of OGC API - Features, and items of a STAC API, as one GeoJSON file: all pages, one after the other, so that memory
 * holds one of them.
 */
import { open, rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { ValidationError } from '../catalogue/errors.ts';
import { type Documents, maxDocument, type OpenDocument, parseJson, readDocumentText } from './documents.ts';
import { featureTexts } from './feature-texts.ts';
import { membersOf } from './imported.ts';
import { endlessPages } from './list-pages.ts';
import { nextPageRequest, type PageRequest, pageKey } from './next-page.ts';
import { hasMoreFeatures, matchedOf, offsetOf, offsetParameter, onlyAPart } from './partial-features.ts';

/** Pages of one collection, at most: links that never end are refused. */
const maxPages = 100_000;
/** Features that a page is asked for. */
const pageLength = 1000;
const geoJson = 'application/geo+json, application/json;q=0.9';

interface FeatureOptions {
  /** Most features. */
  readonly most?: number;
  /** Most bytes of the file. */
  readonly maxSize?: number;
  /** True to ask for the address as it is, in any format: it was opened so before. */
  readonly isOpened?: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Writes the features that a request finds into a file.
 * @throws ValidationError if a page is no collection of features, if a link to the next one is not followed, if the server gives
 *   a part of the features only, or if there are too many
 */
export async function bringFeaturePages(
  documents: Documents,
  request: PageRequest,
  { most = Number.POSITIVE_INFINITY, maxSize = maxDocument, isOpened = false }: FeatureOptions = {},
): Promise<OpenDocument> {
  const length = most === Number.POSITIVE_INFINITY ? pageLength : pageLength / 4;
  const first = isOpened ? request : withPageLength(request, length);
  const optionsOf = ({ body, headers }: PageRequest) => ({
    accept: isOpened ? '*/*' : geoJson,
    ...(body && { body: JSON.stringify(body) }),
    ...(headers && { headers }),
  });
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
    /** Features of the first page, which a server that knows no pages gives again. */
    let firstTexts: readonly string[] = [];
    for (let next: PageRequest | null = first; next; ) {
      if (seen.has(pageKey(next)) || seen.size >= maxPages) throw endlessPages(request.address);
      seen.add(pageKey(next));
      const document = await documents.open(next.address, optionsOf(next));
      const content = await readDocumentText(document);
      const page = membersOf(parseJson(content, document.address));
      if (!Array.isArray(page.features))
        throw new ValidationError({ source: [`${next.address} is no collection of features.`] });
      assertNotTooMany(request.address, Math.max(matchedOf(page), count + page.features.length), most);
      const texts = featureTexts(content, page.features);
      if (count === 0) firstTexts = texts;
      else if (offsetParameter(first.address) !== null && isDeepStrictEqual(texts, firstTexts))
        throw onlyAPart(request.address, page, count);
      for (const text of texts) await write(`${count++ ? ',' : ''}\n${text}`);
      next = texts.length ? nextRequest(page, next, first, count) : null;
      // STAC APIs may estimate the number of items. Without a number, an empty page is the end, also with a link to a next one.
      const isEstimate = most !== Number.POSITIVE_INFINITY && seen.size > 1;
      const isFine = next !== null || isEstimate || (texts.length === 0 && matchedOf(page) === 0);
      if (!isFine && hasMoreFeatures(page, count, first.address)) throw onlyAPart(request.address, page, count);
    }
    await write('\n]}\n');
    isWhole = true;
  } finally {
    await file.close();
    if (!isWhole) await rm(path, { force: true });
  }
  return { address: request.address, path, mediaType: 'application/geo+json', size };
}

/** The request for the page behind a page; null if it is the last. @param count features so far */
function nextRequest(page: Members, current: PageRequest, first: PageRequest, count: number): PageRequest | null {
  const name = first.body ? null : offsetParameter(first.address);
  if (name === null) return nextPageRequest(page, current, first);
  if (!hasMoreFeatures(page, count, first.address)) return null;
  const url = new URL(first.address);
  for (const key of [...url.searchParams.keys()])
    if (key.toLowerCase() === name.toLowerCase()) url.searchParams.delete(key);
  url.searchParams.set(name, String(offsetOf(first.address) + count));
  return { address: url.href };
}

/** The request with a number of features for each page, if it doesn't have one of its own. */
function withPageLength({ address, body }: PageRequest, length: number): PageRequest {
  if (body) return { address, body: { limit: length, ...body } };
  const url = new URL(address);
  if (!url.searchParams.has('limit')) url.searchParams.set('limit', String(length));
  return { address: url.href };
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
