/** Removing and restoring: the contents of the trash, and that only staff sees them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import {
  mkdir,
  open as openFile,
  readdir,
  readFile,
  type rename,
  rename as renameFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ConflictError, MovedError, NotFoundError, NotPermittedError } from '../../../src/catalogue/errors.ts';
import type { Viewer } from '../../../src/catalogue/permissions.ts';
import { formatRef } from '../../../src/catalogue/ref.ts';
import type { TrashEntry } from '../../../src/catalogue/trash.ts';
import { moveOrCopyFile } from '../../../src/disk/move.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { type FileCatalogue, openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import {
  deleteTrashEntry,
  emptyTrash,
  listTrash,
  moveToTrash,
  restorePathFromTrash,
} from '../../../src/files/writing/trash.ts';
import { replaceBuiltin } from '../../support/builtin.ts';
import { type FolderContent, homeOf, makeFolder, until } from '../../support/folder.ts';
import { compilerFor } from '../../support/program.ts';

const content: FolderContent = {
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['gardeners'] }, empty: { id: 2, label: 'Empty' } },
  datasets: { 'parks/trees': { id: 3, label: 'Trees' }, 'parks/lawns': { id: 4, label: 'Lawns' } },
  versions: {
    'parks/trees@20200101000000000000': { id: 5, file: { name: 'a.csv' } },
    'parks/trees@20210101000000000000': { id: 6, file: { name: 'shared.csv' } },
    'parks/trees@20220101000000000000': { id: 7, file: { name: 'shared.csv' } },
  },
  queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees' } },
  groups: { gardeners: { id: 1, label: 'Gardeners' } },
  users: { ann: { id: 1, staff: true }, bob: { id: 2, groups: ['gardeners'] } },
  files: {
    [`${homeOf('parks/trees')}/data/a.csv`]: 'a\n1\n',
    [`${homeOf('parks/trees')}/data/shared.csv`]: 'a\n2\n',
    [`${homeOf('parks/trees')}/NOTES.md`]: 'Ours.\n',
    'queries/odd.json': '{ "label": "Odd",\n "dataset": "parks/trees" }',
  },
};
const ann: Viewer = { username: 'ann', staff: true, groups: [] };
const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const version = (slug: string) => ({ kind: 'version', namespace: 'parks', dataset: 'trees', slug }) as const;
const namespace = (slug: string) => ({ kind: 'namespace', slug }) as const;

async function open(t: TestContext, more: FolderContent = {}) {
  const folder = makeFolder({ ...content, ...more }, t);
  const files = await openFileCatalogue(folder.root);
  await files.load();
  t.after(() => files.close());
  const newest = async (): Promise<TrashEntry> => {
    const [entry] = await listTrash(folder.root);
    assert.ok(entry);
    return entry;
  };
  return { folder, files, view: files.for(ann), newest, back: async () => restore(files, await newest()) };
}

const restore = (files: FileCatalogue, { id }: TrashEntry) => files.for(ann).trash.restore(id);

const errorsOf = async (root: string) =>
  (await checkCatalogueFiles(root)).problems.filter(({ severity }) => severity === 'error');

/** Every file but private ones, with its bytes and its time of change. */
async function picture(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.includes('/.catalogue/')) continue;
    found[path.slice(root.length + 1)] = `${(await stat(path)).mtimeMs} ${await readFile(path, 'utf8')}`;
  }
  return found;
}

describe('what is removed', () => {
  for (const [ref, paths] of [
    [trees, [homeOf('parks/trees')]],
    [namespace('empty'), ['namespaces/empty']],
    [
      version('20200101000000000000'),
      [`${homeOf('parks/trees')}/versions/20200101000000000000.yaml`, `${homeOf('parks/trees')}/data/a.csv`],
    ],
    [version('20210101000000000000'), [`${homeOf('parks/trees')}/versions/20210101000000000000.yaml`]],
    [{ kind: 'query', slug: 'tall' }, ['queries/tall.yaml']],
    [{ kind: 'query', slug: 'odd' }, ['queries/odd.json']],
    [{ kind: 'group', slug: 'gardeners' }, ['groups/gardeners.yaml']],
    [{ kind: 'user', slug: 'bob' }, ['users/bob.yaml']],
  ] as const)
    it(`a ${ref.kind} ${ref.slug}: goes to the trash and comes back as it was`, async (t) => {
      const { folder, view, newest, back } = await open(t);
      // Removing a group takes it out of the records that name it, which isn't undone.
      if (ref.kind === 'group')
        await view.edit(ref, { members: [] }).then(() => view.edit(namespace('parks'), { owners: [] }));
      const before = await picture(folder.root);
      const entity = await view.get(ref);
      const start = new Date().toISOString();
      await view.remove(ref);
      const entry = await newest();
      assert.deepEqual({ ref: entry.ref, paths: entry.paths, by: entry.by }, { ref, paths, by: 'ann' });
      assert.ok(entry.removed >= start && entry.removed <= new Date().toISOString());
      assert.match(entry.id, /^\d{17}-[0-9a-f]{8}$/);
      const kept = Object.keys(await picture(folder.root));
      const gone = Object.keys(before).filter((path) => !kept.includes(path));
      assert.ok(gone.length && gone.every((path) => paths.some((place) => path.startsWith(place))), gone.join());
      await assert.rejects(view.get(ref), NotFoundError);
      await back();
      assert.deepEqual(await picture(folder.root), before);
      assert.deepEqual(await view.get(ref), entity);
      assert.deepEqual(await listTrash(folder.root), []);
    });

  it('a user comes back without the password of a later one of that name, whose file was removed by hand', async (t) => {
    const { folder, files, view, newest, back } = await open(t);
    const bob = { kind: 'user', slug: 'bob' } as const;
    await files.accounts.setPassword('bob', 'of the first one');
    await view.remove(bob);
    const { id } = await newest();
    await view.create('user', { username: 'bob' });
    await files.accounts.setPassword('bob', 'of the second one');
    await rm(folder.path('users/bob.yaml'));
    await files.load();
    assert.equal((await newest()).id, id);
    await back();
    for (const password of ['of the first one', 'of the second one'])
      assert.equal(await files.accounts.verifyPassword('bob', password), null);
  });

  it('a group that owns and reads a namespace: is renamed, goes to the trash and comes back in both lists', async (t) => {
    const parks = { id: 1, label: 'Parks', owners: ['gardeners'], readers: ['gardeners'] };
    const { view, back } = await open(t, { namespaces: { parks } });
    const lists = async () => {
      const { owners, readers } = await view.get<'namespace'>(namespace('parks'));
      return { owners, readers };
    };
    await view.edit({ kind: 'group', slug: 'gardeners' }, { slug: 'foresters' });
    assert.deepEqual(await lists(), { owners: ['foresters'], readers: ['foresters'] });
    await view.remove({ kind: 'group', slug: 'foresters' });
    assert.deepEqual(await lists(), { owners: [], readers: [] });
    await back();
    assert.deepEqual(await lists(), { owners: ['foresters'], readers: ['foresters'] });
  });

  it('a group: remembers its members and owners, though the edits that remove it are read before it is moved', async (t) => {
    const { files, view, newest, back } = await open(t);
    const rename = fs.renameSync;
    replaceBuiltin(t, fs, 'renameSync', (from: string, to: string) => {
      rename(from, to);
      // As a watcher does.
      for (const _ of files.store.rescan([{ kind: 'user', slug: 'bob' }, namespace('parks')]));
    });
    await view.remove({ kind: 'group', slug: 'gardeners' });
    assert.equal((await newest()).referencedBy?.length, 2);
    await back();
    assert.deepEqual((await view.get<'user'>({ kind: 'user', slug: 'bob' })).groups, ['gardeners']);
    assert.deepEqual((await view.get<'namespace'>(namespace('parks'))).owners, ['gardeners']);
  });

  it('comes back without the rights of namesakes: groups and users have their present names in its lists', async (t) => {
    const { folder, view } = await open(t);
    const gardeners = { kind: 'group', slug: 'gardeners' } as const;
    const bob = { kind: 'user', slug: 'bob' } as const;
    await view.create('group', { slug: 'visitors', label: 'Visitors' });
    await view.edit(trees, { visibility: 'private', readers: ['gardeners', 'visitors', 'user:bob'] });
    await view.remove(trees);
    await view.edit(gardeners, { slug: 'foresters' });
    await view.create('group', { slug: 'gardeners', label: 'Others' });
    await view.remove(bob, { permanently: true });
    await view.create('user', { username: 'bob' });
    const entry = (await view.trash.list()).find(({ ref }) => ref.kind === 'dataset');
    await view.trash.restore(entry?.id ?? '', { dryRun: true });
    await view.trash.restore(entry?.id ?? '');
    assert.deepEqual((await view.get<'dataset'>(trees)).readers, ['foresters', 'visitors']);
    assert.deepEqual(await errorsOf(folder.root), []);
  });

  it('comes back without a former address that another record has had since', async (t) => {
    const { folder, view, back } = await open(t);
    await view.edit(trees, { slug: 'oaks' });
    await view.remove({ ...trees, slug: 'oaks' });
    await view.create('dataset', { namespace: 'parks', label: 'Trees' });
    await view.edit(trees, { slug: 'elms' });
    await back();
    await assert.rejects(
      view.get(trees),
      (error) => error instanceof MovedError && formatRef(error.to) === 'parks/elms',
    );
    assert.deepEqual((await view.get<'dataset'>({ ...trees, slug: 'oaks' })).aliases, []);
    assert.deepEqual(await errorsOf(folder.root), []);
  });

  it('permanently is deleted, and no other entry of that name, though its time is later', async (t) => {
    const { folder, files, view, newest } = await open(t);
    await view.remove(trees);
    const { id } = await newest();
    await renameFile(folder.path(`.catalogue/trash/${id}`), folder.path('.catalogue/trash/99991231000000000-00000000'));
    await view.create('dataset', { namespace: 'parks', slug: 'trees', label: 'Trees' });
    const owner = files.for({ username: 'bob', staff: false, groups: ['gardeners'] });
    await owner.remove(trees, { permanently: true });
    assert.deepEqual(
      (await listTrash(folder.root)).map((entry) => entry.id),
      ['99991231000000000-00000000'],
    );
  });

  it('a user that can’t be moved keeps the password and the tokens', async (t) => {
    const { folder, files, view } = await open(t);
    await files.accounts.setPassword('bob', 'correct horse battery');
    const { token } = await files.accounts.addToken('bob', { label: 'laptop', scope: 'read' });
    folder.write('.catalogue/trash', 'in the way');
    await assert.rejects(view.remove({ kind: 'user', slug: 'bob' }));
    assert.ok(await files.accounts.verifyPassword('bob', 'correct horse battery'));
    assert.ok(await files.accounts.viewerByToken(token));
    await rm(folder.path('.catalogue/trash'));
    await view.remove({ kind: 'user', slug: 'bob' });
    assert.equal(await files.accounts.verifyPassword('bob', 'correct horse battery'), null);
  });

  it('is deleted with all others, also if its time is later than now', async (t) => {
    const { folder, view, newest } = await open(t);
    await view.remove(trees);
    const { id } = await newest();
    await renameFile(folder.path(`.catalogue/trash/${id}`), folder.path('.catalogue/trash/99991231000000000-00000000'));
    assert.equal((await emptyTrash(folder.root, new Date())).length, 0);
    assert.equal((await view.trash.empty()).length, 1);
    assert.deepEqual(await listTrash(folder.root), []);
  });

  it('is restored once, if two ask for it at once', async (t) => {
    const { folder, files, view, newest } = await open(t);
    await view.remove(trees);
    const entry = await newest();
    const outcomes = await Promise.allSettled([restore(files, entry), restore(files, entry), restore(files, entry)]);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.equal(reasons.length, 2);
    for (const reason of reasons)
      assert.ok(reason instanceof NotFoundError || reason instanceof ConflictError, String(reason));
    await assert.rejects(restore(files, entry), NotFoundError);
    // Between the list of the entries and the move.
    const gone = folder.path(`.catalogue/trash/${entry.id}/${homeOf('parks/trees')}`);
    await assert.rejects(restorePathFromTrash(gone, folder.root, homeOf('parks/new')), NotFoundError);
    await deleteTrashEntry(folder.root, entry.id);
  });

  it('is seen by nobody: not served, not in the list of files, not in git', async (t) => {
    const { folder, view, files, newest } = await open(t);
    await view.remove(trees);
    const { id } = await newest();
    assert.equal((await view.list('dataset', { search: 'trees' })).count, 0);
    const inside = await view.list('file', { pageSize: 1000 });
    assert.ok(!inside.items.some(({ path }) => path.includes('.catalogue') || path.includes('trees')));
    for (const path of [`../.catalogue/trash/${id}/entry.json`, `.catalogue/trash/${id}/entry.json`])
      await assert.rejects(view.media(path), NotFoundError);
    const again = await openFileCatalogue(folder.root);
    await again.load();
    assert.deepEqual(
      [...again.snapshot.diagnostics.keys()].filter((path) => path.includes('trash')),
      [],
    );
    assert.equal(await readFile(folder.path('.catalogue/trash/.gitignore'), 'utf8'), '*\n');
    assert.equal((await stat(folder.path('.catalogue/trash'))).mode & 0o077, 0);
    await files.close();
  });

  it('in another process, comes back where the folder is followed', async (t) => {
    const { folder, view, back } = await open(t);
    const follower = await openFileCatalogue(folder.root, { watch: true });
    t.after(() => follower.close());
    await view.remove(trees);
    await until(() => !follower.snapshot.folders.get('parks')?.datasets.has('trees'));
    await back();
    await until(() => follower.snapshot.folders.get('parks')?.datasets.get('trees')?.versions.length === 3);
  });

  it('by one who has the folder in hand is by nobody', async (t) => {
    const { files, newest } = await open(t);
    await files.for().remove(trees);
    assert.equal((await newest()).by, null);
  });

  it('is copied where the trash lies on another file system', async (t) => {
    const { folder } = await open(t);
    const before = await picture(folder.path(homeOf('parks/trees')));
    const elsewhere = (async () => {
      throw Object.assign(new Error('cross-device link not permitted'), { code: 'EXDEV' });
    }) as typeof rename;
    await moveOrCopyFile(folder.path(homeOf('parks/trees')), folder.path('.catalogue/trash/x/trees'), {
      renamed: elsewhere,
    });
    assert.deepEqual(await picture(folder.path(homeOf('parks'))).catch(() => ({})), {});
    const names = await readdir(folder.path('.catalogue/trash/x'));
    assert.deepEqual(names, ['trees']);
    const copied = await readFile(folder.path('.catalogue/trash/x/trees/data/a.csv'), 'utf8');
    assert.equal(before['data/a.csv']?.endsWith(copied), true);
    assert.deepEqual((await readdir(folder.path('namespaces/parks/datasets'))).sort(), ['lawns']);
  });
});

describe('what an owner may remove permanently', () => {
  const bob: Viewer = { username: 'bob', staff: false, groups: ['gardeners'] };
  const lawns = { kind: 'dataset', namespace: 'parks', slug: 'lawns' } as const;
  const home = homeOf('parks/lawns');

  it('is a dataset without versions and data', async (t) => {
    const { folder, files } = await open(t, { files: { [`${home}/versions/.${'0'.repeat(16)}.catalogue-tmp`]: '' } });
    await files.for(bob).remove(lawns, { permanently: true });
    assert.deepEqual(await listTrash(folder.root), []);
    await assert.rejects(files.for(bob).get(lawns), NotFoundError);
  });

  for (const [path, text] of [
    ['versions/20200101000000000000.yaml', 'label: ['],
    ['versions/odd.yaml', 'label: ['],
    ['data/lawns.csv', 'a\n1\n'],
  ])
    it(`is no dataset with ${path}, though it has no valid version`, async (t) => {
      const { folder, files } = await open(t, { files: { [`${home}/${path}`]: text ?? '' } });
      assert.deepEqual((await files.for(bob).get<'dataset'>(lawns)).versions, []);
      for (const dryRun of [true, false])
        await assert.rejects(files.for(bob).remove(lawns, { permanently: true, dryRun }), NotPermittedError);
      assert.equal(await readFile(folder.path(`${home}/${path}`), 'utf8'), text);
      await files.for(ann).remove(lawns, { permanently: true });
      assert.deepEqual(await listTrash(folder.root), []);
    });

  it('is no dataset whose version was added meanwhile', async (t) => {
    const { folder, files } = await open(t);
    await files.for(bob).get(lawns);
    folder.write(`${home}/versions/20200101000000000000.yaml`, 'label: a\n');
    await assert.rejects(files.for(bob).remove(lawns, { permanently: true }), NotPermittedError);
  });
});

describe('nothing comes back', () => {
  it('where something else has its place, in whichever case', async (t) => {
    const { folder, view, newest, back } = await open(t);
    await view.remove(trees);
    await view.create('dataset', { label: 'Others', slug: 'Trees', namespace: 'parks' });
    const before = await picture(folder.root);
    await assert.rejects(back(), (error: Error) => {
      assert.ok(error instanceof ConflictError);
      assert.match(error.message, /The dataset parks\/trees can't be restored\. There is /);
      return true;
    });
    assert.deepEqual(await picture(folder.root), before);
    assert.ok(await newest());
    await view.edit({ ...trees, slug: 'Trees' }, { slug: 'others' });
    await back();
    assert.equal((await view.get<'dataset'>(trees)).slug, 'trees');
  });

  it('where only a part of its place is taken', async (t) => {
    const { folder, view, back } = await open(t);
    await view.remove(version('20200101000000000000'));
    folder.write(`${homeOf('parks/trees')}/data/a.csv`, 'another\n');
    await assert.rejects(back(), /can't be restored: .*data\/a\.csv exists/);
    await rm(folder.path(`${homeOf('parks/trees')}/data/a.csv`));
    folder.write(`${homeOf('parks/trees')}/versions/20200101000000000000.json`, '{}');
    await assert.rejects(back(), /can't be restored: .*20200101000000000000\.json exists/);
    await rm(folder.path(`${homeOf('parks/trees')}/versions/20200101000000000000.json`));
    await back();
  });

  it('where its id is used by another record now', async (t) => {
    const { folder, view, files, back, newest } = await open(t);
    await view.remove(trees);
    folder.write(`${homeOf('parks/oaks')}/dataset.yaml`, 'id: 3\nlabel: Oaks\n');
    await files.refresh([{ folder: '' }]);
    const dryRun = async () => files.for(ann).trash.restore((await newest()).id, { dryRun: true });
    const refused =
      /The dataset parks\/trees can't be restored\. The id 3 is already used by dataset parks\/oaks\. Remove/;
    await assert.rejects(dryRun(), refused);
    await assert.rejects(back(), refused);
    folder.write(`${homeOf('parks/oaks')}/dataset.yaml`, 'id: 8\nlabel: Oaks\n');
    await back();
    assert.equal((await view.get<'dataset'>(trees)).id, 3);
  });

  it('where what it lay in is gone', async (t) => {
    const { view, files, folder, back } = await open(t);
    await view.remove(version('20200101000000000000'));
    const [one] = await listTrash(folder.root);
    await view.remove(trees);
    const [two] = await listTrash(folder.root);
    await view.remove({ ...trees, slug: 'lawns' });
    await view.remove(namespace('parks'));
    assert.ok(one && two);
    await assert.rejects(
      restore(files, one),
      /can't be restored: there is no dataset parks\/trees\. Restore or add it first/,
    );
    await assert.rejects(restore(files, two), /can't be restored: there is no namespace parks\./);
    await back();
    await restore(files, two);
    await restore(files, one);
    assert.equal((await view.get<'dataset'>(trees)).versions.length, 3);
  });

  it('where the note was made to name a place outside', async (t) => {
    const { folder, view, files, newest } = await open(t);
    await view.remove({ kind: 'query', slug: 'tall' });
    const entry = await newest();
    const places = ['queries/../../tall.yaml', '.catalogue/accounts.json', '../tall.yaml'];
    for (const path of places) {
      await mkdir(join(folder.path(`.catalogue/trash/${entry.id}`), path, '..'), { recursive: true });
      await writeFile(join(folder.path(`.catalogue/trash/${entry.id}`), path), 'x');
      const note = { ...entry, paths: [path] };
      await writeFile(folder.path(`.catalogue/trash/${entry.id}/entry.json`), JSON.stringify(note));
      await assert.rejects(restore(files, entry), /outside of the catalogue/, path);
    }
  });
});

describe('the trash', () => {
  it('is emptied: all of it, or what was removed before', async (t) => {
    const { folder, view } = await open(t);
    await view.remove({ kind: 'query', slug: 'tall' });
    await new Promise((done) => setTimeout(done, 5));
    const between = new Date();
    await new Promise((done) => setTimeout(done, 5));
    await view.remove(trees);
    assert.deepEqual(
      (await listTrash(folder.root)).map(({ ref }) => ref.kind),
      ['dataset', 'query'],
    );
    assert.deepEqual(
      (await emptyTrash(folder.root, between)).map(({ ref }) => ref.kind),
      ['query'],
    );
    assert.deepEqual(
      (await emptyTrash(folder.root)).map(({ ref }) => ref.kind),
      ['dataset'],
    );
    assert.deepEqual(await readdir(folder.path('.catalogue/trash')), ['.gitignore']);
    assert.deepEqual(await emptyTrash(folder.root), []);
  });

  it('may hold what a crash left, and whatever else somebody put there', async (t) => {
    const { folder, view } = await open(t);
    assert.deepEqual([await listTrash(folder.root), await emptyTrash(folder.root)], [[], []]);
    await view.remove(trees);
    const write = (path: string, text: string) => folder.write(`.catalogue/trash/${path}`, text);
    await write(
      '20200101000000000-00000001/entry.json',
      '{"ref":{"kind":"query","slug":"x"},"paths":["queries/x.yaml"]}',
    );
    await write('20200101000000000-00000002/entry.json', '{"ref":');
    await write('20200101000000000-00000003/queries/x.yaml', 'label: x');
    await write('mine/x.txt', 'x');
    await write('.0123456789abcdef.catalogue-tmp/x', 'x');
    const old = new Date('2020-01-01');
    await utimes(folder.path('.catalogue/trash/.0123456789abcdef.catalogue-tmp'), old, old);
    assert.equal((await listTrash(folder.root)).length, 1);
    await emptyTrash(folder.root, new Date('2021-01-01'));
    const left = (await readdir(folder.path('.catalogue/trash'))).filter((name) => !name.startsWith('.'));
    assert.equal(left.length, 2);
    assert.ok(left.includes('mine'));
  });

  it('is listed as a whole, however many entries it has', async (t) => {
    const { folder } = await open(t);
    const count = 300;
    for (let n = 0; n < count; n++) {
      const entry = folder.path(`.catalogue/trash/20200101000000000-${String(n).padStart(8, '0')}`);
      await mkdir(join(entry, 'queries'), { recursive: true });
      const description = { ref: { kind: 'query', slug: 'x' }, paths: ['queries/x.yaml'], removed: '2020', by: null };
      await writeFile(join(entry, 'entry.json'), JSON.stringify(description));
      await writeFile(join(entry, 'queries/x.yaml'), 'label: x');
    }
    const script = fileURLToPath(new URL('trash-child.ts', import.meta.url));
    const command = [process.execPath, ...compilerFor(script), script, folder.root]
      .map((word) => `'${word}'`)
      .join(' ');
    const { stdout, stderr } = spawnSync('sh', ['-c', `ulimit -n 200; exec ${command}`], { encoding: 'utf8' });
    assert.equal(stdout, String(count), stderr);
  });

  it('keeps apart what had the same name at different times', async (t) => {
    const { folder, view, files } = await open(t);
    for (const label of ['One', 'Two', 'Three']) {
      await view.remove({ kind: 'query', slug: 'tall' });
      await view.create('query', { label, slug: 'tall', dataset: 'parks/trees' });
    }
    await view.remove({ kind: 'query', slug: 'tall' });
    const [, two] = await listTrash(folder.root);
    assert.ok(two);
    await restore(files, two);
    assert.equal((await view.get<'query'>({ kind: 'query', slug: 'tall' })).label, 'Two');
    assert.equal((await listTrash(folder.root)).length, 3);
  });
});

it('a removal of which a part fails moves back what it has moved', async (t) => {
  const { root } = makeFolder({ groups: { one: { label: 'One' } } }, t);
  const paths = ['groups/one.yaml', 'groups/none.yaml'];
  await assert.rejects(moveToTrash(root, { kind: 'group', slug: 'one' }, paths, null));
  assert.match(await readFile(join(root, 'groups/one.yaml'), 'utf8'), /label: One/);
  assert.deepEqual(await listTrash(root), []);
});

it("a removal whose folder can't be synced loses nothing", async (t) => {
  const { root } = makeFolder({ groups: { one: { label: 'One' } } }, t);
  const openNow = fs.openSync;
  replaceBuiltin(t, fs, 'openSync', (path: string, ...rest: [number]) => {
    if (path === join(root, 'groups')) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return openNow(path, ...rest);
  });
  await assert.rejects(moveToTrash(root, { kind: 'group', slug: 'one' }, ['groups/one.yaml'], null));
  assert.match(await readFile(join(root, 'groups/one.yaml'), 'utf8'), /label: One/);
  assert.deepEqual(await listTrash(root), []);
});

it('what is copied to another file system is on disk before the original is deleted', async (t) => {
  const { root } = makeFolder({ files: { 'one/a.csv': 'a', 'one/data/b.csv': 'b' } }, t);
  const file = await openFile(join(root, 'one/a.csv'));
  const handles = Object.getPrototypeOf(file) as typeof file;
  await file.close();
  const synced: string[] = [];
  const sync = handles.sync as () => Promise<void>;
  t.mock.method(handles, 'sync', async function noteSync(this: typeof file) {
    synced.push(await this.readFile('utf8'));
    assert.ok(fs.existsSync(join(root, 'one/data/b.csv')), 'the original is still there');
    return sync.call(this);
  });
  const elsewhere = async () => {
    throw Object.assign(new Error('cross-device link not permitted'), { code: 'EXDEV' });
  };
  await moveOrCopyFile(join(root, 'one'), join(root, 'two'), { renamed: elsewhere });
  assert.deepEqual(synced.sort(), ['a', 'b']);
  assert.equal(fs.existsSync(join(root, 'one')), false);
});
