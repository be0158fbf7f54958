/** The geometry of maps: simplifying, clipping, thinning, projections, and layers of tables. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Turns } from '../../../src/data/event-loop.ts';
import { bboxOfGeometry } from '../../../src/data/geometry/bounding-box.ts';
import type { Bbox, Geometry } from '../../../src/data/geometry/geometry.ts';
import { toWkb } from '../../../src/data/geometry/wkb.ts';
import { loadBasemap } from '../../../src/data/map/basemap.ts';
import { CellGrid } from '../../../src/data/map/cells.ts';
import { clipLine, clipRing, doubleArea, reversed, roundPositions } from '../../../src/data/map/clip.ts';
import { classOf, makeLegend } from '../../../src/data/map/colour-classes.ts';
import { importanceOfDistance, measureImportance } from '../../../src/data/map/importance.ts';
import { latitudeOfY, longitudeOfX, xOfLongitude, yOfLatitude } from '../../../src/data/map/mercator.ts';
import { chooseProjection, ExtentBuilder } from '../../../src/data/map/projection.ts';
import { OutlineBuilder, ShapeBuilder } from '../../../src/data/map/shapes.ts';
import { escapeXml, PathWriter } from '../../../src/data/map/svg-path.ts';
import { Thinning } from '../../../src/data/map/thinning.ts';

const positions = (length: number) =>
  fc
    .array(fc.integer({ min: -2000, max: 6000 }), { minLength: 2 * length, maxLength: 400 })
    .map((all) => all.slice(0, all.length & ~1));
const box = [-64, -64, 4160, 4160] as const;

/** Distance of a position from the nearest part of a line. */
function distanceTo(line: readonly number[], x: number, y: number): number {
  let least = Infinity;
  for (let at = 0; at + 3 < line.length; at += 2) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = line.slice(at, at + 4);
    const [dx, dy] = [bx - ax, by - ay];
    const length = dx * dx + dy * dy;
    const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
    least = Math.min(least, Math.hypot(x - ax - along * dx, y - ay - along * dy));
  }
  return least;
}

describe('the importance of vertices', () => {
  it('moves a simplified line by no more than was asked for', () => {
    fc.assert(
      fc.property(positions(3), fc.constantFrom(2, 30, 400), (line, distance) => {
        const xs = Int32Array.from(line.filter((_, at) => at % 2 === 0));
        const ys = Int32Array.from(line.filter((_, at) => at % 2 === 1));
        const importance = new Uint8Array(xs.length);
        measureImportance(xs, ys, importance, 0, xs.length);
        const least = importanceOfDistance(distance);
        const kept: number[] = [];
        for (let at = 0; at < xs.length; at++)
          if ((importance[at] as number) >= least) kept.push(xs[at] as number, ys[at] as number);
        assert.deepEqual([kept[0], kept[1]], [line[0], line[1]]);
        for (let at = 0; at < xs.length; at++)
          // An importance is rounded: by an eighth of a doubling.
          assert.ok(distanceTo(kept, xs[at] as number, ys[at] as number) <= distance * 1.1 + 1);
      }),
    );
  });

  it('is measured of long lines in pieces, in time', () => {
    const count = 50_000;
    // A hostile line: each vertex is farther than the one before.
    const xs = Int32Array.from({ length: count }, (_, n) => (n % 2 === 0 ? n : -n));
    const ys = Int32Array.from({ length: count }, (_, n) => n);
    const importance = new Uint8Array(count);
    measureImportance(xs, ys, importance, 0, count);
    assert.ok(importance.filter((one) => one === 0).length < 200);
    const straight = new Uint8Array(count);
    measureImportance(ys, ys, straight, 0, count);
    assert.ok(straight.filter((one) => one > 0).length < 20);
  });
});

describe('clipping', () => {
  it('leaves nothing outside of the box, and all that is inside', () => {
    fc.assert(
      fc.property(positions(3), (line) => {
        for (const part of [...clipLine(line, box), clipRing(line, box)])
          for (let at = 0; at < part.length; at += 2) {
            assert.ok((part[at] as number) >= box[0] - 1e-6 && (part[at] as number) <= box[2] + 1e-6);
            assert.ok((part[at + 1] as number) >= box[1] - 1e-6 && (part[at + 1] as number) <= box[3] + 1e-6);
          }
        const isInside = line.every((value) => value >= -64 && value <= 4160);
        if (isInside) assert.deepEqual([clipRing(line, box), clipLine(line, box)], [line, [line]]);
      }),
    );
  });

  it('cuts a line that leaves and comes back into parts, and a ring around the box to the box', () => {
    assert.deepEqual(clipLine([0, 0, 0, 5000, 100, 5000, 100, 0], box), [
      [0, 0, 0, 4160],
      [100, 4160, 100, 0],
    ]);
    const around = clipRing([-9000, -9000, 9000, -9000, 9000, 9000, -9000, 9000], box);
    assert.equal(doubleArea(around), 2 * 4224 * 4224);
    assert.equal(doubleArea(reversed(around)), -2 * 4224 * 4224);
    assert.deepEqual(clipLine([-100, -100, -100, 9000], box), []);
    assert.deepEqual(roundPositions([0.1, 0, 0.2, 0.3, 1, 1]), [0, 0, 1, 1]);
  });
});

describe('thinning', () => {
  it('lets the first row of a cell stand for all of it, at every size of the cells', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.integer({ min: -8, max: 519 }), fc.integer({ min: -8, max: 519 }), fc.constantFrom(0, 0, 3, 40)),
          {
            maxLength: 300,
          },
        ),
        fc.integer({ min: 1, max: 50 }),
        (rows, most) => {
          const thinning = new Thinning(512, 512, most);
          for (const [position, [x, y, size]] of rows.entries()) thinning.add(position, x, y, size);
          if (rows.length <= most) assert.equal(thinning.drawn, rows.length);
          thinning.coarsenTo(most);
          assert.ok(thinning.drawn <= most);
          const { positions: chosen, counts } = thinning.chosen();
          assert.equal(
            counts.reduce((sum, count) => sum + count, 0),
            rows.length,
          );
          assert.deepEqual(
            [...chosen],
            [...new Set(chosen)].sort((a, b) => a - b),
          );
          if (rows.length > 0) assert.equal(chosen[0], 0);
        },
      ),
    );
  });

  it('puts rows outside of the grid on its border', () => {
    const grid = new CellGrid(4, 4);
    grid.add(0, -5, 100);
    grid.add(1, Number.MAX_SAFE_INTEGER, 0);
    assert.equal(grid.occupied, 2);
    assert.equal(grid.coarser().coarser().occupied, 1);
  });
});

describe('projections', () => {
  it('lead back and forth between degrees and the Mercator grid', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -85, max: 85, noNaN: true }),
        (x, y) => {
          assert.ok(Math.abs(longitudeOfX(xOfLongitude(x)) - x) < 1e-9);
          assert.ok(Math.abs(latitudeOfY(yOfLatitude(y)) - y) < 1e-9);
        },
      ),
    );
    assert.ok(Number.isFinite(yOfLatitude(90)) && Number.isFinite(yOfLatitude(-90)));
  });

  it('are Equal Earth for more than 170 degrees and near the poles, else Mercator, with all rows in the picture', () => {
    const size = { width: 1040, height: 506 };
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true })),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        (points) => {
          const builder = new ExtentBuilder();
          for (const [x, y] of points) builder.add(x, y, x, y);
          const projection = chooseProjection(builder.extent(), size);
          const at = new Float64Array(2);
          for (const [x, y] of points) {
            projection.project(x, y, at);
            const [px = 0, py = 0] = at;
            assert.ok(px >= -0.01 && px <= 1040.01 && py >= -0.01 && py <= 506.01, `${x} ${y} → ${px} ${py}`);
          }
        },
      ),
    );
    const kindOf = (west: number, south: number, east: number, north: number) => {
      const builder = new ExtentBuilder();
      builder.add(west, south, west, south);
      builder.add(east, north, east, north);
      return chooseProjection(builder.extent(), size).kind;
    };
    assert.equal(kindOf(-10, 40, 30, 60), 'mercator');
    assert.equal(kindOf(-90, 40, 90, 60), 'equal-earth');
    assert.equal(kindOf(-179, 40, 179, 60), 'mercator');
    assert.equal(kindOf(0, 80, 10, 89), 'equal-earth');
    assert.equal(chooseProjection(null, size).kind, 'equal-earth');
  });

  it('agree with d3-geo about Equal Earth', async () => {
    const { geoEqualEarthRaw } = await import('d3-geo');
    const projection = chooseProjection(null, { width: 1000, height: 500 });
    const at = new Float64Array(2);
    const place = (longitude: number, latitude: number) => {
      projection.project(longitude, latitude, at);
      return [(at[0] as number) - 500, 250 - (at[1] as number)];
    };
    const [unit = 1] = place(180, 0);
    const scale = unit / (geoEqualEarthRaw(Math.PI, 0)[0] as number);
    for (const [longitude, latitude] of [
      [10, 20],
      [-120, 70.3],
      [179, -89],
      [0, 90],
      [45.5, -45.2],
    ] as const) {
      const expected = geoEqualEarthRaw((longitude * Math.PI) / 180, (latitude * Math.PI) / 180);
      const [x = 0, y = 0] = place(longitude, latitude);
      assert.ok(Math.hypot(x - scale * expected[0], y - scale * expected[1]) < 0.01, `${longitude} ${latitude}`);
    }
  });
});

describe('layers of shapes', () => {
  const geometries: readonly (Geometry | null)[] = [
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [8, 0],
          [8, 8],
          [0, 8],
          [0, 0],
        ],
        [
          [2, 2],
          [3, 2],
          [3, 3],
          [2, 2],
        ],
      ],
    },
    null,
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [0, 0],
          [1, 1],
        ],
        [
          [2, 2],
          [3, 3],
          [4, 2],
        ],
      ],
    },
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2, 3] },
        { type: 'Point', coordinates: [5, 6, 7] },
      ],
    },
  ];

  const layerOf = (rows: readonly (Geometry | null)[], { most, only }: { most?: number; only?: number[] } = {}) => {
    const outlines = new OutlineBuilder(rows.length);
    for (const [row, geometry] of rows.entries())
      if (geometry) outlines.addRow(row, bboxOfGeometry(geometry) as Bbox, toWkb(geometry));
    const builder = new ShapeBuilder(outlines.finish(), most);
    for (const [row, geometry] of rows.entries())
      if (only?.includes(row) ?? true) builder.addRow(row, geometry && toWkb(geometry));
    return builder.finish();
  };

  it('have the outlines of all rows, and the vertices of those that are asked for', () => {
    const whole = layerOf([...geometries, null]);
    const layer = layerOf([...geometries, null], { only: [2] });
    assert.deepEqual([...layer.firstParts], [0, 0, 0, 2, 2, 2]);
    assert.deepEqual([...layer.firstVertices], [0, 2, 5]);
    assert.deepEqual(layer.xs, whole.xs.slice(9, 14));
    for (const name of ['boxes', 'gridBoxes', 'kinds'] as const) assert.deepEqual(layer[name], whole[name]);
  });

  it('have the parts and vertices of each row', () => {
    const layer = layerOf([...geometries, null]);
    assert.deepEqual([...layer.firstParts], [0, 2, 2, 4, 6, 6]);
    assert.deepEqual([...layer.partKinds], [3, 4, 2, 2, 1, 1]);
    assert.deepEqual([...layer.firstVertices], [0, 5, 9, 11, 14, 15, 16]);
    assert.deepEqual([...layer.kinds], [3, 0, 2, 1, 0]);
    assert.ok(Number.isNaN(layer.boxes[4]));
    assert.equal(Math.round(longitudeOfX(layer.xs[14] as number)), 1);
  });

  it('leave out the least important vertices when they are too many', () => {
    const polygons = Array.from({ length: 40 }, (_, row): Geometry => {
      const ring = Array.from({ length: 200 }, (_, n) => [Math.cos(n / 31.83) + row, Math.sin(n / 31.83)]);
      return { type: 'Polygon', coordinates: [[...ring, ring[0] as number[]]] };
    });
    const layer = layerOf(polygons, { most: 2000 });
    assert.ok(layer.xs.length <= 2000, `${layer.xs.length}`);
    for (let part = 0; part < 40; part++) {
      const [start = 0, end = 0] = layer.firstVertices.subarray(part, part + 2);
      assert.ok(end - start >= 4, `${part}`);
      assert.equal(layer.xs[start], layer.xs[end - 1]);
    }
  });
});

describe('pictures', () => {
  it('have classes of numbers by quantiles, and of few different numbers fewer', async () => {
    const legendOf = (...values: number[]) =>
      makeLegend({ name: 'n', type: 'float', values: Float64Array.from(values) }, new Turns());
    const legend = await legendOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, Number.NaN);
    assert.deepEqual(legend, { kind: 'quantiles', column: 'n', breaks: [3, 5, 7, 9], min: 1, max: 10 });
    assert.deepEqual(
      [1, 2.9, 3, 9, 11, Number.NaN, null].map((value) => classOf(legend, value)),
      [0, 0, 1, 4, 4, 5, 5],
    );
    assert.deepEqual(await legendOf(7, 7, 7), { kind: 'quantiles', column: 'n', breaks: [], min: 7, max: 7 });
    assert.deepEqual(await legendOf(), { kind: 'quantiles', column: 'n', breaks: [], min: 0, max: 0 });
  });

  it('have the same classes for values that follow a pattern by row as for others', async () => {
    const rows = Array.from({ length: 200_000 }, (_, row) => row);
    const legendOf = async (valueAt: (row: number) => number) => {
      const values = Float64Array.from(rows, valueAt);
      const legend = await makeLegend({ name: 'n', type: 'float', values }, new Turns());
      assert.ok(legend.kind === 'quantiles');
      return legend;
    };
    const sparse = await legendOf((row) => (row % 2 ? row : Number.NaN));
    assert.deepEqual([sparse.min, sparse.max, sparse.breaks.length], [1, 199_999, 4]);
    const alternating = await legendOf((row) => (row % 4 ? 1_000_000 : 0) + row);
    const share = alternating.breaks.map(
      (limit) => rows.filter((row) => (row % 4 ? 1_000_000 : 0) + row < limit).length,
    );
    for (const [n, count] of share.entries()) assert.ok(Math.abs(count / 200_000 - (n + 1) / 5) < 0.02, `${share}`);
    const few = await legendOf((row) => (row > 199_990 ? row : Number.NaN));
    assert.deepEqual(few.breaks, [199_992, 199_994, 199_996, 199_998]);
  });

  it('have paths that are short, and texts that are safe', () => {
    const path = new PathWriter();
    path.line([0.4, 0, 10, 10, 10, 0.2], true);
    path.dot(5, 5);
    assert.equal(String(path), 'M0 0l10 10 0-10zm5 5h0');
    assert.equal(escapeXml('<a & "b">\u0000\ud800'), '&#60;a &#38; &#34;b&#34;&#62;\ufffd\ufffd');
  });

  it('have land with its holes and borders, within the world', async () => {
    for (const scale of ['110m', '50m'] as const) {
      const { land, borders } = await loadBasemap(scale);
      assert.ok(land.length > 100 && borders.length > 100);
      for (const line of [...land, ...borders])
        for (let at = 0; at < line.length; at += 2)
          assert.ok(Math.abs(line[at] as number) <= 180 && Math.abs(line[at + 1] as number) <= 90);
    }
  });
});
