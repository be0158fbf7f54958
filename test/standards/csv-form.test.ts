/** What a Data Package and Croissant say of a file of CSV: a program that reads the file so gets its cells. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { ReadingOptions } from '../../src/catalogue/types.ts';
import { toWkb } from '../../src/data/geometry/wkb.ts';
import { catalogueFacts, datasetFacts } from '../../src/standards/facts.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { croissantErrors, dataPackageErrors } from './validate.ts';

let workshop: Workshop;
let server: Awaited<ReturnType<typeof serveFolder>>;

before(async () => {
  workshop = await makeWorkshop();
  await workshop.publish('german', 'german.csv', Buffer.from('Name;Größe\nBär;1,5\n', 'latin1'));
  await workshop.publish('utf-16', 'utf-16.csv', Buffer.from('\ufeffname,n\nBär,1\n', 'utf16le'));
  const utf16 = { encoding: 'utf-16le' };
  await workshop.publish('named-utf-16', 'utf-16.csv', Buffer.from('\ufeffname,n\nBär,1\n', 'utf16le'), utf16);
  const forms = 'name;höhe;datum;am\nBär;1.012,5;31.12.2024;2024-12-31\nLuchs;0,5;1.2.2024;2024-02-01\n';
  await workshop.publish('forms', 'forms.csv', forms);
  await workshop.publish('grouped', 'grouped.csv', 'n;m\n1.234;0,5\n', { decimal: ',' });
  await workshop.publish('plain', 'plain.csv', 'a,b\n1,2\n');
  await workshop.publish('times', 'times.csv', 't,at,day\n10:00,2024-02-29 10:00,2024-02-29\n');
  await workshop.publish('lines', 'lines.geojsonl', '{"type":"Feature","geometry":null,"properties":{"a":1}}\n');
  for (const [slug, { file, reading, name = 'file.csv' }] of Object.entries(odd)) {
    await workshop.publish(slug, name, file, reading);
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug }, { licence: 'CC0-1.0' });
  }
  const feature = (geometry: object, properties: object) =>
    JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', geometry, properties }] });
  const point = { type: 'Point', coordinates: [1, 2] };
  await workshop.publish('places', 'places.geojson', feature({ ...point, coordinates: [1, 2, 3] }, { a: 1 }));
  const line = { type: 'LineString', coordinates: [point.coordinates, [3, 4]] };
  await workshop.publish('shapes', 'shapes.geojson', feature(line, { a: 1 }));
  await workshop.publish('clash', 'clash.geojson', feature(point, { geometry: 'cubic', a: 1 }));
  await workshop.publish('parquet', 'parquet.parquet', geoParquet());
  await workshop.publish('zipped', 'zipped.csv.gz', gzipSync('a,b\n1,2\n'));
  await workshop.publish('objects', 'objects.ndjson', '{"a":1}\n{"a":2}\n');
  for (const slug of ['clash', 'parquet', 'zipped', 'objects', 'places', 'forms', 'grouped', 'plain'])
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug }, { licence: 'CC0-1.0' });
  await workshop.publish('named', 'named.geojson', feature(point, { longitude: 'x' }));
  server = await serveFolder(workshop.root);
});
after(async () => {
  await server.close();
  await workshop.remove();
});

/** Files whose columns here have others names than there, or aren't there. */
const odd: Readonly<Record<string, Odd>> = {
  points: { file: 'lat,lon,name\n47,8,a\n', columns: ['lat', 'lon', 'name'] },
  wkt: { file: 'a,wkt\n1,POINT (1 2)\n', columns: ['a', 'wkt'] },
  'wkt-alike': { file: 'geometry,geometry_2\nPOINT (1 2),b\n', columns: ['geometry', 'geometry_2'] },
  'broken-wkt': { file: 'wkt,a\nPOINT (1 2),1\nPOINT (2 3),1\nx,3\n', columns: ['wkt', 'a'] },
  repeated: { file: 'id,id,,b\n1,2,3,4\n', columns: ['id', 'b'] },
  alike: { file: 'id,id_2,column_3\n1,2,3\n', columns: ['id', 'id_2', 'column_3'] },
  spaces: { file: 'a, b\n1,2\n', columns: ['a', ' b'] },
  longer: { file: 'a,b\n1,2,3\n', columns: ['a', 'b'] },
  'no-header': { file: '1,2\n3,4\n', reading: { header: false }, columns: [], fields: ['column_1', 'column_2'] },
  'no-header-wkt': {
    file: '1,POINT (1 2),x\n2,POINT (1 2),y\n',
    reading: { header: false },
    ...{ columns: [], fields: ['column_1', 'geometry', 'column_2'] },
  },
  'no-header-points': {
    file: 'a,1,2\nb,3,4\n',
    reading: { header: false, lon: 'column_2', lat: 'column_3' },
    ...{ columns: [], fields: ['column_1', 'column_2', 'column_3'] },
  },
  skipped: { file: 'About\nus\nlat,lon\n1,2\n', reading: { skip: 2 }, columns: [], fields: ['lat', 'lon'] },
  'skipped-no-header': {
    file: 'About\n1,2\n',
    reading: { skip: 1, header: false },
    ...{ columns: [], fields: ['column_1', 'column_2'] },
  },
  tabs: { name: 'file.tsv', file: 'lat\tlon\tname\n47\t8\ta\n', columns: ['lat', 'lon', 'name'] },
};

/** GeoParquet whose geometry is in a column with another name. */
function geoParquet(): Buffer {
  const geo = { version: '1.1.0', primary_column: 'position', columns: { position: { encoding: 'WKB' } } };
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'name', data: ['oak'], type: 'STRING' },
        { name: 'position', data: [toWkb({ type: 'Point', coordinates: [1, 2] })], type: 'BYTE_ARRAY' },
      ],
      kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
    }),
  );
}

interface Odd {
  readonly name?: string;
  readonly file: string;
  readonly reading?: ReadingOptions;
  /** Columns that a program finds by their names in the first line. */
  readonly columns: readonly string[];
  /** Fields of the Data Package, if they are others. */
  readonly fields?: readonly string[];
}

interface Field {
  readonly name: string;
  readonly type?: string;
  readonly format?: string;
  readonly decimalChar?: string;
  readonly groupChar?: string;
}

interface Described {
  readonly format: string;
  readonly path: string;
  readonly encoding?: string;
  readonly dialect?: {
    readonly delimiter?: string;
    readonly header?: boolean;
    readonly headerRows?: readonly number[];
    readonly commentRows?: readonly number[];
  };
  readonly schema?: { readonly fields: readonly Field[]; readonly fieldsMatch?: readonly string[] };
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

it('names the encoding of UTF-16 with a byte order mark as programs that take it away know it', async () => {
  for (const slug of ['utf-16', 'named-utf-16']) assert.equal((await csvOf(slug)).encoding, 'utf-16', slug);
});

it('says how numbers are written, and takes dates that Table Schema would not read for texts', async () => {
  const fields = async (slug: string) =>
    (await csvOf(slug)).schema?.fields.map(({ name, type, decimalChar, groupChar }) => ({
      name,
      type,
      ...(decimalChar !== undefined && { decimalChar }),
      ...(groupChar !== undefined && { groupChar }),
    }));
  const commas = { decimalChar: ',', groupChar: '.' };
  assert.deepEqual(await fields('forms'), [
    { name: 'name', type: 'string' },
    { name: 'höhe', type: 'number', ...commas },
    { name: 'datum', type: 'string' },
    { name: 'am', type: 'date' },
  ]);
  assert.deepEqual(await fields('grouped'), [
    { name: 'n', type: 'integer', groupChar: '.' },
    { name: 'm', type: 'number', ...commas },
  ]);
});

it('lets times and datetimes have the forms that the catalogue reads', async () => {
  const { schema } = await csvOf('times');
  assert.deepEqual(
    schema?.fields.map(({ type, format }) => [type, format]),
    [
      ['time', 'any'],
      ['datetime', 'any'],
      ['date', undefined],
    ],
  );
});

it('says nothing of a dialect where it is the default one', async () => {
  for (const slug of ['plain', 'lines']) {
    const { encoding, dialect } = await csvOf(slug);
    assert.deepEqual([encoding, dialect], ['utf-8', undefined]);
  }
});

for (const [slug, { name = 'file.csv', file, reading, columns, fields = columns }] of Object.entries(odd)) {
  it(`describes in Croissant only what programs find in the file: ${slug}`, async () => {
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/croissant.json`);
    const body = (await response.json()) as {
      readonly distribution: readonly { readonly contentUrl: string; readonly description?: string }[];
      readonly recordSet?: readonly { readonly field: readonly { source: { extract: { column: string } } }[] }[];
    };
    const found = body.recordSet?.[0]?.field.map(({ source }) => source.extract.column) ?? [];
    assert.deepEqual(found, columns);
    const errors = await croissantErrors(body as never);
    assert.deepEqual(errors, []);
    assert.equal(body.recordSet === undefined, columns.length === 0, 'a record set has fields');
    const [original] = body.distribution;
    assert.equal(await (await fetch(original?.contentUrl ?? '')).text(), file);
    const sentence = original?.description;
    if (!reading?.skip && reading?.header !== false) assert.equal(sentence, undefined);
    else assert.match(sentence ?? '', reading.header === false ? /no names/ : /^2 lines stand above the names/);
  });

  if (name.endsWith('.csv'))
    it(`describes in a Data Package the columns in the order of the file: ${slug}`, async () => {
      const { schema, dialect } = await csvOf(slug);
      assert.deepEqual(
        schema?.fields.map((one) => one.name),
        fields,
      );
      const rows = file.split('\n').map((line) => line.split(','));
      if (reading?.header === false) {
        assert.deepEqual([dialect?.header, schema?.fieldsMatch], [false, undefined]);
        assert.deepEqual(dialect?.commentRows, reading.skip && [1]);
        assert.equal(fields.length, rows.at(-2)?.length, 'each cell has a field');
      } else {
        const cells = rows[(dialect?.headerRows?.[0] ?? 1) - 1] ?? [];
        assert.ok(fields.every((one) => cells.includes(one)));
      }
    });
}

it('describes in Croissant the columns of Parquet and GeoJSON by their names there', async () => {
  const found = async (slug: string) => {
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/croissant.json`);
    const body = (await response.json()) as { recordSet: { field: { source: { extract: object } }[] }[] };
    return body.recordSet[0]?.field.map(({ source }) => Object.values(source.extract)[0]);
  };
  assert.deepEqual(await found('parquet'), ['position', 'name']);
  assert.deepEqual(await found('clash'), ['$.features[*].geometry', '$.features[*].properties["a"]']);
});

it('describes in Croissant numbers and dates of other forms as texts', async () => {
  const types = async (slug: string) => {
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/croissant.json`);
    const body = (await response.json()) as { recordSet: { field: { dataType: string }[] }[] };
    return body.recordSet[0]?.field.map(({ dataType }) => dataType);
  };
  assert.deepEqual(await types('forms'), ['sc:Text', 'sc:Text', 'sc:Text', 'sc:Date']);
  assert.deepEqual(await types('grouped'), ['sc:Text', 'sc:Text']);
  assert.deepEqual(await types('plain'), ['sc:Integer', 'sc:Integer']);
});

it('names in Croissant the formats that its reader knows: of what is in a compressed file', async () => {
  const formatOf = async (slug: string) => {
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/croissant.json`);
    const body = (await response.json()) as { distribution: { encodingFormat: string }[] };
    return body.distribution[0]?.encodingFormat;
  };
  assert.equal(await formatOf('points'), 'text/csv');
  assert.equal(await formatOf('zipped'), 'text/csv');
  assert.equal(await formatOf('tabs'), 'text/tab-separated-values');
  assert.equal(await formatOf('parquet'), 'application/x-parquet');
  assert.equal(await formatOf('objects'), 'application/jsonlines');
  assert.equal(await formatOf('places'), 'application/json');
});

it('names in DCAT the media type of what is in a compressed file, and how it is compressed', async () => {
  const distributionOf = async (slug: string) => {
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/dcat.jsonld`);
    const body = (await response.json()) as { '@graph': Record<string, Record<string, Record<string, string>>[]>[] };
    return body['@graph'][0]?.['dcat:distribution']?.[0] ?? {};
  };
  const types = 'http://www.iana.org/assignments/media-types/';
  const zipped = await distributionOf('zipped');
  assert.equal(zipped['dcat:mediaType']?.['@id'], `${types}text/csv`);
  assert.equal(zipped['dcat:compressFormat']?.['@id'], `${types}application/gzip`);
  assert.equal((await distributionOf('points'))['dcat:compressFormat'], undefined);
});

it('describes the CSV that the catalogue writes by its own columns', async () => {
  for (const slug of ['tabs', 'places', 'shapes', 'named']) {
    const { path, schema } = await csvOf(slug);
    const [head = ''] = (await (await fetch(path)).text()).split('\r\n');
    const names = schema?.fields.map(({ name }) => name) ?? [];
    const missing = slug === 'named' ? ['geometry'] : [];
    assert.deepEqual(
      names,
      head.split(',').filter((name) => !missing.includes(name)),
    );
  }
});

it('knows of versions of an earlier release what their columns tell', async () => {
  const fields = async (slug: string) => {
    const { catalogue } = workshop;
    const { versions } = await catalogue.get({ kind: 'dataset', namespace: 'lab', slug });
    await catalogue.edit(
      { kind: 'version', namespace: 'lab', dataset: slug, slug: versions[0]?.slug ?? '' },
      { metadata: '' },
    );
    const facts = datasetFacts(
      catalogueFacts(catalogue.settings, 'https://x.example'),
      await catalogue.get({ kind: 'dataset', namespace: 'lab', slug }),
      undefined,
    );
    return facts.distributions[0]?.columns().map(({ name }) => name);
  };
  assert.deepEqual(await fields('points'), ['lat', 'lon', 'name']);
  assert.deepEqual(await fields('wkt'), ['a']);
  assert.deepEqual(await fields('repeated'), ['id', 'b']);
  assert.deepEqual(await fields('no-header'), ['column_1', 'column_2']);
  assert.deepEqual(await fields('no-header-wkt'), []);
});
