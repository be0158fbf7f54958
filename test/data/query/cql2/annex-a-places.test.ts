/**
 * The functions of places of CQL2's annex A on its data: with points, lines, polygons and boxes, both ways round. What they
 * must find is computed from first principles (test/data/support/plane-relations.ts); the counts that the annex gives are
 * checked against it, too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Case, check, givenCounts, type Layer } from '../../support/annex-a.ts';
import * as plane from '../../support/plane-relations.ts';

type Position = readonly number[];
/** A geometry of a filter: its text, and its points. */
type Figure = readonly [text: string, shape: plane.Simple];

const texts = (points: readonly Position[]) => points.map((point) => point.join(' ')).join(',');
const point = (...position: number[]): Figure => [
  `POINT(${position.join(' ')})`,
  { kind: 'point', points: [position] },
];
const line = (...points: Position[]): Figure => [`LINESTRING(${texts(points)})`, { kind: 'line', points }];
const polygon = (...points: Position[]): Figure => [`POLYGON((${texts(points)}))`, { kind: 'ring', points }];
const corners = (w: number, s: number, e: number, n: number) =>
  [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
    [w, s],
  ] as const;
const box = (w: number, s: number, e: number, n: number): Figure => [
  `BBOX(${w},${s},${e},${n})`,
  { kind: 'ring', points: corners(w, s, e, n) },
];

type Relation = (parts: readonly plane.Simple[], shape: plane.Simple) => boolean;
/** Functions with the column first, and their name with the column second. */
const functions: Readonly<Record<string, readonly [mirrored: string, holds: Relation]>> = {
  S_INTERSECTS: ['S_INTERSECTS', plane.intersects],
  S_DISJOINT: ['S_DISJOINT', (parts, shape) => !plane.intersects(parts, shape)],
  S_WITHIN: ['S_CONTAINS', plane.within],
  S_CONTAINS: ['S_WITHIN', plane.contains],
  S_OVERLAPS: ['S_OVERLAPS', plane.overlaps],
  S_CROSSES: ['S_CROSSES', plane.crosses],
  S_TOUCHES: ['S_TOUCHES', plane.touches],
  S_EQUALS: ['S_EQUALS', plane.equals],
};

function bothWays(name: string, [text, shape]: Figure): readonly Case[] {
  const [mirrored, holds] = functions[name] as readonly [string, Relation];
  const answer: Case['answer'] = (_, parts) => holds(parts, shape);
  return [
    { text: `${name}(geometry,${text})`, answer },
    { text: `${mirrored}(${text},geometry)`, answer },
  ];
}

const somewhere = polygon([0, 40], [10, 40], [10, 50], [0, 50], [0, 40]);
const west = box(-180, -90, 0, 90);
const [atBorder, alsoAtBorder] = [
  [6.043073357781111, 50.128051662794235],
  [6.242751092156993, 49.90222565367873],
] as const;
const luxembourg = polygon(
  atBorder,
  alsoAtBorder,
  [6.186320428094177, 49.463802802114515],
  [5.897759230176348, 49.44266714130711],
  [5.674051954784829, 49.529483547557504],
  [5.782417433300907, 50.09032786722122],
  atBorder,
);
const inGermany = point(7.02, 49.92);

/** Functions by the layer that they are tried on, with their figures. */
const trials: readonly (readonly [Layer, string, ...Figure[]])[] = [
  ...(['S_INTERSECTS', 'S_DISJOINT'] as const).flatMap((name): (readonly [Layer, string, ...Figure[]])[] => [
    ['countries', name, box(0, 40, 10, 50), somewhere, line([0, 40], [10, 50]), inGermany, west],
    ['places', name, box(0, 40, 10, 50), somewhere, west, point(6.1300028, 49.6116604)],
    ['rivers', name, west, line([-60, -90], [-60, 90]), box(0, 40, 10, 50), somewhere],
  ]),
  ['countries', 'S_TOUCHES', luxembourg, point(...atBorder), point(...alsoAtBorder), line(atBorder, alsoAtBorder)],
  ['countries', 'S_WITHIN', west, box(0, 40, 10, 50), somewhere],
  ['places', 'S_WITHIN', west, box(0, 40, 10, 50), somewhere],
  ['rivers', 'S_WITHIN', west],
  ['countries', 'S_CONTAINS', box(7, 50, 8, 51), line([7, 50], [8, 51]), inGermany],
  ['countries', 'S_OVERLAPS', west, box(0, 40, 10, 50), somewhere],
  ['rivers', 'S_CROSSES', box(0, 40, 10, 50), somewhere, line([-60, -90], [-60, 90])],
  ['places', 'S_EQUALS', point(6.1300028, 49.6116604), inGermany],
];

test('each function finds what is so, both ways round', async () => {
  for (const [layer, name, ...figures] of trials) {
    let count = 0;
    for (const figure of figures) for (const one of bothWays(name, figure)) count += await check(layer, one);
    assert.ok(count > 0, `${name} of ${layer}`);
  }
});

test('boxes over the antimeridian, several geometries in one, and conditions joined', async () => {
  const [east, far] = [box(150, -90, 180, 90), box(-180, -90, -150, 90)];
  const either: Case['answer'] = (_, parts) => plane.intersects(parts, east[1]) || plane.intersects(parts, far[1]);
  for (const text of ['S_INTERSECTS(geometry,BBOX(150,-90,-150,90))', 'S_INTERSECTS(BBOX(150,-90,-150,90),geometry)'])
    for (const layer of ['countries', 'places', 'rivers'] as const) await check(layer, { text, answer: either });
  const [south, north] = [line([-180, -45], [0, -45]), line([0, 45], [180, 45])];
  await check('countries', {
    text: 'S_INTERSECTS(geometry,MULTILINESTRING((-180 -45, 0 -45), (0 45, 180 45)))',
    answer: (_, parts) => plane.intersects(parts, south[1]) || plane.intersects(parts, north[1]),
  });
  // The hole of the first polygon lies in the ocean.
  const [americas, africa] = [box(-180, -90, -90, 90), box(0, 0, 10, 10)];
  const outer = '(-180 -90, -90 -90, -90 90, -180 90, -180 -90)';
  const hole = '(-120 -50, -100 -50, -100 -40, -120 -40, -120 -50)';
  const inner = '(0 0, 10 0, 10 10, 0 10, 0 0)';
  for (const text of [
    `S_INTERSECTS(geometry,MULTIPOLYGON((${outer}, ${hole}),(${inner})))`,
    `S_INTERSECTS(geometry,POLYGON(${outer}, ${hole})) or S_INTERSECTS(geometry,POLYGON(${inner}))`,
  ])
    await check('countries', {
      text,
      answer: (_, parts) => plane.intersects(parts, americas[1]) || plane.intersects(parts, africa[1]),
    });
  const [here, there] = [box(0, 40, 10, 50), box(5, 50, 10, 60)];
  await check('countries', {
    text: 'S_INTERSECTS(geometry,BBOX(0,40,10,50)) and not S_INTERSECTS(geometry,BBOX(5,50,10,60))',
    answer: (_, parts) => plane.intersects(parts, here[1]) && !plane.intersects(parts, there[1]),
  });
});

test('the counts that the annex gives are those computed here', () => {
  const { known, unknown } = givenCounts((name) => /spatial|property/.test(name), /^(?!.*\bS_)/);
  assert.deepEqual(unknown, []);
  assert.ok(known > 35, `${known} are known`);
});
