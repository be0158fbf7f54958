import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteFile } from 'hyparquet-writer';
import { detectFormat, isLfsPointer } from '../../../src/data/formats/detect-format.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { createChunkCache } from '../../../src/data/table/chunk-reader.ts';
import { Table } from '../../../src/data/table/table.ts';
import { collection, ingestPayload, point, rowsOf, temporaryFolder, typesOf, valuesOf } from '../support/payloads.ts';

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/data/${name}`, import.meta.url));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('rivers: GeoJSON as it is published', async () => {
  const bytes = fixture('rivers.geojson');
  const { result, table } = await ingestPayload(bytes, 'rivers.geojson');
  assert.equal(result.checksum, sha256(bytes));
  assert.equal(result.size, bytes.length);
  assert.equal(result.rows, 13);
  assert.equal(result.mediaType, 'application/geo+json');
  assert.deepEqual(result.geometryKinds, ['LineString']);
  assert.deepEqual(typesOf(result)[0], 'geometry:geometry');
  const { features } = JSON.parse(String(bytes));
  const rows = await rowsOf(table);
  assert.deepEqual(
    rows.map(({ geometry }) => geometry),
    features.map((feature: { geometry: unknown }) => feature.geometry),
  );
  rows.forEach(({ values }, n) => {
    assert.deepEqual(
      Object.fromEntries(values.map((value, place) => [table.schema.columns[place]?.name, value])),
      features[n].properties,
    );
  });
});

test('airports: CSV with latitude and longitude', async () => {
  const { result, table } = await ingestPayload(fixture('airports.csv'), 'airports.csv');
  assert.equal(result.rows, 3376);
  assert.deepEqual(result.geometryKinds, ['Point']);
  assert.deepEqual(typesOf(result), [
    'geometry:geometry',
    'iata:string',
    'name:string',
    'city:string',
    'state:string',
    'country:string',
    'latitude:float',
    'longitude:float',
  ]);
  const row = await table.row(0);
  assert.deepEqual(row.geometry(), { type: 'Point', coordinates: [row.value(6), row.value(5)] });
  assert.equal(row.value(0), '00M');
});

test('country codes: leading zeros stay, in six scripts', async () => {
  const { result, table } = await ingestPayload(fixture('country-codes.csv'), 'country-codes.csv');
  const place = (name: string) => table.schema.columns.findIndex((column) => column.name === name);
  assert.equal(result.rows, 249);
  assert.equal(table.schema.columns[place('ISO4217-currency_numeric_code')]?.type, 'string');
  const afghanistan = (await rowsOf(table)).find(({ values }) => values[place('ISO3166-1-Alpha-2')] === 'AF');
  const albania = (await rowsOf(table)).find(({ values }) => values[place('ISO3166-1-Alpha-2')] === 'AL');
  assert.equal(albania?.values[place('ISO4217-currency_numeric_code')], '008');
  assert.equal(afghanistan?.values[place('UNTERM Chinese Short')], '阿富汗');
});

test('a stream is copied while it is read; the copy has the same bytes', async () => {
  const bytes = fixture('airports.csv');
  const path = join(temporaryFolder(), 'in.csv');
  const copyTo = join(temporaryFolder(), 'out.csv');
  writeFileSync(path, bytes);
  const seen: number[] = [];
  const result = await ingest(createReadStream(path), {
    format: 'csv',
    copyTo,
    onProgress: (count) => seen.push(count),
  });
  assert.deepEqual(readFileSync(copyTo), bytes);
  assert.equal(result.checksum, sha256(bytes));
  assert.equal(seen.at(-1), bytes.length);
  await assert.rejects(ingest(path, { copyTo }), { code: 'EEXIST' });
  assert.deepEqual(readFileSync(copyTo), bytes);
});

const members =
  '"name":"places","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"bbox":[0,0,1,1],"type":"FeatureCollection"';
const feature = JSON.stringify(point({ a: 1 }, [1, 2, 3], 'x'));
for (const [what, text] of [
  ['before', `{${members},"features":[${feature}]}`],
  ['after', `{"features":[${feature}],${members}}`],
  ['around, with room', `\n {"other":{"features":[[]]},\t"features" :\n [ ${feature} ] , ${members} } \n`],
]) {
  test(`a collection’s own members come ${what} its features`, async () => {
    const { result, table } = await ingestPayload(text as string, 'a.json');
    assert.equal(result.format, 'geojson');
    assert.equal(result.title, 'places');
    assert.equal(result.crs, null);
    assert.deepEqual(result.geometryKinds, ['Point Z']);
    assert.deepEqual(await rowsOf(table), [
      { values: [1], geometry: { type: 'Point', coordinates: [1, 2, 3] }, id: 'x' },
    ]);
  });
}

test('a Feature alone, a geometry alone, no features at all', async () => {
  for (const name of ['a.geojson', 'a.json', 'a']) {
    assert.deepEqual(await rowsOf((await ingestPayload(feature, name)).table), [
      { values: [1], geometry: { type: 'Point', coordinates: [1, 2, 3] }, id: 'x' },
    ]);
    assert.deepEqual(
      await rowsOf((await ingestPayload(JSON.stringify({ type: 'Point', coordinates: [1, 2] }), name)).table),
      [{ values: [], geometry: { type: 'Point', coordinates: [1, 2] }, id: undefined }],
    );
    const { result } = await ingestPayload(collection(), name);
    assert.deepEqual([result.rows, result.bbox, typesOf(result)], [0, null, ['geometry:geometry']]);
  }
});

test('sequences: one a line, after record separators, pretty-printed, geometries, plain objects, a collection', async () => {
  const pretty = JSON.stringify(point({ a: 1 }, [1, 2]), null, 2);
  const bare = '{"type":"Point","coordinates":[3,4]}';
  const { result, table } = await ingestPayload(`\u001e${pretty}\n\u001e${bare}\n`, 'a.geojsons');
  assert.equal(result.format, 'geojsonl');
  assert.deepEqual(
    (await rowsOf(table)).map(({ geometry, values }) => [geometry, values]),
    [
      [{ type: 'Point', coordinates: [1, 2] }, [1]],
      [{ type: 'Point', coordinates: [3, 4] }, [null]],
    ],
  );
  const lines = await ingestPayload(
    `{"a":1}\r\n\r\n${feature}\n${bare}\n${collection(point({ a: 5 }))}\n{"a":7,"geometry":${bare}}`,
    'a.ndjson',
  );
  assert.deepEqual(await valuesOf(lines.table), [[1], [1], [null], [5], [7]]);
  assert.deepEqual(
    (await rowsOf(lines.table)).map(({ geometry }) => geometry?.type),
    [undefined, 'Point', 'Point', 'Point', 'Point'],
  );
});

test('arrays: of plain objects, of Features, empty', async () => {
  const { result, table } = await ingestPayload('[{"a":1,"b":{"c":[1]}},\n{"b":null,"d":true}]', 'a.json');
  assert.deepEqual(typesOf(result), ['a:integer', 'b:object', 'd:boolean']);
  assert.deepEqual(await valuesOf(table), [
    [1, { c: [1] }, null],
    [null, null, true],
  ]);
  assert.equal((await ingestPayload(`[${feature}]`, 'a.json')).table.schema.hasGeometry, true);
  assert.equal((await ingestPayload(' [] ', 'a.json')).result.rows, 0);
});

test('plain objects without a geometry among others that have one', async () => {
  const none = '{"a":1,"geometry":null}';
  const one = '{"geometry":{"type":"Point","coordinates":[1,2]},"a":2}';
  const types = async (items: string[]) => {
    const asLines = typesOf((await ingestPayload(items.join('\n'), 'a.ndjson')).result);
    const asArray = typesOf((await ingestPayload(`[${items}]`, 'a.json')).result);
    assert.deepEqual(asLines, asArray);
    return asLines;
  };
  assert.deepEqual(await types([none, one, none]), ['geometry:geometry', 'a:integer']);
  assert.deepEqual(await types([one, none]), ['geometry:geometry', 'a:integer']);
  // A column of that name is kept if it has a value of its own, or if there is no geometry.
  assert.deepEqual(await types([none, one, '{"geometry":"flat"}']), [
    'geometry:geometry',
    'a:integer',
    'geometry_2:string',
  ]);
  assert.deepEqual(await types([none]), ['a:integer', 'geometry:string']);
  const { table } = await ingestPayload(`${none}\n${one}`, 'a.ndjson');
  assert.deepEqual(
    (await rowsOf(table)).map(({ geometry, values }) => [geometry?.type, ...values]),
    [
      [undefined, 1],
      ['Point', 2],
    ],
  );
});

test('ids keep their JSON type', async () => {
  const ids = ['a', 7, undefined, '7', 1.5];
  const { table } = await ingestPayload(collection(...ids.map((id) => point({}, [1, 2], id))), 'a.geojson');
  assert.deepEqual(
    (await rowsOf(table)).map(({ id }) => id),
    ids,
  );
  const strings = await ingestPayload(collection(point({}, [1, 2], '1'), point({}, [1, 2], '2')), 'a.geojson');
  assert.deepEqual(
    (await rowsOf(strings.table)).map(({ id }) => id),
    ['1', '2'],
  );
});

for (const [delimiter, name] of [
  [',', 'a.csv'],
  [';', 'a.csv'],
  ['\t', 'a.tsv'],
  ['\t', 'a.csv'],
  ['|', 'a.csv'],
]) {
  for (const newline of ['\n', '\r\n', '\r']) {
    test(`${JSON.stringify(delimiter)} between cells, ${JSON.stringify(newline)} between rows, in ${name}`, async () => {
      const rows = [
        ['a', 'b b', 'c'],
        ['1', `"x ""y""${delimiter} z"`, '"two\nlines"'],
        ['2', '', 'é'],
      ];
      const { result, table } = await ingestPayload(
        rows.map((row) => row.join(delimiter)).join(newline),
        name as string,
      );
      assert.equal(result.delimiter, delimiter);
      assert.deepEqual(await valuesOf(table), [
        [1, `x "y"${delimiter} z`, 'two\nlines'],
        [2, null, 'é'],
      ]);
    });
  }
}

test('CSV comes out the same wherever its chunks end', async () => {
  const rows = Array.from({ length: 9000 }, (_, n) => [
    String(n),
    `é "${n}", two\r\nlines €`,
    n % 7 === 0 ? '' : `x${n}`,
  ]);
  const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const bytes = Buffer.from(`a,b,c\r\n${rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('')}`);
  for (const size of [997, 4096, 65_537]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    const folder = temporaryFolder();
    const { checksum } = await ingest(Readable.from(chunks), { format: 'csv', cacheFolder: folder });
    const table = await Table.open(join(folder, checksum), checksum, createChunkCache(64e6));
    assert.ok(table);
    assert.deepEqual(
      await valuesOf(table),
      rows.map(([a, b, c]) => [Number(a), b, c || null]),
    );
  }
});

test('Excel’s line that names the delimiter, old line ends, a header alone, one column', async () => {
  assert.deepEqual(await valuesOf((await ingestPayload('sep=|\na|b,c\n1|2\n', 'a.csv')).table), [[1, 2]]);
  assert.deepEqual(await valuesOf((await ingestPayload('a,b\r1,2\r3,4\r', 'a.csv')).table), [
    [1, 2],
    [3, 4],
  ]);
  const { result } = await ingestPayload('a,b\n', 'a.csv');
  assert.deepEqual([result.rows, typesOf(result)], [0, ['a:string', 'b:string']]);
  assert.deepEqual(await valuesOf((await ingestPayload('a\n1\n\n2\n', 'a.csv')).table), [[1], [2]]);
});

test('WKT takes the place of its column; what can’t be read as WKT later keeps the column', async () => {
  const { result, table } = await ingestPayload(
    'id,the_geom\n1,POINT (1.5 -2)\n2,\n3,"POLYGON ((0 0, 1 0, 1 1, 0 0))"\n4,POINT EMPTY\n',
    'a.csv',
  );
  assert.deepEqual(typesOf(result), ['geometry:geometry', 'id:integer']);
  assert.deepEqual(
    (await rowsOf(table)).map(({ geometry }) => geometry),
    [
      { type: 'Point', coordinates: [1.5, -2] },
      null,
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
      null,
    ],
  );
  const rows = Array.from({ length: 2000 }, (_, n) => (n === 1999 ? '9,POINT (oops' : `${n},POINT (${n / 100} 1)`));
  const broken = await ingestPayload(`id,geometry\n${rows.join('\n')}\n`, 'a.csv');
  assert.deepEqual(typesOf(broken.result), ['geometry:geometry', 'id:integer', 'geometry_2:string']);
  assert.equal((await broken.table.row(1999)).value(1), 'POINT (oops');
});

test('longitude and latitude: by name and by value', async () => {
  const geometryOf = async (text: string) =>
    (await rowsOf((await ingestPayload(text, 'a.csv')).table)).map(
      ({ geometry }) => geometry?.type === 'Point' && geometry.coordinates,
    );
  assert.deepEqual(await geometryOf('stop_lat,stop_lon\n48.1,11.5\n,\n'), [[11.5, 48.1], false]);
  assert.deepEqual(await geometryOf('Latitude;Longitude\n48.1;11.5\n'), [[11.5, 48.1]]);
  assert.deepEqual(await geometryOf('x,y,n\n11.5,48.1,1\n'), [[11.5, 48.1]]);
  // Metres are no degrees; nor is a lone pair of letters.
  assert.deepEqual(await geometryOf('x,y\n691608,5334764\n'), [false]);
  assert.deepEqual(await geometryOf('melon,salat\n1,2\n'), [false]);
});

test('gzipped: the checksum is that of the raw bytes', async () => {
  const plain = Buffer.from(collection(point({ a: 'é' })));
  for (const [bytes, name] of [
    [plain, 'a.geojson.gz'],
    [Buffer.from('a,b\né,1\n'), 'a.csv.gz'],
    [Buffer.from('{"a":"é"}\n'), 'a.ndjson.gz'],
  ] as const) {
    const zipped = Buffer.concat([gzipSync(bytes.subarray(0, 5)), gzipSync(bytes.subarray(5))]);
    const { result, table } = await ingestPayload(zipped, name);
    assert.equal(result.checksum, sha256(zipped));
    assert.equal(result.size, zipped.length);
    assert.equal(result.compression, 'gzip');
    assert.equal(result.mediaType, 'application/gzip');
    assert.equal(result.rows, 1);
    assert.equal((await table.row(0)).value(0), 'é');
    assert.equal(table.passthrough, null);
  }
});

test('GeoParquet and Parquet, plain and gzipped', async () => {
  const filename = join(temporaryFolder(), 'a.parquet');
  parquetWriteFile({
    filename,
    columnData: [
      { name: 'n', data: [1n, 9007199254740993n, null], type: 'INT64' },
      { name: 'small', data: [1n, 2n, null], type: 'INT64' },
      { name: 'text', data: ['007', 'é', null], type: 'STRING' },
      { name: 'at', data: [new Date('2024-01-01T10:00:00.5Z'), new Date(0), null], type: 'TIMESTAMP' },
      { name: 'list', data: [[1, 2], [], null], type: 'JSON' },
      {
        name: 'shape',
        data: [
          { type: 'Point', coordinates: [1, 2] },
          {
            type: 'LineString',
            coordinates: [
              [0, 0],
              [1, 1],
            ],
          },
          null,
        ],
        type: 'GEOMETRY',
      },
    ],
  });
  const bytes = readFileSync(filename);
  for (const [content, name] of [
    [bytes, 'a.parquet'],
    [gzipSync(bytes), 'a.parquet.gz'],
  ] as const) {
    const { result, table } = await ingestPayload(content, name);
    assert.deepEqual(typesOf(result), [
      'geometry:geometry',
      'n:string',
      'small:integer',
      'text:string',
      'at:datetime',
      'list:array',
    ]);
    assert.deepEqual(await rowsOf(table), [
      {
        values: ['1', 1, '007', '2024-01-01T10:00:00.5Z', [1, 2]],
        geometry: { type: 'Point', coordinates: [1, 2] },
        id: undefined,
      },
      {
        values: ['9007199254740993', 2, 'é', '1970-01-01T00:00:00Z', []],
        geometry: {
          type: 'LineString',
          coordinates: [
            [0, 0],
            [1, 1],
          ],
        },
        id: undefined,
      },
      { values: [null, null, null, null, null], geometry: null, id: undefined },
    ]);
  }
});

test('other files have no rows; a pointer of Git LFS is recognised', async () => {
  const path = join(temporaryFolder(), 'plan.pdf');
  writeFileSync(path, '%PDF-1.7 …');
  const result = await ingest(path, {
    fileName: 'plan.pdf',
    mediaType: 'application/pdf',
    cacheFolder: temporaryFolder(),
  });
  assert.deepEqual(
    [result.format, result.mediaType, result.rows, result.columns, result.columnarCopy],
    ['pdf', 'application/pdf', null, [], null],
  );
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
  assert.ok(isLfsPointer(Buffer.from(pointer)));
  assert.ok(!isLfsPointer(Buffer.from('version 1\n')));
  writeFileSync(path, pointer);
  const lfs = await ingest(path, { fileName: 'points.geojson' });
  assert.deepEqual([lfs.isLfsPointer, lfs.rows], [true, null]);
});

const detections: [string, string, string | undefined, string | null][] = [
  ['{"type": "FeatureCollection", "features": []}', 'a.json', undefined, 'geojson'],
  ['{"type": "Feature",', '', undefined, 'geojson'],
  ['{"a":1}\n{"a":2}\n', '', undefined, 'ndjson'],
  ['{"type":"Feature","properties":{}}\n{"type":"Feature"', 'a.json', undefined, 'geojsonl'],
  ['[{"a":1}]', 'a.json', undefined, 'json'],
  ['{"a":1}', 'settings.json', undefined, null],
  ['{"a":1}', '', undefined, null],
  ['a,b', '', 'text/csv; charset=utf-8', 'csv'],
  ['a,b', '', undefined, null],
  ['a\tb', 'A.TSV', undefined, 'tsv'],
  ['PAR1', 'a.csv', undefined, 'parquet'],
  ['PK\u0003\u0004', 'a.csv', undefined, null],
];
for (const [head, fileName, mediaType, format] of detections) {
  test(`${JSON.stringify(head)} named ${JSON.stringify(fileName)}: ${format}`, () => {
    assert.equal(detectFormat(Buffer.from(head), { fileName, mediaType }).format, format);
  });
}
