/** Lists and features in pages, also of servers that never end them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ValidationError } from '../../src/catalogue/errors.ts';
import { bringFeaturePages } from '../../src/import/feature-pages.ts';
import { HttpDocuments } from '../../src/import/http-documents.ts';
import { readListPages } from '../../src/import/list-pages.ts';
import { Portal } from '../support/portal.ts';

const portal = new Portal();
const folder = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
let documents: HttpDocuments;
before(async () => {
  await portal.start();
  documents = await HttpDocuments.open({ folder, source: portal.base, interval: 0 });
});
after(async () => {
  await documents.close();
  portal.close();
  rmSync(folder, { recursive: true });
});

/** Serves pages, each with its number and a link to the next one. */
function servePages(path: string, last: number, more: object = {}): string {
  portal.asked.length = 0;
  portal.json(path, ({ url }: IncomingMessage) => {
    const page = Number(new URL(url ?? '', portal.base).searchParams.get('page') ?? 1);
    const links = page < last ? [{ rel: 'next', href: `${portal.base}${path}?page=${page + 1}` }] : [];
    return { page, links, ...more };
  });
  return portal.base + path;
}

const refusedWith = (reason: RegExp) => (error: ValidationError) => reason.test(String(error.fields.source));

describe('a list in pages', () => {
  const next = ({ links }: Readonly<Record<string, unknown>>) => (links as { href: string }[])[0]?.href;
  const numbers = async (address: string, most?: number) => {
    const found: unknown[] = [];
    for await (const { page } of readListPages(documents, { address }, { next, ...(most && { most }) }))
      found.push(page.page);
    return found;
  };

  it('is read to its end, also if that is the last page that may be read', async () => {
    assert.deepEqual(await numbers(servePages('/three', 3)), [1, 2, 3]);
    assert.deepEqual(await numbers(servePages('/five', 5), 5), [1, 2, 3, 4, 5]);
  });

  it('ends at a page that was read already', async () => {
    portal.json('/circle', { page: 1, links: [{ href: `${portal.base}/circle` }] });
    assert.deepEqual(await numbers(`${portal.base}/circle`), [1]);
  });

  it('is refused if it never ends', async () => {
    const address = servePages('/endless', Number.POSITIVE_INFINITY);
    await assert.rejects(numbers(address, 5), refusedWith(/\/endless: the pages never end/));
    assert.equal(portal.asked.length, 5);
  });
});

describe('features in pages', () => {
  const feature = { type: 'Feature', geometry: null, properties: { text: 'x'.repeat(1000) } };

  it('are refused beyond the most bytes of a document, and leave no file', async () => {
    const address = servePages('/features', Number.POSITIVE_INFINITY, { features: [feature] });
    const limits = { maxSize: 5000 };
    const reason = /\/features has more than 5000 bytes of features/;
    await assert.rejects(bringFeaturePages(documents, { address }, limits), refusedWith(reason));
    assert.equal(portal.asked.length, 5);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.geojson')),
      [],
    );
    const few = servePages('/few', 4, { features: [feature] });
    const { path, size } = await bringFeaturePages(documents, { address: few }, limits);
    assert.equal(readFileSync(path).length, size);
  });

  it('keep the digits of their numbers, and the spaces in texts', async () => {
    const written =
      '{"type":"Feature","id":9007199254740993,"properties":{"n":1e400,"f":1.0,"a \\" b":" \\\\","é":[1,2]}}';
    const spaced = written.replaceAll(/([:,{[])(?=["\d{[])/g, '$1 \n\t');
    const page = `{ "features" : [ ${spaced} , ${written}\n], "n": 1, "links": [] }`;
    portal.file('/digits', page, 'application/geo+json');
    const { path } = await bringFeaturePages(documents, { address: `${portal.base}/digits` });
    const file = readFileSync(path, 'utf8');
    assert.equal(file, `{"type":"FeatureCollection","features":[\n${written},\n${written}\n]}\n`);
    const long = JSON.stringify({ features: [{ properties: { text: 'a "b" \\'.repeat(3_000_000) } }] });
    portal.file('/long', long, 'application/geo+json');
    const { size } = await bringFeaturePages(documents, { address: `${portal.base}/long` });
    assert.ok(size > long.length);
  });
});
