/** Records that the remote has removed, in a folder that was never synchronised with it: a new checkout of git. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { localAdmin } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder, until } from '../support/folder.ts';
import { filesIn, seed } from '../support/prompt.ts';
import { failuresOf, pullFrom, pushTo } from './pair.ts';

const trees = `${homeOf('parks/trees')}/dataset.yaml`;

/** A remote that has removed a dataset, and a folder that still has it, but no common state. */
async function start(test: TestContext) {
  const there = makeFolder(seed, test).root;
  const here = makeFolder({ namespaces: {} }, test).root;
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  cpSync(there, here, { recursive: true });
  // A server writes down what was removed.
  const remote = await openFileCatalogue(there, { watch: true });
  const admin = remote.for(localAdmin);
  const removals = async () =>
    (await admin.changes({ since: '1970-01-01', cursor: '' })).items.filter(({ removed }) => removed);
  assert.deepEqual(await removals(), []);
  await admin.remove({ kind: 'dataset', namespace: 'parks', slug: 'trees' });
  // What changed within the last second isn't listed yet.
  await until(async () => (await removals()).length === 1);
  await remote.close();
  return { here, there };
}

const isTrees = (path: string) => path.startsWith(homeOf('parks/trees'));

describe('a record that the remote removed before the first run', () => {
  it('is not sent, in later runs either, unless it is named', async (test) => {
    const { here, there } = await start(test);
    const dryRun = await pushTo(here, there, { dryRun: true });
    const first = await pushTo(here, there);
    for (const { plan } of [dryRun, first]) {
      assert.deepEqual(
        plan.outgoing.filter(({ path }) => isTrees(path)),
        [],
      );
      assert.deepEqual(
        plan.blocked.map(({ path }) => path),
        [trees],
      );
      const today = new Date().toISOString().slice(0, 10);
      assert.match(
        plan.blocked[0]?.reason ?? '',
        new RegExp(`^The remote removed it on ${today}, .*: catalogue push parks/trees\\.`),
      );
    }
    assert.deepEqual(failuresOf(first), []);
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    const second = await pushTo(here, there);
    assert.deepEqual(
      second.plan.blocked.map(({ path }) => path),
      [trees],
    );
    assert.equal(filesIn(there).some(isTrees), false);
    assert.equal(filesIn(here).some(isTrees), true);

    assert.deepEqual(failuresOf(await pushTo(here, there, { names: ['parks/trees'] })), []);
    assert.deepEqual(filesIn(there).filter(isTrees), filesIn(here).filter(isTrees));
    const last = await pushTo(here, there);
    assert.deepEqual([last.plan.blocked, last.done], [[], []]);
  });

  it('is forgotten once it was removed here, too', async (test) => {
    const { here, there } = await start(test);
    await pushTo(here, there);
    rmSync(join(here, homeOf('parks/trees')), { recursive: true });
    const { plan, done } = await pushTo(here, there);
    assert.deepEqual([plan.blocked, done], [[], []]);
    const other = await openFileCatalogue(here);
    await other.for(localAdmin).create('dataset', { namespace: 'parks', slug: 'trees', label: 'Other trees' });
    await other.close();
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    assert.equal(filesIn(there).some(isTrees), true);
  });
});
