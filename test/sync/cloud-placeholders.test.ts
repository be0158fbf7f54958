/** Files that iCloud Drive has taken off the disk: `.NAME.icloud` stands for them. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { it } from 'node:test';
import { homeOf, makeFolder } from '../support/folder.ts';
import { filesIn, seed } from '../support/prompt.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

it('does not remove from the remote what iCloud Drive has taken off the disk', async (test) => {
  const there = makeFolder(seed, test).root;
  const here = makeFolder({ namespaces: {} }, test).root;
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  const before = contentOf(there);
  const home = homeOf('parks/trees');
  const version = filesIn(here).find((path) => path.startsWith(`${home}/versions/`)) as string;
  const placeholderOf = (path: string) => join(here, dirname(path), `.${basename(path)}.icloud`);
  const records = [version, `${home}/dataset.yaml`];
  for (const path of records) {
    renameSync(join(here, path), placeholderOf(path));
    const { plan, done } = await pushTo(here, there);
    assert.deepEqual(
      plan.blocked.filter(({ reason }) => reason.startsWith('iCloud Drive')),
      [
        {
          path,
          reason: `iCloud Drive has taken it off this disk. Download it, in Finder or by: brctl download ${path}`,
          isUnreadable: true,
        },
      ],
    );
    assert.deepEqual([done, contentOf(there)], [[], before]);
    renameSync(placeholderOf(path), join(here, path));
  }
  const { plan } = await pushTo(here, there);
  assert.deepEqual([plan.blocked, plan.outgoing], [[], []]);
});
