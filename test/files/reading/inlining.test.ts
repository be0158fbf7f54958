import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inlineLessForBatches } from '../../../src/files/reading/inlining.ts';
import { recordV8Flags } from '../../support/v8-flags.ts';

const less = '--max-inlined-bytecode-size-cumulative=100';
const asUsual = '--max-inlined-bytecode-size-cumulative=920';

test('less is inlined from the first of many batches until five seconds after the last', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const flags = recordV8Flags(t);
  inlineLessForBatches();
  assert.deepEqual(flags(), [less]);
  for (let batch = 0; batch < 3; batch++) {
    t.mock.timers.tick(4000);
    inlineLessForBatches();
  }
  t.mock.timers.tick(4999);
  assert.deepEqual(flags(), [], 'V8 is not told again while batches come.');
  t.mock.timers.tick(1);
  assert.deepEqual(flags(), [asUsual]);
  inlineLessForBatches();
  assert.deepEqual(flags(), [less], 'Batches that come later are many again.');
  t.mock.timers.tick(5000);
  assert.deepEqual(flags(), [asUsual]);
});
