/** Polygons of rings, as shapefiles and Esri JSON have them: outsides and holes in one list. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { polygonOfRings } from '../../../src/data/geometry/esri.ts';

type Position = number[];

/** A hole of this size (counterclockwise) around a position. */
const hole = (x: number, y: number, half = 0.1): Position[] => [
  [x - half, y - half],
  [x + half, y - half],
  [x + half, y + half],
  [x - half, y + half],
  [x - half, y - half],
];

/** A comb (clockwise) of teeth from 0 to 10 in one direction, at 1 to 2, 3 to 4, …; its back is at -1 to 0. */
function comb(teeth: number, turned: boolean): Position[] {
  const ring: Position[] = [[1, -1]];
  for (let tooth = 0; tooth < teeth; tooth++) {
    const at = 2 * tooth + 1;
    if (tooth > 0) ring.push([at, 0]);
    ring.push([at, 10], [at + 1, 10]);
    if (tooth < teeth - 1) ring.push([at + 1, 0]);
  }
  ring.push([2 * teeth, -1], [1, -1]);
  return turned ? ring.map(([x = 0, y = 0]): Position => [y, x]).reverse() : ring;
}

for (const turned of [false, true]) {
  test(`a hole belongs to the ring around it, and to none beside it${turned ? ', from south to north, too' : ''}`, () => {
    const place = (x: number, y: number) => (turned ? hole(y, x) : hole(x, y));
    const [inside, beside]: [Position[][], Position[][]] = [[], []];
    for (let tooth = 0; tooth < 300; tooth++) {
      inside.push(place(2 * tooth + 1.5, (tooth % 9) + 0.5));
      if (tooth < 299) beside.push(place(2 * tooth + 2.5, (tooth % 9) + 0.5));
    }
    const polygons = polygonOfRings([comb(300, turned), ...beside, ...inside]);
    assert.ok(polygons?.type === 'MultiPolygon');
    const [first = [], ...others] = polygons.coordinates;
    assert.deepEqual(
      first.slice(1),
      inside.map((ring) => ring.toReversed()),
    );
    assert.deepEqual(
      others,
      beside.map((ring) => [ring]),
    );
  });
}

test('a hole in an island in a hole belongs to the island', () => {
  const outside = (half: number) => hole(0, 0, half).toReversed();
  const polygons = polygonOfRings([outside(10), outside(4), hole(0, 0, 5), hole(0, 0, 3)]);
  assert.ok(polygons?.type === 'MultiPolygon');
  assert.deepEqual(polygons.coordinates, [
    [hole(0, 0, 10), outside(5)],
    [hole(0, 0, 4), outside(3)],
  ]);
});
