import assert from 'node:assert/strict';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import type { ReadingOptions } from '../../../src/catalogue/types.ts';
import { ChecksumMismatchError, DamagedCopyError } from '../../../src/data/errors.ts';
import type { Bbox } from '../../../src/data/geometry/geometry.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { createChunkCache } from '../../../src/data/table/chunk-reader.ts';
import { deleteLeastRecentlyUsedCopies } from '../../../src/data/table/columnar-copy.ts';
import { originalJsonOfRows } from '../../../src/data/table/passthrough.ts';
import { Table } from '../../../src/data/table/table.ts';
import { type PayloadFile, TableStore } from '../../../src/data/table/table-store.ts';
import { collection, ingestPayload, point, rowsOf, temporaryFolder } from '../support/payloads.ts';

/** Features for more than one row group. */
const many = Array.from({ length: 40_000 }, (_, n) =>
  point({ n, text: `t${n}`, kind: `k${n % 5}` }, [(n % 360) - 180, (n % 170) - 85], n),
);

const coordinate = fc.double({ min: -180, max: 180, noNaN: true });
const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const position = fc.tuple(coordinate, latitude);
const deep = fc.tuple(coordinate, latitude, coordinate);
/** Closed: others would be closed when they are read. */
const ring = fc
  .array(position, { minLength: 3, maxLength: 5 })
  .map((positions) => [...positions, positions[0] as [number, number]]);
/** A line has no positions, or two and more. */
const line = <T>(of: fc.Arbitrary<T>) => fc.array(of).filter(({ length }) => length !== 1);
const geometry = fc.oneof(
  fc.constant(null),
  fc.oneof(position, deep).map((coordinates) => ({ type: 'Point', coordinates })),
  line(fc.oneof(position, deep)).map((coordinates) => ({ type: 'LineString', coordinates })),
  fc.array(position).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  fc.array(ring).map((coordinates) => ({ type: 'Polygon', coordinates })),
  fc.array(fc.array(ring)).map((coordinates) => ({ type: 'MultiPolygon', coordinates })),
  fc.array(line(deep)).map((coordinates) => ({ type: 'MultiLineString', coordinates })),
  fc.array(position).map((positions) => ({
    type: 'GeometryCollection',
    geometries: positions.map((coordinates) => ({ type: 'Point', coordinates })),
  })),
);

test('geometries come back exactly, and are found by exactly their bounding boxes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(geometry, { minLength: 1 }), position, position, async (geometries, a, b) => {
      const given = JSON.parse(JSON.stringify(geometries)) as typeof geometries;
      const { table } = await ingestPayload(
        collection(...given.map((each) => ({ type: 'Feature', properties: {}, geometry: each }))),
        'a.geojson',
      );
      assert.deepEqual(
        (await rowsOf(table)).map((row) => row.geometry),
        given,
      );
      const box: Bbox = [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
      const found: number[] = [];
      for await (const row of table.scan({ boxes: [box] })) found.push(row.index);
      const expected: number[] = [];
      for await (const row of table.scan()) {
        const bbox = row.bbox();
        if (bbox && bbox[0] <= box[2] && bbox[2] >= box[0] && bbox[1] <= box[3] && bbox[3] >= box[1])
          expected.push(row.index);
      }
      assert.deepEqual(found, expected);
    }),
    { numRuns: 100 },
  );
});

test('many rows: in file order, from any row, by any box, one by one', async () => {
  const { table } = await ingestPayload(collection(...many), 'a.geojson');
  assert.equal(table.rowCount, many.length);
  const rows = await rowsOf(table);
  assert.deepEqual(
    rows.map(({ values }) => values),
    many.map(({ properties }) => Object.values(properties as object)),
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    many.map((_, n) => n),
  );
  for (const from of [0, 1, 8191, 8192, 39_999, 40_000]) {
    const indexes: number[] = [];
    for await (const row of table.scan({ startRow: from, columns: [] })) indexes.push(row.index);
    assert.deepEqual([indexes.length, indexes[0]], [40_000 - from, from === 40_000 ? undefined : from]);
  }
  const boxes: Bbox[] = [
    [10, 10, 10, 10],
    [-180, -85, -179, -80],
    [-180, -85, -179.5, -84.5],
  ];
  const found: number[] = [];
  for await (const row of table.scan({ boxes: boxes })) found.push(row.value(0) as number);
  const hits = many.filter(({ geometry: { coordinates } }) => {
    const [x, y] = coordinates as [number, number];
    return boxes.some((box) => x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3]);
  });
  assert.deepEqual(
    found,
    hits.map(({ properties }) => (properties as { n: number }).n),
  );
  assert.deepEqual(await rowsOf(table, { boxes: [] }), []);
  assert.equal((await rowsOf(table, { boxes: [[-180, -90, 180, 90]] })).length, many.length);
  const [one, other] = [await table.row(39_999), await table.row(5)];
  assert.deepEqual([one.value(1), other.value(1), one.index, one.id()], ['t39999', 't5', 39_999, 39_999]);
  await assert.rejects(table.row(40_000), RangeError);
  await assert.rejects(rowsOf(table, { columns: [7] }), RangeError);
});

test('rows without a geometry are in no box, even in one that contains everything', async () => {
  const { table } = await ingestPayload(
    collection(point({}), { type: 'Feature', properties: {}, geometry: null }),
    'a.geojson',
  );
  assert.equal((await rowsOf(table, { boxes: [[-180, -90, 180, 90]] })).length, 1);
  const plain = await ingestPayload('a\n1\n', 'a.csv');
  assert.equal((await rowsOf(plain.table, { boxes: [[-180, -90, 180, 90]] })).length, 0);
});

async function text(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

test('passthrough: all rows, some rows, adjacent and not', async () => {
  const { table, path } = await ingestPayload(
    `{"type":"FeatureCollection","features":[\n${many.map((each) => JSON.stringify(each)).join(',\n')}\n]}`,
    'a.geojson',
  );
  assert.equal(table.passthrough, 'features');
  const parse = async (rows: number[] | null) => JSON.parse(`[${await text(originalJsonOfRows(table, path, rows))}]`);
  assert.deepEqual(await parse(null), many);
  for (const rows of [
    [],
    [0],
    [39_999],
    [0, 1, 2, 8191, 8192, 39_999],
    many.map((_, n) => n).filter((n) => n % 3 > 0),
  ]) {
    assert.deepEqual(
      await parse(rows),
      rows.map((row) => many[row]),
    );
  }
  const lines = await ingestPayload(
    many
      .slice(0, 100)
      .map((each) => JSON.stringify(each))
      .join('\r\n'),
    'a.geojsonl',
  );
  assert.equal(lines.table.passthrough, 'lines');
  const found = await text(originalJsonOfRows(lines.table, lines.path, [3, 4, 50]));
  assert.deepEqual(
    found.split('\n').map((line) => JSON.parse(line)),
    [many[3], many[4], many[50]],
  );
});

test('passthrough of a file with a byte order mark whose encoding is named', async () => {
  const features = many.slice(0, 3);
  for (const [content, name] of [
    [`\ufeff${collection(...features)}`, 'a.geojson'],
    [`\ufeff${features.map((each) => JSON.stringify(each)).join('\n')}`, 'a.geojsonl'],
  ] as const) {
    const { table, path } = await ingestPayload(content, name, { reading: { encoding: 'utf-8' } });
    assert.deepEqual(JSON.parse(await text(originalJsonOfRows(table, path, [1]))), features[1]);
  }
});

test('passthrough is off where the bytes are no JSON, no Features or not those of the payload', async () => {
  const payloads: [string | Buffer, string][] = [
    [
      '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":NaN},"geometry":null}]}',
      'a.geojson',
    ],
    ['{"type":"FeatureCollection","features":[{"type":"Point","coordinates":[1,2]}]}', 'a.geojson'],
    [Buffer.from(collection(point({ a: 'ü' })), 'latin1'), 'a.geojson'],
    ['{"a":1}\n', 'a.ndjson'],
    ['a\n1\n', 'a.csv'],
  ];
  for (const [content, name] of payloads) {
    const { table, path } = await ingestPayload(content, name);
    assert.equal(table.passthrough, null);
    await assert.rejects(text(originalJsonOfRows(table, path)), /no bytes of their own/);
  }
});

test('passthrough is off where a value is stored as another than in the payload', async () => {
  const feature = (properties: object, geometry: object | null = null) =>
    JSON.stringify({ type: 'Feature', geometry, properties });
  const passthroughOf = async (features: string[], reading: ReadingOptions = {}) => {
    const text = `{"type":"FeatureCollection","features":[${features.join()}]}`;
    return (await ingestPayload(text, 'a.geojson', { reading })).table.passthrough;
  };
  const texts = [feature({ h: '2.5' }), feature({ h: 'n/a' })];
  const numbers = [feature({ h: 1 }), feature({ h: null })];
  const objects = [feature({ h: { a: 1 } }), feature({ h: { b: [1] } })];
  for (const [features, reading] of [
    [texts, { types: { h: 'float' } }],
    [numbers, { types: { h: 'string' } }],
    [[...numbers, ...texts], {}],
    [[...texts, ...numbers], {}],
    [[...texts, feature({ h: true })], {}],
    [[...texts, ...objects], {}],
    [[...numbers, feature({}).replace('{}', '{"h":9223372036854775808}')], {}],
    // Shown as texts, with all digits.
    [[feature({}).replace('{}', '{"h":9223372036854775808}')], {}],
    [[feature({}).replace('{}', '{"h":{"n":[9223372036854775808]}}')], {}],
    [[feature({}).replace('{', '{"id":9223372036854775808,')], {}],
    [[feature({}).replace('{}', '{"h":1e400}')], {}],
    [[feature({}, { type: 'Point', coordinates: [] })], {}],
    [[feature({}, { type: 'Point', coordinates: [null, null] })], {}],
  ] as const)
    assert.equal(await passthroughOf([...features], reading), null, JSON.stringify([features, reading]));
  for (const [features, reading] of [
    [texts, {}],
    [texts, { types: { h: 'string' } }],
    [numbers, { types: { h: 'integer' } }],
    [objects, {}],
    [[...numbers, feature({ h: 2.5 })], {}],
    [[feature({ h: 1e300, o: ['9223372036854775808'] })], {}],
    [[feature({ h: '2024-01-01' })], { types: { h: 'date' } }],
  ] as const)
    assert.equal(await passthroughOf([...features], reading), 'features', JSON.stringify([features, reading]));
});

const source = collection(...many.slice(0, 100));

async function tablesOf(content = source) {
  const { result, path, folder } = await ingestPayload(content, 'a.geojson');
  return { checksum: result.checksum, path, folder, copy: join(folder, result.checksum) };
}

const damages: [string, (copy: string) => void][] = [
  ['is missing', (copy) => truncateSync(join(copy, 'table.json'))],
  ['is cut off', (copy) => truncateSync(join(copy, 'rows.bin'), 100)],
  ['has a shorter index', (copy) => truncateSync(join(copy, 'index.bin'), 8)],
  [
    'is of another layout',
    (copy) =>
      writeFileSync(
        join(copy, 'table.json'),
        readFileSync(join(copy, 'table.json'), 'utf8').replace(/"layoutVersion":\d+/, '"layoutVersion":0'),
      ),
  ],
];
for (const [what, damage] of damages) {
  test(`a copy that ${what} is ignored and made again`, async () => {
    const { checksum, path, folder, copy } = await tablesOf();
    damage(copy);
    assert.equal(await Table.open(copy, checksum, createChunkCache(1e6)), null);
    const table = await new TableStore({ folder }).open({ checksum, path });
    assert.equal(table && (await rowsOf(table, { boxes: [[-180, -90, 180, 90]] })).length, 100);
  });
}

test('a copy with flipped bits is detected when it is read, deleted, and made again', async () => {
  for (const name of ['rows.bin', 'index.bin']) {
    const { checksum, path, folder, copy } = await tablesOf();
    const tables = new TableStore({ folder });
    const table = await tables.open({ checksum, path });
    const file = openSync(join(copy, name), 'r+');
    writeSync(file, Buffer.from([0x55, 0xaa]), 0, 2, 40);
    closeSync(file);
    assert.ok(table);
    await assert.rejects(rowsOf(table, { boxes: [[-180, -85, -170, -75]] }), DamagedCopyError);
    assert.equal(existsSync(copy), false);
    const again = await tables.open({ checksum, path });
    assert.equal(again && (await rowsOf(again)).length, 100);
  }
});

test('the store: a table whose copy was deleted is made again', async () => {
  const { checksum, path, folder } = await tablesOf();
  const tables = new TableStore({ folder, memory: 1 });
  const table = await tables.open({ checksum, path });
  assert.ok(table);
  const { length } = await rowsOf(table);
  rmSync(join(folder, checksum), { recursive: true });
  for (const options of [{}, { boxes: [[-180, -90, 0, 90] as Bbox] }])
    await assert.rejects(rowsOf(table, options), DamagedCopyError);
  const again = await tables.open({ checksum, path });
  assert.notEqual(again, table);
  assert.equal(again && (await rowsOf(again)).length, length);
});

test('the store: the same bytes as TSV and as CSV are two tables', async () => {
  const folder = temporaryFolder();
  const bytes = 'id,kind\n1,oak\n2,elm\n';
  const [tsv, csv] = [join(folder, 'a.tsv'), join(folder, 'a.csv')];
  for (const path of [tsv, csv]) writeFileSync(path, bytes);
  const { checksum } = await ingest(tsv, { fileName: 'a.tsv', cacheFolder: join(folder, 'tables') });
  const tables = new TableStore({ folder: join(folder, 'tables') });
  const columnsOf = async (payload: PayloadFile) =>
    (await tables.open(payload))?.schema.columns.map(({ name }) => name);
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await columnsOf({ checksum, path: tsv }), ['id,kind']);
    assert.deepEqual(await columnsOf({ checksum, path: csv }), ['id', 'kind']);
    assert.deepEqual(await columnsOf({ checksum, path: csv, format: 'tsv' }), ['id,kind']);
  }
  assert.equal(readdirSync(join(folder, 'tables')).length, 2);
});

test('the store: of a copy that is made again with other row groups, no chunk of the former one is served', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.csv');
  const rows = Array.from({ length: 30_000 }, (_, n) => `${n},name ${n} ${'x'.repeat(30)},${2 * n}`);
  writeFileSync(path, `id,name,twice\n${rows.join('\n')}\n`);
  // As from standard input or over the network: the row groups end where chunks do.
  const copies = join(folder, 'copies');
  const { checksum } = await ingest(createReadStream(path, { highWaterMark: 64 * 1024 }), {
    fileName: 'a.csv',
    cacheFolder: copies,
  });
  const groupsOf = () => JSON.parse(readFileSync(join(copies, checksum, 'table.json'), 'utf8')).rowGroups[0].rows;
  const before = groupsOf();
  const tables = new TableStore({ folder: copies });
  const former = await tables.open({ checksum, path });
  assert.ok(former);
  for await (const row of former.scan({ columns: [0] })) row.value(0);
  rmSync(join(copies, checksum), { recursive: true });
  const table = await tables.open({ checksum, path });
  assert.notEqual(groupsOf(), before, 'the row groups are the same, and the test says nothing');
  assert.ok(table);
  const read = (await rowsOf(table)).map(({ values }) => values.join());
  const wrong = read.findIndex((row, n) => row !== rows[n]);
  assert.deepEqual([read.length, read[wrong]], [rows.length, undefined]);
  // The former table finds another file: it is no damaged one, and stays.
  await assert.rejects(rowsOf(former), DamagedCopyError);
  assert.equal(existsSync(join(copies, checksum)), true);
});

test('the store: a missing payload is no reason to keep the copies in another folder', async () => {
  const { checksum, path, folder } = await tablesOf();
  const [copies, other] = [join(folder, 'copies'), temporaryFolder()];
  let asked = 0;
  const fallback = async () => {
    asked++;
    return other;
  };
  const tables = new TableStore({ folder: copies, fallback });
  const missing = { checksum: 'f'.repeat(64), path: join(folder, 'missing.geojson') };
  await assert.rejects(tables.open(missing), { code: 'ENOENT' });
  assert.ok(await tables.open({ checksum, path }));
  assert.deepEqual([asked, existsSync(join(copies, checksum))], [0, true]);
  // A file in the place of the folder.
  writeFileSync(join(folder, 'file'), '');
  assert.ok(await new TableStore({ folder: join(folder, 'file'), fallback }).open({ checksum, path }));
  assert.deepEqual([asked, existsSync(join(other, checksum))], [1, true]);
});

test('the store: a payload without rows is read once under each name', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.bin');
  writeFileSync(path, 'words\n1\n');
  const { checksum, rows } = await ingest(path);
  assert.equal(rows, null);
  const read: string[] = [];
  const tables = new TableStore({
    folder: join(folder, 'copies'),
    ingest: (source, options) => {
      read.push(options?.fileName ?? '');
      return ingest(source, options);
    },
  });
  for (let time = 0; time < 3; time++) assert.equal(await tables.open({ checksum, path }), null);
  assert.deepEqual(read, [path]);
  const table = await tables.open({ checksum, path, format: 'csv' });
  assert.equal(table?.schema.columns[0]?.name, 'words');
  assert.equal(read.length, 2);
});

test('the store: one opening for concurrent requests; no table if there are no rows; never of other bytes', async () => {
  const { checksum, path, folder } = await tablesOf();
  const tables = new TableStore({ folder: join(folder, 'others') });
  const [a, b] = await Promise.all([tables.open({ checksum, path }), tables.open({ checksum, path })]);
  assert.ok(a);
  assert.equal(a, b);
  assert.equal(await tables.open({ checksum, path }), a);
  const other = join(temporaryFolder(), 'a.pdf');
  writeFileSync(other, '%PDF-1.7');
  assert.equal(await tables.open({ checksum: (await ingest(other)).checksum, path: other }), null);
  await assert.rejects(tables.open({ checksum: 'f'.repeat(64), path }), ChecksumMismatchError);
});

test('memory for rows is bounded, and what doesn’t fit is read again', async () => {
  const { result, folder } = await ingestPayload(collection(...many), 'a.geojson');
  const cache = createChunkCache(200_000);
  const table = await Table.open(join(folder, result.checksum), result.checksum, cache);
  assert.ok(table);
  assert.deepEqual((await rowsOf(table)).length, many.length);
  assert.ok(cache.calculatedSize <= 200_000);
});

test('copies on disk: the least recently used are deleted first, and old unfinished ones', async () => {
  const folder = temporaryFolder();
  const checksums: string[] = [];
  for (const n of [1, 2, 3]) {
    const path = join(temporaryFolder(), 'a.geojson');
    writeFileSync(path, collection(...many.slice(0, n * 100)));
    const { checksum } = await ingest(path, { cacheFolder: folder });
    checksums.push(checksum);
    utimesSync(join(folder, checksum, 'table.json'), n, n);
  }
  const total = await deleteLeastRecentlyUsedCopies(folder, 1e9);
  assert.equal(readdirSync(folder).length, 3);
  const [first = '', second = '', third = ''] = checksums;
  assert.ok(await Table.open(join(folder, first), first, createChunkCache(1e6)));
  assert.ok((await deleteLeastRecentlyUsedCopies(folder, total - 1)) < total);
  assert.deepEqual(readdirSync(folder).sort(), [first, third].sort());
  await deleteLeastRecentlyUsedCopies(folder, 0, third);
  assert.deepEqual([readdirSync(folder), second !== ''], [[third], true]);
});

test('a copy that another process has just begun is kept: it has no files yet', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.new-0123'));
  await deleteLeastRecentlyUsedCopies(folder, 0);
  assert.deepEqual(readdirSync(folder), ['.new-0123']);
});

test('the same bytes ingested several times at once', async () => {
  const folder = temporaryFolder();
  const path = join(temporaryFolder(), 'a.geojson');
  writeFileSync(path, collection(...many.slice(0, 20)));
  for (let round = 0; round < 20; round++) {
    const taken = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ingest(path, { cacheFolder: folder })));
    const [{ checksum = '' } = {}] = taken;
    assert.deepEqual(readdirSync(folder), [checksum]);
    assert.ok(await Table.open(join(folder, checksum), checksum, createChunkCache(1e6)));
  }
});
