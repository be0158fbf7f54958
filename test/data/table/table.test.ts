import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { ChecksumMismatchError, DamagedCopyError } from '../../../src/data/errors.ts';
import type { Bbox } from '../../../src/data/geometry/geometry.ts';
import { takeIn } from '../../../src/data/ingest/ingest.ts';
import { newPieceCache } from '../../../src/data/table/chunk-reader.ts';
import { pruneDerived } from '../../../src/data/table/columnar-copy.ts';
import { ownBytes } from '../../../src/data/table/passthrough.ts';
import { Table } from '../../../src/data/table/table.ts';
import { Tables } from '../../../src/data/table/tables.ts';
import { collection, point, rowsOf, take, temporaryFolder } from '../support/payloads.ts';

/** A column with some rows more than one block has. */
const many = Array.from({ length: 40_000 }, (_, n) =>
  point({ n, text: `t${n}`, kind: `k${n % 5}` }, [(n % 360) - 180, (n % 170) - 85], n),
);

const coordinate = fc.double({ min: -180, max: 180, noNaN: true });
const position = fc.tuple(coordinate, coordinate);
const deep = fc.tuple(coordinate, coordinate, coordinate);
const ring = fc.array(position, { minLength: 4, maxLength: 6 });
const geometry = fc.oneof(
  fc.constant(null),
  fc.oneof(position, deep).map((coordinates) => ({ type: 'Point', coordinates })),
  fc.array(fc.oneof(position, deep)).map((coordinates) => ({ type: 'LineString', coordinates })),
  fc.array(position).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  fc.array(ring).map((coordinates) => ({ type: 'Polygon', coordinates })),
  fc.array(fc.array(ring)).map((coordinates) => ({ type: 'MultiPolygon', coordinates })),
  fc.array(fc.array(deep)).map((coordinates) => ({ type: 'MultiLineString', coordinates })),
  fc.array(position).map((positions) => ({
    type: 'GeometryCollection',
    geometries: positions.map((coordinates) => ({ type: 'Point', coordinates })),
  })),
);

test('geometries come back exactly, and are found by exactly their bounding boxes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(geometry, { minLength: 1 }), position, position, async (geometries, a, b) => {
      const given = JSON.parse(JSON.stringify(geometries)) as typeof geometries;
      const { table } = await take(
        collection(...given.map((each) => ({ type: 'Feature', properties: {}, geometry: each }))),
        'a.geojson',
      );
      assert.deepEqual(
        (await rowsOf(table)).map((row) => row.geometry),
        given,
      );
      const box: Bbox = [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
      const found: number[] = [];
      for await (const row of table.scan({ candidates: [box] })) found.push(row.index);
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

test('many rows: in file order, from any place, by any box, one by one', async () => {
  const { table } = await take(collection(...many), 'a.geojson');
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
    for await (const row of table.scan({ from, columns: [] })) indexes.push(row.index);
    assert.deepEqual([indexes.length, indexes[0]], [40_000 - from, from === 40_000 ? undefined : from]);
  }
  const boxes: Bbox[] = [
    [10, 10, 10, 10],
    [-180, -85, -179, -80],
    [-180, -85, -179.5, -84.5],
  ];
  const found: number[] = [];
  for await (const row of table.scan({ candidates: boxes })) found.push(row.value(0) as number);
  const hits = many.filter(({ geometry: { coordinates } }) => {
    const [x, y] = coordinates as [number, number];
    return boxes.some((box) => x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3]);
  });
  assert.deepEqual(
    found,
    hits.map(({ properties }) => (properties as { n: number }).n),
  );
  assert.deepEqual(await rowsOf(table, { candidates: [] }), []);
  assert.equal((await rowsOf(table, { candidates: [[-180, -90, 180, 90]] })).length, many.length);
  const [one, other] = [await table.row(39_999), await table.row(5)];
  assert.deepEqual([one.value(1), other.value(1), one.index, one.id()], ['t39999', 't5', 39_999, 39_999]);
  await assert.rejects(table.row(40_000), RangeError);
  await assert.rejects(rowsOf(table, { columns: [7] }), RangeError);
});

test('rows without a place are in no box, even in one that holds everything', async () => {
  const { table } = await take(collection(point({}), { type: 'Feature', properties: {}, geometry: null }), 'a.geojson');
  assert.equal((await rowsOf(table, { candidates: [[-180, -90, 180, 90]] })).length, 1);
  const plain = await take('a\n1\n', 'a.csv');
  assert.equal((await rowsOf(plain.table, { candidates: [[-180, -90, 180, 90]] })).length, 0);
});

async function text(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

test('own bytes: all rows, some rows, neighbours and not', async () => {
  const { table, path } = await take(
    `{"type":"FeatureCollection","features":[\n${many.map((each) => JSON.stringify(each)).join(',\n')}\n]}`,
    'a.geojson',
  );
  assert.equal(table.ownBytes, 'features');
  const parse = async (rows: number[] | null) => JSON.parse(`[${await text(ownBytes(table, path, rows))}]`);
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
  const lines = await take(
    many
      .slice(0, 100)
      .map((each) => JSON.stringify(each))
      .join('\r\n'),
    'a.geojsonl',
  );
  assert.equal(lines.table.ownBytes, 'lines');
  const found = await text(ownBytes(lines.table, lines.path, [3, 4, 50]));
  assert.deepEqual(
    found.split('\n').map((line) => JSON.parse(line)),
    [many[3], many[4], many[50]],
  );
});

test('own bytes are not handed out where they are no JSON, no Features or not those of the payload', async () => {
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
    const { table, path } = await take(content, name);
    assert.equal(table.ownBytes, null);
    await assert.rejects(text(ownBytes(table, path)), /no bytes of their own/);
  }
});

const source = collection(...many.slice(0, 100));

async function tablesOf(content = source) {
  const { intake, path, folder } = await take(content, 'a.geojson');
  return { checksum: intake.checksum, path, folder, copy: join(folder, intake.checksum) };
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
    assert.equal(await Table.open(copy, checksum, newPieceCache(1e6)), null);
    const table = await new Tables({ folder }).table({ checksum, path });
    assert.equal(table && (await rowsOf(table, { candidates: [[-180, -90, 180, 90]] })).length, 100);
  });
}

test('a copy with flipped bits is noticed where it is read, deleted, and made again', async () => {
  for (const name of ['rows.bin', 'index.bin']) {
    const { checksum, path, folder, copy } = await tablesOf();
    const tables = new Tables({ folder });
    const table = await tables.table({ checksum, path });
    const file = openSync(join(copy, name), 'r+');
    writeSync(file, Buffer.from([0x55, 0xaa]), 0, 2, 40);
    closeSync(file);
    assert.ok(table);
    await assert.rejects(rowsOf(table, { candidates: [[-180, -85, -170, -75]] }), DamagedCopyError);
    assert.equal(existsSync(copy), false);
    const again = await tables.table({ checksum, path });
    assert.equal(again && (await rowsOf(again)).length, 100);
  }
});

test('tables: one opening for all who ask at once; no table where there are no rows; never of other bytes', async () => {
  const { checksum, path, folder } = await tablesOf();
  const tables = new Tables({ folder: join(folder, 'others') });
  const [a, b] = await Promise.all([tables.table({ checksum, path }), tables.table({ checksum, path })]);
  assert.ok(a);
  assert.equal(a, b);
  assert.equal(await tables.table({ checksum, path }), a);
  const other = join(temporaryFolder(), 'a.pdf');
  writeFileSync(other, '%PDF-1.7');
  assert.equal(await tables.table({ checksum: (await takeIn(other)).checksum, path: other }), null);
  await assert.rejects(tables.table({ checksum: 'f'.repeat(64), path }), ChecksumMismatchError);
});

test('memory for rows is bounded, and what doesn’t fit is read anew', async () => {
  const { intake, folder } = await take(collection(...many), 'a.geojson');
  const cache = newPieceCache(200_000);
  const table = await Table.open(join(folder, intake.checksum), intake.checksum, cache);
  assert.ok(table);
  assert.deepEqual((await rowsOf(table)).length, many.length);
  assert.ok(cache.calculatedSize <= 200_000);
});

test('copies on the disk: those used longest ago go first, and what was left unfinished long ago', async () => {
  const folder = temporaryFolder();
  const checksums: string[] = [];
  for (const n of [1, 2, 3]) {
    const path = join(temporaryFolder(), 'a.geojson');
    writeFileSync(path, collection(...many.slice(0, n * 100)));
    const { checksum } = await takeIn(path, { derivedFolder: folder });
    checksums.push(checksum);
    utimesSync(join(folder, checksum, 'table.json'), n, n);
  }
  const total = await pruneDerived(folder, 1e9);
  assert.equal(readdirSync(folder).length, 3);
  const [first = '', second = '', third = ''] = checksums;
  assert.ok(await Table.open(join(folder, first), first, newPieceCache(1e6)));
  assert.ok((await pruneDerived(folder, total - 1)) < total);
  assert.deepEqual(readdirSync(folder).sort(), [first, third].sort());
  await pruneDerived(folder, 0, third);
  assert.deepEqual([readdirSync(folder), second !== ''], [[third], true]);
});

test('the same bytes taken in by several at once', async () => {
  const folder = temporaryFolder();
  const path = join(temporaryFolder(), 'a.geojson');
  writeFileSync(path, collection(...many.slice(0, 20)));
  for (let round = 0; round < 20; round++) {
    const taken = await Promise.all([1, 2, 3, 4, 5, 6].map(() => takeIn(path, { derivedFolder: folder })));
    const [{ checksum = '' } = {}] = taken;
    assert.deepEqual(readdirSync(folder), [checksum]);
    assert.ok(await Table.open(join(folder, checksum), checksum, newPieceCache(1e6)));
  }
});
