/** `catalogue export`: the public part of a catalogue as static files, complete, reproducible and incremental. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listPage } from '../../src/catalogue/listing.ts';
import { snapshotFromSummary } from '../../src/catalogue/search-summary.ts';
import type { Dataset } from '../../src/catalogue/types.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { exportCatalogue } from '../../src/index.ts';
import { createApp } from '../../src/server/app.ts';
import { getInProcess } from '../../src/server/in-process.ts';
import { routes } from '../../src/server/routes.ts';
import { deadLinks, filesIn } from '../support/exported.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { type } from '../support/prompt.ts';

const url = 'https://data.example.org/open';
const points = (last: string) =>
  `name,a b,x/y,longitude,latitude\nOak,1,2,-66.1,18.4\nElm,3,4,-66.2,18.5\n${last},5,6,-66.3,18.6\n`;

const seed = makeFolder({
  settings: { title: 'Open data', page_size: 2 },
  namespaces: { parks: { label: 'Parks & <b>gardens</b>' }, hushhush: { label: 'Classified', visibility: 'private' } },
  datasets: {
    'parks/trees': {
      label: 'Street trees',
      keywords: ['nature', 'été'],
      description: 'Every *tree*, counted.',
      licence: 'CC-BY-4.0',
    },
    'parks/odd': {
      aliases: ['strange', 'woods/odd'],
      label: Object.values(hostileTexts).join(' ').slice(0, 200),
      description: hostileTexts.script,
    },
    'parks/benches': { label: 'Benches', keywords: ['nature'], licence: 'CC0-1.0' },
    'parks/veiled': { label: 'Classified', visibility: 'private', keywords: ['classified'] },
    'hushhush/inner': { label: 'Classified' },
  },
  groups: { gardeners: { label: 'Gardeners', aliases: ['diggers'] } },
  queries: { oaks: { label: 'Oaks', aliases: ['acorns'], dataset: 'parks/trees', parameters: { name: 'Oak' } } },
});
const filling = await openFileCatalogue(seed.root, { cache: false });
const publish = async (slug: string, text: string, fileName: string) => {
  const ref = { kind: 'dataset', namespace: 'parks', slug } as const;
  return (await filling.for().publish(ref, { source: Readable.from([text]), fileName })).version.slug;
};
const v1 = await publish('trees', points('Ash'), 'trees.csv');
await publish('trees', points('Yew'), 'trees.csv');
await publish('odd', 'no table', 'odd.pdf');
await filling.close();
const to = seed.beside('site');
const read = (path: string, folder = to) => readFileSync(join(folder, path), 'utf8');
const options = { folder: seed.root, to, url, gzip: true };
const trees = 'api/v1/namespaces/parks/datasets/trees';
await exportCatalogue(options);

describe('an export', () => {
  it('has a page and JSON in each folder, rows in all formats, documents and pictures', () => {
    const files = filesIn(to);
    for (const name of ['index.html', 'index.json', 'data.csv', 'data.geojson', 'data.parquet', 'data/index.json'])
      assert.ok(files.includes(`${trees}/${name}`), name);
    for (const name of [
      'dcat.jsonld',
      'stac.json',
      'feed.atom',
      'map.svg',
      `version/${v1}/data.csv`,
      'columns/a b/index.html',
    ])
      assert.ok(files.includes(`${trees}/${name}`), name);
    for (const name of ['sitemap.xml', 'catalog.ttl', '.nojekyll', '_headers', 'api/v1/queries/oaks/data.csv'])
      assert.ok(files.includes(name), name);
    assert.equal(read(`${trees}/download/trees.csv`), points('Yew'));
    for (const name of files.filter((one) => one.endsWith('.json')))
      assert.doesNotThrow(() => JSON.parse(read(name)), name);
  });

  it('has no dead link, in pages and in documents', () => {
    assert.deepEqual(deadLinks(to, url), []);
  });

  it('has whole collections of OGC API - Features', () => {
    const { features, numberMatched } = JSON.parse(read('ogc/collections/parks.trees/items/index.json'));
    assert.deepEqual([features.length, numberMatched], [3, 3]);
  });

  it('leaves out what only a server answers', () => {
    const pages = filesIn(to).filter((name) => name.endsWith('.html'));
    const texts = pages.map((name) => read(name)).join('\n');
    assert.deepEqual(texts.match(/(?:href|action)="[^"]*\/(?:auth|history|intrinsecus)\/|data-map-tiles/g), null);
    assert.deepEqual(texts.match(/<a [^>]*href="[^"]*\?(?:_?format|_colour|_from)=/g), null);
  });

  it('tells nothing of what is private', () => {
    for (const name of filesIn(to)) {
      assert.doesNotMatch(name, /veiled|hushhush|inner/);
      if (!name.startsWith('static/')) assert.equal(/hushhush|veiled|Classified/.test(read(name)), false, name);
    }
  });

  it('has a compressed copy beside each text that is worth it', () => {
    const files = filesIn(to);
    const copies = files.filter((name) => name.endsWith('.gz'));
    for (const name of copies) {
      const copy = readFileSync(join(to, name));
      assert.deepEqual(gunzipSync(copy), readFileSync(join(to, name.slice(0, -3))), name);
      // Neither a name nor a time, nor the system that wrote it (RFC 1952).
      assert.equal(copy.toString('hex', 0, 10), '1f8b08000000000000ff', name);
    }
    const withCopy = (name: string) => copies.includes(`${name}.gz`);
    for (const name of ['index.html', `${trees}/index.json`, `${trees}/map.svg`]) assert.ok(withCopy(name), name);
    for (const name of [`${trees}/data.csv`, `${trees}/data.parquet`, `${trees}/data.gpkg`])
      assert.ok(!withCopy(name), name);
  });

  it('leads from former names to the new ones, and has the newest version', () => {
    const home = `${url}/api/v1/namespaces/parks/datasets/odd/`;
    for (const former of ['parks/datasets/strange', 'woods/datasets/odd'])
      assert.match(
        read(`api/v1/namespaces/${former}/index.html`),
        new RegExp(`http-equiv="refresh" content="0; url=${home}"`),
      );
    for (const [former, now] of [
      ['groups/diggers', 'groups/gardeners'],
      ['queries/acorns', 'queries/oaks'],
    ]) {
      assert.ok(read(`api/v1/${former}/index.html`).includes(`content="0; url=${url}/api/v1/${now}/"`));
      assert.ok(read('_redirects').includes(`/open/api/v1/${former}/* /open/api/v1/${now}/:splat 308\n`));
    }
    assert.match(
      read('_redirects'),
      /^\/open\/api\/v1\/namespaces\/parks\/datasets\/strange\/\* \S+\/odd\/:splat 308$/m,
    );
    assert.match(read('_nginx.conf'), /\/datasets\/strange\/\(\?<below>\.\*\)\$" \S+\/odd\/\$below;/);
    assert.match(read(`${trees}/version/latest/index.json`), /"label":/);
  });

  it('has the pages of lists as files that name each other', () => {
    const first = JSON.parse(read('api/v1/datasets/index.json'));
    assert.equal(first.next, `${url}/api/v1/datasets/page/2/index.json`);
    const second = JSON.parse(read('api/v1/datasets/page/2/index.json'));
    assert.deepEqual([first.count, second.previous], [3, `${url}/api/v1/datasets/index.json`]);
  });

  it('gives the same JSON as a server, address by address', async () => {
    const catalogue = await openFileCatalogue(seed.root, { cache: false });
    after(() => catalogue.close());
    await catalogue.load();
    const app = createApp((viewer) => catalogue.for(viewer), { baseUrl: url });
    for (const path of [
      '',
      'columns/name/',
      'version/',
      `version/${v1}/`,
      'data/',
      'profile/',
      'dcat.ttl',
      'data.ndjson',
    ]) {
      const { body } = await getInProcess(app, `/${trees}/${path}`, path.includes('.') ? '*/*' : 'application/json');
      const chunks = [];
      for await (const chunk of body) chunks.push(chunk);
      assert.equal(
        read(`${trees}/${path}${path === '' || path.endsWith('/') ? 'index.json' : ''}`),
        Buffer.concat(chunks).toString(),
        path,
      );
    }
  });
});

describe('the search in the browser', () => {
  it('finds what the server finds, in the same order, with the same facets', async () => {
    const part = (name: string) => JSON.parse(read(`search/${name}.json`));
    const summary = { labels: part('labels'), details: part('details'), columns: part('columns') };
    const snapshot = snapshotFromSummary(summary);
    const catalogue = await openFileCatalogue(seed.root, { cache: false });
    after(() => catalogue.close());
    await catalogue.load();
    const { anonymous } = await import('../../src/catalogue/permissions.ts');
    const server = catalogue.for(anonymous);
    for (const asked of [
      {},
      { search: 'tree' },
      { search: 'ete', ordering: 'relevance' },
      { search: 'script' },
      { search: 'latitude' },
      { filters: { keyword: ['nature'] }, ordering: '-updated' },
      { filters: { bbox: ['-67,18,-66,19'] } },
      { filters: { geometry: ['point'] } },
      { namespace: 'parks', filters: { licence: ['CC0-1.0'] } },
    ]) {
      const wanted = await server.list('dataset', { ...asked, facets: true });
      const found = listPage(snapshot, 'dataset', { ...asked, facets: true });
      const slugs = ({ items }: { items: readonly Dataset[] }) => items.map(({ slug }) => slug);
      assert.deepEqual(slugs(found), slugs(wanted), JSON.stringify(asked));
      assert.deepEqual(found.facets, wanted.facets, JSON.stringify(asked));
    }
  });
});

describe('a second export', () => {
  it('is the same byte for byte, in another folder and time zone', async () => {
    const other = seed.beside('elsewhere');
    const copy = seed.beside('copy');
    cpSync(seed.root, copy, { recursive: true, filter: (path) => !path.includes('.catalogue') });
    const { TZ } = process.env;
    process.env.TZ = 'Asia/Tokyo';
    try {
      await exportCatalogue({ ...options, folder: copy, to: other });
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
    assert.deepEqual(filesIn(other), filesIn(to));
    for (const name of filesIn(to))
      assert.ok(readFileSync(join(to, name)).equals(readFileSync(join(other, name))), name);
    rmSync(other, { recursive: true });
  });

  it('touches the files of a changed dataset and of lists only, and removes what is gone', async () => {
    assert.equal((await exportCatalogue(options)).written, 0);
    const inodes = () => new Map(filesIn(to).map((name) => [name, statSync(join(to, name)).ino]));
    const before = inodes();
    writeFileSync(join(to, 'CNAME'), 'data.example.org\n');
    seed.write(`${homeOf('parks/benches')}/dataset.yaml`, 'label: Benches of wood\nlicence: CC0-1.0\n');
    rmSync(seed.path(homeOf('parks/odd')), { recursive: true });
    const { removed } = await exportCatalogue(options);
    assert.ok(removed > 0);
    assert.match(read('api/v1/namespaces/parks/datasets/benches/index.html'), /Benches of wood/);
    assert.ok(!existsSync(join(to, 'api/v1/namespaces/parks/datasets/odd')));
    assert.equal(read('CNAME'), 'data.example.org\n');
    const after = inodes();
    for (const [name, inode] of after)
      if (name.startsWith(`${trees}/version/`) || name.startsWith('static/'))
        assert.equal(inode, before.get(name), name);
    assert.deepEqual(deadLinks(to, url), []);
  });

  it('touches no further page of a list that is as it was, and the rows of queries of a changed dataset', async () => {
    for (const slug of ['a1', 'a2', 'a3']) seed.write(`${homeOf(`parks/${slug}`)}/dataset.yaml`, `label: ${slug}\n`);
    await exportCatalogue(options);
    const pages = () =>
      filesIn(to)
        .filter((name) => /(^api\/v1|parks)\/datasets\/page\/.*json$/.test(name))
        .map((name) => `${name} ${statSync(join(to, name)).ino}`);
    const [before, documents] = [pages(), statSync(join(to, 'docs/index.html')).ino];
    const catalogue = await openFileCatalogue(seed.root, { cache: false });
    const source = Readable.from(['name,longitude,latitude\nOak,1,2\nOak,3,4\n']);
    const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    await catalogue.for().publish(ref, { source, fileName: 'trees.csv' });
    await catalogue.close();
    await exportCatalogue(options);
    assert.equal(read('api/v1/queries/oaks/data.csv').match(/Oak/g)?.length, 2);
    const kept = pages().filter((page) => before.includes(page));
    // The list of all and that of the namespace: the trees are on one of the further pages of each, at most.
    assert.ok(before.length >= 4 && kept.length >= before.length - 2, `${kept} of ${before}`);
    assert.equal(statSync(join(to, 'docs/index.html')).ino, documents);
  });

  it('completes one that was interrupted', async () => {
    const part = seed.beside('part');
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('stopped'));
    await assert.rejects(exportCatalogue({ ...options, to: part, signal: stop.signal, onProgress }), /stopped/);
    await exportCatalogue({ ...options, to: part });
    for (const name of filesIn(part).filter((one) => one !== '.catalogue-export'))
      assert.ok(readFileSync(join(to, name)).equals(readFileSync(join(part, name))), name);
  });

  it('shows at a terminal how far it is', async () => {
    const { exitCode, err } = await type(['export', to, '--url', url, '--gzip'], { root: seed.root, terminal: true });
    assert.equal(exitCode, 0, err);
    assert.match(err, /Exporting {2}\[#{24}\] 100 % {2}(\d) of \1/);
    assert.match(err, /Wrote 0 files and removed 0 files/);
  });

  it('divides a large sitemap into files', async () => {
    const addressesIn = (name: string) => [...read(name).matchAll(/<loc>([^<]*)</g)].map(([, address]) => address);
    const all = addressesIn('sitemap.xml');
    await exportCatalogue({ ...options, sitemapLimit: 4 });
    const parts = addressesIn('sitemap.xml').map((address = '') => address.slice(url.length + 1));
    assert.equal(parts.length, Math.ceil(all.length / 4));
    assert.deepEqual(parts.flatMap(addressesIn), all);
  });

  it('leaves files of others alone', async () => {
    const mine = seed.beside('mine');
    cpSync(to, mine, { recursive: true });
    rmSync(join(mine, '.catalogue-export'));
    await assert.rejects(exportCatalogue({ ...options, to: mine }), /isn't empty and is no export/);
    await exportCatalogue({ ...options, to: mine, force: true });
    await assert.rejects(exportCatalogue({ ...options, url: undefined }), /need the address/);
    await assert.rejects(exportCatalogue({ ...options, to: seed.path('site') }), /in the catalogue folder itself/);
  });
});

/** GET routes that no file answers, and why. */
const leftOut: Readonly<Record<string, string>> = {
  '/api/v1/suggestions/': 'the browser searches the summary',
  '/api/v1/changes/': 'history',
  '/api/v1/users/': 'lists of people',
  '/api/v1/users/me/': 'for those who are signed in',
  '/api/v1/users/:user/': 'lists of people',
  '/api/v1/intrinsecus/': 'files of the catalogue',
  '/api/v1/intrinsecus/:file/': 'files of the catalogue',
  '/api/v1/files/': 'files of the catalogue',
  '/api/v1/files/*path': 'files of the catalogue',
  '/api/v1/auth/tokens/': 'for those who are signed in',
  '/api/v1/auth/tokens/:token/': 'for those who are signed in',
  '/api/v1/trash/': 'for those who are signed in',
  '/api/v1/trash/:entry/': 'for those who are signed in',
  '/api/namespaces/:namespace/sources/:dataset/data/': 'an older name of an address',
  '/ogc/collections/:namespace.:dataset/items/:feature': 'whole collections have all features',
  '/api/v1/namespaces/:namespace/datasets/:dataset/version/:version/plate.png': 'no page of an export names it',
  '/api/v1/queries/:query/plate.png': 'no page names it',
  '/healthz': 'the state of a server',
  '/readyz': 'the state of a server',
  '/metrics': 'the state of a server',
  '/site_media/*path': 'exported if a dataset names an image',
};

describe('the routes of the server', () => {
  it('are exported, or left out for a reason', () => {
    const addresses = filesIn(to).flatMap((file) => {
      const [, folder] = /^(.*?)index\.(?:html|json)$/.exec(file) ?? [];
      return folder === undefined ? [`/${file}`] : [`/${folder}`, `/${folder.replace(/\/$/, '')}`];
    });
    const missing = routes.filter(({ path, handlers }) => {
      // `catalogue export --iceberg` writes tables by themselves.
      if (
        !handlers.GET ||
        leftOut[path] ||
        path.startsWith('/iceberg/') ||
        /\/(history|tiles\.json|tiles\/:z\/:x\/:file|:name)\/?$/.test(path)
      )
        return false;
      const pattern = path.replace(/\./g, '\\.').replace(/\*\w+/g, '.+').replace(/:\w+/g, '[^/]+');
      return !addresses.some((address) => new RegExp(`^${pattern}$`).test(address));
    });
    assert.deepEqual(
      missing.map(({ path }) => path),
      [],
    );
  });

  it('that are named as left out exist', () => {
    const paths = routes.map(({ path }) => path);
    assert.deepEqual(
      Object.keys(leftOut).filter((path) => !paths.includes(path)),
      [],
    );
  });
});
