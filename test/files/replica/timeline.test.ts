/** The timeline of a catalogue folder, by which clients recognise that it was set back. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { it } from 'node:test';
import type { TimelineAnswer } from '../../../src/catalogue/replica.ts';
import { Timeline } from '../../../src/files/replica/timeline.ts';
import { makeFolder } from '../../support/folder.ts';

const file = '.catalogue/timeline';
const answerOf = async (timeline: Timeline, since: string | null): Promise<TimelineAnswer> =>
  (await timeline.answer(since)) ?? assert.fail('The timeline has no point.');

it('knows all of its points, and stays small, however long a server runs', async (t) => {
  const folder = makeFolder({});
  let now = Math.round(performance.now());
  t.mock.method(performance, 'now', () => now);
  const [timeline, other] = [new Timeline(folder.root), new Timeline(folder.root)];
  const points = [(await answerOf(timeline, null)).point, (await answerOf(other, null)).point];
  for (let minute = 0; minute < 1100; minute++) {
    now += 60_000;
    const { point, hasPoint } = await answerOf(timeline, points.at(-1) ?? null);
    assert.ok(hasPoint, `${points.at(-1)} in minute ${minute}`);
    points.push(point);
  }
  assert.equal(new Set(points).size, points.length);
  for (const point of points) assert.ok((await answerOf(other, point)).hasPoint, point);
  const lines = readFileSync(folder.path(file), 'utf8').split('\n').length;
  assert.ok(lines <= 1100, `${lines} lines`);
});

it('has the points that come after a line which a crash or a full disk has cut off', async () => {
  const folder = makeFolder({});
  const { point } = await answerOf(new Timeline(folder.root), null);
  appendFileSync(folder.path(file), '0123456789ab');
  const timeline = new Timeline(folder.root);
  const next = await answerOf(timeline, point);
  assert.ok(next.hasPoint);
  for (const one of [point, next.point]) assert.ok((await answerOf(timeline, one)).hasPoint, one);
});

it('lacks the points of a folder that was set back', async () => {
  const folder = makeFolder({});
  const { point } = await answerOf(new Timeline(folder.root), null);
  assert.ok((await answerOf(new Timeline(folder.root), point)).hasPoint);
  rmSync(folder.path(file));
  assert.equal((await answerOf(new Timeline(folder.root), point)).hasPoint, false);
});
