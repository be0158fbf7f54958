/** An export that fails: its message names the address and the reason, and the export before is as it was. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { CatalogueError, UnavailableError, UnusableCatalogueError } from '../../src/catalogue/errors.ts';
import { anonymous } from '../../src/catalogue/permissions.ts';
import { ExportFolder } from '../../src/export/export-folder.ts';
import { exportTables } from '../../src/export/export-iceberg.ts';
import { Exporter } from '../../src/export/exporter.ts';
import { Responses } from '../../src/export/responses.ts';
import { RowFilterings } from '../../src/export/row-filtering.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type ExportOptions, exportCatalogue } from '../../src/index.ts';
import { createApp } from '../../src/server/app.ts';
import { filesIn } from '../support/exported.ts';
import { homeOf, makeFolder } from '../support/folder.ts';

const url = 'https://data.example.org';
const seed = makeFolder({
  namespaces: { parks: { label: 'Parks' } },
  datasets: { 'parks/benches': { label: 'Benches' }, 'parks/trees': { label: 'Trees' } },
});

/** Exports with an app whose catalogue has other methods. */
async function exportWith(methods: Partial<Catalogue>): Promise<void> {
  const files = await openFileCatalogue(seed.root, { cache: false });
  try {
    await files.load();
    const catalogue = files.for(anonymous);
    const failing = new Proxy(catalogue, {
      get: (target, name) => {
        const value = Reflect.get(methods, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const filterings = new RowFilterings();
    const responses = new Responses((onError) =>
      createApp(() => failing, {
        baseUrl: url,
        staticExport: { today: '2026-01-01', filteringOf: filterings.of, hasFile: () => true },
        onError,
      }),
    );
    const options = { folder: seed.root, to };
    await new Exporter(catalogue, responses, url, new ExportFolder(to), filterings, options).run();
  } finally {
    await files.close();
  }
}

const to = seed.beside('site');
const contents = () => new Map(filesIn(to).map((name) => [name, readFileSync(join(to, name), 'utf8')]));
const profileOf = (error: Error) => ({ profile: () => Promise.reject(error) });

it('names the address and the reason, keeps the former files, and is completed by the next one', async () => {
  const files = await openFileCatalogue(seed.root, { cache: false });
  const source = Readable.from(['name\nOak\n']);
  const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
  await files.for().publish(ref, { source, fileName: 'trees.csv' });
  await files.close();
  await exportWith({});
  const before = contents();
  seed.write(`${homeOf('parks/trees')}/dataset.yaml`, 'label: Old trees\n');
  for (const error of [new TypeError('rows is not iterable'), new Error('disk on fire')])
    await assert.rejects(exportWith(profileOf(error)), (thrown: Error) => {
      assert.match(thrown.message, /^\/api\/v1\/namespaces\/parks\/datasets\/trees\/\S* can't be exported: /);
      assert.ok(thrown.message.endsWith(error.message), thrown.message);
      assert.equal(thrown.cause, error);
      return !(thrown instanceof CatalogueError);
    });
  const busy = new UnavailableError('The rows are at lunch.');
  const listed = { rows: () => Promise.reject(busy) };
  await assert.rejects(exportWith(listed), (thrown: Error) => {
    assert.match(thrown.message, /can't be exported: The rows are at lunch\.$/);
    return thrown instanceof UnavailableError;
  });
  const after = contents();
  for (const name of before.keys()) assert.ok(after.has(name), name);
  // The lists come behind the datasets.
  assert.equal(after.get('api/v1/datasets/index.html'), before.get('api/v1/datasets/index.html'));
  await exportWith({});
  assert.match(contents().get('api/v1/namespaces/parks/datasets/trees/index.html') ?? '', /Old trees/);
  assert.deepEqual([...contents().keys()], [...before.keys()]);
});

it('names the address of a response that breaks off', async () => {
  seed.write(`${homeOf('parks/trees')}/dataset.yaml`, 'label: Older trees\n');
  const files = await openFileCatalogue(seed.root, { cache: false });
  await files.load();
  const rows: Catalogue['rows'] = async (...asked) => ({
    ...(await files.for(anonymous).rows(...asked)),
    file: null,
    stream: () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('[');
          throw new Error('row 7 is unreadable');
        })(),
      ),
  });
  await assert.rejects(exportWith({ rows }), /^Error: \/api\S* can't be exported: row 7 is unreadable$/);
  await files.close();
});

it('leaves out the pages of columns whose files would lie in those of another column', async () => {
  const columns = ['a', 'a/index.html', 'b'].map((name) => `  - type: string\n    name: ${name}\n`).join('');
  seed.write(`${homeOf('parks/benches')}/dataset.yaml`, `label: Benches\ncolumns:\n${columns}`);
  await exportWith({});
  const pages = [...contents().keys()].filter((name) => name.includes('benches/columns/') && name.endsWith('.html'));
  assert.deepEqual(
    pages.map((name) => name.replace(/.*\/columns\//, '')),
    ['a/index.html', 'b/index.html'],
  );
});

it('leaves out what a saved query does not have: groups as GeoJSON, rows by a column that is gone', async () => {
  seed.write(
    `${homeOf('parks/trees')}/dataset.yaml`,
    'label: Trees\ncolumns:\n  - { name: name, type: string }\n  - { name: geometry, type: geometry }\n',
  );
  seed.write('queries/groups.yaml', 'label: Trees\ndataset: parks/trees\nparameters: { _group_by: name }\n');
  seed.write('queries/gone.yaml', 'label: Trees\ndataset: parks/trees\nparameters: { height__gte: 3 }\n');
  await exportWith({});
  const written = contents();
  assert.equal(written.get('api/v1/queries/groups/data.csv'), 'name,count\r\nOak,1\r\n');
  assert.ok(written.has('api/v1/queries/groups/data/index.html'));
  assert.ok(!written.has('api/v1/queries/groups/data.geojson'));
  const named = written.get('api/v1/queries/groups/index.html')?.match(/queries\/groups\/data\.\w+/g) ?? [];
  for (const path of named) assert.ok(written.has(`api/v1/${path}`), path);
  assert.ok(named.length > 0);
  assert.ok(written.has('api/v1/queries/gone/index.html'));
  assert.ok(!written.has('api/v1/queries/gone/data.csv'));
});

it('of a folder with a record that can’t be read changes nothing, unless that is wanted', async () => {
  const [folder, site] = [seed.root, seed.beside('broken')];
  await exportCatalogue({ folder, to: site, url });
  const before = filesIn(site);
  const pagesOf = (slug: string) => filesIn(site).filter((name) => name.includes(`/datasets/${slug}/`));
  const path = `${homeOf('parks/trees')}/dataset.yaml`;
  const text = readFileSync(join(folder, path), 'utf8');
  seed.write(path, 'label: "Trees\n');
  // A fresh checkout has no cache.
  rmSync(join(folder, '.catalogue/cache'), { recursive: true, force: true });
  await assert.rejects(exportCatalogue({ folder, to: site, url }), (error: Error) => {
    assert.ok(error instanceof UnusableCatalogueError, String(error));
    assert.match(error.message, /Nothing was exported\.\nnamespaces\/parks\/datasets\/trees\/dataset\.yaml:\d+:\d+: /);
    return true;
  });
  assert.deepEqual(filesIn(site), before);
  await exportCatalogue({ folder, to: site, url, skipInvalid: true });
  assert.deepEqual(pagesOf('trees'), []);
  assert.ok(pagesOf('benches').length > 0);
  seed.write(path, text);
  await exportCatalogue({ folder, to: site, url });
  assert.deepEqual(filesIn(site), before);
});

describe('what is private or removed now leaves the site first', () => {
  const rows = 'name,salary\nann,1\n';
  const make = async (t: TestContext) => {
    const datasets = ['parks/trees', 'parks/wells', 'vault/pay', 'vault/plans'];
    const folder = makeFolder(
      {
        namespaces: { parks: { label: 'Parks' }, vault: { label: 'Vault' } },
        datasets: Object.fromEntries(datasets.map((name) => [name, { label: `Of ${name.slice(6)}` }])),
      },
      t,
    );
    const files = await openFileCatalogue(folder.root, { cache: false });
    for (const slug of ['pay', 'plans'])
      await files
        .for()
        .publish({ kind: 'dataset', namespace: 'vault', slug }, { source: Readable.from([rows]), fileName: 'a.csv' });
    await files.close();
    const [site, tables] = [folder.beside('site'), folder.beside('tables')];
    const exportSite = (more: Partial<ExportOptions> = {}) =>
      exportCatalogue({ folder: folder.root, to: site, url, ...more });
    return { folder, site, tables, exportSite, exportTables: () => exportTables({ folder: folder.root, to: tables }) };
  };
  type Made = Awaited<ReturnType<typeof make>>;
  const hidden: Readonly<Record<string, readonly [change: (made: Made) => void, gone: RegExp]>> = {
    'a private dataset': [
      ({ folder }) => folder.write(`${homeOf('vault/pay')}/dataset.yaml`, 'label: Of pay\nvisibility: private\n'),
      /vault[./](datasets\/)?pay\b/,
    ],
    'a dataset whose broken record says that it is private': [
      ({ folder }) => folder.write(`${homeOf('vault/pay')}/dataset.yaml`, 'label: "Of pay\nvisibility: private\n'),
      /vault[./](datasets\/)?pay\b/,
    ],
    'a private namespace': [
      ({ folder }) => folder.write('namespaces/vault/namespace.yaml', 'label: Vault\nvisibility: private\n'),
      /vault/,
    ],
    'a removed dataset': [
      ({ folder }) => rmSync(folder.path(homeOf('vault/pay')), { recursive: true }),
      /vault[./](datasets\/)?pay\b/,
    ],
  };
  for (const [what, [change, gone]] of Object.entries(hidden)) {
    it(`of an export that is refused: ${what}`, async (t) => {
      const made = await make(t);
      await made.exportSite();
      await made.exportTables();
      const [before, tablesBefore] = [filesIn(made.site), filesIn(made.tables)];
      change(made);
      made.folder.write(`${homeOf('parks/wells')}/dataset.yaml`, 'label: "Wells\n');
      rmSync(made.folder.path('.catalogue/cache'), { recursive: true, force: true });
      for (const run of [made.exportSite, made.exportTables])
        await assert.rejects(run(), (error: Error) => {
          assert.ok(error instanceof UnusableCatalogueError, String(error));
          assert.match(
            error.message,
            /Nothing was exported; only what is private or removed now was taken out \(files: \d+\)/,
          );
          return true;
        });
      const own = (names: readonly string[]) => names.filter((name) => !name.startsWith('.catalogue-'));
      assert.deepEqual(own(filesIn(made.site)), own(before.filter((name) => !gone.test(name))));
      assert.deepEqual(own(filesIn(made.tables)), own(tablesBefore.filter((name) => !gone.test(name))));
      // A second one is refused in the same way, and one after that completes the site.
      await assert.rejects(made.exportSite(), UnusableCatalogueError);
      made.folder.write(`${homeOf('parks/wells')}/dataset.yaml`, 'label: Wells\n');
      await made.exportSite({ skipInvalid: what.includes('broken') });
      assert.ok(!filesIn(made.site).some((name) => gone.test(name)));
    });
    // An export of broken records doesn't begin.
    if (what.includes('broken')) continue;

    it(`of an export that is interrupted: ${what}; and comes back if it is public again`, async (t) => {
      const made = await make(t);
      await made.exportSite();
      const before = filesIn(made.site);
      const back = new Map(
        ['namespaces/vault/namespace.yaml', `${homeOf('vault/pay')}/dataset.yaml`].map((path) => [
          path,
          readFileSync(made.folder.path(path)),
        ]),
      );
      change(made);
      const stop = new AbortController();
      const onProgress = () => stop.abort(new Error('stopped'));
      await assert.rejects(made.exportSite({ signal: stop.signal, onProgress }), /stopped/);
      assert.deepEqual(
        filesIn(made.site).filter((name) => gone.test(name)),
        [],
      );
      assert.ok(!readFileSync(join(made.site, 'search/labels.json'), 'utf8').includes('Of pay'));
      if (what === 'a removed dataset') return;
      for (const [path, text] of back) made.folder.write(path, text);
      await made.exportSite();
      assert.deepEqual(filesIn(made.site), before);
    });
  }

  it('of an export that fails at another dataset: the rows of a version that was withdrawn, or removed', async (t) => {
    const { folder, site, exportSite } = await make(t);
    await exportSite();
    const data = () => filesIn(site).filter((name) => /vault.*version\/\d+\/(data\.|download\/.*csv)/.test(name));
    assert.ok(data().length > 8);
    const [record = ''] = readdirSync(folder.path(`${homeOf('vault/pay')}/versions`));
    const path = `${homeOf('vault/pay')}/versions/${record}`;
    folder.write(path, `${readFileSync(folder.path(path), 'utf8').replace(/^ready: .*\n/m, '')}ready: false\n`);
    rmSync(folder.path(`${homeOf('vault/plans')}/versions`), { recursive: true });
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('stopped'));
    await assert.rejects(exportSite({ signal: stop.signal, onProgress }), /stopped/);
    assert.deepEqual(data(), []);
    await exportSite();
    assert.equal((await exportSite()).written, 0);
    assert.equal((await exportSite()).removed, 0);
  });

  it('and a renamed dataset keeps its former pages until they lead to the new ones', async (t) => {
    const { folder, site, exportSite } = await make(t);
    await exportSite();
    renameSync(folder.path(homeOf('vault/pay')), folder.path(homeOf('vault/wages')));
    folder.write(`${homeOf('vault/wages')}/dataset.yaml`, 'label: Pay\naliases: [pay]\n');
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('stopped'));
    const page = join(site, 'api/v1/namespaces/vault/datasets/pay/index.html');
    const before = readFileSync(page, 'utf8');
    await assert.rejects(exportSite({ signal: stop.signal, onProgress }), /stopped/);
    assert.equal(readFileSync(page, 'utf8'), before);
    await exportSite();
    assert.match(readFileSync(page, 'utf8'), /vault\/datasets\/wages/);
  });
});
