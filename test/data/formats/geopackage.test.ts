/**
 * The spatial index of GeoPackages: an R*Tree as SQLite has it, whatever the number of rows. GDAL reads it in
 * test/clients/ranges.test.ts. And GeoPackages that others have written, with other names and columns than ours.
 */
import '../../support/judged.ts';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sqlite from 'node-sqlite3-wasm';
import { UnavailableError } from '../../../src/catalogue/errors.ts';
import type { ReadingOptions } from '../../../src/catalogue/types.ts';
import { Turns } from '../../../src/data/event-loop.ts';
import { positionOnHilbertCurve, sortAlongHilbertCurve } from '../../../src/data/formats/geopackage/hilbert.ts';
import { prologue } from '../../../src/data/formats/geopackage/schema.ts';
import { SpatialIndexWriter } from '../../../src/data/formats/geopackage/spatial-index.ts';
import { writeGeoPackage } from '../../../src/data/formats/geopackage/writer.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { isEmptyPoint } from '../../../src/data/geometry/validate.ts';
import { readWkb, toWkb } from '../../../src/data/geometry/wkb.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { ingestPayload, rowsOf, temporaryFolder, typesOf } from '../support/payloads.ts';
import { geometries, point, table } from '../support/written.ts';

type Box = [west: number, south: number, east: number, north: number];
const random = (seed: number) => () => {
  const next = (seed * 16_807) % 2_147_483_647;
  seed = next;
  return next / 2_147_483_647;
};

async function indexOf(boxes: readonly Box[], runLength: number) {
  const database = new sqlite.Database(':memory:');
  database.exec(prologue);
  database.exec(`CREATE TABLE "a ""b" (fid INTEGER PRIMARY KEY, shape GEOMETRY)`);
  const index = new SpatialIndexWriter(
    database,
    { table: 'a "b', id: 'fid', geometry: 'shape' },
    new Turns(),
    runLength,
  );
  for (const [i, box] of boxes.entries()) {
    index.add(2 ** 33 + i, box);
    if (index.isFull) await index.packRows();
  }
  await index.finish();
  database.exec('COMMIT');
  return database;
}

/** Reads the tree from its root. @returns the boxes of the rows, as they are in the leaves */
function walk(database: InstanceType<typeof sqlite.Database>): Map<number, Box> {
  const all = (part: string, key: string, value: string) =>
    new Map(
      database.all(`SELECT * FROM "rtree_a ""b_shape_${part}"`).map((row) => [Number(row[key]), row[value]] as const),
    );
  const nodes = all('node', 'nodeno', 'data') as Map<number, Uint8Array>;
  const parents = all('parent', 'nodeno', 'parentnode');
  const leaves = all('rowid', 'rowid', 'nodeno');
  const rows = new Map<number, Box>();
  const visit = (number: number, depth: number, around: Box) => {
    const node = Buffer.from(nodes.get(number) as Uint8Array);
    assert.equal(node.length, 1228);
    nodes.delete(number);
    for (let cell = 0; cell < node.readUInt16BE(2); cell++) {
      const at = 4 + 24 * cell;
      const id = Number(node.readBigInt64BE(at));
      const [west = 0, east = 0, south = 0, north = 0] = [8, 12, 16, 20].map((offset) => node.readFloatBE(at + offset));
      assert.ok(west >= around[0] && south >= around[1] && east <= around[2] && north <= around[3]);
      assert.equal(Number((depth > 0 ? parents : leaves).get(id)), number);
      if (depth > 0) visit(id, depth - 1, [west, south, east, north]);
      else rows.set(id, [west, south, east, north]);
    }
  };
  const depth = Buffer.from(nodes.get(1) as Uint8Array).readUInt16BE(0);
  visit(1, depth, [-Infinity, -Infinity, Infinity, Infinity]);
  assert.deepEqual([nodes.size, leaves.size], [0, rows.size]);
  return rows;
}

describe('the spatial index of a GeoPackage', () => {
  it('has each row once, in boxes around its own', async () => {
    const draw = random(7);
    for (const [count, runLength] of [
      [0, 100],
      [1, 100],
      [51, 100],
      [52, 100],
      [3000, 700],
      [3000, 1000],
    ] as const) {
      const boxes = Array.from({ length: count }, (): Box => {
        const [x, y] = [draw() * 360 - 180, draw() * 180 - 90];
        return [x, y, x + draw(), y + draw()];
      });
      const database = await indexOf(boxes, runLength);
      const rows = walk(database);
      assert.equal(rows.size, count);
      for (const [i, [west, south, east, north]] of boxes.entries()) {
        const found = rows.get(2 ** 33 + i) as Box;
        assert.ok(found[0] <= west && found[1] <= south && found[2] >= east && found[3] >= north);
        assert.ok(found.every((side, at) => Math.abs(side - (boxes[i] as Box)[at as 0]) < 1e-4));
      }
      const [declared] = database.all("SELECT sql FROM sqlite_master WHERE name = 'rtree_a \"b_shape'");
      assert.match(String(declared?.sql), /^CREATE VIRTUAL TABLE "rtree_a ""b_shape" USING rtree\(/);
      database.close();
    }
  });

  it('packs rows along a curve without jumps', async () => {
    const [side, cells] = [64, new Map<number, readonly [number, number]>()];
    for (let x = 0; x < side; x++) for (let y = 0; y < side; y++) cells.set(positionOnHilbertCurve(x, y), [x, y]);
    for (let at = 1; at < side * side; at++) {
      const [[x, y], [a, b]] = [cells.get(at) as [number, number], cells.get(at - 1) as [number, number]];
      assert.equal(Math.abs(x - a) + Math.abs(y - b), 1);
    }
    assert.equal(positionOnHilbertCurve(65_535, 0), 2 ** 32 - 1);
    const draw = random(3);
    const boxes = Float32Array.from({ length: 4 * 999 }, draw);
    const order = await sortAlongHilbertCurve(boxes, 999, new Turns());
    assert.deepEqual(
      [...order].sort((a, b) => a - b),
      [...order.keys()],
    );
    assert.deepEqual(
      await sortAlongHilbertCurve(new Float32Array(40), 10, new Turns()),
      Uint32Array.from({ length: 10 }, (_, i) => i),
    );
  });
});

it('a GeoPackage for which the disk has no room is refused with a sentence', async (t) => {
  const disk = smallDisk(t);
  if (disk === null) return;
  const values = { text: 'x'.repeat(1000) };
  const rows = Array.from({ length: 30_000 }, () => ({ values }));
  const input = table({ text: 'string' }, rows, { hasGeometry: false });
  const { signal } = new AbortController();
  const write = (assertRoom: () => Promise<void>) =>
    writeGeoPackage(join(disk, 'a.gpkg'), { input, modified: '2024-02-29T00:00:00Z' }, { assertRoom, signal });
  await assert.rejects(
    write(async () => {}),
    new UnavailableError('The disk of the server has no room to make this file. Ask for fewer rows.'),
  );
  rmSync(join(disk, 'a.gpkg'));
  // It is known before anything is written.
  const full = new Error('full');
  await assert.rejects(
    write(() => Promise.reject(full)),
    full,
  );
  assert.deepEqual(readdirSync(disk), []);
});

describe('the texts of a GeoPackage', () => {
  it('have U+FFFD for U+0000, where SQLite would end them', async () => {
    const path = join(temporaryFolder(), 'a.gpkg');
    const input = table({ name: 'string', n: 'integer' }, [{ values: { name: 'a\0b', n: 1 } }], { hasGeometry: false });
    const options = { assertRoom: async () => {}, signal: new AbortController().signal };
    await writeGeoPackage(path, { input, modified: '2024-02-29T00:00:00Z' }, options);
    const database = new sqlite.Database(path);
    assert.deepEqual(database.all('SELECT name, n FROM places'), [{ name: 'a\ufffdb', n: 1 }]);
    database.close();
  });
});

/** The triggers of the spatial index call functions of GDAL. */
const withoutTriggers = [1, 2, 3, 4].map((n) => `DROP TRIGGER rtree_places_geometry_update${n};`).join(' ');

describe('the geometries of a GeoPackage', () => {
  it('are read as they were written, empty ones too; an empty point is null', async () => {
    const path = join(temporaryFolder(), 'a.gpkg');
    const all: readonly Geometry[] = [
      ...geometries,
      { type: 'LineString', coordinates: [] },
      { type: 'Polygon', coordinates: [] },
      { type: 'MultiPolygon', coordinates: [] },
      { type: 'GeometryCollection', geometries: [] },
    ];
    const input = table(
      {},
      all.map((geometry) => ({ geometry, values: {} })),
    );
    const options = { assertRoom: async () => {}, signal: new AbortController().signal };
    await writeGeoPackage(path, { input, modified: '2024-02-29T00:00:00Z' }, options);
    const { table: ingested } = await ingestPayload(readFileSync(path), 'a.gpkg');
    const expected = all.map((geometry) => readWkb(toWkb(geometry))).map((one) => (isEmptyPoint(one) ? null : one));
    assert.deepEqual(
      (await rowsOf(ingested)).map(({ geometry }) => geometry),
      expected,
    );
  });
  it('are null where they are empty and have no WKB, or curves', async () => {
    for (const wkb of ['', '010800000000000000'])
      assert.equal(
        (await changed(`${withoutTriggers} UPDATE places SET geometry = x'47500011E6100000${wkb}'`)).geometry,
        null,
      );
  });
});

/** A GeoPackage of our writer with a point and an attribute, changed by SQL, as it is ingested. */
async function changed(sql: string, reading: ReadingOptions = {}) {
  const path = join(temporaryFolder(), 'a.gpkg');
  const input = table({ a: 'integer' }, [{ geometry: point(8, 47), values: { a: 4 } }], { geometryKinds: ['Point'] });
  const options = { assertRoom: async () => {}, signal: new AbortController().signal };
  await writeGeoPackage(path, { input, modified: '2024-02-29T00:00:00Z' }, options);
  const database = new sqlite.Database(path);
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
  const { result, table: ingested } = await ingestPayload(readFileSync(path), 'a.gpkg', { reading });
  const [row] = await rowsOf(ingested);
  return { types: typesOf(result), geometry: row?.geometry, values: row?.values };
}

describe('the metadata of a GeoPackage', () => {
  const geometryColumns = (set: string) => `UPDATE gpkg_geometry_columns SET ${set};`;
  for (const [what, sql] of [
    ['nothing', ''],
    ['the geometry', geometryColumns('column_name = upper(column_name)')],
    ['the table', geometryColumns("table_name = 'PLACES'")],
    ['the table, among the contents', "UPDATE gpkg_contents SET table_name = 'Places';"],
    [
      'all',
      `UPDATE gpkg_contents SET table_name = 'PLACES'; ${geometryColumns("table_name = 'Places', column_name = 'Geometry'")}`,
    ],
    [
      'a second entry',
      "INSERT INTO gpkg_geometry_columns SELECT 'PLACES', column_name, geometry_type_name, srs_id, z, m FROM gpkg_geometry_columns;",
    ],
  ] as const)
    it(`may write names in another case: ${what}`, async () => {
      const { types, geometry, values } = await changed(sql);
      assert.deepEqual([types, geometry, values], [['geometry:geometry', 'a:integer'], point(8, 47), [4]]);
    });

  it('must name a column as the geometry that is there', async () => {
    await assert.rejects(
      changed(geometryColumns("column_name = 'shape'")),
      /the geometry of "places" is said to be the column "shape", which is not there/,
    );
  });
});

describe('the columns of a GeoPackage', () => {
  it('are read where they are generated, too', async () => {
    const { types, values } = await changed(
      `DROP TABLE gpkg_geometry_columns;
       CREATE TABLE g2 (fid INTEGER PRIMARY KEY, a INT, c INT GENERATED ALWAYS AS (a * 3) STORED, d TEXT,
         "E" TEXT GENERATED ALWAYS AS (d || a) VIRTUAL);
       INSERT INTO g2 (a, d) VALUES (4, 'z');
       INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('g2', 'attributes', 'g2');`,
      { layer: 'g2' },
    );
    assert.deepEqual(
      [types, values],
      [
        ['a:integer', 'c:integer', 'd:string', 'E:string'],
        [4, 12, 'z', 'z4'],
      ],
    );
  });

  it('may have the names of members of objects in JavaScript, and numbers', async () => {
    const { types, values } = await changed(
      `DROP TABLE gpkg_geometry_columns; CREATE TABLE names ("__proto__" INT, "1" INT, "0" TEXT, constructor INT);
       INSERT INTO names VALUES (4, 5, 'x', 7);
       INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('names', 'attributes', 'names');`,
      { layer: 'names' },
    );
    const columns = Object.fromEntries(types.map((type, i) => [type, values?.[i]]));
    assert.deepEqual(Object.entries(columns).map(String).sort(), [
      '0:string,x',
      '1:integer,5',
      '__proto__:integer,4',
      'constructor:integer,7',
    ]);
  });

  it('may have no name', async () => {
    const { types, values } = await changed(
      `DROP TABLE gpkg_geometry_columns; CREATE TABLE names ("" TEXT, b INT); INSERT INTO names VALUES ('x', 7);
       INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('names', 'attributes', 'names');`,
      { layer: 'names' },
    );
    assert.deepEqual(
      [types, values],
      [
        ['column_1:string', 'b:integer'],
        ['x', 7],
      ],
    );
  });

  it('of 32-bit numbers have the digits that stand for them', async () => {
    const { values } = await changed(
      `DROP TABLE gpkg_geometry_columns; CREATE TABLE numbers (f FLOAT, g FLOAT, h float, d DOUBLE, r REAL, n FLOAT);
       INSERT INTO numbers (f, g, h, d, r) VALUES
         (${Math.fround(0.1)}, 0.1, ${Math.fround(1e-30)}, ${Math.fround(0.1)}, ${Math.fround(0.1)});
       INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('numbers', 'attributes', 'numbers');`,
      { layer: 'numbers' },
    );
    assert.deepEqual(values, [0.1, 0.1, 1e-30, Math.fround(0.1), Math.fround(0.1), null]);
  });
});
