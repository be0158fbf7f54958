/** Where tiles and pictures have shapes that are too small to be drawn as they are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TileAddress } from '../../../src/catalogue/maps.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { MapStore } from '../../../src/data/map/map-store.ts';
import { parseMapQuery } from '../../../src/data/map/parameters.ts';
import { readTileShapes } from '../../../src/data/map/read-tile.ts';
import { collection, ingestPayload } from '../support/payloads.ts';

const limits = { pageSize: 100, maxPageSize: 1000, timeout: 30_000 };

async function mapOf(geometry: Geometry) {
  const payload = collection({ type: 'Feature', properties: {}, geometry });
  const { table } = await ingestPayload(payload, 'places.geojson');
  const query = parseMapQuery([], table.schema);
  return new MapStore().map({ table, tableKey: 'places', query, queryKey: '', limits, title: 'Places' });
}

const square = (x: number, y: number) => [
  [x, y],
  [x + 0.001, y],
  [x + 0.001, y + 0.001],
  [x, y + 0.001],
  [x, y],
];
const line = (x: number, y: number) => square(x, y).slice(0, 2);
const [berlin, newYork] = [[13.4, 52.5] as const, [-74, 40.7] as const];

/** Two places, with the Atlantic between them. */
const geometries: readonly Geometry[] = [
  { type: 'MultiPolygon', coordinates: [[square(...berlin)], [square(...newYork)]] },
  { type: 'MultiLineString', coordinates: [line(...berlin), line(...newYork)] },
  {
    type: 'GeometryCollection',
    geometries: [
      { type: 'LineString', coordinates: line(...berlin) },
      { type: 'Polygon', coordinates: [square(...newYork)] },
    ],
  },
];

describe('a shape of small parts that lie far from each other', () => {
  for (const geometry of geometries) {
    it(`is at one of them in each tile: ${geometry.type}`, async () => {
      const map = await mapOf(geometry);
      const positionIn = async (address: TileAddress) => {
        const { bytes } = await map.tile(address);
        return readTileShapes(bytes as Uint8Array, address)[0]?.parts[0] as readonly number[];
      };
      for (const [address, [longitude, latitude]] of [
        [{ z: 0, x: 0, y: 0 }, berlin],
        [{ z: 1, x: 0, y: 0 }, newYork],
        [{ z: 1, x: 1, y: 0 }, berlin],
        [{ z: 3, x: 2, y: 3 }, newYork],
      ] as const) {
        const [x = 0, y = 0] = await positionIn(address);
        const message = `${JSON.stringify(address)}: ${x} ${y}`;
        assert.ok(Math.abs(x - longitude) < 1 && Math.abs(y - latitude) < 1, message);
      }
    });

    it(`is a dot at one of them in a picture: ${geometry.type}`, async () => {
      const { svg } = await (await mapOf(geometry)).picture();
      const marks = svg.match(/(?<=<path class="m\d geo" d=")[^"]*/g) ?? [];
      assert.equal(marks.length, 1, svg.slice(-200));
      // Berlin is on the right, New York on the left.
      const x = Number(/^M(\d+) /.exec(marks[0] as string)?.[1]);
      assert.ok(x < 1000 || x > 9000, marks[0]);
    });
  }
});
