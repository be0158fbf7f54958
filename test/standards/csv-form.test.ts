/** What a Data Package says of a file of CSV: a program that reads the file so gets its cells. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { dataPackageErrors } from './validate.ts';

let workshop: Workshop;
let server: Awaited<ReturnType<typeof serveFolder>>;

before(async () => {
  workshop = await makeWorkshop();
  await workshop.publish('german', 'german.csv', Buffer.from('Name;Größe\nBär;1,5\n', 'latin1'));
  await workshop.publish('plain', 'plain.csv', 'a,b\n1,2\n');
  await workshop.publish('lines', 'lines.geojsonl', '{"type":"Feature","geometry":null,"properties":{"a":1}}\n');
  server = await serveFolder(workshop.root);
});
after(async () => {
  await server.close();
  await workshop.remove();
});

interface Described {
  readonly format: string;
  readonly path: string;
  readonly encoding?: string;
  readonly dialect?: { readonly delimiter?: string };
}

async function csvOf(slug: string): Promise<Described> {
  const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/datapackage.json`);
  const body = (await response.json()) as { resources: Described[] };
  assert.deepEqual(dataPackageErrors(body as never), []);
  return body.resources.find(({ format }) => format === 'csv') as Described;
}

it('names the encoding and the delimiter of a file as it was published', async () => {
  const { path, encoding, dialect } = await csvOf('german');
  const text = new TextDecoder(encoding).decode(await (await fetch(path)).arrayBuffer());
  assert.deepEqual(
    text.split('\n').map((line) => line.split(dialect?.delimiter ?? ',')),
    [['Name', 'Größe'], ['Bär', '1,5'], ['']],
  );
});

it('says nothing of a dialect where it is the default one', async () => {
  for (const slug of ['plain', 'lines']) {
    const { encoding, dialect } = await csvOf(slug);
    assert.deepEqual([encoding, dialect], ['utf-8', undefined]);
  }
});
