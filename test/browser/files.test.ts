/** hyparquet in Chromium, on a page of another origin: it reads a part of a version's Parquet by ranges. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { makeWorkshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { launchBrowser } from './open-browser.ts';

const rows = 20_000;
const csv = `name,height\n${Array.from({ length: rows }, (_, i) => `place ${i} of many,${i}\n`).join('')}`;

/** What a developer would write: the greatest heights, from the end of the file. */
const script = `
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
globalThis.readEnd = async (url) => {
  const head = await fetch(url, { method: 'HEAD' });
  const part = await fetch(url, { headers: { Range: 'bytes=-4' } });
  const file = await asyncBufferFromUrl({ url });
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: 8192 });
  const count = Number(metadata.num_rows);
  const last = await parquetReadObjects({ file, metadata, compressors, columns: ['height'], rowStart: count - 3, rowEnd: count });
  const headers = ['ETag', 'Content-Length', 'Accept-Ranges'].map((name) => head.headers.get(name));
  return { length: file.byteLength, heights: last.map(({ height }) => Number(height)), headers, range: part.headers.get('Content-Range'), end: await part.text() };
};`;

it('reads the last rows over HTTP, from another origin', async () => {
  const [workshop, bundle] = await Promise.all([
    makeWorkshop(),
    build({
      stdin: { contents: script, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
      ...{ bundle: true, format: 'esm', write: false, logLevel: 'silent' },
    }),
  ]);
  await workshop.publish('places', 'places.csv', csv);
  const server = await serveFolder(workshop.root);
  const front = createServer(({ url }, response) => {
    const isScript = url === '/script.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? bundle.outputFiles[0]?.text : '<script type="module" src="/script.js"></script>');
  }).listen(0, '127.0.0.1');
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    let received = 0;
    page.on('response', (response) => {
      if (response.status() === 206) received += Number(response.headers()['content-length']);
    });
    const { port } = front.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/`);
    const url = `${server.base}/api/v1/namespaces/lab/datasets/places/data.parquet`;
    const found = (await page.evaluate(`readEnd(${JSON.stringify(url)})`)) as {
      length: number;
      heights: number[];
      headers: (string | null)[];
      range: string;
      end: string;
    };
    assert.deepEqual(found.heights, [rows - 3, rows - 2, rows - 1]);
    assert.ok(received > 0 && received < found.length / 2, `${received} of ${found.length} bytes`);
    const { length } = found;
    assert.deepEqual(found.headers.slice(1), [String(length), 'bytes']);
    assert.match(found.headers[0] ?? '', /^"[\w-]{20,}"$/);
    assert.deepEqual([found.range, found.end], [`bytes ${length - 4}-${length - 1}/${length}`, 'PAR1']);
  } finally {
    await browser.close();
    front.close();
    await server.close();
    await workshop.remove();
  }
});
