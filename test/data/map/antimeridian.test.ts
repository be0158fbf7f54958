/** Shapes that cross the antimeridian in one piece: maps draw them there, and not across the world. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { cutGeometry } from '../../../src/data/map/antimeridian.ts';
import { MapStore } from '../../../src/data/map/map-store.ts';
import { parseMapQuery } from '../../../src/data/map/parameters.ts';
import { readTileShapes } from '../../../src/data/map/read-tile.ts';
import { collection, ingestPayload } from '../support/payloads.ts';

const limits = { pageSize: 100, maxPageSize: 1000, timeout: 30_000 };

async function mapOf(...geometries: readonly Geometry[]) {
  const features = geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry }) as const);
  const { table } = await ingestPayload(collection(...features), 'places.geojson');
  const query = parseMapQuery([], table.schema);
  return new MapStore().map({ table, tableKey: 'places', query, queryKey: '', limits, title: 'Places' });
}

const box = (west: number, south: number, east: number, north: number) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
/** From 170 to -170 degrees; its edges along no parallel. */
const tilted = [
  [170, -20],
  [-170, -18],
  [-172, -10],
  [172, -12],
  [170, -20],
];
const route: Geometry = {
  type: 'LineString',
  coordinates: [
    [170, 10],
    [-170, 20],
  ],
};
const country: Geometry = {
  type: 'Polygon',
  coordinates: [
    tilted,
    [
      [176, -16],
      [178, -16],
      [177, -15],
      [176, -16],
    ],
  ],
};

describe('a shape that crosses the antimeridian in one piece', () => {
  for (const geometry of [route, country])
    it(`has parts on both sides in tiles, and none between: ${geometry.type}`, async () => {
      const map = await mapOf(geometry);
      const xsIn = async (z: number, x: number, y: number) => {
        const address = { z, x, y };
        const { bytes, drawn } = await map.tile(address);
        const shapes = bytes ? readTileShapes(bytes, address) : [];
        assert.equal(shapes.length, drawn);
        return shapes.flatMap(({ parts }) => parts.flatMap((part) => part.filter((_, at) => at % 2 === 0)));
      };
      const world = await xsIn(0, 0, 0);
      assert.ok(world.length >= 4, String(world));
      for (const x of world) assert.ok(Math.abs(x) > 169, String(world));
      const y = geometry === route ? 3 : 4;
      for (const x of [0, 7]) assert.ok((await xsIn(3, x, y)).length > 0, `tile ${x}`);
      for (const x of [1, 2, 3, 4, 5, 6]) assert.deepEqual(await xsIn(3, x, y), [], `tile ${x}`);
    });

  it('has a picture of where it is, or is at both edges of one of the world', async () => {
    const alone = await (await mapOf(country, route)).picture();
    const paths = (svg: string) =>
      [...svg.matchAll(/<path class="m[14] geo"[^>]* d="([^"]*)"/g)].map(([, d = '']) => d);
    // The middle of the picture is the antimeridian: the halves of the polygon, its hole, and those of the line meet there.
    assert.deepEqual(
      paths(alone.svg).map((d) => d.match(/m/gi)?.length),
      [3, 2],
    );
    assert.doesNotMatch(alone.svg, /Equal|NaN/);
    const width = Number(/viewBox="0 0 (\d+)/.exec(alone.svg)?.[1]);
    const spans = (svg: string) =>
      paths(svg).flatMap((d) =>
        d
          .split(/m/i)
          .slice(1)
          .map((part) => {
            let [x, least, most] = [0, 0, 0];
            const [, ...steps] = part.split('l');
            const numbers = steps.join(' ').match(/-?\d+/g)?.map(Number) ?? [];
            for (let at = 0; at < numbers.length; at += 2) {
              x += numbers[at] as number;
              [least, most] = [Math.min(least, x), Math.max(most, x)];
            }
            return (most - least) / 5;
          }),
      );
    assert.ok(Math.max(...spans(alone.svg)) > width / 10, String(spans(alone.svg)));
    const among = await (
      await mapOf(
        country,
        route,
        {
          type: 'LineString',
          coordinates: [
            [-60, 0],
            [60, 10],
          ],
        },
        {
          type: 'LineString',
          coordinates: [
            [-170, 50],
            [-60, 50],
          ],
        },
        {
          type: 'LineString',
          coordinates: [
            [60, 50],
            [170, 50],
          ],
        },
      )
    ).picture();
    assert.ok(Math.max(...spans(among.svg)) < width / 2, String(spans(among.svg)));
  });

  it('is cut into parts that are closed and stay on their side, each with its holes', () => {
    const cut = cutGeometry(country);
    assert.equal(cut?.type, 'MultiPolygon');
    const polygons = cut?.coordinates as number[][][][];
    assert.deepEqual(polygons.map((rings) => rings.length).sort(), [1, 2]);
    for (const rings of polygons)
      for (const ring of rings) {
        assert.deepEqual(ring[0], ring.at(-1));
        const sides = new Set(ring.map(([x = 0]) => Math.sign(x)));
        assert.equal(sides.size, 1, JSON.stringify(ring));
      }
  });

  it('may have hundreds of thousands of positions', () => {
    const ring = Array.from({ length: 400_001 }, (_, i) => {
      const angle = (2 * Math.PI * (i % 400_000)) / 400_000;
      const x = 180 + 20 * Math.cos(angle);
      return [x > 180 ? x - 360 : x, 60 + 10 * Math.sin(angle)];
    });
    const cut = cutGeometry({ type: 'Polygon', coordinates: [ring] });
    assert.equal(cut?.type, 'MultiPolygon');
    assert.equal(cut?.coordinates.length, 2);
  });

  it('is known from boxes that go around most of the world, shapes cut already, and those around a pole', () => {
    const whole: readonly Geometry[] = [
      { type: 'Polygon', coordinates: [box(-175, -60, 175, 60)] },
      { type: 'Polygon', coordinates: [box(-180, -90, 180, 90)] },
      {
        type: 'LineString',
        coordinates: [
          [-180, 0],
          [180, 0],
        ],
      },
      { type: 'MultiPolygon', coordinates: [[box(170, 0, 180, 10)], [box(-180, 0, -170, 10)]] },
      {
        type: 'Polygon',
        coordinates: [
          [
            [-180, -90],
            [180, -90],
            [180, -80],
            [0, -70],
            [-180, -80],
            [-180, -90],
          ],
        ],
      },
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, -70],
            [120, -71],
            [-120, -72],
            [0, -70],
          ],
        ],
      },
      { type: 'Polygon', coordinates: [[]] },
    ];
    for (const geometry of whole) assert.equal(cutGeometry(geometry), null, JSON.stringify(geometry));
  });
});
