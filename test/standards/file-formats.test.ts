/** The rows of every dataset are valid GeoJSON (RFC 7946), GeoParquet 1.1 and TileJSON 3.0, by the official schemas and the texts of the standards. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { publishHostileRows } from '../support/hostile-rows.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { geoJsonErrors, geoParquetErrors, tileJsonErrors } from './validate.ts';

let workshop: Workshop;
let server: Awaited<ReturnType<typeof serveFolder>>;
/** Addresses of the datasets with rows, whether they have a geometry, and a column that can colour their maps. */
const tables: {
  readonly url: string;
  readonly format: string;
  readonly hasGeometry: boolean;
  readonly colour: string | undefined;
}[] = [];

before(async () => {
  workshop = await makeWorkshop();
  await publishHostileRows(workshop);
  const examples = new URL('../../catalogue-data/namespaces/', import.meta.url);
  cpSync(examples, join(workshop.root, 'namespaces'), { recursive: true });
  server = await serveFolder(workshop.root, { work: { capacity: 600_000, refill: 1000 } });
  const { results } = (await (await fetch(`${server.base}/api/v1/datasets/?page_size=100`)).json()) as {
    results: {
      url: string;
      columns: { name: string; type: string }[];
      versions: { rows: number | null; format: string }[];
    }[];
  };
  for (const { url, columns, versions } of results)
    if (versions.some(({ rows }) => rows !== null))
      tables.push({
        url,
        format: versions[0]?.format ?? '',
        hasGeometry: columns.some(({ type }) => type === 'geometry'),
        colour: columns.find(({ type }) => type === 'integer' || type === 'float' || type === 'string')?.name,
      });
  assert.ok(tables.length > 15, `${tables.length} datasets`);
});
after(async () => {
  await server.close();
  await workshop.remove();
});

async function bytes(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return response.arrayBuffer();
}

it('GeoJSON follows RFC 7946: closed rings, longitude and latitude in degrees, no crs; and the right direction of rings, but of those in a published file', async () => {
  let misdirected = 0;
  for (const { url, format, hasGeometry } of tables) {
    const text = async (address: string) => Buffer.from(await bytes(address)).toString();
    const document = JSON.parse(await text(`${url}data.geojson`));
    assert.deepEqual(geoJsonErrors(document, format === 'geojson'), [], url);
    misdirected += geoJsonErrors(document).length;
    const features = (await text(`${url}data.geojsonl`))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    assert.deepEqual(geoJsonErrors({ type: 'FeatureCollection', features }), [], url);
    assert.deepEqual(geoJsonErrors(JSON.parse(await text(`${url}data/?_limit=1000`))), [], url);
    if (!hasGeometry) continue;
    const items = url.replace(
      /\/api\/v1\/namespaces\/([^/]+)\/datasets\/([^/]+)\/$/,
      '/ogc/collections/$1.$2/items?limit=1000',
    );
    assert.deepEqual(geoJsonErrors(JSON.parse(await text(items))), [], items);
  }
  assert.ok(misdirected > 0, 'some of the published files have rings in the wrong direction');
});

it('tiles are described by TileJSON 3.0, also with colours', async () => {
  let count = 0;
  for (const { url, hasGeometry, colour } of tables)
    for (const query of hasGeometry ? ['', ...(colour ? [`?_colour=${encodeURIComponent(colour)}`] : [])] : []) {
      count++;
      const document = JSON.parse(Buffer.from(await bytes(`${url}tiles.json${query}`)).toString());
      assert.deepEqual(tileJsonErrors(document), [], `${url}${query}`);
    }
  assert.ok(count > 10, `${count} documents`);
});

it('Parquet with a geometry has the metadata of GeoParquet 1.1, which say what is in the file', async () => {
  let count = 0;
  for (const { url, hasGeometry } of tables) {
    const file = await bytes(`${url}data.parquet`);
    const { key_value_metadata: entries, schema } = parquetMetadata(file, { geoparquet: false });
    const geo = entries?.find(({ key }) => key === 'geo')?.value;
    assert.equal(geo !== undefined, hasGeometry, url);
    if (geo === undefined) continue;
    count++;
    const rows = await parquetReadObjects({ file, compressors });
    assert.deepEqual(geoParquetErrors(JSON.parse(geo), schema, rows), [], url);
  }
  assert.ok(count > 5, `${count} files`);
});
