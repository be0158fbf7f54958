/** Records that name a group or dataset since a rename or removal of it was planned: they are changed with it, too. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../../src/disk/lock.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder } from '../../support/folder.ts';

const foresters = { kind: 'group', slug: 'foresters' } as const;
const bob = { kind: 'user', slug: 'bob' } as const;
const parks = { kind: 'namespace', slug: 'parks' } as const;

async function open(t: TestContext) {
  const folder = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks' } },
      groups: { foresters: { id: 1, label: 'Foresters' } },
      users: { ann: { id: 1, groups: ['foresters'] }, bob: { id: 2 } },
    },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  await files.load();
  const catalogue = files.for();
  const textOf = (path: string) => readFileSync(folder.path(path), 'utf8');
  /** Performs a write that waits for the record of ann, and meanwhile makes bob a forester, and the foresters owners. */
  const writeMeanwhile = async (write: () => Promise<unknown>) => {
    let written: Promise<unknown> | undefined;
    await withLock(folder.root, 'users/ann', async () => {
      written = write();
      await sleep(50);
      await catalogue.edit(bob, { groups: ['foresters'] });
      await catalogue.edit(parks, { owners: ['foresters'] });
    });
    await written;
  };
  return { catalogue, textOf, writeMeanwhile };
}

it('a group that is renamed keeps the member and the namespace that it gets meanwhile', async (t) => {
  const { catalogue, textOf, writeMeanwhile } = await open(t);
  await writeMeanwhile(() => catalogue.edit(foresters, { slug: 'wardens' }));
  for (const path of ['users/ann.yaml', 'users/bob.yaml', 'namespaces/parks/namespace.yaml'])
    assert.match(textOf(path), /:\n {2}- wardens\n$/, path);
});

it('a group that is removed is no longer named where it was named meanwhile', async (t) => {
  const { catalogue, textOf, writeMeanwhile } = await open(t);
  await writeMeanwhile(() => catalogue.remove(foresters));
  for (const path of ['users/ann.yaml', 'users/bob.yaml', 'namespaces/parks/namespace.yaml'])
    assert.doesNotMatch(textOf(path), /foresters/, path);
});
