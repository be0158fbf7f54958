/** Exports of a catalogue folder that can't be written, and the lock of the place that they write. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, it } from 'node:test';
import { exportTables } from '../../src/export/export-iceberg.ts';
import { withCatalogueForExport } from '../../src/export/open-catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { exportCatalogue } from '../../src/index.ts';
import { filesIn } from '../support/exported.ts';
import { makeFolder, until } from '../support/folder.ts';
import { remount, smallDisk } from '../support/small-disk.ts';

const seed = makeFolder({ namespaces: { parks: { label: 'Parks' } }, datasets: { 'parks/trees': { label: 'Trees' } } });
const files = await openFileCatalogue(seed.root, { cache: false });
const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
await files.for().publish(ref, { source: Readable.from(['name\nOak\n']), fileName: 'trees.csv' });
await files.close();

/** What a catalogue has in place of its private folder lies in the folder for temporary files. */
const { TMPDIR } = process.env;
const temporary = mkdtempSync(join(tmpdir(), 'catalogue-temporary-'));
process.env.TMPDIR = temporary;
after(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(temporary, { recursive: true, force: true });
});

it('writes the site and the tables of a folder that can’t be written', async (t) => {
  const disk = smallDisk(t);
  if (!disk) return;
  cpSync(seed.root, disk, { recursive: true, filter: (path) => !path.includes('.catalogue') });
  await remount(disk, 'ro');
  const [site, tables, wanted] = [seed.beside('site'), seed.beside('tables'), seed.beside('wanted')];
  const url = 'https://data.example.org';
  await exportCatalogue({ folder: disk, to: site, url });
  await exportCatalogue({ folder: seed.root, to: wanted, url });
  assert.deepEqual(filesIn(site), filesIn(wanted));
  assert.equal((await exportTables({ folder: disk, to: tables })).tables, 1);
});

it('lets two exports of such a folder into one place wait for each other', async (t) => {
  const disk = smallDisk(t);
  if (!disk) return;
  cpSync(seed.root, disk, { recursive: true, filter: (path) => !path.includes('.catalogue') });
  await remount(disk, 'ro');
  const order: string[] = [];
  const one = (name: string) =>
    withCatalogueForExport(disk, seed.beside('one'), {}, async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${name} ends`);
    });
  await Promise.all([one('a'), one('b')]);
  const [first = '', second] = order;
  assert.equal(second, first.replace('begins', 'ends'));
});

it('ends the export when another process has taken its lock', async () => {
  await assert.rejects(
    withCatalogueForExport(seed.root, seed.beside('lost'), {}, async (_files, signal) => {
      const locks = seed.path('.catalogue/locks');
      for (const name of readdirSync(locks)) rmSync(join(locks, name));
      await until(() => signal.aborted);
      signal.throwIfAborted();
    }),
    { name: 'UnavailableError', message: /^The lock of export \S+ was lost/ },
  );
});

it('ends the export with the signal of its caller', async () => {
  const stop = new AbortController();
  await assert.rejects(
    withCatalogueForExport(seed.root, seed.beside('stopped'), stop, async (_files, signal) => {
      stop.abort(new Error('Stopped.'));
      signal.throwIfAborted();
    }),
    { message: 'Stopped.' },
  );
});
