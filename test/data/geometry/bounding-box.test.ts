/** Bounding boxes around the globe and beyond. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bboxWithWrappedCopies, longitudeShifts } from '../../../src/data/geometry/bounding-box.ts';

test('a box beyond 180 degrees has copies that cover the longitudes from -180 to 180', () => {
  assert.deepEqual(longitudeShifts([-10, 0, 10, 1]), [0]);
  assert.deepEqual(longitudeShifts([170, 0, 190, 1]), [0, -360]);
  assert.deepEqual(longitudeShifts([-190, 0, -170, 1]), [0, 360]);
  assert.deepEqual(bboxWithWrappedCopies([730, 0, 740, 1]).at(-1), [10, 0, 20, 1]);
  assert.equal(longitudeShifts([-10_000, 0, 10_000, 1]).length, 5);
});

test('a box as far away as numbers go has a few copies', () => {
  for (const west of [3.6e18, -3.6e18, 5e18, 1e19, 1e300, -1e300, Number.MAX_VALUE])
    assert.ok(longitudeShifts([west, 0, west, 1]).length <= 5, `${west}`);
  assert.ok(longitudeShifts([-4e18, 0, 4e18, 1]).length <= 5);
});
