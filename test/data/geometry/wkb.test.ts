import assert from 'node:assert/strict';
import { test } from 'node:test';
// A decoder of another hand: what it reads is what was meant.
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import { hasZ } from '../../../src/data/geometry/geometry.ts';
import { InvalidGeometryError } from '../../../src/data/geometry/validate.ts';
import { readWkb, sridOfEwkb, toWkb } from '../../../src/data/geometry/wkb.ts';
import { geometries, point } from '../support/written.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const read = (bytes: Uint8Array): unknown =>
  wkbToGeojson({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 });

test('geometries read back as they were', () => {
  for (const geometry of geometries) {
    const expected =
      geometry.type === 'Point' && geometry.coordinates.length === 0 ? point(Number.NaN, Number.NaN) : geometry;
    assert.deepEqual(read(toWkb(geometry)), expected);
    assert.deepEqual(readWkb(toWkb(geometry)), expected);
  }
});

test('little-endian, with the type in the first five bytes', () => {
  assert.equal(hex(toWkb(point(1, 2))), '0101000000000000000000f03f0000000000000040');
  assert.equal(hex(toWkb(point(1, 2, 3))), '01e9030000000000000000f03f00000000000000400000000000000840');
  assert.equal(hex(toWkb({ type: 'LineString', coordinates: [] })), '010200000000000000');
});

test('one Z gives all positions one, at 0; further numbers are left out', () => {
  const mixed = {
    type: 'LineString',
    coordinates: [
      [1, 2],
      [3, 4, 5, 6],
    ],
  } as const;
  const line = { ...mixed, coordinates: mixed.coordinates.map((position) => [...position]) };
  assert.ok(hasZ(line));
  assert.deepEqual(read(toWkb(line)), {
    type: 'LineString',
    coordinates: [
      [1, 2, 0],
      [3, 4, 5],
    ],
  });
});

test('EWKB has flags for Z, M and the reference system, in both byte orders', () => {
  const z = Buffer.from('0101000080000000000000f03f00000000000000400000000000000840', 'hex');
  assert.deepEqual([readWkb(z), sridOfEwkb(z)], [point(1, 2, 3), 0]);
  const srid = Buffer.from('0020000001000064e93ff00000000000004000000000000000', 'hex');
  assert.deepEqual([readWkb(srid), sridOfEwkb(srid)], [point(1, 2), 25833]);
  const m = Buffer.from('0101000040000000000000f03f00000000000000400000000000000840', 'hex');
  assert.deepEqual([readWkb(m), sridOfEwkb(m)], [point(1, 2), 0]);
  assert.equal(sridOfEwkb(toWkb(point(1, 2, 3))), null);
});

test('a claim of more than there is, or deep nesting, is refused', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(() => readWkb(Buffer.from(text, 'hex')), { constructor: InvalidGeometryError, message });
  refused('', /breaks off/);
  refused('01010000000000', /breaks off/);
  for (const type of ['02', '03', '04', '05', '06', '07']) refused(`01${type}000000ffffffff`, /breaks off/);
  refused('010700000001000000'.repeat(20), /too many nested/);
});
