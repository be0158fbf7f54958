/** Positions of values in the texts of many records. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { makeRecordPositionFinder } from '../../../src/files/records/record-positions.ts';

test('a record is parsed once for all of its problems, and its syntax tree is dropped after those of others', () => {
  const parsed: string[] = [];
  const find = makeRecordPositionFinder((path) => {
    parsed.push(path);
    return path === 'missing.yaml' ? undefined : 'id: 1\nlabel: Trees\n';
  });
  for (let i = 0; i < 100; i++) for (const pointer of ['/id', '/label']) find(`${i}.yaml`, pointer);
  assert.equal(parsed.length, 100);
  assert.deepEqual(find('99.yaml', '/label'), { line: 2, column: 8 });
  assert.equal(parsed.length, 100);
  find('0.yaml', '/id');
  assert.equal(parsed.at(-1), '0.yaml');
  assert.equal(find('missing.yaml', '/id'), undefined);
});
