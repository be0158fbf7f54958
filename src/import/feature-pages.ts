/** Features of OGC API - Features as one GeoJSON file: all pages, one after the other, so that memory holds one of them. */
import { open } from 'node:fs/promises';
import { ValidationError } from '../catalogue/errors.ts';
import { type Documents, type OpenDocument, readJsonDocument } from './documents.ts';
import { listOf, membersOf, textOf } from './imported.ts';
import { addressOf } from './stac.ts';

/** Pages of one collection, at most: links that never end are refused. */
const maxPages = 100_000;
/** Features that a page is asked for. */
const pageLength = 1000;

/** Writes the features behind an address into a file. @throws ValidationError if a page is no collection of features */
export async function bringFeaturePages(documents: Documents, address: string): Promise<OpenDocument> {
  const first = new URL(address);
  first.searchParams.set('limit', String(pageLength));
  const start = await documents.open(first.href, { accept: 'application/geo+json, application/json;q=0.9' });
  const path = `${start.path}.features.geojson`;
  const file = await open(path, 'w');
  let size = 0;
  const write = async (text: string) => {
    size += Buffer.byteLength(text);
    await file.write(text);
  };
  try {
    await write('{"type":"FeatureCollection","features":[');
    const seen = new Set<string>();
    let isFirst = true;
    for (let next = first.href; next; ) {
      if (seen.has(next) || seen.size >= maxPages)
        throw new ValidationError({ source: [`${address}: the pages never end.`] });
      seen.add(next);
      const page = membersOf(
        await readJsonDocument(
          { open: (url) => documents.open(url, { accept: 'application/geo+json, application/json;q=0.9' }) },
          next,
        ),
      );
      if (!Array.isArray(page.features))
        throw new ValidationError({ source: [`${next} is no collection of features.`] });
      for (const feature of page.features) {
        await write(`${isFirst ? '' : ','}\n${JSON.stringify(feature)}`);
        isFirst = false;
      }
      const link = listOf(page.links)
        .map(membersOf)
        .find(({ rel }) => rel === 'next');
      next = page.features.length && link ? (addressOf(textOf(link.href), next, null) ?? '') : '';
    }
    await write('\n]}\n');
  } finally {
    await file.close();
  }
  return { address, path, mediaType: 'application/geo+json', size };
}
