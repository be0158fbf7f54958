import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ValidationError } from '../../../src/catalogue/errors.ts';
import { bboxOfGeometry, doBboxesIntersect } from '../../../src/data/geometry/bounding-box.ts';
import { geodesicDistance } from '../../../src/data/geometry/geodesic.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { loadGeos } from '../../../src/data/geometry/geos.ts';
import { parseWkt } from '../../../src/data/geometry/wkt.ts';
import { compilePredicate, type RowTest } from '../../../src/data/query/compile.ts';
import { parseCql2 } from '../../../src/data/query/cql2/parse.ts';
import { parseLookupPredicate } from '../../../src/data/query/lookups.ts';
import type { Predicate } from '../../../src/data/query/predicate.ts';
import { boxesToSearch } from '../../../src/data/query/search-boxes.ts';
import type { Row } from '../../../src/data/row.ts';
import { layer, rowOf, schemaOf } from '../support/rows.ts';
import { cpuTime } from '../support/turns.ts';

const schema = schemaOf({});
const wkt = (text: string) => rowOf([], parseWkt(text));
const finds = async (lookup: string, value: string, row: Row) =>
  (await compilePredicate(parseLookupPredicate(`geometry__${lookup}`, value, schema), schema))(row);
/** Milliseconds of a test of a distance that isn't reached. */
const compiledTime = async (value: string, row: Row) => {
  const matches = await compilePredicate(parseLookupPredicate('geometry__dwithin', value, schema), schema);
  return cpuTime(() => assert.equal(matches(row), false));
};
const excludes = async (lookup: string, value: string, row: Row) =>
  (await compilePredicate({ op: 'not', of: parseLookupPredicate(`geometry__${lookup}`, value, schema) }, schema))(row);

test('real places: what lies in South Africa, and not in the hole that is Lesotho', async () => {
  const country = (name: string) => layer('countries').find((f) => f.properties.ADMIN === name)?.geometry as Geometry;
  const within = await compilePredicate({ op: 'spatial', test: 'within', geometry: country('South Africa') }, schema);
  assert.equal(within(rowOf([], country('Lesotho'))), false);
  const found = layer('places').filter((place) => within(rowOf([], place.geometry)));
  assert.deepEqual(found.map((place) => place.properties.name).sort(), [
    'Bloemfontein',
    'Cape Town',
    'Johannesburg',
    'Pretoria',
  ]);
});

test('null is unknown, empty is disjoint from everything', async () => {
  const nothing = rowOf([], null);
  const box = '-180,-90,180,90';
  for (const lookup of ['intersects', 'within', 'contains', 'disjoint', 'bbox']) {
    assert.equal(await finds(lookup, box, nothing), false, lookup);
    assert.equal(await excludes(lookup, box, nothing), false, `NOT ${lookup}`);
  }
  for (const empty of ['POINT EMPTY', 'POLYGON EMPTY', 'GEOMETRYCOLLECTION EMPTY', 'GEOMETRYCOLLECTION(POINT EMPTY)']) {
    for (const lookup of ['intersects', 'within', 'contains', 'bbox']) {
      assert.equal(await finds(lookup, box, wkt(empty)), false, `${empty} ${lookup}`);
      assert.equal(await excludes(lookup, box, wkt(empty)), true, `${empty} NOT ${lookup}`);
    }
    assert.equal(await finds('disjoint', box, wkt(empty)), true, empty);
    assert.equal(await finds('dwithin', 'POINT(0 0),1000km', wkt(empty)), false, empty);
  }
  for (const lookup of ['intersects', 'within', 'contains']) {
    assert.equal(await finds(lookup, 'POLYGON EMPTY', wkt('POINT(0 0)')), false, lookup);
  }
  assert.equal(await finds('disjoint', 'POLYGON EMPTY', wkt('POINT(0 0)')), true);
});

test('a box or polygon that is wider than the world has each place once', async () => {
  const shapes = [
    'POINT(170 0)',
    'POLYGON((-175 0,-170 0,-170 5,-175 0))',
    'MULTIPOINT((170 0),(170 50))',
    'POINT(0 0)',
  ];
  const wide = 'POLYGON((-200 -10,200 -10,200 10,-200 10,-200 -10))';
  for (const shape of shapes)
    for (const area of ['-200,-10,200,10', wide, '-180,-10,180,10', '-700,-10,700,10'])
      for (const [lookup, expected] of [
        ['intersects', true],
        ['disjoint', false],
        ['within', shape !== shapes[2]],
        ...(area === wide ? [] : ([['bbox', true]] as const)),
      ] as const)
        assert.equal(await finds(lookup, area, wkt(shape)), expected, `${shape} ${lookup} ${area}`);
  assert.equal(await finds('dwithin', `${wide},1deg`, wkt('POINT(170 0)')), true);
  // Two copies of it overlap here, and their edges meet in the last one.
  for (const area of [
    '-10,-10,390,10',
    '-360,-10,180,10',
    'POLYGON((-10 -10,390 -10,390 10,-10 10,-10 -10))',
    '5,-10,365,10',
  ])
    for (const shape of ['POINT(5.5 5)', 'LINESTRING(4 5,6 5)', 'POLYGON((4 5,6 5,6 6,4 5))']) {
      assert.equal(await finds('disjoint', area, wkt(shape)), false, `${shape} disjoint ${area}`);
      for (const lookup of ['intersects', 'within'])
        assert.equal(await finds(lookup, area, wkt(shape)), true, `${shape} ${lookup} ${area}`);
      for (const distance of ['1deg', '1km'])
        assert.equal(
          await finds('dwithin', `${area.startsWith('P') ? area : wide},${distance}`, wkt(shape)),
          true,
          shape,
        );
    }
  assert.equal(await finds('intersects', wide, wkt('POINT(170 50)')), false);
});

test('a geometry that reaches beyond 180 degrees and crosses itself everywhere takes no longer than another', async () => {
  // Each half crosses the other a hundred thousand times, and the copies of it a turn away.
  const zigzag = Array.from({ length: 1200 }, (_, i) => `${((i * 37) % 380) - 190} ${(i % 2) * 80}`).join(',');
  const lines = [
    `LINESTRING(${zigzag})`,
    `GEOMETRYCOLLECTION(LINESTRING(${zigzag}),POLYGON((170 0,190 0,180 -9,170 0)))`,
  ];
  const [near, far] = [wkt('POINT(0 40)'), wkt('POINT(0 -80)')];
  for (const line of lines)
    for (const [lookup, value] of [
      ['intersects', line],
      ['dwithin', `${line},1deg`],
      ['dwithin', `${line},100km`],
    ] as const) {
      const before = process.cpuUsage();
      const results = [await finds(lookup, value, near), await finds(lookup, value, far)];
      const { user } = process.cpuUsage(before);
      if (lookup === 'dwithin') assert.deepEqual(results, [true, false], value.slice(-10));
      assert.ok(user < 2_000_000, `${lookup} takes ${user / 1000} ms`);
    }
});

test('the ends of a line that overlaps its copy a turn away are no boundary', async () => {
  for (const point of ['POINT(170 0)', 'POINT(180 0)', 'POINT(0 0)'])
    assert.equal(await finds('within', 'LINESTRING(-190 0,180 0)', wkt(point)), true, point);
});

test('geometries whose edges cross everywhere are refused, and others of as many positions are compared', async () => {
  const zigzag = (count: number, isTurned: boolean) => {
    const positions = Array.from({ length: count }, (_, i) => [(i * 37) % 89.3, (i % 2) * 80] as const);
    return `(${positions.map(([x, y]) => (isTurned ? `${y} ${x}` : `${x} ${y}`)).join(',')})`;
  };
  const comb = (teeth: number, isTurned: boolean) => {
    const tops = Array.from({ length: teeth }, (_, i) => [(i * 80) / teeth, i % 2 ? 80 : 1] as const);
    const ring = [[0, 0], ...tops, [80, 0], [0, 0]].map(([x, y]) => (isTurned ? `${y} ${x}` : `${x} ${y}`));
    return `((${ring.join(',')}))`;
  };
  const coast = (count: number, radius: number) => {
    const angles = Array.from({ length: count }, (_, i) => (2 * Math.PI * (i % (count - 1))) / (count - 1));
    return `((${angles.map((a) => `${radius * Math.cos(a)} ${radius * Math.sin(a)}`).join(',')}))`;
  };
  const crossing =
    /^_filter: The geometry and that of a row cross, or come near each other, too often to be compared: give yours fewer positions/;
  const test = async (name: string, query: string) =>
    compilePredicate(parseCql2(`S_${name}(geometry, ${query})`, schema), schema);
  const refused = [
    ['CROSSES', `LINESTRING${zigzag(100, false)}`, `LINESTRING${zigzag(4000, true)}`],
    ['OVERLAPS', `LINESTRING${zigzag(100, false)}`, `LINESTRING${zigzag(4000, true)}`],
    ['CROSSES', 'LINESTRING(0 1,80 79)', `LINESTRING${zigzag(3000, false)}`],
    ['TOUCHES', `POLYGON${comb(800, false)}`, `LINESTRING${zigzag(3000, true)}`],
    ['OVERLAPS', `POLYGON${comb(800, false)}`, `POLYGON${comb(800, true)}`],
    ['CONTAINS', `POLYGON${comb(800, false)}`, `POLYGON${comb(800, true)}`],
    ['EQUALS', `POLYGON${comb(800, false)}`, `POLYGON${comb(800, true)}`],
  ] as const;
  for (const [name, query, row] of refused) {
    const [matches, geometry] = [await test(name, query), wkt(row)];
    const time = cpuTime(() =>
      assert.throws(() => matches(geometry), { name: 'ValidationError', message: crossing }, name),
    );
    assert.ok(time < 500, `${name} takes ${time} ms`);
  }
  await assert.rejects(test('CROSSES', `LINESTRING${zigzag(1600, false)}`), /The geometry crosses itself too often/);
  const compared = [
    ['CROSSES', `LINESTRING${coast(2000, 10).slice(1, -1)}`, `LINESTRING${coast(2000, 10.00001).slice(1, -1)}`, false],
    ['CROSSES', 'LINESTRING(-20 1,20 1)', `LINESTRING${coast(50_000, 10).slice(1, -1)}`, true],
    ['EQUALS', `POLYGON${coast(2000, 10)}`, `POLYGON${coast(2000, 10)}`, true],
    ['WITHIN', `POLYGON${coast(2000, 10)}`, `POLYGON${coast(50_000, 9.9)}`, true],
    ['OVERLAPS', `POLYGON${coast(2000, 10)}`, `POLYGON${coast(2000, 10)}`, false],
    ['WITHIN', `POLYGON${comb(800, false)}`, `POLYGON${comb(800, true)}`, false],
  ] as const;
  for (const [name, query, row, expected] of compared)
    assert.equal((await test(name, query))(wkt(row)), expected, `${name} ${query.length} ${row.length}`);
});

test('edges of two lengths that take turns are counted as they are, though not all are looked at', async () => {
  const compile = (query: string) => compilePredicate(parseCql2(`S_CROSSES(geometry, ${query})`, schema), schema);
  const zigzag = (count: number, isTurned: boolean) => {
    const positions = Array.from({ length: count }, (_, i) => [((i + 1) >> 1) / 50, (i >> 1) % 2 ? 9 : 0]);
    const ends = isTurned ? positions.map(([x, y]) => [y, x]) : positions;
    return `(${ends.map((position) => position.join(' ')).join(',')})`;
  };
  for (const [first, second] of [
    [601, 600],
    [600, 601],
    [600, 600],
  ] as const)
    await assert.rejects(
      compile(`MULTILINESTRING(${zigzag(first, false)},${zigzag(second, true)})`),
      /The geometry crosses itself too often/,
    );
  const combs = (teeth: readonly string[]) => wkt(`MULTILINESTRING(${teeth.map((tooth) => `(${tooth})`).join(',')})`);
  const rows = Array.from(
    { length: 1000 },
    (_, i) => `0 ${i / 100},10 ${i / 100},11 ${i / 100},12 ${i / 100},13 ${i / 100}`,
  );
  const across = Array.from({ length: 6 }, (_, i) => `(${i + 1} -1,${i + 1} 60)`);
  assert.equal((await compile(`MULTILINESTRING(${across.join(',')})`))(combs(rows)), true);
});

test('many slanted lines beside each other are compared, as those of a survey from the air', async () => {
  const lines = Array.from({ length: 900 }, (_, i) => `(${i / 90} 0,${i / 90 + 10} 10)`);
  const row = wkt(`MULTILINESTRING(${lines.join(',')})`);
  for (const [name, expected] of [
    ['WITHIN', true],
    ['CROSSES', false],
  ] as const) {
    const area = 'POLYGON((-1 -1,30 -1,30 30,-1 30,-1 -1))';
    const matches = await compilePredicate(parseCql2(`S_${name}(geometry, ${area})`, schema), schema);
    assert.equal(matches(row), expected, name);
  }
});

test('an area of many edges that is wider than the globe is refused, and one of few is not', async () => {
  const saw = (teeth: number, width: number) => {
    const tops = Array.from({ length: teeth }, (_, i) => `${(i * width) / teeth} 5,${((i + 0.5) * width) / teeth} 9`);
    return `POLYGON((0 0,${tops},${width} 0,0 0))`;
  };
  const point = wkt('POINT(10 1)');
  const message = /^The area is more than 360 degrees wide and has more than 100 positions: /;
  for (const [lookup, more] of [
    ['intersects', ''],
    ['within', ''],
    ['dwithin', ',1deg'],
    ['dwithin', ',1km'],
  ] as const) {
    await assert.rejects(finds(lookup, saw(60, 361) + more, point), (error) => {
      assert.ok(error instanceof ValidationError);
      assert.match(String(error.fields[`geometry__${lookup}`]), message);
      return true;
    });
    for (const area of [saw(60, 359), saw(40, 700)]) assert.equal(await finds(lookup, area + more, point), true, area);
  }
});

test('across the antimeridian', async () => {
  const east = wkt('POINT(179 0)');
  const west = wkt('POINT(-179 0)');
  const cut = wkt('MULTIPOLYGON(((178 -1,180 -1,180 1,178 1,178 -1)),((-180 -1,-178 -1,-178 1,-180 1,-180 -1)))');
  const home = wkt('POINT(0 0)');
  for (const [lookup, value] of [
    ['bbox', '170,-10,-170,10'],
    ['intersects', '170,-10,-170,10'],
    ['within', '170,-10,-170,10'],
    ['bbox', '170,-10,190,10'],
    ['bbox', '-190,-10,-170,10'],
    ['bbox', '530,-10,550,10'],
    ['bbox', '-910,-10,-890,10'],
    ['intersects', 'POLYGON((890 -10,910 -10,910 10,890 10,890 -10))'],
    ['within', 'POLYGON((530 -10,550 -10,550 10,530 10,530 -10))'],
    ['intersects', 'POLYGON((170 -10,190 -10,190 10,170 10,170 -10))'],
    ['within', 'POLYGON((170 -10,190 -10,190 10,170 10,170 -10))'],
    ['within', 'POLYGON((-190 -10,-170 -10,-170 10,-190 10,-190 -10))'],
    ['intersects', 'Point([180,0]).buffer(1.5)'],
    ['dwithin', 'POINT(180 0),120km'],
    ['dwithin', 'LINESTRING(179.9 -5,179.9 5),125km'],
  ] as const) {
    const boxes = boxesToSearch(parseLookupPredicate(`geometry__${lookup}`, value, schema)) ?? [];
    for (const row of [east, west, cut]) {
      assert.equal(await finds(lookup, value, row), true, `${lookup}=${value} ${JSON.stringify(row.geometry())}`);
      assert.ok(
        boxes.some((box) => doBboxesIntersect(row.bbox() ?? [0, 0, 0, 0], box)),
        `boxes of ${lookup}=${value}`,
      );
    }
    assert.equal(await finds(lookup, value, home), false, `${lookup}=${value}`);
  }
  assert.equal(await finds('contains', '179.5,-0.5,-179.5,0.5', cut), true);
  assert.equal(await finds('disjoint', '170,-10,-170,10', home), true);
  assert.equal(await finds('disjoint', '170,-10,-170,10', west), false);
  assert.equal(await finds('within', 'Point([179.5,0]).buffer(2)', west), true);
  const crossing = { ...wkt('POINT(179 0)'), bbox: () => [178, -1, -178, 1] as const };
  assert.equal(await finds('intersects', '170,-10,-170,10', crossing), true, 'a row that says it crosses');
});

test('boxes some turns around the globe away, and wider than it', async () => {
  for (const [box, longitude, isFound] of [
    ['550,-20,560,-10', -165, true],
    ['550,-20,560,-10', 165, false],
    ['890,-20,900,-10', 175, true],
    ['-900,-20,-890,-10', -175, true],
    ['500,-20,5000,-10', 0, true],
    ['-5000,-20,-500,-10', 0, true],
    ['-1e308,-20,1e308,-10', 0, true],
    ['1e308,-20,1.1e308,-10', 0, false],
  ] as const) {
    const row = wkt(`POINT(${longitude} -15)`);
    assert.equal(await finds('bbox', box, row), isFound, `${box} ${longitude}`);
    const boxes = boxesToSearch(parseLookupPredicate('geometry__bbox', box, schema)) ?? [];
    assert.equal(
      boxes.some((part) => doBboxesIntersect(row.bbox() ?? [0, 0, 0, 0], part)),
      isFound,
      `boxes of ${box}`,
    );
  }
});

test('degenerate boxes: a line, a point, the antimeridian itself', async () => {
  assert.equal(await finds('bbox', '5,0,5,10', wkt('LINESTRING(0 5,10 5)')), true);
  assert.equal(await finds('bbox', '5,5,5,5', wkt('POINT(5 5)')), true);
  assert.equal(await finds('bbox', '5,5,5,5', wkt('POLYGON((0 0,10 0,10 10,0 10,0 0))')), true);
  assert.equal(await finds('bbox', '180,-90,-180,90', wkt('POINT(-180 5)')), true);
  assert.equal(await finds('bbox', '180,-90,-180,90', wkt('POINT(0 5)')), false);
  assert.equal(await finds('bbox', '0,0,3,3', wkt('LINESTRING(0 4,4 0)')), true, 'touches the corner region');
  assert.equal(await finds('bbox', '0,0,1,1', wkt('LINESTRING(0 4,4 0)')), false, 'boxes meet, shapes do not');
});

test('geometries that are not valid are tested as the area that they cover', async () => {
  const bowtie = wkt('POLYGON((0 0,10 10,0 10,10 0,0 0))');
  assert.equal(await finds('intersects', 'POINT(5 8)', bowtie), true);
  assert.equal(await finds('intersects', 'POINT(1 5)', bowtie), false);
  const open: Geometry = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
      ],
    ],
  };
  assert.equal(await finds('contains', 'POINT(5 5)', rowOf([], open)), true);
  const short: Geometry = { type: 'LineString', coordinates: [[1, 1]] };
  assert.equal(await finds('intersects', '0,0,2,2', rowOf([], short)), true);
});

test('metres are those of the ellipsoid', async () => {
  // Karney's own example: JFK to LHR.
  assert.ok(Math.abs(geodesicDistance(-73.8, 40.6, -0.5, 51.6) - 5551759.4) < 0.1);
  const bern = wkt('POINT(7.4474 46.9480)');
  const zurich = 'POINT(8.5417 47.3769)';
  const distance = geodesicDistance(7.4474, 46.948, 8.5417, 47.3769);
  assert.equal(await finds('dwithin', `${zurich},${distance + 0.01}`, bern), true);
  assert.equal(await finds('dwithin', `${zurich},${distance - 0.01}`, bern), false);
  assert.equal(await finds('dwithin', 'POINT(0 90),1000', wkt('POINT(123 89.999)')), true, 'at the pole');
  assert.equal(await finds('dwithin', 'POINT(0 0),0', wkt('POINT(0 0)')), true);
  assert.equal(await finds('dwithin', 'POINT(5 5),1', wkt('POLYGON((0 0,10 0,10 10,0 10,0 0))')), true, 'inside');
  assert.equal(await finds('dwithin', 'POINT(0 0),20100km', wkt('POINT(180 0)')), true, 'everywhere');
});

/** The least distance to a line of two positions: by sampling it, and again and again between the neighbours of the nearest sample. */
function bySampling([x, y]: [number, number], line: number[][]): number {
  const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = line;
  const distanceAt = (t: number) => geodesicDistance(x, y, x1 + t * (x2 - x1), y1 + t * (y2 - y1));
  const steps = 100;
  let [start, end, least] = [0, 1, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 4; round++) {
    const samples = Array.from({ length: steps + 1 }, (_, i) => start + (i / steps) * (end - start));
    const distances = samples.map(distanceAt);
    least = Math.min(...distances);
    const nearest = samples[distances.indexOf(least)] ?? start;
    const step = (end - start) / steps;
    [start, end] = [Math.max(0, nearest - step), Math.min(1, nearest + step)];
  }
  return least;
}

test('metres to lines: nothing too far is found, and next to nothing is missed', async () => {
  // To a tenth of a millimetre: lines shorter than any number that is measured with are no lines.
  const degree = (min: number, max: number) =>
    fc.double({ min, max, noNaN: true }).map((x) => Math.round(x * 1e9) / 1e9);
  const near = fc.tuple(degree(-0.8, 0.8), degree(-0.8, 0.8));
  await fc.assert(
    fc.asyncProperty(degree(-170, 170), degree(-69, 69), near, near, async (x, y, a, b) => {
      const line = [
        [x + a[0], y + a[1]],
        [x + b[0], y + b[1]],
      ];
      const metres = bySampling([x, y], line);
      fc.pre(metres > 100 && metres < 100_000);
      const matches = async (distance: number) => {
        const predicate: Predicate = {
          op: 'dwithin',
          geometry: { type: 'Point', coordinates: [x, y] },
          distance,
          unit: 'metre',
        };
        return (await compilePredicate(predicate, schema))(rowOf([], { type: 'LineString', coordinates: line }));
      };
      assert.equal(await matches(metres * 1.001), true, `${metres} m`);
      assert.equal(await matches(metres * 0.999), false, `${metres} m`);
    }),
    { numRuns: 60 },
  );
});

test('metres between points are exact near the poles, too', async () => {
  const row = wkt('MULTIPOINT((-104.4 -89.99),(92.8 -89.99),(178.76 -77.2),(116.8 -69.1))');
  const distance = geodesicDistance(-143.85, -82, -104.4, -89.99);
  for (const query of ['POINT(-143.85 -82)', 'MULTIPOINT((-143.85 -82),(10 -50))'])
    for (const [factor, expected] of [
      [0.999, false],
      [1.001, true],
    ] as const)
      assert.equal(await finds('dwithin', `${query},${distance * factor}`, row), expected, `${query} ${factor}`);
});

test('metres between many points are found by an index, and refused if too many are only just too far', async () => {
  const random = (seed: number, west: number, width: number, count: number) =>
    Array.from({ length: count }, (_, i) => [
      ((west + (((i + seed) * 7919.77) % width) + 540) % 360) - 180,
      ((i + seed) * 104.729) % 20,
    ]);
  const multiPoint = (points: number[][]) => `MULTIPOINT(${points.map(([x, y]) => `(${x} ${y})`).join(',')})`;
  const distanceOf = (points: number[][], others: number[][]) => {
    let least = Infinity;
    for (const [x1 = 0, y1 = 0] of points)
      for (const [x2 = 0, y2 = 0] of others) least = Math.min(least, geodesicDistance(x1, y1, x2, y2));
    return least;
  };
  for (const [west, others] of [
    [20, 41],
    [170, 191],
    [-200, -179],
  ] as const) {
    const [points, row] = [random(1, west, 20, 150), random(7, others, 20, 150)];
    const distance = distanceOf(points, row);
    const shifted = points.map(([x = 0, y = 0]) => [x + 360, y]);
    for (const query of [points, shifted])
      for (const [factor, expected] of [
        [0.999, false],
        [1.001, true],
      ] as const)
        assert.equal(
          await finds('dwithin', `${multiPoint(query)},${distance * factor}`, wkt(multiPoint(row))),
          expected,
          `${west} ${factor}`,
        );
  }
  const far = wkt(multiPoint(random(7, 42, 20, 100_000)));
  const time = await compiledTime(`${multiPoint(random(1, 20, 20, 1000))},200km`, far);
  assert.ok(time < 1000, `${time} ms`);
  const cluster = (x: number, y: number, count: number) =>
    multiPoint(Array.from({ length: count }, (_, i) => [x + i * 1e-7, y]));
  const justTooFar = geodesicDistance(0, 0, 10, 10) - 1000;
  await assert.rejects(finds('dwithin', `${cluster(0, 0, 1000)},${justTooFar}`, wkt(cluster(10, 10, 1000))), {
    name: 'ValidationError',
    message: /^geometry__dwithin: The points and those of a row are too many /,
  });
});

test('search boxes miss no row of the real layers', async () => {
  const rows = (['countries', 'lakes', 'places', 'rivers'] as const).flatMap((name) =>
    layer(name).map((f) => rowOf([], f.geometry)),
  );
  const coordinate = fc.tuple(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -90, max: 90 }));
  const point = coordinate.map(([x, y]): Geometry => ({ type: 'Point', coordinates: [x, y] }));
  const distance = fc.integer({ min: 0, max: 2000 });
  const predicate = fc.oneof(
    fc
      .tuple(coordinate, coordinate)
      .map(([a, b]): Predicate => ({ op: 'bbox', bbox: [a[0], Math.min(a[1], b[1]), b[0], Math.max(a[1], b[1])] })),
    fc
      .tuple(point, distance)
      .map(([geometry, km]): Predicate => ({ op: 'dwithin', geometry, distance: km * 1000, unit: 'metre' })),
    fc
      .tuple(point, distance)
      .map(([geometry, d]): Predicate => ({ op: 'dwithin', geometry, distance: d / 100, unit: 'degree' })),
    fc
      .tuple(fc.constantFrom('intersects' as const, 'contains' as const), point)
      .map(([test, geometry]): Predicate => ({ op: 'spatial', test, geometry })),
  );
  await fc.assert(
    fc.asyncProperty(predicate, async (p) => {
      const matches = await compilePredicate(p, schema);
      const boxes = boxesToSearch(p) ?? [];
      for (const row of rows) {
        if (!matches(row)) continue;
        const bbox = bboxOfGeometry(row.geometry() as Geometry);
        assert.ok(
          bbox && boxes.some((box) => doBboxesIntersect(bbox, box)),
          JSON.stringify(row.geometry()).slice(0, 100),
        );
      }
    }),
    { numRuns: 60 },
  );
});

test('the memory of prepared queries is bounded, and old ones still work', async () => {
  const canada = layer('countries').find((f) => f.properties.ADMIN === 'Canada')?.geometry as Geometry;
  const { Module } = await loadGeos();
  const before = Module.HEAPU8.length;
  const row = rowOf([], canada);
  const tests: RowTest[] = [];
  for (let i = 0; i < 1500; i++) {
    const test = await compilePredicate({ op: 'spatial', test: 'intersects', geometry: canada }, schema);
    assert.ok(test(row));
    if (i < 200) tests.push(test);
  }
  for (const test of [...tests, ...tests]) assert.ok(test(row));
  assert.ok(Module.HEAPU8.length - before < 16e6, `${Module.HEAPU8.length - before} bytes more`);
});

test('a row that crosses itself everywhere is within an area, or not, if it touches none of its edges, or lies outside in part', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `(${i / 2000} 0,${i / 2000 + 0.5} 1)`).join(',');
  const grid = Array.from({ length: 200 }, (_, i) => `(${i / 20} 0,${i / 20} 10),(0 ${i / 20},10 ${i / 20})`).join(',');
  for (const [row, area, expected] of [
    [lines, '((-1 -1,20 -2,20 5,-1 5,-1 -1))', true],
    [lines, '((-1 -1,20 -2,20 0.5,-1 0.5,-1 -1))', false],
    [lines, '((-1 -1,20 -2,20 5,-1 5,-1 -1),(5 0.3,5 0.6,5.1 0.6,5 0.3))', null],
    [grid, '((-1 -1,20 -2,20 20,-1 20,-1 -1))', true],
    [grid, '((0 0,10 0,11 5,10 10,0 10,0 0))', null],
  ] as const) {
    const filter = parseCql2(`S_WITHIN(geometry, POLYGON${area})`, schema);
    const matches = await compilePredicate(filter, schema);
    const test = () => matches(wkt(`MULTILINESTRING(${row})`));
    if (expected === null) assert.throws(test, /come near each other, too often/);
    else assert.equal(test(), expected, area);
  }
});

test('many slanted lines that come near each other and never meet are refused, if nothing decides soon', async () => {
  const diagonals = (count: number, from: number) =>
    `(${Array.from({ length: count }, (_, i) => `(${from + (i * 5) / count} 0,${from + 10 + (i * 5) / count} 10)`).join(',')})`;
  const near = /come near each other, too often to be compared/;
  const query = `MULTILINESTRING${diagonals(500, 0)}`;
  const rows = { beside: wkt(`MULTILINESTRING${diagonals(20_000, 0.0001)}`), across: wkt('LINESTRING(0 5,20 6)') };
  for (const [lookup, value, isMet] of [
    ['intersects', query, false],
    ['disjoint', query, true],
    ['dwithin', `${query},0.000001deg`, false],
  ] as const) {
    const matches = await compilePredicate(parseLookupPredicate(`geometry__${lookup}`, value, schema), schema);
    const time = cpuTime(() => assert.throws(() => matches(rows.beside), { name: 'ValidationError', message: near }));
    assert.ok(time < 500, `${lookup} takes ${time} ms`);
    assert.equal(matches(rows.across), !isMet, lookup);
  }
  // A pair of many that are near decides.
  const turned = `MULTILINESTRING(${Array.from({ length: 20_000 }, (_, i) => `(${i / 4000} 10,${10 + i / 4000} 0)`).join(',')})`;
  assert.equal(await finds('intersects', query, wkt(turned)), true);
  assert.equal(await finds('dwithin', `${query},20deg`, rows.beside), true);
  const coast = Array.from(
    { length: 5001 },
    (_, i) => [(i % 5000) * 0.00125664, 10 + Math.sin((i % 5000) / 20) / 5] as const,
  );
  const land = `POLYGON((${coast.map(([a, r]) => `${r * Math.cos(a)} ${r * Math.sin(a)}`).join(',')}))`;
  const roads = Array.from({ length: 20_000 }, (_, i) => `(${(i % 141) / 7} ${i / 900},${(i % 139) / 7} ${i / 901})`);
  assert.equal(await finds('intersects', land, wkt(`MULTILINESTRING(${roads.join(',')})`)), true);
});

test('islands with fine coasts, diagonally apart by more than a distance, are compared', async () => {
  const island = (x: number, y: number, count: number): Geometry => {
    const ring = Array.from({ length: count }, (_, i) => {
      const [angle, radius] = [(2 * Math.PI * i) / count, 3 + Math.sin(i / 9) / 20];
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    });
    return { type: 'Polygon', coordinates: [[...ring, ring[0] as number[]]] };
  };
  const geometry = island(0, 0, 9000);
  const row = rowOf([], island(8, 8, 20_000));
  for (const [distance, isWithin] of [
    [5.15, false],
    [5.5, true],
  ] as const) {
    const matches = await compilePredicate({ op: 'dwithin', geometry, distance, unit: 'degree' }, schema);
    const time = cpuTime(() => assert.equal(matches(row), isWithin));
    assert.ok(time < 500, `${distance} takes ${time} ms`);
  }
});

test('thousands of points and lines are compared with those of a row that are near them, or refused', async () => {
  // Two sets of places that don't meet, mixed with each other.
  const place = (i: number, shift: number) => `${((i * 37.77) % 20) + shift} ${((i * 3.183) % 10) + shift}`;
  const list = (count: number, make: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => make(i)).join(',');
  const points = (count: number, shift: number) => `MULTIPOINT(${list(count, (i) => place(i, shift))})`;
  const roads = (count: number, shift: number) =>
    `MULTILINESTRING(${list(count, (i) => `(${place(i, shift)},${place(i, shift + 1e-7)})`)})`;
  const areas = `MULTIPOLYGON(${list(800, (i) => {
    const [x, y] = [(i % 50) / 4, Math.floor(i / 50) / 2];
    return `((${x} ${y},${x + 0.1} ${y},${x} ${y + 0.1},${x} ${y}))`;
  })})`;
  const rows = { points: wkt(points(100_000, 0)), roads: wkt(roads(30_000, 0)), areas: wkt(areas) };
  const timed = async (lookup: string, value: string, row: Row) => {
    const matches = await compilePredicate(parseLookupPredicate(`geometry__${lookup}`, value, schema), schema);
    let result: unknown;
    const time = cpuTime(() => {
      try {
        result = matches(row);
      } catch (error) {
        result = (error as Error).message;
      }
    });
    assert.ok(time < 1500, `${lookup} ${value.slice(0, 15)} takes ${time} ms`);
    return result;
  };
  for (const query of [points(2000, 0.003), roads(1000, 0.003)])
    for (const row of [rows.points, rows.roads]) {
      assert.equal(await timed('intersects', query, row), false);
      assert.equal(await timed('disjoint', query, row), true);
      assert.equal(await timed('dwithin', `${query},0.0000001deg`, row), false);
      assert.equal(await timed('dwithin', `${query},0.01deg`, row), true);
      assert.equal(await timed('dwithin', `${query},9deg`, row), true);
    }
  assert.equal(await timed('intersects', points(2000, 0), rows.points), true);
  assert.equal(await timed('intersects', roads(1000, 0), rows.roads), true);
  assert.equal(await timed('intersects', roads(1000, 0.003), rows.areas), true);
  for (const relation of ['CROSSES', 'TOUCHES', 'OVERLAPS']) {
    const matches = (query: string) => compilePredicate(parseCql2(`S_${relation}(geometry, ${query})`, schema), schema);
    const refused = await matches(roads(1000, 0.003));
    const time = cpuTime(() => assert.throws(() => refused(rows.roads), /too many points and lines to be compared/));
    assert.ok(time < 500, `${relation} takes ${time} ms`);
    assert.equal((await matches(areas))(rows.roads), relation === 'CROSSES', relation);
    assert.equal((await matches('LINESTRING(0 0.1,20 9.7)'))(rows.roads), false, relation);
  }
  assert.equal((await compilePredicate(parseCql2(`S_WITHIN(geometry, ${areas})`, schema), schema))(rows.roads), false);
});
