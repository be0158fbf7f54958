/** A namespace or dataset whose record is missing, while its files are there: it was not removed. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

const record = 'namespaces/parks/namespace.yaml';
const dataset = `${homeOf('parks/trees')}/dataset.yaml`;
const version = `${homeOf('parks/trees')}/versions/20200102030405000000.yaml`;

/** Two folders with the same catalogue, after a pull. */
async function start(test: TestContext) {
  const queries = { tall: { id: 7, label: 'Tall trees', dataset: 'parks/trees' } };
  const there = makeFolder({ ...seed, queries }, test).root;
  const here = makeFolder({ namespaces: {} }, test).root;
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  return { here, there };
}

const rename = (root: string, path: string, to = `${path}.orig`) => renameSync(join(root, path), join(root, to));

describe('a record that is missing while records below it are there', () => {
  for (const path of [record, dataset])
    it(`is not removed from the remote: ${path}`, async (test) => {
      const { here, there } = await start(test);
      const before = contentOf(there);
      rename(here, path);
      for (const run of [pushTo, pullFrom]) {
        const { done, plan } = await run(here, there);
        assert.deepEqual([done, plan.incoming, plan.outgoing, plan.conflicts], [[], [], [], []], run.name);
        assert.deepEqual(
          plan.blocked.map((blocked) => blocked.path),
          [path],
        );
        const folder = path.slice(0, path.lastIndexOf('/'));
        const kind = path === record ? 'namespace' : 'dataset';
        assert.equal(
          plan.blocked[0]?.reason,
          `The local ${kind}.yaml is missing or can't be read, while records below it are there. ` +
            `Put it back; or, to remove the ${kind}, remove its whole folder: ${folder}`,
        );
      }
      assert.deepEqual(contentOf(there), before);
      rename(here, `${path}.orig`, path);
      assert.deepEqual((await pushTo(here, there)).plan.blocked, []);
    });

  for (const path of [record, dataset])
    it(`is not removed from the local folder: ${path}`, async (test) => {
      const { here, there } = await start(test);
      const before = contentOf(here);
      rename(there, path);
      for (const run of [pullFrom, pushTo]) {
        const { done, plan } = await run(here, there);
        assert.deepEqual([done, plan.incoming, plan.outgoing, plan.conflicts], [[], [], [], []], run.name);
        assert.match(plan.blocked.map(({ reason }) => reason).join(), /^The remote .* put back on the remote\.$/);
      }
      assert.deepEqual(contentOf(here), before);
    });

  it('holds nothing else up: what is on both sides below it', async (test) => {
    const { here, there } = await start(test);
    rename(here, record);
    writeFileSync(join(here, dataset), 'id: 2\nlabel: Old trees\n');
    const { done, failures } = await pushTo(here, there);
    assert.deepEqual([done.map(({ path }) => path), failures], [[dataset], []]);
  });

  it('is removed once no record is below it: what git leaves, and files that are no records, don’t count', async (test) => {
    const { here, there } = await start(test);
    for (const path of Object.keys(contentOf(here)))
      if (path.startsWith('namespaces/parks/') && path.endsWith('.yaml')) rmSync(join(here, path));
    rmSync(join(here, 'queries/tall.yaml'));
    // An empty folder may be a mount point without its disk.
    rmSync(join(here, homeOf('parks/benches')), { recursive: true });
    writeFileSync(join(here, 'namespaces/parks/notes.txt'), 'Notes\n');
    const { failures, plan } = await pushTo(here, there);
    assert.deepEqual([failures, plan.blocked], [[], []]);
    const left = Object.keys(contentOf(there)).filter((path) => path.startsWith('namespaces/parks/'));
    assert.deepEqual(left, []);
  });

  it('is removed with its whole folder, or moved with it', async (test) => {
    const { here, there } = await start(test);
    rename(here, 'namespaces/parks', 'namespaces/gardens');
    writeFileSync(join(here, 'queries/tall.yaml'), 'id: 7\nlabel: Tall trees\ndataset: gardens/trees\n');
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    assert.deepEqual(contentOf(there), contentOf(here));
    rmSync(join(here, 'queries/tall.yaml'));
    rmSync(join(here, 'namespaces/gardens'), { recursive: true });
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    assert.deepEqual(contentOf(there), contentOf(here));
  });

  it('is an error, and nothing is sent, if there never was one', async (test) => {
    const { here, there } = await start(test);
    const before = contentOf(there);
    mkdirSync(join(here, homeOf('new/oaks')), { recursive: true });
    writeFileSync(join(here, homeOf('new/oaks'), 'dataset.yaml'), 'id: 99\nlabel: Oaks\n');
    const { done, failures, plan } = await pushTo(here, there);
    assert.deepEqual(
      [done, failures, plan.blocked.map(({ path }) => path)],
      [[], [], ['namespaces/new/namespace.yaml']],
    );
    assert.deepEqual(contentOf(there), before);
    writeFileSync(join(here, 'namespaces/new/namespace.yaml'), 'id: 98\nlabel: New\n');
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    assert.deepEqual(contentOf(there), contentOf(here));
  });

  it('is in no conflict with a removal of its versions', async (test) => {
    const { here, there } = await start(test);
    rename(here, dataset);
    rmSync(join(there, version));
    const { failures, plan } = await pullFrom(here, there);
    assert.deepEqual([failures, plan.conflicts], [[], []]);
  });
});
