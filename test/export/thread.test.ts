/** Datasets that a thread writes, beside the main thread: the same files, and the same errors. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { ConflictError } from '../../src/catalogue/errors.ts';
import { DatasetsInThread } from '../../src/export/datasets-in-thread.ts';
import { Fingerprints } from '../../src/export/dependencies.ts';
import { ExportFolder } from '../../src/export/export-folder.ts';
import { Exporter } from '../../src/export/exporter.ts';
import { FolderWriter } from '../../src/export/folder-writer.ts';
import { openSite } from '../../src/export/open-site.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { exportCatalogue } from '../../src/index.ts';
import { filesIn } from '../support/exported.ts';
import { makeFolder } from '../support/folder.ts';

const url = 'https://data.example.org';
const slugs = Array.from({ length: 12 }, (_, i) => `d${i}`);
const seed = makeFolder({
  namespaces: { parks: { label: 'Parks' } },
  datasets: Object.fromEntries(slugs.map((slug) => [`parks/${slug}`, { label: slug, keywords: ['nature'] }])),
});
const filling = await openFileCatalogue(seed.root, { cache: false });
for (const slug of slugs.slice(0, 5)) {
  const ref = { kind: 'dataset', namespace: 'parks', slug } as const;
  await filling.for().publish(ref, { source: Readable.from(['name\nOak\n']), fileName: 'trees.csv' });
}
await filling.close();
const home = 'api/v1/namespaces/parks/datasets';

interface Run {
  readonly gzip?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Fingerprint of the records, if it isn't the right one. */
  readonly records?: string;
  readonly thread?: DatasetsInThread;
}

/** Exports with a thread. @returns the result, and the number of files that the thread wrote */
async function exportWithThread(to: string, { records, thread, gzip = false, ...options }: Run = {}) {
  const files = await openFileCatalogue(seed.root, { cache: false });
  try {
    await files.load();
    const { catalogue, responses, filterings } = await openSite(files, url);
    const folder = new ExportFolder(to, { gzip });
    const site = { catalogue: seed.root, url, to, options: { gzip } };
    const exporter = new Exporter(
      ...([catalogue, responses, url, folder, filterings, { folder: seed.root, to, gzip, ...options }] as const),
      (read) =>
        thread ??
        new DatasetsInThread({ ...site, records: records ?? new Fingerprints(null).ofSite(catalogue.settings, read) }),
    );
    const result = await exporter.run();
    return { ...result, byThread: result.written - folder.written };
  } finally {
    await files.close();
  }
}

const contents = (folder: string) => filesIn(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]);

it('writes the same files as one thread alone, and finds them unchanged', async () => {
  const [alone, together] = [seed.beside('alone'), seed.beside('together')];
  const { written, files } = await exportCatalogue({ folder: seed.root, to: alone, url, gzip: true });
  assert.deepEqual([written, files], [filesIn(alone).length, filesIn(alone).length]);
  const result = await exportWithThread(together, { gzip: true });
  assert.ok(result.byThread > 0, 'the thread wrote nothing');
  assert.deepEqual([result.written, result.files], [written, files]);
  assert.deepEqual(contents(together), contents(alone));
  const again = await exportCatalogue({ folder: seed.root, to: together, url, gzip: true });
  assert.equal(again.written, 0);
});

it('leaves all to the main thread if the thread has read other records', async () => {
  const to = seed.beside('changed');
  const { byThread } = await exportWithThread(to, { records: 'others' });
  assert.equal(byThread, 0);
  assert.deepEqual(
    contents(to).length,
    contents(seed.beside('alone')).filter(([name]) => !name?.endsWith('.gz')).length,
  );
});

it('refuses files of others as one thread alone, and leaves a folder that the next export completes', async () => {
  const to = seed.beside('conflict');
  cpSync(seed.beside('changed'), to, { recursive: true });
  for (const slug of slugs) seed.write(`namespaces/parks/datasets/${slug}/dataset.yaml`, `label: New ${slug}\n`);
  const mine = slugs.map((slug) => join(to, home, slug, 'columns/name/index.html')).slice(5);
  for (const path of mine) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'mine');
  }
  for (const slug of slugs.slice(5)) {
    const columns = 'columns:\n  - type: string\n    name: name\n';
    seed.write(`namespaces/parks/datasets/${slug}/dataset.yaml`, `label: New ${slug}\n${columns}`);
  }
  await assert.rejects(exportWithThread(to), (error) => {
    assert.ok(error instanceof ConflictError, String(error));
    assert.match(error.message, /columns\/name\/index\.html is there already, and not of an export/);
    return true;
  });
  for (const path of mine) assert.equal(readFileSync(path, 'utf8'), 'mine');
  await exportCatalogue({ folder: seed.root, to, url, force: true });
  const whole = seed.beside('whole');
  await exportCatalogue({ folder: seed.root, to: whole, url });
  assert.deepEqual(contents(to), contents(whole));
});

it('shows the error behind a dataset that the thread could not finish', async () => {
  const to = seed.beside('blocked');
  mkdirSync(join(to, home, 'd0'), { recursive: true });
  writeFileSync(join(to, '.catalogue-export'), '{"catalogue-export":1}\n');
  // A file of others is where a folder is needed, behind files that the thread has written.
  writeFileSync(join(to, home, 'd0/version'), 'mine');
  await assert.rejects(exportWithThread(to), (error: NodeJS.ErrnoException) => {
    assert.match(error.message, /^(EEXIST|ENOTDIR): .*d0\/version/);
    return true;
  });
  rmSync(join(to, home, 'd0/version'));
  await exportCatalogue({ folder: seed.root, to, url });
  assert.deepEqual(contents(to), contents(seed.beside('whole')));
});

it('writes the datasets of a thread that died, though it had begun them', async () => {
  const to = seed.beside('died');
  const dying: Pick<DatasetsInThread, 'run' | 'close'> = {
    async run(take, filesBefore, onWritten) {
      const asked = take(2);
      const writer = new FolderWriter(to);
      for (const { name } of asked) {
        const file = join(home, name.replace('dataset parks/', ''), 'index.html');
        writer.beginUnit(name, [file, `${file}.part`], filesBefore(name));
        writer.write(file, Buffer.from('half'));
        writer.write(`${file}.part`, Buffer.from('half'));
      }
      writer.close();
      onWritten({ units: [], written: 0, largeFiles: [] }, asked);
    },
    close: async () => {},
  };
  await exportWithThread(to, { thread: dying as DatasetsInThread });
  assert.deepEqual(contents(to), contents(seed.beside('whole')));
});

it('stops when it is interrupted, and the next export completes it', async () => {
  const to = seed.beside('stopped');
  const stop = new AbortController();
  const stopped = new Error('stopped');
  const onProgress = (done: number) => void (done >= 3 && stop.abort(stopped));
  await assert.rejects(exportWithThread(to, { signal: stop.signal, onProgress }), stopped);
  const written = filesIn(to).filter((name) => name.startsWith(home));
  assert.ok(written.length > 0);
  assert.deepEqual(
    filesIn(to).filter((name) => name.includes('.catalogue-tmp')),
    [],
  );
  await exportCatalogue({ folder: seed.root, to, url });
  assert.deepEqual(contents(to), contents(seed.beside('whole')));
});
