/** A part of a large shape: found by boxes of its vertices, without a look at all of them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { loadGeos, PreparedGeometry, testWithGeosGeometry } from '../../../src/data/geometry/geos.ts';
import { clipLine, clipRing, doubleArea } from '../../../src/data/map/clip.ts';
import { latitudeOfY, longitudeOfX } from '../../../src/data/map/mercator.ts';
import { intersectsSurely, visitPartsNear } from '../../../src/data/map/shape-index.ts';
import { partKinds, type ShapeLayer } from '../../../src/data/map/shapes.ts';
import { writeTileArchive } from '../../../src/data/map/tile-archive.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import { ingestPayload, temporaryFolder } from '../support/payloads.ts';

type Part = { readonly kind: number; readonly positions: readonly (readonly [number, number])[] };

/** A layer of one row, of which every vertex has importance 10, but for the ends. */
function layerOf(parts: readonly Part[]): ShapeLayer {
  const all = parts.flatMap(({ positions }) => positions);
  const firstVertices = [0];
  for (const { positions } of parts) firstVertices.push((firstVertices.at(-1) as number) + positions.length);
  const importance = new Uint8Array(all.length).fill(10);
  for (const at of firstVertices) {
    if (at > 0) importance[at - 1] = 255;
    if (at < all.length) importance[at] = 255;
  }
  return {
    ...{ kind: 'shapes', rows: 1, bytes: 0, isComplete: true },
    ...{ boxes: new Float64Array(4), gridBoxes: new Int32Array(4), kinds: new Uint8Array(1), cutBoxes: new Map() },
    firstParts: Uint32Array.of(0, parts.length),
    partKinds: Uint8Array.from(parts, ({ kind }) => kind),
    firstVertices: Uint32Array.from(firstVertices),
    xs: Int32Array.from(all, ([x]) => x),
    ys: Int32Array.from(all, ([, y]) => y),
    importance,
  };
}

const middle = 2 ** 29;
/** A ring like a star, around a middle. */
function star(count: number, radius: number, x = 0, y = 0, kind: number = partKinds.ring): Part {
  const positions = Array.from({ length: count }, (_, i) => {
    const angle = (i / count) * 2 * Math.PI;
    const distance = radius * (1 + 0.3 * Math.sin(7 * angle) + 0.05 * Math.sin(31 * angle));
    const at = [middle + x + distance * Math.cos(angle), middle + y + distance * Math.sin(angle)] as const;
    return at.map(Math.round) as [number, number];
  });
  return { kind, positions: [...positions, positions[0] as [number, number]] };
}

/** The positions of each part with which it is drawn in an area. */
function positionsNear(layer: ShapeLayer, area: readonly [number, number, number, number], least = 1) {
  const found: number[][] = [];
  const visit = (_: number, vertices: readonly number[]) =>
    found.push(vertices.flatMap((at) => [layer.xs[at] as number, layer.ys[at] as number]));
  visitPartsNear(
    { layer, row: 0 },
    { area, least },
    () => true,
    visit,
    () => {},
  );
  return found;
}

const area = (x: number, y: number, size: number) =>
  [middle + x - size, middle + y - size, middle + x + size, middle + y + size] as const;
const somewhere = fc.integer({ min: -2000, max: 2000 });

describe('a part of a large shape', () => {
  it('is cut off at an area like the whole', () => {
    const wander = fc.array(fc.tuple(somewhere, somewhere), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(
        wander,
        fc.integer({ min: 1, max: 60 }),
        somewhere,
        somewhere,
        fc.integer({ min: 5, max: 1500 }),
        (turns, steps, x, y, size) => {
          // From one turn to the next in steps.
          const positions = turns.flatMap(([ax, ay], at) => {
            const [bx, by] = turns[(at + 1) % turns.length] as [number, number];
            return Array.from({ length: steps }, (_, step): [number, number] => [
              middle + Math.round(ax + ((bx - ax) * step) / steps),
              middle + Math.round(ay + ((by - ay) * step) / steps),
            ]);
          });
          const box = area(x, y, size);
          const ring = positions.flat();
          const closed = [...positions, positions[0] as [number, number]];
          const near = positionsNear(layerOf([{ kind: partKinds.ring, positions: closed }]), box).flatMap((part) =>
            part.slice(0, -2),
          );
          const [whole, part] = [doubleArea(clipRing(ring, box)), doubleArea(clipRing(near, box))];
          assert.ok(Math.abs(whole - part) <= 1e-6 * (2 * size) ** 2 + 1, `${whole} ${part}`);
          const lines = positionsNear(layerOf([{ kind: partKinds.line, positions }]), box);
          assert.deepEqual(
            lines.flatMap((line) => clipLine(line, box)),
            clipLine(ring, box),
          );
        },
      ),
    );
  });

  it('is found with a look at few vertices', () => {
    const layer = layerOf([star(200_000, 1e7), star(50_000, 1e6, 0, 0, partKinds.hole)]);
    const boxes = [area(1e7, 0, 1000), area(3e6, 0, 1000), area(0, 0, 1000), area(-1.3e7, 1.3e7, 1000)];
    assert.deepEqual(
      boxes.map((box) => intersectsSurely({ layer, row: 0 }, box)),
      [true, true, false, false],
    );
    let looks = 0;
    const counted = (array: Int32Array) =>
      new Proxy(array, {
        get(target, at) {
          looks++;
          return Reflect.get(target, at) as unknown;
        },
      });
    Object.assign(layer, { xs: counted(layer.xs), ys: counted(layer.ys) });
    for (const box of boxes) {
      intersectsSurely({ layer, row: 0 }, box);
      positionsNear(layer, box);
    }
    assert.ok(looks < 10_000, String(looks));
    // The ends of the two rings.
    assert.equal(positionsNear(layer, area(0, 0, 2e7), 11).flat().length, 8);
  });

  it('is found among many small ones with a look at few', () => {
    const layer = layerOf(
      Array.from({ length: 10_000 }, (_, i) => star(8, 400, 1000 * (i % 100), 1000 * Math.floor(i / 100))),
    );
    const box = area(50_000, 50_000, 600);
    assert.equal(intersectsSurely({ layer, row: 0 }, box), true);
    assert.ok(positionsNear(layer, box).length < 500);
  });

  it('has a point in common with an area exactly if GEOS says so, as far as that is said', async () => {
    const geos = await loadGeos();
    let answers = 0;
    const sizes = fc.integer({ min: 5, max: 900 });
    fc.assert(
      fc.property(
        fc.constantFrom(5, 90, 300),
        fc.boolean(),
        somewhere,
        somewhere,
        sizes,
        (count, isMany, x, y, size) => {
          const polygons = isMany
            ? Array.from({ length: 80 }, (_, i) => [
                star(count, 60, 400 * (i % 9) - 1600, 400 * Math.floor(i / 9) - 1600),
              ])
            : [[star(count, 1200), star(count, 500, 0, 0, partKinds.hole)], [star(count, 200)]];
          const layer = layerOf(polygons.flat());
          const box = area(x, y, size);
          const said = intersectsSurely({ layer, row: 0 }, box);
          if (said === null) return;
          answers++;
          const inDegrees = ([px, py]: readonly [number, number]) => [longitudeOfX(px), latitudeOfY(py)];
          const coordinates = polygons.map((rings) => rings.map(({ positions }) => positions.map(inDegrees)));
          const [left, top, right, bottom] = box;
          const corners = (
            [
              [left, top],
              [right, top],
              [right, bottom],
              [left, bottom],
              [left, top],
            ] as const
          ).map(inDegrees);
          const prepared = new PreparedGeometry(geos, { type: 'Polygon', coordinates: [corners] } as Geometry);
          const shape = { type: 'MultiPolygon', coordinates } as Geometry;
          const intersects = testWithGeosGeometry(geos, shape, (pointer) =>
            geos.GEOSPreparedIntersects(prepared.pointer, pointer),
          );
          assert.equal(said, intersects);
        },
      ),
      { numRuns: 40 },
    );
    assert.ok(answers > 10, String(answers));
  });

  it('is not read again for each tile of an archive', async () => {
    const ring = Array.from({ length: 601 }, (_, i) => [
      10 + 0.2 * Math.cos((i * Math.PI) / 300),
      50 + 0.2 * Math.sin((i * Math.PI) / 300),
    ]);
    const feature = {
      type: 'Feature',
      properties: { name: 'lake' },
      geometry: { type: 'Polygon', coordinates: [ring] },
    };
    const { table } = await ingestPayload(
      JSON.stringify({ type: 'FeatureCollection', features: [feature] }),
      'lake.geojson',
    );
    let scans = 0;
    const counted = new Proxy(table, {
      get(target, name) {
        if (name === 'scanRowGroups') scans++;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const query = parseDataQuery([], table.schema);
    const limits = { pageSize: 100, maxPageSize: 100, timeout: 60 };
    const { signal } = new AbortController();
    const options = { assertRoom: async () => {}, signal };
    await writeTileArchive(
      join(temporaryFolder(), 'lake.pmtiles'),
      { table: counted, query, name: 'lake', limits },
      options,
    );
    assert.ok(scans <= 5, String(scans));
  });
});
