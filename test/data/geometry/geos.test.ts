/**
 * Our spatial predicates next to a second implementation: shapely's GEOS, of another version and through another
 * interface (Debian: `apt-get install python3-shapely`). On real layers, and on shapes that are easily tested wrongly.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { parseWkt } from '../../../src/data/geometry/wkt.ts';
import { compilePredicate } from '../../../src/data/query/compile.ts';
import type { Predicate, SpatialOperator } from '../../../src/data/query/predicate.ts';
import { layer, rowOf, schemaOf } from '../support/rows.ts';

/** Debian's own Python has Debian's shapely, even where another Python comes first. */
const python = [process.env.PYTHON ?? 'python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import shapely']).status === 0,
);
const skip = python || process.env.CI ? false : 'needs Python with shapely: apt-get install python3-shapely';

const odd = [
  'POLYGON((0 0,10 0,10 10,0 10,0 0),(3 3,7 3,7 7,3 7,3 3))',
  'POLYGON((3 3,7 3,7 7,3 7,3 3))',
  'POLYGON((4 4,6 4,6 6,4 6,4 4))',
  'POLYGON((10 0,20 0,20 10,10 10,10 0))',
  'POINT(3 3)',
  'POINT(5 5)',
  'POINT(10 5)',
  'POINT Z (1 1 100)',
  'POINT EMPTY',
  'LINESTRING(0 0,10 10)',
  'LINESTRING(3 3,7 3)',
  'LINESTRING(10 0,10 10)',
  'LINESTRING EMPTY',
  'MULTIPOINT((1 1),(5 5))',
  'MULTIPOINT((1 1),(2 2))',
  'MULTILINESTRING((1 1,2 2),(8 8,9 9))',
  'MULTIPOLYGON(((0 0,2 0,2 2,0 2,0 0)),((8 8,9 8,9 9,8 9,8 8)))',
  'MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0),(1 1,9 1,9 9,1 9,1 1)),((2 2,8 2,8 8,2 8,2 2)))',
  'POLYGON EMPTY',
  'GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(1 1,2 2))',
  'GEOMETRYCOLLECTION(POLYGON((0 0,2 0,2 2,0 2,0 0)),POINT(20 20))',
  'GEOMETRYCOLLECTION EMPTY',
].map((wkt) => parseWkt(wkt));

const box = (west: number, south: number, east: number, north: number) =>
  parseWkt(`POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`);

test('geos-wasm and shapely agree', { skip }, async () => {
  assert.ok(python, 'In CI this test must run: apt-get install python3-shapely');
  const layers: Record<string, Geometry[]> = { odd };
  for (const name of ['countries', 'lakes', 'places', 'rivers'] as const) {
    layers[name] = layer(name).map((feature) => feature.geometry);
  }
  const some = (name: string, every: number) => (layers[name] ?? []).filter((_, i) => i % every === 3);
  const withHoles = (layers.lakes ?? []).filter((g) => g.type === 'Polygon' && g.coordinates.length > 1);
  const large = layer('countries').filter((f) =>
    /^(Canada|Russia|South Africa|Fiji|Antarctica)$/.test(String(f.properties.ADMIN)),
  );
  const queries = [
    ...odd,
    ...large.map((feature) => feature.geometry),
    ...some('countries', 40),
    ...some('lakes', 100),
    ...withHoles.slice(0, 5),
    ...some('places', 100),
    ...some('rivers', 10),
    box(-100, 30, -60, 60),
    box(-180, -90, 180, 90),
    box(5.5, 45.5, 10.5, 47.9),
  ].map((geometry, i) => ({ geometry, distance: [0.5, 3, 0][i % 3] as number }));

  const asked = spawnSync(python, [fileURLToPath(new URL('../support/run-shapely.py', import.meta.url))], {
    input: JSON.stringify({ layers, queries }),
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  });
  assert.equal(asked.status, 0, asked.stderr);
  const { answers } = JSON.parse(asked.stdout) as {
    answers: Record<string, { true: number[]; unknown: number[] }>[];
  };

  let compared = 0;
  for (const [q, { geometry, distance }] of queries.entries()) {
    for (const [name, geometries] of Object.entries(layers)) {
      for (const test of ['intersects', 'within', 'contains', 'disjoint', 'dwithin'] as const) {
        const predicate: Predicate =
          test === 'dwithin'
            ? { op: 'dwithin', geometry, distance, unit: 'degree' }
            : { op: 'spatial', test: test as SpatialOperator, geometry };
        const matches = await compilePredicate(predicate, schemaOf({}));
        const theirs = answers[q]?.[`${name} ${test}`] ?? { true: [], unknown: [] };
        for (const i of theirs.unknown) {
          // GEOS before 3.13 refuses collections; nothing else.
          const kinds = [geometry.type, geometries[i]?.type];
          assert.ok(kinds.includes('GeometryCollection'), `shapely fails on ${name} ${i} ${test} query ${q}`);
        }
        const ours = geometries.flatMap((g, i) => (matches(rowOf([], g)) && !theirs.unknown.includes(i) ? [i] : []));
        assert.deepEqual(ours, theirs.true, `${name} ${test} query ${q} (${geometry.type})`);
        compared += geometries.length - theirs.unknown.length;
      }
    }
  }
  assert.ok(compared > 100_000, `only ${compared} judgements were compared`);
});
