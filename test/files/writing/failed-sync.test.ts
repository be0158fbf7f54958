/** A change of which a folder can't be synced is undone as a whole. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { UnavailableError } from '../../../src/catalogue/errors.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { listTrash } from '../../../src/files/writing/trash.ts';
import { replaceBuiltin } from '../../support/builtin.ts';
import { makeFolder } from '../../support/folder.ts';

async function openFolder(t: TestContext) {
  const content = {
    groups: { foresters: { id: 1, label: 'Foresters' } },
    users: { bob: { id: 1, groups: ['foresters'] } },
  };
  const { root } = makeFolder(content, t);
  const files = await openFileCatalogue(root);
  t.after(() => files.close());
  await files.load();
  const catalogue = files.for({ username: 'ann', staff: true, groups: [] });
  const textOf = (path: string) => fs.readFileSync(join(root, path), 'utf8');
  return { root, catalogue, textOf };
}

/** Lets the disk report an error for a folder that is opened, as it is to be synced. @returns ends it */
function failToOpen(t: TestContext, folder: string): () => void {
  const openNow = fs.openSync;
  return replaceBuiltin(t, fs, 'openSync', (path: string, ...rest: [number]) => {
    if (path === folder) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return openNow(path, ...rest);
  });
}

it('a group that is renamed keeps its name, and its members the group', async (t) => {
  const { root, catalogue, textOf } = await openFolder(t);
  failToOpen(t, join(root, 'users'));
  await assert.rejects(catalogue.edit({ kind: 'group', slug: 'foresters' }, { slug: 'wardens' }), UnavailableError);
  assert.match(textOf('users/bob.yaml'), /- foresters/);
  assert.match(textOf('groups/foresters.yaml'), /label: Foresters/);
  assert.equal(fs.existsSync(join(root, 'groups/wardens.yaml')), false);
});

it('a record that is restored stays in the trash', async (t) => {
  const { root, catalogue, textOf } = await openFolder(t);
  await catalogue.remove({ kind: 'group', slug: 'foresters' });
  const [entry] = await listTrash(root);
  const end = failToOpen(t, join(root, 'groups'));
  await assert.rejects(catalogue.trash.restore(entry?.id ?? ''), UnavailableError);
  assert.equal(fs.existsSync(join(root, 'groups/foresters.yaml')), false);
  assert.deepEqual(await listTrash(root), [entry]);
  end();
  await catalogue.trash.restore(entry?.id ?? '');
  assert.match(textOf('groups/foresters.yaml'), /label: Foresters/);
  assert.deepEqual(await listTrash(root), []);
});
