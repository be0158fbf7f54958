/** A remote that was set back to an earlier state: restored from a backup, or from a snapshot of its disk. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SetBackError } from '../../src/sync/set-back.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { filesIn, seed } from '../support/prompt.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

const dataset = `${homeOf('parks/trees')}/dataset.yaml`;
const shrubs = `${homeOf('parks/shrubs')}/dataset.yaml`;
const added = `${homeOf('parks/new')}/dataset.yaml`;

/** Two folders with the same catalogue; functions that keep a copy of the remote, and set it back to that. */
async function start(test: TestContext) {
  const there = makeFolder(seed, test).root;
  const here = makeFolder({ namespaces: {} }, test).root;
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  const kept = makeFolder({}, test).root;
  const save = () => cpSync(there, kept, { recursive: true });
  const setBack = (how: 'backup' | 'snapshot') => {
    if (how === 'backup') rmSync(join(kept, '.catalogue'), { recursive: true, force: true });
    rmSync(there, { recursive: true });
    cpSync(kept, there, { recursive: true });
  };
  const write = (path: string, text: string, root = there) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return { here, there, kept, save, setBack, write };
}

/** As `start`, with changes that only the local folder has after the remote was set back. */
async function startSetBack(test: TestContext, how: 'backup' | 'snapshot') {
  const given = await start(test);
  given.save();
  given.write(dataset, 'id: 2\nlabel: Trees of today\n');
  given.write(added, 'id: 77\nlabel: New\n');
  assert.deepEqual(failuresOf(await pullFrom(given.here, given.there)), []);
  const newest = contentOf(given.here);
  assert.match(newest[dataset] ?? '', /today/);
  given.setBack(how);
  return { ...given, newest, old: contentOf(given.there) };
}

describe('a remote that was set back', () => {
  for (const how of ['backup', 'snapshot'] as const) {
    it(`takes nothing out of a clone: ${how}`, async (test) => {
      const { here, there, newest, write } = await startSetBack(test, how);
      const stopped = (error: Error) => error instanceof SetBackError && /replace 2 records that/.test(error.message);
      await assert.rejects(pullFrom(here, there), stopped);
      await assert.rejects(pullFrom(here, there, { dryRun: true }), stopped);
      await assert.rejects(pullFrom(here, there, { choice: 'theirs' }), stopped);
      // Neither later changes of the remote nor a push make that forgotten.
      write(shrubs, 'id: 78\nlabel: Later\n');
      assert.deepEqual((await pushTo(here, there)).done, []);
      await assert.rejects(pullFrom(here, there, { names: ['parks/new'] }), SetBackError);
      await pullFrom(here, there, { names: ['parks/new'], dryRun: true, force: true });
      await assert.rejects(pullFrom(here, there), SetBackError);
      assert.deepEqual(contentOf(here), newest);
    });

    it(`gets all back: ${how}`, async (test) => {
      const { here, there, newest } = await startSetBack(test, how);
      assert.equal((await pushTo(here, there, { force: true, dryRun: true })).plan.outgoing.length, 2);
      const { plan, failures } = await pushTo(here, there, { force: true });
      assert.deepEqual([failures, plan.incoming, plan.conflicts], [[], [], []]);
      assert.deepEqual(contentOf(there), newest);
      assert.deepEqual((await pullFrom(here, there)).done, []);
      assert.deepEqual(contentOf(here), newest);
    });

    it(`is pulled from with force: ${how}`, async (test) => {
      const { here, there, old, write } = await startSetBack(test, how);
      await pullFrom(here, there, { force: true });
      assert.deepEqual(contentOf(here), old);
      write(dataset, 'id: 2\nlabel: Trees of tomorrow\n');
      assert.equal((await pullFrom(here, there)).done.length, 1);
    });
  }

  it('gets versions back with their files', async (test) => {
    const { here, there, kept, save, setBack } = await start(test);
    save();
    for (const path of filesIn(kept)) if (/(versions|data)\//.test(path)) rmSync(join(kept, path));
    const newest = contentOf(here);
    setBack('backup');
    await assert.rejects(pullFrom(here, there), SetBackError);
    assert.deepEqual(failuresOf(await pushTo(here, there, { force: true })), []);
    assert.deepEqual(contentOf(there), newest);
    assert.deepEqual((await pullFrom(here, there)).done, []);
    assert.deepEqual(contentOf(here), newest);
  });

  it('gets a record back by its newest name', async (test) => {
    const { here, there, save, setBack } = await start(test);
    save();
    const [trees, oaks] = [homeOf('parks/trees'), homeOf('parks/oaks')];
    renameSync(join(there, trees), join(there, oaks));
    assert.ok((await pullFrom(here, there)).done.some((step) => step.do === 'move'));
    const newest = contentOf(here);
    setBack('backup');
    await assert.rejects(pullFrom(here, there), SetBackError);
    assert.deepEqual(failuresOf(await pushTo(here, there, { force: true })), []);
    assert.deepEqual((await pullFrom(here, there)).done, []);
    assert.deepEqual(contentOf(here), newest);
    assert.deepEqual(contentOf(there), newest);
  });

  it('is pulled from if it has additions only, or no differences', async (test) => {
    const { here, there, write } = await start(test);
    rmSync(join(there, '.catalogue'), { recursive: true });
    assert.deepEqual((await pullFrom(here, there)).done, []);
    write(dataset, 'id: 2\nlabel: Changed\n');
    assert.equal((await pullFrom(here, there)).done.length, 1);
    rmSync(join(there, '.catalogue'), { recursive: true });
    write(added, 'id: 77\nlabel: New\n');
    assert.equal((await pullFrom(here, there)).done.length, 1);
    rmSync(join(there, added.replace(/\/[^/]*$/, '')), { recursive: true });
    assert.equal((await pullFrom(here, there)).done.length, 1);
  });

  it('is pulled from by a clone that has seen no point of its timeline', async (test) => {
    const { here, there, write } = await start(test);
    rmSync(join(there, '.catalogue'), { recursive: true });
    const state = join(here, '.catalogue/remotes/there.ndjson');
    writeFileSync(state, readFileSync(state, 'utf8').replaceAll(/,"timeline":"[^"]*"/g, ''));
    write(dataset, 'id: 2\nlabel: Changed\n');
    assert.equal((await pullFrom(here, there)).done.length, 1);
  });
});
