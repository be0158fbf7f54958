/** The manifest of a folder by viewer; the promises of every replica are in `test/contract/replica.ts`. */
import assert from 'node:assert/strict';
import type { Stats } from 'node:fs';
import { open, symlink, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotFoundError } from '../../../src/catalogue/errors.ts';
import type { FileEntry } from '../../../src/catalogue/replica.ts';
import { entriesOf, given, pathsOf, sha256 } from './replica-support.ts';

const home = 'namespaces/parks/datasets/trees';
const slug = '20240101000000000000';
const csv = 'a,b\n1,2\n';
const version = { id: 5, checksum: sha256(csv), file: { name: 'a.csv', format: 'csv', size: csv.length } };

describe('the manifest of a folder', { concurrency: 4 }, () => {
  it('is in the order of code points', async (test) => {
    const files = { 'site_media/\u{1f333}.png': 'x', 'site_media/\uff5e.png': 'x', 'site_media/b/c.png': 'x' };
    const { as } = await given(test, { files });
    const paths = await pathsOf(as('localAdmin'));
    assert.deepEqual(
      paths,
      [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    assert.equal(paths.filter((path) => path.startsWith('site_media/')).length, 3);
  });

  it('is the same for the same files in another place, and another for any byte', async (test) => {
    const [one, two] = [await given(test), await given(test)];
    const tag = async ({ as }: typeof one) => (await as('alice').manifest())?.tag;
    assert.equal(await tag(one), await tag(two));
    two.folder.write('queries/tall.yaml', `${two.text('queries/tall.yaml')}# Only a comment\n`);
    await two.look();
    assert.notEqual(await tag(one), await tag(two));
  });

  it('has the record of a user called null for this user, and not for anonymous viewers', async (test) => {
    const { files } = await given(test, {
      settings: { people: 'public' },
      namespaces: { secret: { id: 3, label: 'Not secret' } },
      datasets: { 'parks/hidden': { id: 12, label: 'Not hidden' } },
      users: { null: { id: 4 } },
    });
    const replicaOf = (username: string | null) => files.for({ username, staff: false, groups: [] }).replica;
    const [anonymous, user] = [replicaOf(null), replicaOf('null')];
    assert.notEqual((await anonymous.manifest())?.tag, (await user.manifest())?.tag);
    assert.deepEqual(
      (await pathsOf(user)).filter((path) => path.startsWith('users/')),
      ['users/null.yaml'],
    );
  });

  it('has the checksum of a file that changed twice within a tick of the clock', async (test) => {
    const { as, folder } = await given(test, { files: { 'site_media/a.png': 'one' } });
    const checksum = async () => (await as('localAdmin').entry('site_media/a.png')).checksum;
    // A file system whose times are whole seconds, such as FAT.
    const file = await open(folder.path('site_media/a.png'));
    const handles = Object.getPrototypeOf(file) as typeof file;
    await file.close();
    const statOf = handles.stat as () => Promise<Stats>;
    test.mock.method(handles, 'stat', async function slowClock(this: typeof file) {
      const stats = await statOf.call(this);
      const seconds = Math.floor(stats.ctimeMs / 1000) * 1000;
      return Object.assign(stats, { mtimeMs: seconds, ctimeMs: seconds });
    });
    assert.equal(await checksum(), sha256('one'));
    folder.write('site_media/a.png', 'two');
    assert.equal(await checksum(), sha256('two'));
  });

  it('has the same texts the first time, when each record is read once, as later', async (test) => {
    const { as, files, text } = await given(test);
    await files.load();
    const read = test.mock.method(files.store.tree, 'read');
    const withTexts = async (from: typeof as, name: Parameters<typeof as>[0]) => {
      const entries: FileEntry[] = [];
      for await (const entry of (await from(name).manifest({ texts: true }))?.entries ?? []) entries.push(entry);
      return entries;
    };
    const first = await withTexts(as, 'alice');
    const paths = read.mock.calls.map((call) => call.arguments[0]);
    assert.ok(paths.includes('users/bob.yaml'));
    assert.equal(new Set(paths).size, paths.length);
    for (const { path, text: found, checksum } of first) {
      assert.equal(found, text(path));
      assert.equal(checksum, sha256(text(path)));
    }
    assert.deepEqual(await withTexts(as, 'alice'), first);
    const another = await given(test);
    assert.deepEqual(await withTexts(another.as, 'bob'), await withTexts(as, 'bob'));
  });

  it('has no text of a record that was written since it was begun', async (test) => {
    const { folder, as } = await given(test);
    const path = `${home}/dataset.yaml`;
    // The second manifest reads texts when they are sent.
    const listed = (await entriesOf(as('nobody'), true)).find((entry) => entry.path === path);
    const manifest = await as('nobody').manifest({ texts: true });
    folder.write(path, 'id: 11\nlabel: For a few\nvisibility: private\n');
    const entries: FileEntry[] = [];
    for await (const entry of manifest?.entries ?? []) entries.push(entry);
    const { text, ...others } = listed as FileEntry;
    assert.equal(text?.includes('Trees'), true);
    assert.deepEqual(
      entries.find((entry) => entry.path === path),
      others,
    );
    assert.ok(entries.every((entry) => entry.text !== undefined || entry.path === path));
    // A client asks for the text that it lacks.
    await assert.rejects(as('localAdmin').read(path, { checksum: others.checksum }), { name: 'ConflictError' });
    await assert.rejects(as('nobody').read(path, { checksum: others.checksum }), NotFoundError);
  });

  it('has no text of a record that was written since the catalogue read it', async (test) => {
    const { folder, as, files } = await given(test);
    const path = `${home}/dataset.yaml`;
    await files.load();
    // The first manifest reads the record for its checksum.
    folder.write(path, 'id: 11\nlabel: For a few\nvisibility: private\n');
    for (const what of ['first', 'second']) {
      const entries = await entriesOf(as('nobody'), true);
      assert.ok(entries.some((entry) => entry.path === path));
      assert.deepEqual(
        entries.flatMap((entry) => (entry.text === undefined ? [entry.path] : [])),
        [path],
        what,
      );
    }
  });

  it('gives nobody the bytes of a record that became private since the catalogue read it', async (test) => {
    const { folder, as, files, text } = await given(test);
    const path = `${home}/dataset.yaml`;
    await files.load();
    await as('nobody').entry(path);
    folder.write(path, 'id: 11\nlabel: For a few\nvisibility: private\n');
    await assert.rejects(as('nobody').read(path), NotFoundError);
    await assert.rejects(as('nobody').entry(path), NotFoundError);
    assert.equal((await as('alice').entry(path)).checksum, sha256(text(path)));
  });

  it('gives nobody a record that is private now, while other files are still being read', async (test) => {
    const { folder, as, files } = await given(test);
    const path = `${home}/dataset.yaml`;
    await files.load();
    folder.write(path, 'id: 11\nlabel: For a few\nvisibility: private\n');
    const dataset = (namespace: string, slug: string) => ({ kind: 'dataset', namespace, slug }) as const;
    const rescan = files.store.rescan([dataset('parks', 'trees'), dataset('water', 'ponds')]);
    rescan.next();
    const replica = as('nobody');
    const asked = [
      replica.manifest({ texts: true }),
      replica.digests(1),
      replica.entry(path),
      replica.read(path),
    ] as const;
    const answered = Promise.allSettled(asked);
    await sleep(20);
    for (const _ of rescan);
    const [manifest, digests, ...refused] = await answered;
    assert.ok(manifest.status === 'fulfilled' && manifest.value && digests.status === 'fulfilled');
    for await (const entry of manifest.value.entries) assert.notEqual(entry.path, path);
    assert.deepEqual(digests.value, await as('nobody').digests(1));
    for (const one of refused) assert.ok(one.status === 'rejected' && one.reason instanceof NotFoundError);
  });

  it('shows users to staff, and to themselves', async (test) => {
    const { as } = await given(test);
    const users = async (name: Parameters<typeof as>[0]) =>
      (await pathsOf(as(name))).filter((path) => path.startsWith('users/'));
    assert.deepEqual(await users('alice'), ['users/alice.yaml', 'users/bob.yaml', 'users/eve.yaml']);
    assert.deepEqual(await users('bob'), ['users/bob.yaml']);
    assert.deepEqual(await users('nobody'), []);
    await assert.rejects(as('eve').read('users/bob.yaml'), NotFoundError);
  });

  it('shows nothing of what is private, however broken', async (test) => {
    const { as } = await given(test, {
      versions: { [`parks/hidden@${slug}`]: version },
      datasets: { 'secret/inner': { id: 14, label: 'Inner', image: '/site_media/inner.png' } },
      queries: { hidden: { id: 2, label: 'H', dataset: 'secret/inner' } },
      files: {
        'namespaces/parks/datasets/hidden/data/a.csv': csv,
        'namespaces/parks/datasets/hidden/versions/20250101000000000000.yaml': 'label: [',
        'namespaces/secret/datasets/broken/dataset.yaml': 'label: [',
        'site_media/inner.png': 'x',
      },
    });
    const hidden = /hidden|secret|hidden|inner|broken/;
    for (const name of ['eve', 'nobody'] as const) {
      const paths = await pathsOf(as(name));
      assert.deepEqual(
        paths.filter((path) => hidden.test(path)),
        [],
      );
    }
    const own = (await pathsOf(as('bob'))).filter((path) => hidden.test(path));
    assert.equal(own.length, 9);
    for (const path of own) {
      await assert.rejects(as('eve').entry(path), NotFoundError, path);
      await assert.rejects(as('nobody').read(path), NotFoundError, path);
    }
  });

  it('shows broken records as the bytes that they are', async (test) => {
    const { folder, as, look } = await given(test);
    const broken = {
      [`${home}/dataset.yaml`]: 'label: [\n',
      'queries/tall.yaml': Buffer.from([0x6c, 0xff, 0xfe]),
      'groups/gardeners.json': '{}',
      'users/big.yaml': `name: ${'x'.repeat(1024 * 1024)}\n`,
      [`${home}/versions/${slug}.yaml`]: '',
    };
    for (const [path, content] of Object.entries(broken)) folder.write(path, content);
    await look();
    const entries = new Map((await entriesOf(as('alice'), true)).map((entry) => [entry.path, entry]));
    for (const [path, content] of Object.entries(broken))
      assert.deepEqual(
        [entries.get(path)?.checksum, entries.get(path)?.size, entries.get(path)?.record],
        [sha256(content), Buffer.byteLength(content), true],
        path,
      );
    assert.equal(entries.get(`${home}/dataset.yaml`)?.text, 'label: [\n');
    assert.equal(entries.get('queries/tall.yaml')?.text, undefined);
  });

  it('says that a file is there which can’t be read, and nothing of what a link leads to', async (test) => {
    const { folder, as, look } = await given(test);
    await writeFile(folder.beside('outside'), 'label: Outside\n');
    await symlink(folder.beside('outside'), folder.path('queries/linked.yaml'));
    await symlink(folder.beside('outside'), folder.path(`${home}/versions.yaml`));
    await look();
    const linked = (await entriesOf(as('alice'), true)).find(({ path }) => path === 'queries/linked.yaml');
    assert.deepEqual([linked?.checksum, linked?.text], ['', undefined]);
    await assert.rejects(as('alice').read('queries/linked.yaml'), NotFoundError);
  });

  it('has those payloads that lie here whole, and what was withdrawn for who may bring it back', async (test) => {
    const { as } = await given(test, {
      versions: {
        [`parks/trees@${slug}`]: { ...version, ready: false },
        'parks/trees@20240201000000000000': { ...version, file: { name: 'gone.csv', size: 4 } },
        'parks/trees@20240301000000000000': { ...version, file: { name: 'half.csv', size: 400 } },
        'parks/trees@20240401000000000000': { id: 9, file: { name: 'unsummed.csv', format: 'csv' } },
        'parks/trees@20240501000000000000': { file: { url: 'https://example.org/a.csv' } },
      },
      files: {
        [`${home}/data/a.csv`]: csv,
        [`${home}/data/half.csv`]: csv,
        [`${home}/data/unsummed.csv`]: csv,
        [`${home}/data/nobodys.csv`]: csv,
      },
    });
    const payloads = async (name: Parameters<typeof as>[0]) =>
      (await entriesOf(as(name)))
        .filter(({ path }) => path.includes('/data/'))
        .map(({ path, checksum }) => [path.slice(home.length + 6), checksum]);
    assert.deepEqual(await payloads('bob'), [
      ['a.csv', sha256(csv)],
      ['unsummed.csv', sha256(csv)],
    ]);
    assert.deepEqual(await payloads('nobody'), [['unsummed.csv', sha256(csv)]]);
    await assert.rejects(as('alice').read(`${home}/data/nobodys.csv`), NotFoundError);
  });

  it('has a payload that a version shows, whatever others say that share it', async (test) => {
    const { as } = await given(test, {
      versions: {
        [`parks/trees@${slug}`]: version,
        'parks/trees@20240201000000000000': { ...version, id: 6, ready: false },
        'parks/trees@20240301000000000000': { ...version, id: 7, ready: false, draft: true },
      },
      files: { [`${home}/data/a.csv`]: csv },
    });
    for (const name of ['nobody', 'bob'] as const) {
      const paths = await pathsOf(as(name));
      assert.equal(paths.filter((path) => path === `${home}/data/a.csv`).length, 1);
      assert.equal((await as(name).entry(`${home}/data/a.csv`)).checksum, sha256(csv));
    }
  });

  it('hands out a record as it is now, or not at all', async (test) => {
    const { folder, as } = await given(test);
    const { checksum } = await as('bob').entry('queries/tall.yaml');
    folder.write('queries/tall.yaml', 'label: Other\ndataset: parks/trees\n');
    await assert.rejects(as('bob').read('queries/tall.yaml', { checksum }), { name: 'ConflictError' });
  });
});
