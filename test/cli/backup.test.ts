import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { filesIn, makeRoot, type PromptOptions, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const withUsers = { ...seed, users: { ann: { id: 1, staff: true, groups: [] } } };

/** A catalogue with accounts, and a way to type commands beside it. */
async function place() {
  const root = await makeRoot(withUsers);
  const cwd = dirname(root);
  const at = (line: string, options: PromptOptions = {}) =>
    type(line.split(' '), { root, cwd, env: { CATALOGUE_DATA: '' }, ...options });
  const done = async (line: string) => {
    const result = await at(line);
    assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
    return result;
  };
  const { out } = await done('token add ann');
  return { root, cwd, at, done, token: out.trim(), path: (name: string) => join(cwd, name) };
}

async function usernameOf(root: string, token: string): Promise<string | null> {
  const files = await openFileCatalogue(root);
  const viewer = await files.accounts.viewerByToken(token);
  await files.close();
  return viewer?.username ?? null;
}

describe('backup and restore', () => {
  it('bring a catalogue back from one file, with its accounts and its trash', async () => {
    const { root, done, token, path } = await place();
    await done('dataset remove parks/benches --yes');
    mkdirSync(join(root, '.catalogue/cache'), { recursive: true });
    writeFileSync(join(root, '.catalogue/cache/x'), 'x');
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git/HEAD'), 'x');
    const payload = 'namespaces/parks/datasets/trees/data/trees.csv';
    utimesSync(join(root, payload), 1e9, 1e9);
    const { err } = await done('backup a.tar.gz');
    assert.match(err, /^Wrote \d+ files to a\.tar\.gz\.\n$/);
    assert.equal(statSync(path('a.tar.gz')).mode & 0o777, 0o600);

    assert.equal((await done('restore a.tar.gz copy')).err, 'Restored copy.\n');
    assert.deepEqual(
      filesIn(path('copy')),
      filesIn(root).filter((name) => !name.startsWith('.git/')),
    );
    for (const name of filesIn(path('copy')))
      assert.deepEqual(readFileSync(join(path('copy'), name)), readFileSync(join(root, name)), name);
    assert.equal(statSync(join(path('copy'), payload)).mtimeMs, 1e12);
    assert.ok(!existsSync(join(path('copy'), '.catalogue/cache')));
    assert.equal(statSync(join(path('copy'), '.catalogue/accounts.json')).mode & 0o777, 0o600);
    assert.equal(statSync(join(path('copy'), '.catalogue')).mode & 0o777, 0o700);
    assert.equal(await usernameOf(path('copy'), token), 'ann');
    assert.match((await done('trash restore parks/benches --data copy')).err, /Restored/);
    assert.equal((await done('check --deep --data copy')).exitCode, 0);
  });

  it('overwrite nothing unless told to, and leave nothing behind', async () => {
    const { root, at, done, path, cwd } = await place();
    await done('backup a.tar.gz');
    const before = readFileSync(path('a.tar.gz'));
    const again = await at('backup a.tar.gz');
    assert.deepEqual([again.exitCode, readFileSync(path('a.tar.gz')).equals(before)], [5, true]);
    assert.match(again.err, /exists already\. Name another file, or replace it with --force\./);
    await done('backup a.tar.gz --force');
    assert.match((await at('backup catalogue-data/a.tar.gz')).err, /must not lie in the catalogue folder/);
    assert.match((await at('backup nowhere/a.tar.gz')).err, /^error: /);

    writeFileSync(join(root, 'own.txt'), 'mine');
    writeFileSync(join(root, 'namespaces/parks/namespace.yaml'), 'id: 1\nlabel: Changed\n');
    const refused = await at('restore a.tar.gz');
    assert.equal(refused.exitCode, 5);
    assert.match(
      refused.err,
      /catalogue-data isn't empty \(.* is in it\)\. Name a new folder, or restore into this one with --force/,
    );
    await done('restore a.tar.gz --force');
    assert.match(readFileSync(join(root, 'namespaces/parks/namespace.yaml'), 'utf8'), /Parks department/);
    assert.equal(readFileSync(join(root, 'own.txt'), 'utf8'), 'mine');

    writeFileSync(path('text.txt'), 'no archive');
    for (const name of ['text.txt', 'nothing.tar.gz']) {
      const { err, exitCode } = await at(`restore ${name} other`);
      assert.equal(exitCode, name === 'text.txt' ? 1 : 3, err);
      assert.match(err, name === 'text.txt' ? /is not a backup of a catalogue/ : /There is no file /);
    }
    const changed = Buffer.from(before).fill(0, before.length >> 1, (before.length >> 1) + 50);
    for (const bytes of [before.subarray(0, -200), before.subarray(0, before.length >> 1), changed]) {
      writeFileSync(path('cut.tar.gz'), bytes);
      assert.match((await at('restore cut.tar.gz other')).err, /cut\.tar\.gz ends too early or is damaged/);
    }
    assert.ok(!existsSync(path('other')));
    assert.deepEqual(
      readdirSync(cwd).filter((name) => name.includes('tmp')),
      [],
    );
  });

  it('give a clone from git its passwords and tokens back, which the server has missed', async (t) => {
    const { root, at, done, token } = await place();
    await done('backup a.tar.gz');
    const before = filesIn(root);
    rmSync(join(root, '.catalogue'), { recursive: true });
    const warned = await serveFolder(root);
    t.after(warned.close);
    assert.match(
      warned.startLog.join('\n'),
      /^Nobody can sign in yet\. Set a password with: catalogue user passwd NAME\. .*catalogue restore BACKUP --accounts$/m,
    );
    assert.equal(await usernameOf(root, token), null);
    assert.equal(
      (await done('restore a.tar.gz --accounts')).err,
      'Restored the passwords and tokens of catalogue-data.\n',
    );
    assert.equal(await usernameOf(root, token), 'ann');
    const refused = await at('restore a.tar.gz --accounts');
    assert.equal(refused.exitCode, 5, refused.err);
    assert.match(refused.err, /has passwords or tokens\. With --force, those of the backup replace them/);
    writeFileSync(join(root, '.catalogue/accounts.json'), '{"passwords": ');
    await done('restore a.tar.gz --accounts');
    const inside = await type(['restore', '../a.tar.gz', '--accounts', '--force'], {
      root,
      cwd: root,
      env: { CATALOGUE_DATA: '' },
    });
    assert.equal(inside.err, 'Restored the passwords and tokens of catalogue-data.\n');
    assert.deepEqual(filesIn(root), before);
    const { log, close } = await serveFolder(root);
    t.after(close);
    assert.deepEqual(log, []);
    assert.equal((await at('restore a.tar.gz nowhere --accounts')).exitCode, 1);
  });

  it('restores into a folder that is there, such as a volume, and keeps that folder', async (t) => {
    const { done, at, path, token } = await place();
    await done('backup a.tar.gz');
    mkdirSync(path('empty'), { mode: 0o750 });
    const before = statSync(path('empty'));
    // What a restore that was killed has left is no file of a catalogue.
    mkdirSync(path('empty/.0123456789abcdef.catalogue-tmp'));
    utimesSync(path('empty/.0123456789abcdef.catalogue-tmp'), 1, 1);
    await done('restore a.tar.gz empty');
    const after = statSync(path('empty'));
    assert.deepEqual([after.ino, after.mode], [before.ino, before.mode]);
    assert.equal(await usernameOf(path('empty'), token), 'ann');
    writeFileSync(path('file'), 'mine');
    assert.match((await at('restore a.tar.gz file')).err, /file: It is a file, not a folder\.\n$/);
    assert.equal(readFileSync(path('file'), 'utf8'), 'mine');

    mkdirSync(path('volume'));
    if (spawnSync('mount', ['-t', 'tmpfs', 'none', path('volume')]).status !== 0) return;
    t.after(() => spawnSync('umount', ['-l', path('volume')]));
    await done('restore a.tar.gz volume');
    rmSync(path('volume/.catalogue'), { recursive: true });
    await done('restore a.tar.gz volume --force');
    assert.equal(statSync(path('volume/.catalogue')).mode & 0o777, 0o700);
    assert.equal(await usernameOf(path('volume'), token), 'ann');
    assert.equal((await done('check --data volume')).exitCode, 0);
  });

  it('leaves the last backup and the folder as they are if the folder is not a catalogue', async () => {
    const { at, done, path } = await place();
    await done('backup a.tar.gz');
    const before = readFileSync(path('a.tar.gz'));
    mkdirSync(path('unmounted'));
    for (const file of ['a.tar.gz', 'new.tar.gz', '-']) {
      const { exitCode, out, err } = await at(`backup ${file} --force --data unmounted`);
      assert.deepEqual([exitCode, out], [1, '']);
      assert.match(err, /^error: The folder \S*unmounted is not a catalogue: .*\n$/);
    }
    await at('diff main --data unmounted');
    assert.deepEqual(readdirSync(path('unmounted')), []);
    assert.ok(readFileSync(path('a.tar.gz')).equals(before));
    assert.deepEqual(readdirSync(path('')).sort(), ['a.tar.gz', 'catalogue-data', 'unmounted']);
  });

  it('writes behind a link, and to a FIFO, which stay what they are', async () => {
    const { root, at, done, path, cwd } = await place();
    mkdirSync(path('disk'));
    writeFileSync(path('disk/old.tar.gz'), 'old');
    for (const name of ['old', 'new']) {
      symlinkSync(`disk/${name}.tar.gz`, path(`${name}-link`));
      assert.equal((await at(`backup ${name}-link`)).exitCode, 5);
      await done(`backup ${name}-link --force`);
      assert.equal(readlinkSync(path(`${name}-link`)), `disk/${name}.tar.gz`);
      await done(`restore disk/${name}.tar.gz ${name}`);
    }
    execFileSync('mkfifo', [path('fifo')]);
    const reader = spawn('cat', [path('fifo')]);
    const received = buffer(reader.stdout);
    await done('backup fifo --force');
    writeFileSync(path('received.tar.gz'), await received);
    assert.ok(statSync(path('fifo')).isFIFO());
    await done('restore received.tar.gz from-fifo');

    symlinkSync('catalogue-data', path('same'));
    symlinkSync('../catalogue-data/in.tar.gz', path('disk/inside'));
    for (const [file, data] of [
      ['same/in.tar.gz', 'catalogue-data'],
      ['catalogue-data/in.tar.gz', 'same'],
      ['disk/inside', 'catalogue-data'],
    ]) {
      const { err, exitCode } = await at(`backup ${file} --force --data ${data}`);
      assert.deepEqual([exitCode, /must not lie in the catalogue folder/.test(err)], [5, true], err);
    }
    assert.ok(!existsSync(join(root, 'in.tar.gz')));
    assert.deepEqual(
      [...readdirSync(cwd), ...readdirSync(path('disk'))].filter((name) => name.includes('tmp')),
      [],
    );
  });

  it('warns of accounts that are damaged, and keeps them as they are', async () => {
    const { root, done, path } = await place();
    writeFileSync(join(root, '.catalogue/accounts.json'), '{"passwords": [');
    const { err } = await done('backup a.tar.gz');
    assert.match(
      err,
      /^Warning: \.catalogue\/accounts\.json is damaged at line 1, .* The backup has the file as it is\.\n/,
    );
    await done('restore a.tar.gz copy');
    assert.equal(readFileSync(path('copy/.catalogue/accounts.json'), 'utf8'), '{"passwords": [');
  });

  it('blames no permission for accounts that are a folder', async () => {
    const { root, done } = await place();
    rmSync(join(root, '.catalogue/accounts.json'), { force: true });
    mkdirSync(join(root, '.catalogue/accounts.json'));
    const { err } = await done('backup a.tar.gz');
    assert.match(err, /^Warning: \.catalogue\/accounts\.json can't be read \(EISDIR\)\. The backup has/);
  });

  it('writes to stdout', async () => {
    const { at } = await place();
    const { exitCode, out, err } = await at('backup -');
    assert.equal(exitCode, 0, err);
    assert.match(err, /to stdout\.\n$/);
    assert.equal(out.charCodeAt(0), 0x1f, 'gzip');
  });
});

const home = 'namespaces/parks/datasets/trees';

/** The lines about what was left out, without what goes before and after. */
const warningsOf = (err: string) => [...err.matchAll(/^Warning: (.*)\.$/gm)].map(([, text]) => text);

/** A backup with any entries, as another program or an older version may have made it. */
function archiveOf(entries: readonly (HeaderData & { readonly content?: string })[]): Buffer {
  const blocks = entries.flatMap(({ content = '', ...fields }) => {
    const header = Buffer.alloc(512);
    new Header({ mode: 0o644, mtime: new Date(0), ...fields, size: content.length }).encode(header);
    return [header, Buffer.from(content.padEnd(Math.ceil(content.length / 512) * 512, '\0'))];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

describe('a backup of a folder with links', () => {
  it('has what the program follows, as relative links, and names the links that leave the folder', async () => {
    const { root, done, path } = await place();
    const data = `${home}/data`;
    mkdirSync(join(root, data, 'store'));
    renameSync(join(root, data, 'trees.csv'), join(root, data, 'store/real.csv'));
    symlinkSync(join(root, data, 'store/real.csv'), join(root, data, 'trees.csv'));
    mkdirSync(join(root, 'site_media'));
    writeFileSync(join(root, 'site_media/a.txt'), 'a');
    writeFileSync(path('secret'), 'secret');
    mkdirSync(path('outside'));
    for (const [target, name] of [
      ['a.txt', 'site_media/inside.txt'],
      ['../../catalogue-data/site_media/a.txt', 'site_media/around.txt'],
      ['later.txt', 'site_media/nothing.txt'],
      [path('secret'), 'notes.txt'],
      ['../../secret', 'site_media/out.txt'],
      ['../../../missing', 'site_media/lost.txt'],
      ['../../outside', 'namespaces/out'],
    ] as const)
      symlinkSync(target, join(root, name));

    const { err } = await done('backup a.tar.gz');
    const left = ['namespaces/out', 'notes.txt', 'site_media/lost.txt', 'site_media/out.txt'];
    const reason = 'it is a link that leaves the catalogue folder, and is not followed';
    assert.deepEqual(
      warningsOf(err),
      left.map((name) => `${name} is not in the backup: ${reason}`),
    );
    const { out } = await done('backup a.tar.gz --force --json');
    assert.deepEqual(
      JSON.parse(out).skipped,
      left.map((name) => ({ path: name, reason })),
    );
    assert.equal((await done('restore a.tar.gz copy')).err, 'Restored copy.\n');
    const link = (name: string) => readlinkSync(join(path('copy'), name));
    assert.equal(link(`${data}/trees.csv`), 'store/real.csv');
    for (const name of ['inside', 'around']) assert.equal(link(`site_media/${name}.txt`), 'a.txt');
    assert.equal(link('site_media/nothing.txt'), 'later.txt');
    for (const name of left) assert.throws(() => link(name), { code: 'ENOENT' });
    rmSync(root, { recursive: true });
    assert.equal((await done('check --deep --data copy')).exitCode, 0);
  });

  it('is restored as it was if links lead to other links, or in a circle', async () => {
    const { root, done, path, token } = await place();
    const targets = {
      a: 'catalogue.yaml',
      b: 'a',
      c: 'namespaces',
      d: 'c/parks/namespace.yaml',
      'namespaces/parks/up': '../../c',
      [`${home}/data/new.csv`]: 'trees.csv',
      [`${home}/data/newest.csv`]: 'new.csv',
      x: 'y',
      y: 'x',
    };
    for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(root, name));
    await done('backup a.tar.gz');
    assert.equal((await done('restore a.tar.gz copy')).err, 'Restored copy.\n');
    for (const [name, target] of Object.entries(targets))
      assert.equal(readlinkSync(join(path('copy'), name)), target, name);
    assert.equal(readFileSync(join(path('copy'), 'd'), 'utf8'), readFileSync(join(root, 'd'), 'utf8'));
    await done('restore a.tar.gz copy --force');
    rmSync(join(root, '.catalogue/accounts.json'));
    await done('restore a.tar.gz --accounts');
    assert.equal(await usernameOf(root, token), 'ann');
  });

  it('has the links of the trash so that they lead to the same place after they are restored', async () => {
    const { root, done, path } = await place();
    const data = join(root, home, 'data');
    renameSync(join(data, 'trees.csv'), join(data, 'real.csv'));
    symlinkSync(join(data, 'real.csv'), join(data, 'trees.csv'));
    await done('dataset remove parks/trees --yes');
    await done('backup a.tar.gz');
    await done('restore a.tar.gz copy');
    await done('trash restore parks/trees --data copy');
    assert.equal(readlinkSync(join(path('copy'), home, 'data/trees.csv')), 'real.csv');
  });

  it('has the passwords in a private folder that is a link', async () => {
    const { root, done, path, token } = await place();
    renameSync(join(root, '.catalogue'), path('private'));
    symlinkSync('../private', join(root, '.catalogue'));
    await done('backup a.tar.gz');
    await done('restore a.tar.gz copy');
    assert.equal(await usernameOf(path('copy'), token), 'ann');
  });

  it('stores a file with two names once', async () => {
    const { root, done, path } = await place();
    linkSync(join(root, home, 'data/trees.csv'), join(root, home, 'data/same.csv'));
    await done('backup a.tar.gz');
    await done('restore a.tar.gz copy');
    const inode = (name: string) => statSync(join(path('copy'), home, 'data', name)).ino;
    assert.equal(inode('same.csv'), inode('trees.csv'));
  });
});

describe('a backup of a folder with other things than files', () => {
  it('leaves out FIFOs, sockets and names that no archive holds, and names them', async (t) => {
    const { root, done, path } = await place();
    mkdirSync(join(root, 'site_media/empty'), { recursive: true });
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const socket = createServer().listen(join(root, 'socket'));
    t.after(() => socket.close());
    await new Promise((listening) => socket.once('listening', listening));
    const names = [Buffer.from('latin-\xe9', 'latin1'), Buffer.from('two\nlines'), Buffer.from('\\..\\')];
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${root}/site_media/`), name]), '');
    const long = `site_media/${`${'a'.repeat(250)}/`.repeat(3)}é${'b'.repeat(240)}.txt`;
    mkdirSync(dirname(join(root, long)), { recursive: true });
    writeFileSync(join(root, long), 'long');
    mkdirSync(join(root, 'c:'));
    writeFileSync(join(root, 'c:/日本.txt'), 'drive');

    const warnings = warningsOf((await done('backup a.tar.gz')).err);
    assert.deepEqual(warnings.slice(0, 1), ['fifo is not in the backup: it is a FIFO']);
    assert.deepEqual(warnings.slice(-1), ['socket is not in the backup: it is a socket']);
    assert.equal(warnings.length, 2 + names.length, warnings.join('\n'));
    assert.equal((await done('restore a.tar.gz copy')).err, 'Restored copy.\n');
    assert.equal(readFileSync(join(path('copy'), long), 'utf8'), 'long');
    assert.equal(readFileSync(join(path('copy'), 'c:/日本.txt'), 'utf8'), 'drive');
    assert.ok(statSync(join(path('copy'), 'site_media/empty')).isDirectory());
  });

  it('has a file of which each byte is the same', async () => {
    const { root, done, path } = await place();
    mkdirSync(join(root, 'site_media'));
    writeFileSync(join(root, 'site_media/zeros'), '');
    truncateSync(join(root, 'site_media/zeros'), 100_000_000);
    await done('backup a.tar.gz');
    await done('restore a.tar.gz copy');
    assert.equal(statSync(join(path('copy'), 'site_media/zeros')).size, 100_000_000);
  });
});

describe('restore', () => {
  it('skips what would leave the folder, names it, and writes nothing outside', async () => {
    const { done, path, cwd } = await place();
    mkdirSync(path('outside'));
    writeFileSync(path('outside/file'), 'mine');
    const before = readdirSync(cwd);
    const link = (name: string, linkpath: string) => ({ path: name, type: 'SymbolicLink', linkpath }) as const;
    const file = (name: string) => ({ path: name, type: 'File', content: 'theirs' }) as const;
    const unsafe = [
      [link('./notes.txt', '/etc/hostname'), 'it is a link that leaves the folder'],
      [link('./namespaces/out', '../../outside'), 'it is a link that leaves the folder'],
      [link('./site_media/up', 'a/../../../outside'), 'it is a link that leaves the folder'],
      [file('../outside/file'), 'its path leaves the folder'],
      [file(path('outside/new')), 'its path leaves the folder'],
      [file('./inside/new'), 'it lies behind a link'],
      [{ path: './hard', type: 'Link', linkpath: '../outside/file' }, 'it is a link to a file outside of the folder'],
      [{ path: './fifo', type: 'FIFO' }, 'it is neither a file nor a folder'],
      [link('./catalogue.yaml', 'inside'), 'it is a link, and a file or folder has the same name'],
    ] as const;
    const safe = [
      { path: './catalogue.yaml', type: 'File', content: 'title: T\n' },
      { path: './site_media/', type: 'Directory', mode: 0o755 },
      link('./inside', 'site_media'),
      link('./site_media/a', '..'),
    ] as const;
    writeFileSync(path('b.tar.gz'), archiveOf([...safe, ...unsafe.map(([entry]) => entry)]));
    const { err } = await done('restore b.tar.gz copy');
    assert.deepEqual(
      warningsOf(err),
      unsafe.map(
        ([entry, reason]) =>
          `${entry.path.replace('./', entry.path.startsWith('..') ? './' : '')} was not restored: ${reason}`,
      ),
    );
    assert.deepEqual(filesIn(path('copy')), ['catalogue.yaml']);
    assert.equal(readlinkSync(path('copy/inside')), 'site_media');
    assert.equal(readFileSync(path('outside/file'), 'utf8'), 'mine');
    assert.deepEqual(readdirSync(path('outside')), ['file']);
    assert.deepEqual(readdirSync(cwd), [...before, 'b.tar.gz', 'copy'].sort());
    const { out } = await done('restore b.tar.gz other --json');
    assert.equal(JSON.parse(out).skipped.length, unsafe.length);
  });

  describe('with --force, into a folder in which something was made more private since', () => {
    const private1 = ['dataset edit parks/trees --visibility private', 'dataset edit parks/trees --visibility public'];
    const cases: Readonly<Record<string, readonly [hide: readonly string[], named: RegExp, show: string]>> = {
      'a dataset': [
        private1.slice(0, 1),
        /^ {2}dataset parks\/trees: it was made private since the backup$/m,
        private1[1] ?? '',
      ],
      'a namespace': [
        ['namespace edit parks --visibility private'],
        /^ {2}namespace parks: it was made private since the backup$/m,
        'namespace edit parks --visibility public',
      ],
      'readers of a private dataset': [
        ['dataset edit parks/plans --reader '],
        /^ {2}dataset parks\/plans: readers or owners were removed since the backup$/m,
        'dataset edit parks/plans --reader user:ann',
      ],
      'readers of a dataset in a private namespace': [
        ['dataset edit secret/maps --reader '],
        /^ {2}dataset secret\/maps: readers or owners were removed since the backup$/m,
        'dataset edit secret/maps --reader user:ann',
      ],
      'a version that was withdrawn': [
        ['version edit parks/trees@20200102030405000000 --ready false'],
        /^ {2}version parks\/trees@20200102030405000000: it was withdrawn since the backup$/m,
        'version edit parks/trees@20200102030405000000 --ready true',
      ],
      'a dataset that was moved to a private namespace': [
        ['dataset edit parks/trees --namespace secret'],
        /^ {2}dataset secret\/trees: it was moved to a namespace that fewer people see since the backup$/m,
        'dataset edit secret/trees --namespace parks',
      ],
    };
    for (const [what, [hide, named, show]] of Object.entries(cases))
      it(`stops before it writes, and names it: ${what}`, async () => {
        const { root, at, done } = await place();
        await done('namespace add secret --label S --visibility private');
        await done('dataset add parks/plans --label P --visibility private --reader user:ann');
        await done('dataset add secret/maps --label M --reader user:ann');
        await done('backup a.tar.gz');
        for (const line of hide) await done(line);
        const before = filesIn(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]);
        const { exitCode, err } = await at('restore a.tar.gz --force');
        assert.equal(exitCode, 5, err);
        assert.match(err, named);
        assert.match(err, /Nothing was restored/);
        assert.deepEqual(
          filesIn(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
          before,
        );
        await done('restore a.tar.gz new');
        await done(show);
        await done('restore a.tar.gz --force');
      });

    it('stops before it writes, and names it: a namespace whose record is broken in the backup', async () => {
      const { root, at, done } = await place();
      const record = join(root, 'namespaces/parks/namespace.yaml');
      writeFileSync(record, 'label: [\n');
      await done('backup a.tar.gz');
      writeFileSync(record, 'label: Parks\nvisibility: private\n');
      const { exitCode, err } = await at('restore a.tar.gz --force');
      assert.equal(exitCode, 5, err);
      assert.match(err, /^ {2}namespace parks: it was made private since the backup$/m);
      assert.match(readFileSync(record, 'utf8'), /private/);
    });

    it('goes on where everything is as private as before, or more open', async () => {
      const { root, done } = await place();
      await done('dataset add parks/plans --label P --visibility private');
      await done('backup a.tar.gz');
      await done('dataset edit parks/plans --visibility public --label New');
      await done('dataset remove parks/trees --yes');
      writeFileSync(join(root, 'namespaces/parks/namespace.yaml'), 'label: [\n');
      await done('restore a.tar.gz --force');
      assert.match(
        readFileSync(join(root, 'namespaces/parks/datasets/plans/dataset.yaml'), 'utf8'),
        /visibility: private/,
      );
      assert.equal((await done('check')).exitCode, 0);
    });
  });

  it('replaces links of the folder, and writes nothing behind them', async () => {
    const { root, at, done, path } = await place();
    await done('backup a.tar.gz');
    renameSync(join(root, 'namespaces'), path('outside'));
    symlinkSync('../outside', join(root, 'namespaces'));
    writeFileSync(path('outside/parks/namespace.yaml'), 'mine');
    await done('restore a.tar.gz --force');
    assert.equal(readFileSync(path('outside/parks/namespace.yaml'), 'utf8'), 'mine');
    assert.equal((await done('check')).exitCode, 0);
    rmSync(join(root, 'catalogue.yaml'));
    mkdirSync(join(root, 'catalogue.yaml/mine'), { recursive: true });
    assert.match((await at('restore a.tar.gz --force')).err, /catalogue\.yaml is a folder, and a file in the backup/);
  });

  for (const disk of [tmpdir(), '/dev/shm'])
    it(`puts the private folder where a link leads, below ${disk}`, { skip: !existsSync(disk) }, async (t) => {
      const { root, at, done, token } = await place();
      const other = mkdtempSync(join(disk, 'catalogue-private-'));
      t.after(() => rmSync(other, { recursive: true, force: true }));
      const target = join(other, 'private');
      await done('dataset remove parks/benches --yes');
      await done('backup a.tar.gz');
      cpSync(join(root, '.catalogue'), target, { recursive: true });
      rmSync(join(root, '.catalogue'), { recursive: true });
      symlinkSync(target, join(root, '.catalogue'));
      await done('dataset remove parks/trees --yes');
      for (const option of ['--force', '--accounts']) {
        rmSync(join(target, 'accounts.json'));
        await done(`restore a.tar.gz ${option}`);
        assert.equal(readlinkSync(join(root, '.catalogue')), target);
        assert.equal(await usernameOf(root, token), 'ann');
      }
      const { out } = await done('trash list');
      assert.match(out, /parks\/trees/);
      assert.match(out, /parks\/benches/);
      rmSync(target, { recursive: true });
      for (const option of ['--force', '--accounts'])
        assert.match((await at(`restore a.tar.gz ${option}`)).err, /\.catalogue is a link that leads nowhere/);
    });
});
