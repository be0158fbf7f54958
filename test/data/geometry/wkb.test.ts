import assert from 'node:assert/strict';
import { test } from 'node:test';
// A decoder of another hand: what it reads is what was meant.
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import { hasZ } from '../../../src/data/geometry/geometry.ts';
import { toWkb } from '../../../src/data/geometry/wkb.ts';
import { geometries, point } from '../support/written.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const read = (bytes: Uint8Array): unknown =>
  wkbToGeojson({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 });

test('geometries read back as they were', () => {
  for (const geometry of geometries) {
    const expected =
      geometry.type === 'Point' && geometry.coordinates.length === 0 ? point(Number.NaN, Number.NaN) : geometry;
    assert.deepEqual(read(toWkb(geometry)), expected);
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
