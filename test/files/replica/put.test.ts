/** Addition of bytes to a folder: atomic, by permitted users only, and never over other bytes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import {
  ConflictError,
  NotFoundError,
  NotPermittedError,
  UnavailableError,
  ValidationError,
} from '../../../src/catalogue/errors.ts';
import { removeAbandonedPayloads, removeLeftovers } from '../../../src/files/leftovers.ts';
import { bytes, given, pathsOf, people, sha256, succeed, write } from './replica-support.ts';

const home = 'namespaces/parks/datasets/trees';
const path = `${home}/data/a.csv`;
const csv = 'a,b\n1,2\n';

describe('bytes that are put', { concurrency: 4 }, () => {
  const cases = {
    [path]: 'alice bob localAdmin',
    'namespaces/water/datasets/ponds/data/a.csv': 'alice localAdmin',
    'namespaces/secret/datasets/later/data/a.csv': 'alice bob localAdmin',
    'site_media/a/oak.png': 'alice bob localAdmin',
    'site_media/a.html': 'alice localAdmin',
    'site_media/a.svg': 'alice localAdmin',
  };
  for (const [place, may] of Object.entries(cases))
    it(`are taken at ${place} from ${may}`, async (test) => {
      for (const name of Object.keys(people) as (keyof typeof people)[]) {
        const { folder, as } = await given(test);
        const put = as(name).put(place, bytes(csv));
        if (may.split(' ').includes(name)) {
          await put;
          assert.equal(readFileSync(folder.path(place), 'utf8'), csv);
        } else {
          await assert.rejects(put, NotPermittedError, name);
          assert.equal(existsSync(folder.path(place)), false, name);
        }
      }
    });

  it('are read only where they aren’t there yet', async (test) => {
    const { as } = await given(test);
    await as('bob').put(path, bytes(csv));
    const unread = () => {
      throw new Error('It was read.');
    };
    await as('bob').put(path, { ...bytes(csv), source: unread });
    await assert.rejects(as('bob').put(path, { ...bytes('other'), source: unread }), ConflictError);
  });

  it('are no Git LFS pointer, in whose place git would put the file that it names', async (test) => {
    const { folder, as } = await given(test);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256('secret')}\nsize 6\n`;
    for (const name of ['bob', 'localAdmin'] as const)
      await assert.rejects(as(name).put(path, bytes(pointer)), (error) => {
        assert.ok(error instanceof ValidationError);
        assert.match(JSON.stringify(error.fields), /Git LFS pointer/);
        return true;
      });
    assert.equal(existsSync(folder.path(path)), false);
    // It is no pointer to git if it is larger.
    await as('bob').put(path, bytes(pointer.padEnd(1025)));
  });

  it('are not taken while the folder is away, and make none in its place', async (test) => {
    const { folder, as } = await given(test);
    await as('alice').put('site_media/before.png', bytes(csv));
    const away = `${folder.root}.away`;
    renameSync(folder.root, away);
    try {
      for (const place of ['site_media/a/oak.png', path])
        await assert.rejects(as('alice').put(place, bytes(csv)), place === path ? Error : UnavailableError);
      assert.equal(existsSync(folder.root), false);
    } finally {
      if (!existsSync(folder.root)) renameSync(away, folder.root);
    }
    await as('alice').put('site_media/a/oak.png', bytes(csv));
  });

  it('leave nothing where they aren’t what was announced, or break off', async (test) => {
    const { folder, as } = await given(test);
    const other = 'namespaces/parks/datasets/none/data/a.csv';
    let controller = new AbortController();
    const endless = () =>
      new Readable({
        read() {
          this.push('a');
          setImmediate(() => controller.abort(new Error('Enough.')));
          this.read = () => undefined;
        },
      });
    const broken = () =>
      new Readable({
        read() {
          this.push('a');
          this.destroy(new Error('Cut off.'));
        },
      });
    for (const place of [path, other]) {
      const before = readdirSync(folder.path('namespaces/parks/datasets'));
      await assert.rejects(as('bob').put(place, { ...bytes(csv), checksum: sha256('other') }), ValidationError);
      await assert.rejects(as('bob').put(place, { ...bytes(csv), size: 4 }), ValidationError);
      await assert.rejects(as('bob').put(place, { ...bytes(csv), size: 400 }), ValidationError);
      await assert.rejects(as('bob').put(place, { ...bytes(csv), checksum: 'none' }), ValidationError);
      await assert.rejects(as('bob').put(place, { ...bytes(csv), source: broken }), /Cut off/);
      controller = new AbortController();
      const { signal } = controller;
      await assert.rejects(as('bob').put(place, { ...bytes(csv), source: endless, signal }), /Enough/);
      assert.deepEqual(readdirSync(folder.path('namespaces/parks/datasets')), before);
      assert.equal(existsSync(folder.path(`${home}/data`)), false);
    }
  });

  it('are one where two put the same at once, and a conflict where they put others', async (test) => {
    const { folder, as } = await given(test);
    await Promise.all([as('bob').put(path, bytes(csv)), as('alice').put(path, bytes(csv))]);
    assert.deepEqual(readdirSync(folder.path(`${home}/data`)), ['a.csv']);
    const place = `${home}/data/b.csv`;
    const both = await Promise.allSettled([as('bob').put(place, bytes('1')), as('alice').put(place, bytes('2'))]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.ok(both.some((one) => one.status === 'rejected' && one.reason instanceof ConflictError));
  });

  it('come before the version, the dataset even; until then nobody is shown them', async (test) => {
    const { folder, files, as } = await given(test);
    const oaks = 'namespaces/parks/datasets/oaks';
    await as('bob').put(`${oaks}/data/a.csv`, bytes(csv));
    await files.refresh([{ folder: '' }]);
    assert.equal((await pathsOf(as('bob'))).includes(`${oaks}/data/a.csv`), false);
    await assert.rejects(as('bob').read(`${oaks}/data/a.csv`), NotFoundError);
    // Neither a server that starts nor the next upload takes it for what a crash left.
    await removeAbandonedPayloads(folder.path(`${oaks}/data`));
    const end = new AbortController();
    const sweeping = removeLeftovers(folder.root, end.signal);
    setImmediate(() => end.abort());
    await sweeping;
    const record = `checksum: ${sha256(csv)}\nfile:\n  name: a.csv\n  format: csv\n  size: ${csv.length}\n`;
    await succeed(
      as('bob'),
      write(`${oaks}/dataset.yaml`, 'id: 30\nlabel: Oaks\n'),
      write(`${oaks}/versions/20240101000000000000.yaml`, record),
    );
    assert.equal(files.snapshot.folders.get('parks')?.datasets.get('oaks')?.versions[0]?.ready, true);
    assert.ok((await pathsOf(as('nobody'))).includes(`${oaks}/data/a.csv`));
  });

  it('make a version ready that waited for them', async (test) => {
    const { files, as } = await given(test, {
      versions: { 'parks/trees@v1': { checksum: sha256(csv), file: { name: 'a.csv', size: csv.length } } },
    });
    await files.load();
    const ready = () => files.snapshot.folders.get('parks')?.datasets.get('trees')?.versions[0]?.ready;
    assert.equal(ready(), false);
    await as('bob').put(path, bytes(csv));
    assert.equal(ready(), true);
  });

  it('need a namespace to lie in', async (test) => {
    const { as } = await given(test);
    await assert.rejects(as('alice').put('namespaces/none/datasets/a/data/a.csv', bytes(csv)), ConflictError);
  });

  for (const place of [
    `${home}/data/.hidden`,
    `${home}/data/../dataset.yaml`,
    `${home}/data/a/b.csv`,
    `${home}/data/a\\b.csv`,
    `${home}/data/a\0.csv`,
    `${home}/data/a:b.csv`,
    `${home}/data/CON`,
    `${home}/data/nul.csv`,
    `${home}/data/a.csv.`,
    `${home}/data/`,
    `${home}/dataset.yaml`,
    `/${path}`,
    'site_media/../catalogue.yaml',
    'site_media/.catalogue/a.png',
    'site_media/',
    '.catalogue/a.png',
    'namespaces/a b/datasets/c/data/a.csv',
  ])
    it(`have their place in the layout, and not at ${JSON.stringify(place)}`, async (test) => {
      const { as } = await given(test);
      await assert.rejects(as('localAdmin').put(place, bytes(csv)), (error: Error) => {
        assert.ok(error instanceof ValidationError);
        assert.match(error.message, /^path: ".*" is not the path of a payload or an image\.$/);
        return true;
      });
    });

  it('go where no link leads out of the folder', async (test) => {
    const { folder, as } = await given(test);
    const outside = folder.beside('outside');
    await mkdir(outside);
    await symlink(outside, folder.path(`${home}/data`));
    await symlink(outside, folder.path('site_media'));
    await symlink(`${outside}/gone`, folder.path('namespaces/parks/datasets/linked'));
    for (const place of [path, 'site_media/a.png', 'namespaces/parks/datasets/linked/data/a.csv'])
      await assert.rejects(as('localAdmin').put(place, bytes(csv)), ConflictError);
    assert.deepEqual(readdirSync(outside), []);
  });
});

describe('what a replica writes in a repository', () => {
  it('does not wait for commits, if no file is moved', async (test) => {
    const { files, as } = await given(test, { settings: { git: { commit: true } } });
    await as('bob').put(path, bytes(csv));
    const version = (name: string, column: string) =>
      write(
        `${home}/versions/${name}.yaml`,
        `checksum: ${sha256(csv)}\nfile: {name: a.csv, size: 8}\ncolumns: [{name: ${column}, type: string}]\n`,
      );
    await succeed(as('bob'), version('v1', 'a'));
    await as('localAdmin').fitColumns?.([`${home}/versions/v1.yaml`]);
    files.commits.drained = () => Promise.reject(new Error('It waits.'));
    await succeed(as('bob'), version('v2', 'b'));
  });

  it('is one commit for one call, by who wrote', async (test) => {
    const { folder, files, as, seen } = await given(test, { settings: { git: { commit: true } } });
    const git = (...args: string[]) => execFileSync('git', ['-C', folder.root, ...args], { encoding: 'utf8' });
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    git('init', '--quiet');
    git('add', '.');
    git(...author, 'commit', '--quiet', '--message', 'Begin');
    await as('bob').put(path, bytes(csv));
    const dataset = `${home}/dataset.yaml`;
    await succeed(
      as('bob'),
      write(`${home}/versions/v1.yaml`, `checksum: ${sha256(csv)}\nfile: {name: a.csv, size: 8}\n`),
      write(dataset, 'id: 11\nlabel: Trees!\n', seen(dataset)),
      { do: 'move', path: 'queries/tall.yaml', to: 'queries/high.yaml', ifMatch: seen('queries/tall.yaml') },
    );
    await as('bob').apply([write(dataset, 'label: [', seen(dataset))]);
    await files.commits.idle();
    const log = git('log', '--format=%an|%B', '--name-only').trim();
    assert.equal(
      log.replace(/\n+/g, '\n').slice(0, log.replace(/\n+/g, '\n').indexOf('Test|')).trim(),
      [
        'bob|Change 3 records',
        'Add version parks/trees@v1',
        'Edit dataset parks/trees',
        'Rename query tall to query high',
        dataset,
        `${home}/versions/v1.yaml`,
        'queries/high.yaml',
        'bob|Add data of dataset parks/trees',
        path,
      ].join('\n'),
    );
    assert.equal(git('status', '--porcelain', '--', 'namespaces', 'queries'), '');
  });
});
