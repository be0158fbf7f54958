/** Backups of a folder that changes meanwhile, as one under a running server does. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { writerMark } from '../../src/disk/writer.ts';
import { restoreBackup, writeBackup } from '../../src/files/folder.ts';
import { replaceBuiltin } from '../support/builtin.ts';
import { openFilesIn } from '../support/open-files.ts';
import { filesIn } from '../support/prompt.ts';

const payload = (dataset: string) => `namespaces/parks/datasets/${dataset}/data/v.bin`;

/** A folder with a payload of some MB, which isn't compressed at once, and with small ones of other datasets. */
async function makeFolder(t: TestContext, datasets: readonly string[]) {
  const place = await mkdtemp(join(tmpdir(), 'catalogue-backup-'));
  t.after(() => rm(place, { recursive: true }));
  const root = join(place, 'catalogue-data');
  const write = (path: string, bytes: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  };
  write('catalogue.yaml', 'title: T\n');
  write(payload('abig'), randomBytes(8_000_000));
  for (const dataset of datasets) {
    write(payload(dataset), dataset);
    write(`namespaces/parks/datasets/${dataset}/dataset.yaml`, `label: ${dataset}\n`);
  }
  const folderOf = (dataset: string) => join(root, 'namespaces/parks/datasets', dataset);
  return { place, root, write, folderOf };
}

/** Backs up a folder, and changes it when the first bytes have come. @returns texts of the restored files, and the report */
async function backUpDuring(place: string, change: () => void) {
  const chunks: Buffer[] = [];
  const report = await writeBackup(join(place, 'catalogue-data'), async (archive: Readable) => {
    for await (const chunk of archive) if (chunks.push(chunk) === 1) change();
  });
  const copy = join(place, 'copy');
  writeFileSync(join(place, 'a.tar.gz'), Buffer.concat(chunks));
  await restoreBackup(join(place, 'a.tar.gz'), copy);
  const small = filesIn(copy).filter((path) => path !== payload('abig'));
  return { report, files: Object.fromEntries(small.map((path) => [path, readFileSync(join(copy, path), 'utf8')])) };
}

test('a dataset that is renamed meanwhile is in the backup as a whole, by its former name', async (t) => {
  const { place, root, folderOf, write } = await makeFolder(t, ['trees', 'wells']);
  const { files, report } = await backUpDuring(place, () => {
    renameSync(folderOf('trees'), folderOf('zz'));
    write('namespaces/parks/datasets/zz/dataset.yaml', 'label: renamed\n');
    renameSync(folderOf('wells'), join(root, 'namespaces/wells'));
  });
  assert.deepEqual(files, {
    'catalogue.yaml': 'title: T\n',
    'namespaces/parks/datasets/trees/dataset.yaml': 'label: trees\n',
    [payload('trees')]: 'trees',
    'namespaces/parks/datasets/wells/dataset.yaml': 'label: wells\n',
    [payload('wells')]: 'wells',
  });
  assert.deepEqual(report, { files: 6, skipped: [], damage: null });
});

test('caches of imports, and notes of commits in a repository that is not in the backup, are left out', async (t) => {
  const { place, write } = await makeFolder(t, []);
  const kept = ['accounts.json', 'trash/1/entry.json', 'remotes/city.json'].map((path) => `.catalogue/${path}`);
  for (const path of kept) write(path, '{}');
  for (const path of ['import/answers/1.json', 'commits/1.json', 'cache/snapshot.ndjson'])
    write(`.catalogue/${path}`, '{}');
  await backUpDuring(place, () => {});
  const restored = readdirSync(join(place, 'copy'), { recursive: true }).map(String);
  const expected = [...kept, '.catalogue/.gitignore'].sort();
  assert.deepEqual(restored.filter((path) => /^\.catalogue\/.*\.\w+$/.test(path)).sort(), expected);
});

test('a backup and what is restored from it are on disk before they are said to be done', async (t) => {
  const { place, root } = await makeFolder(t, ['trees']);
  const synced: string[] = [];
  const openNow = fs.openSync;
  replaceBuiltin(t, fs, 'openSync', (path: string, ...rest: [number]) => {
    synced.push(path);
    return openNow(path, ...rest);
  });
  /** Folders that are opened to be synced, by their place; temporary ones have no name of their own. */
  const syncedBy = async (work: () => Promise<unknown>) => {
    synced.length = 0;
    await work();
    return synced.filter((path) => path.startsWith(place)).map((path) => path.replace(/\.[^/]*\.catalogue-tmp/, 'new'));
  };
  const archive = join(place, 'a.tar.gz');
  assert.equal((await syncedBy(() => writeBackup(root, archive))).at(-1), place);
  const copy = join(place, 'copy');
  const fresh = await syncedBy(() => restoreBackup(archive, copy));
  assert.equal(fresh.at(-1), place);
  assert.ok(fresh.includes(join(place, 'new', dirname(payload('trees')))));
  const merged = await syncedBy(() => restoreBackup(archive, copy, { force: true }));
  for (const folder of [join(copy, 'new', dirname(payload('trees'))), join(copy, dirname(payload('trees'))), copy])
    assert.ok(merged.includes(folder), folder);
});

test('a payload that is deleted meanwhile is left out, and named; one that is replaced is the new one', async (t) => {
  const { place, root, write } = await makeFolder(t, ['trees', 'wells']);
  const { files, report } = await backUpDuring(place, () => {
    rmSync(join(root, payload('trees')));
    write('new.bin', 'replaced');
    renameSync(join(root, 'new.bin'), join(root, payload('wells')));
  });
  assert.equal(files[payload('wells')], 'replaced');
  assert.equal(files[payload('trees')], undefined);
  const reason = 'it was removed while the backup was written';
  assert.deepEqual(report, { files: 5, skipped: [{ path: payload('trees'), reason }], damage: null });
});

test('a folder that is unmounted meanwhile fails the backup', async (t) => {
  const { place, root } = await makeFolder(t, []);
  const cut = backUpDuring(place, () => {
    renameSync(root, join(place, 'moved'));
    mkdirSync(root);
  });
  await assert.rejects(cut, /catalogue-data is not a catalogue/);
});

test('an empty folder of a dataset, such as a mount point without its disk, keeps an existing backup', async (t) => {
  const { place, root } = await makeFolder(t, []);
  const file = join(place, 'a.tar.gz');
  await writeBackup(root, file);
  const before = readFileSync(file);
  for (const [folder, kind] of [
    ['namespaces/parks/datasets/abig', 'dataset'],
    ['namespaces/parks', 'namespace'],
  ] as const) {
    rmSync(join(root, folder), { recursive: true });
    mkdirSync(join(root, folder));
    await assert.rejects(
      writeBackup(root, file, { force: true }),
      new RegExp(
        `^ConflictError: ${folder}: .*remove the ${kind}, remove the folder\\. The existing backup was not replaced\\.$`,
      ),
    );
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(readdirSync(place), ['a.tar.gz', 'catalogue-data']);
    assert.deepEqual(openFilesIn(place), [], 'a file that was opened before the check would be left, or stay open');
  }
  await writeBackup(root, join(place, 'b.tar.gz'));
});

test('a payload that becomes shorter meanwhile fails the backup', async (t) => {
  const { place, root } = await makeFolder(t, []);
  const cut = backUpDuring(place, () => truncateSync(join(root, payload('abig')), 1_000_000));
  await assert.rejects(cut, /abig\/data\/v\.bin became shorter while the backup was written/);
});

test('a backup that is stopped leaves no file, and removes what a killed one has left', async (t) => {
  const { place, root } = await makeFolder(t, []);
  const endedWriter = writerMark.replace(/[^-]*$/, '00000000');
  writeFileSync(join(place, `.0123456789abcdef.${endedWriter}.catalogue-tmp`), 'x');
  const stop = new AbortController();
  const stopped = writeBackup(root, join(place, 'a.tar.gz'), { signal: stop.signal });
  setImmediate(() => stop.abort());
  await assert.rejects(stopped);
  assert.deepEqual(readdirSync(place), ['catalogue-data']);
});

test('a restore that stops halfway brings no dataset before the record of its namespace', async (t) => {
  const { place, root, write, folderOf } = await makeFolder(t, ['trees']);
  const archive = join(place, 'a.tar.gz');
  write('namespaces/parks/namespace.yaml', 'label: Parks\nvisibility: private\n');
  await writeBackup(root, archive);
  rmSync(join(root, 'namespaces/parks'), { recursive: true });
  // What is in the way of the record stops the restore there.
  write('namespaces/parks/namespace.yaml/x', '');
  await assert.rejects(
    restoreBackup(archive, root, { force: true }),
    /namespace\.yaml is a folder, and a file in the backup/,
  );
  assert.equal(existsSync(folderOf('trees')), false);
});
