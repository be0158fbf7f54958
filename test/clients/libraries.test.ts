/**
 * Programs and libraries read a served catalogue by the addresses that their users paste: Python's urllib and csv, GDAL's
 * /vsicurl/ and MVT, hyparquet over ranges, stac-js, jsonld. A tool that isn't installed is skipped, unless this runs in
 * continuous integration, where it has to be.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import jsonld from 'jsonld';
import { Parser, Writer } from 'n3';
// @ts-expect-error: it has no types
import createStacObject from 'stac-js';
import { publishHostileRows } from '../support/hostile-rows.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const run = promisify(execFile);
const missing = (command: string, packages: string) =>
  !process.env.CI && spawnSync(command, ['--version']).status !== 0 && `${command} is missing (Debian: ${packages})`;

/** The part of stac-js that is used here. */
interface StacObject {
  readonly id: string;
  getObjectType(): string;
  getAbsoluteUrl(): string;
  getStacLinksWithRel(rel: string): readonly { readonly href: string }[];
  getBoundingBoxes(): readonly (readonly number[])[];
  getTemporalExtent(): readonly (string | null)[];
  getAssets(): readonly { readonly type: string; getAbsoluteUrl(): string }[];
}
const create: (document: object) => StacObject = createStacObject;

describe('clients of a served catalogue', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let datasets: string;

  before(async () => {
    workshop = await makeWorkshop();
    await publishHostileRows(workshop);
    const parquet = await fetchedFromOwnServer(workshop, 'many', 'parquet');
    await workshop.publish('stored', 'stored.parquet', parquet);
    server = await serveFolder(workshop.root, { logFormat: 'json' });
    datasets = `${server.base}/api/v1/namespaces/lab/datasets`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it("Python's urllib and csv", { skip: missing('python3', 'python3') }, async () => {
    const script = [
      'import csv, io, json, sys, urllib.request',
      'read = lambda url: urllib.request.urlopen(url).read().decode()',
      'base = sys.argv[1]',
      'rows = list(csv.DictReader(io.StringIO(read(base + "/quoted/data.csv"), newline="")))',
      'features = json.loads(read(base + "/quoted/data/?_format=json"))',
      'page = json.loads(read(base + "/quoted/"))',
      'print(json.dumps([rows, features, page["label"]]))',
    ].join('\n');
    const { stdout } = await run('python3', ['-c', script, datasets]);
    const [rows, features, label] = JSON.parse(stdout);
    assert.deepEqual(
      rows.map((row: Record<string, string>) => row.name),
      ['Ä, \u202e', 'line\nbreak', "'; --"],
    );
    assert.equal(rows[0]['a "b" & c'], 'x "y"');
    assert.deepEqual(features[0].geometry.coordinates, [1, 2]);
    assert.equal(label, '"</script><b>Quoted</b>');
  });

  describe('GDAL', { skip: missing('ogrinfo', 'gdal-bin') }, () => {
    const describeLayers = async (source: string) => (await run('ogrinfo', ['-ro', '-so', '-al', source])).stdout;

    it('/vsicurl/ reads a stored file, its size and its ranges', async () => {
      const info = await describeLayers(`/vsicurl/${datasets}/many/download/many.geojson`);
      assert.match(info, /^Feature Count: 2500$/m);
    });

    it('MVT reads a tile', async () => {
      const info = await describeLayers(`MVT:${datasets}/many/tiles/0/0/0.mvt`);
      assert.match(info, /^Layer name: rows$/m);
      assert.match(info, /^Feature Count: 2500$/m);
    });
  });

  it('hyparquet reads the footer and some rows of a stored Parquet file by ranges', async () => {
    const before = server.log.length;
    const file = await asyncBufferFromUrl({ url: `${datasets}/stored/download/` });
    const metadata = await parquetMetadataAsync(file);
    assert.equal(metadata.num_rows, 2500n);
    const rows = await parquetReadObjects({ file, metadata, compressors, columns: ['n'], rowStart: 10, rowEnd: 12 });
    assert.deepEqual(rows, [{ n: 10n }, { n: 11n }]);
    const statuses = server.log.slice(before).map((line) => (JSON.parse(line) as { status: number }).status);
    assert.ok(statuses.includes(206), String(statuses));
  });

  it('stac-js walks from the root to the assets of each collection', async () => {
    const names: string[] = [];
    const walk = async (url: string) => {
      const node = create((await (await fetch(url)).json()) as object);
      assert.equal(node.getAbsoluteUrl(), url);
      for (const { href } of node.getStacLinksWithRel('child')) await walk(href);
      if (node.getObjectType() !== 'Collection') return;
      names.push(node.id);
      assert.equal(node.getBoundingBoxes().length, 1, node.id);
      assert.ok(node.getTemporalExtent().every(Boolean), node.id);
      for (const asset of node.getAssets()) {
        const response = await fetch(asset.getAbsoluteUrl(), { method: 'HEAD' });
        assert.equal(response.status, 200, asset.getAbsoluteUrl());
        assert.equal(response.headers.get('content-type')?.split(';')[0], asset.type);
      }
    };
    await walk(`${server.base}/stac/`);
    assert.deepEqual(names.toSorted(), [
      ...[
        'antimeridian',
        'empty',
        'ids',
        'many',
        'nulls',
        'plain',
        'quoted',
        'report',
        'slashes',
        'spans',
        'stored',
        'twice',
      ].map((name) => `lab.${name}`),
    ]);
  });

  it('jsonld reads the same from JSON-LD as n3 from Turtle', async () => {
    const canonical = async (text: string) =>
      jsonld.canonize(text as never, { inputFormat: 'application/n-quads', algorithm: 'URDNA2015' });
    const document = (await (await fetch(`${server.base}/catalog.jsonld`)).json()) as jsonld.JsonLdDocument;
    const fromJson = String(await jsonld.toRDF(document, { format: 'application/n-quads' }));
    const turtle = await (await fetch(`${server.base}/catalog.ttl`)).text();
    const fromTurtle = new Writer({ format: 'N-Quads' }).quadsToString(new Parser().parse(turtle));
    assert.equal(await canonical(fromJson), await canonical(fromTurtle));
    assert.ok(fromJson.split('\n').length > 100);
  });
});

/** Rows of a dataset in another format, as a server of ours writes them. */
async function fetchedFromOwnServer({ root }: Workshop, dataset: string, format: string): Promise<Buffer> {
  const server = await serveFolder(root);
  const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${dataset}/data.${format}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  await server.close();
  return bytes;
}
