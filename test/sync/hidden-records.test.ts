/** A record that was removed locally while the user can't see it on the remote: the removal is sent once the user sees it again. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { anonymous } from '../../src/catalogue/permissions.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

const signedOut = { viewer: anonymous, as: anonymous };
const home = homeOf('parks/plans');

/** Two catalogues in step, but for a private dataset that was removed locally. */
async function start(test: TestContext) {
  const there = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks' } },
      datasets: {
        'parks/trees': { id: 1, label: 'Trees' },
        'parks/ponds': { id: 2, label: 'Ponds' },
        'parks/plans': { id: 3, label: 'Plans', visibility: 'private' },
      },
    },
    test,
  ).root;
  const here = makeFolder({}, test).root;
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  rmSync(join(here, home), { recursive: true });
  return { here, there };
}

describe('a hidden record that was removed locally', () => {
  for (const [what, run] of [
    ['pull', pullFrom],
    ['push', pushTo],
  ] as const)
    it(`is removed from the remote after a ${what} that didn't see it`, async (test) => {
      const { here, there } = await start(test);
      for (let i = 0; i < 2; i++) {
        const { done, failures, plan } = await run(here, there, {}, signedOut);
        assert.deepEqual([done, failures, plan.blocked], [[], [], []]);
      }
      const pulled = await pullFrom(here, there);
      assert.deepEqual([pulled.done, pulled.plan.outgoing.length], [[], 1]);
      assert.deepEqual(failuresOf(await pushTo(here, there)), []);
      assert.equal(existsSync(join(there, home)), false);
      assert.deepEqual(contentOf(here), contentOf(there));
    });

  it('counts as removed on both sides if it is missing to a user who would see it', async (test) => {
    const { here, there } = await start(test);
    assert.deepEqual((await pullFrom(here, there, {}, signedOut)).done, []);
    rmSync(join(there, home), { recursive: true });
    const { done, plan } = await pullFrom(here, there);
    assert.deepEqual([done, plan.incoming, plan.outgoing, plan.blocked], [[], [], [], []]);
    // All is seen by now.
    rmSync(join(there, homeOf('parks/ponds')), { recursive: true });
    assert.equal((await pullFrom(here, there)).done.length, 1);
  });

  it('leaves others alone that are missing as well', async (test) => {
    const { here, there } = await start(test);
    assert.deepEqual((await pullFrom(here, there, {}, signedOut)).done, []);
    rmSync(join(there, homeOf('parks/ponds')), { recursive: true });
    const { done, plan } = await pullFrom(here, there, {}, signedOut);
    assert.deepEqual([done, plan.blocked.map(({ path }) => path)], [[], [`${homeOf('parks/ponds')}/dataset.yaml`]]);
  });
});
