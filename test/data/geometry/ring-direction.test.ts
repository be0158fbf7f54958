/** The direction of rings: reversed where RFC 7946 demands it, once, and nothing else is changed. */
import '../../support/judged.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { countMisdirectedRings, directRings } from '../../../src/data/geometry/ring-direction.ts';
import { collection, ingestPayload } from '../support/payloads.ts';

let state = 11;
const random = () => {
  state = (state * 16_807) % 2_147_483_647;
  return state / 2_147_483_647;
};

/** Signed area by the textbook, without a shift of the origin. */
const area = (ring: readonly number[][]) =>
  ring.reduce((sum, [x = 0, y = 0], i) => {
    const [nextX = 0, nextY = 0] = ring[(i + 1) % ring.length] ?? [];
    return sum + x * nextY - nextX * y;
  }, 0) / 2;

/** A star around a centre, clockwise or not, with or without heights. */
function star(x: number, y: number, radius: number, isClockwise: boolean): number[][] {
  const corners = 3 + Math.floor(random() * 6);
  const ring = Array.from({ length: corners }, (_, i) => {
    const angle = (2 * Math.PI * i) / corners;
    const reach = radius * (0.5 + random() / 2);
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle), i];
  });
  if (isClockwise) ring.reverse();
  return [...ring, ring[0] as number[]];
}

function polygon(): number[][][] {
  const [x, y] = [random() * 340 - 170, random() * 160 - 80];
  const holes = Array.from({ length: Math.floor(random() * 3) }, () => star(x, y, 0.5, random() < 0.5));
  return [star(x, y, 5, random() < 0.5), ...holes];
}

describe('rings', () => {
  it('run counterclockwise outside, and clockwise around holes', () => {
    const check = (rings: readonly number[][][]) =>
      rings.forEach((ring, i) => {
        assert.ok(i === 0 ? area(ring) > 0 : area(ring) < 0);
        assert.deepEqual(ring[0], ring.at(-1));
      });
    let reversed = 0;
    for (let turn = 0; turn < 200; turn++) {
      const given: Geometry =
        turn % 2 === 0
          ? { type: 'Polygon', coordinates: polygon() }
          : { type: 'MultiPolygon', coordinates: [polygon(), polygon()] };
      const before = structuredClone(given);
      const directed = directRings({ type: 'GeometryCollection', geometries: [given] });
      const [part] = directed.type === 'GeometryCollection' ? directed.geometries : [];
      if (part?.type === 'Polygon') check(part.coordinates);
      else if (part?.type === 'MultiPolygon') part.coordinates.forEach(check);
      else assert.fail();
      assert.deepEqual(given, before, 'what was given is unchanged');
      assert.equal(countMisdirectedRings(directed), 0);
      assert.equal(directRings(directed), directed, 'the second time, nothing is left to do');
      const positions = (shape: Geometry) =>
        JSON.stringify(shape)
          .match(/\[[^[\]]+\]/g)
          ?.sort();
      assert.deepEqual(positions(part), positions(given), 'no position is added, moved or lost');
      reversed += countMisdirectedRings(given);
    }
    assert.ok(reversed > 100);
  });

  it('stay as they are where there is no direction, or it is right on both sides of the antimeridian', () => {
    const cut: Geometry = {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [170, -10],
            [180, -10],
            [180, 10],
            [170, 10],
            [170, -10],
          ],
        ],
        [
          [
            [-180, -10],
            [-170, -10],
            [-170, 10],
            [-180, 10],
            [-180, -10],
          ],
        ],
      ],
    };
    const flat: Geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 1],
          [2, 2],
          [0, 0],
        ],
      ],
    };
    const line: Geometry = {
      type: 'LineString',
      coordinates: [
        [0, 1],
        [1, 0],
      ],
    };
    const empty: Geometry = { type: 'Polygon', coordinates: [] };
    for (const shape of [cut, flat, line, empty]) assert.equal(directRings(shape), shape);
    const tiny = [
      [179.9999999, 89.9999999],
      [179.9999999, 89.99999991],
      [179.99999991, 89.9999999],
      [179.9999999, 89.9999999],
    ];
    assert.equal(countMisdirectedRings({ type: 'Polygon', coordinates: [tiny] }), 1);
  });

  it('of a GeoJSON file are counted, with a remark; of one without such rings, and of WKT, there is no remark', async () => {
    const ring = [
      [0, 0],
      [0, 4],
      [4, 4],
      [4, 0],
      [0, 0],
    ];
    const feature = (coordinates: number[][][]) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'Polygon', coordinates },
    });
    const { result, table } = await ingestPayload(
      collection(feature([ring.toReversed()]), feature([ring]), feature([ring, ring])).replaceAll('},{', '},\n{'),
      'a.geojson',
    );
    assert.equal(result.misdirectedRings, 2);
    assert.deepEqual(result.repairs, {}, 'strict reading takes the file');
    assert.match(
      result.remarks.join(),
      /^Polygons: 2 rings have another direction than RFC 7946 demands \(first: line \d\): .*ogr2ogr -lco RFC7946=YES/,
    );
    assert.equal(table.mayHaveMisdirectedRings, true);
    const right = await ingestPayload(collection(feature([ring.toReversed()])), 'a.geojson');
    assert.deepEqual([right.result.remarks, right.table.mayHaveMisdirectedRings], [[], false]);
    const wkt = await ingestPayload('id,wkt\n1,"POLYGON((0 0,0 4,4 4,4 0,0 0))"\n', 'a.csv');
    assert.deepEqual([wkt.result.remarks, wkt.result.misdirectedRings], [[], 0]);
    assert.equal(wkt.table.mayHaveMisdirectedRings, true);
  });
});
