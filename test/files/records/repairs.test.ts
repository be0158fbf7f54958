/** Irregularities of a payload in the metadata of its version. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeMetadata } from '../../../src/catalogue/metadata.ts';
import { makeWorkshop } from '../../support/published.ts';

it('the metadata of a version say what was repaired, and its publisher is told', async (t) => {
  const workshop = await makeWorkshop();
  t.after(() => workshop.remove());
  const { version, remarks } = await workshop.publish('trees', 'trees.csv', 'a,b\n1,2\n3\n');
  assert.deepEqual(decodeMetadata(version.metadata)?.repairs, { fewer_cells: 1 });
  assert.deepEqual(remarks, ['Rows: 1 has fewer cells than the head (line 3): the others are null.']);
  const { version: regular } = await workshop.publish('shrubs', 'shrubs.csv', 'a,b\n1,2\n');
  assert.equal(decodeMetadata(regular.metadata)?.repairs, undefined);
});
