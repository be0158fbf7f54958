/**
 * The story of a catalogue that others fill and read, with the built program: a CKAN portal is imported, a description is
 * edited by hand, the portal changes, and its datasets are exported, served, and read by GDAL and through Iceberg.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { icebergRead } from 'icebird';
import type { Metadata } from '../iceberg/spec.ts';
import { dataPackageErrors, dcatErrors, dcatUsErrors, stacErrors } from '../standards/validate.ts';
import { filesIn } from '../support/exported.ts';
import { serveFiles } from '../support/folder-server.ts';
import { Portal } from '../support/portal.ts';
import { run, type Server, serve, temporaryFolder } from '../support/program.ts';
import { gitEnv } from '../support/repository.ts';

const withoutGdal =
  spawnSync('ogrinfo', ['--version']).error !== undefined &&
  !process.env.CI &&
  'ogrinfo is not installed (Debian: gdal-bin)';

const runProgram = promisify(execFile);
const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Ann'],
    [`GIT_${who}_EMAIL`, 'ann@city.example'],
  ]),
);
const documentation = readFileSync(new URL('../../docs/importing.md', import.meta.url), 'utf8');

const geojson = 'application/geo+json';
const trees = 'api/v1/namespaces/city/datasets/street-trees/';

/** Trees as the city publishes them. */
const featuresOf = (rows: readonly (readonly [string, number])[]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: rows.map(([species, height], i) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [8.5 + i / 100, 47.4] },
      properties: { species, height },
    })),
  });
const oldTrees = [['Oak', 12.5], ['Linden', 8]] as const; // biome-ignore format: a line
const newTrees = [['Oak', 12.75], ['Linden', 8], ['Plane', 21]] as const; // biome-ignore format: a line

/** A package as `package_search` of CKAN 2.10 shows it. */
function ckanPackage(base: string, name: string, title: string, formats: readonly string[]) {
  const id = `${name.length.toString(16).padStart(8, '0')}-41f6-4c1b-9d0e-3f3a6d9f0b11`;
  return {
    author: 'Parks department',
    author_email: 'parks@city.example',
    creator_user_id: '5d0e7c5f-8f5e-4c1b-9d0e-3f3a6d9f0b11',
    id,
    isopen: true,
    license_id: 'cc-by',
    license_title: 'Creative Commons Attribution',
    license_url: 'http://www.opendefinition.org/licenses/cc-by',
    maintainer: '',
    maintainer_email: '',
    metadata_created: '2024-03-01T09:12:44.120071',
    metadata_modified: '2026-10-05T07:30:00.000001',
    name,
    notes: `${title} of the city.`,
    num_resources: formats.length,
    num_tags: 1,
    organization: { id: 'a1', name: 'parks', title: 'Parks department', type: 'organization', state: 'active' },
    owner_org: 'a1',
    private: false,
    state: 'active',
    title,
    type: 'dataset',
    url: '',
    version: '',
    extras: [],
    groups: [{ display_name: 'Environment', id: 'g1', name: 'environment', title: 'Environment' }],
    relationships_as_object: [],
    relationships_as_subject: [],
    resources: formats.map((format, position) => ({
      cache_url: null,
      description: '',
      format,
      hash: '',
      id: `${id.slice(0, -2)}${position}0`,
      mimetype: null,
      name: `${name}.${format.toLowerCase()}`,
      package_id: id,
      position,
      size: null,
      state: 'active',
      url: `${base}/dataset/${id}/download/${name}.${format.toLowerCase()}`,
    })),
    tags: [{ display_name: 'nature', id: 't1', name: 'nature', state: 'active', vocabulary_id: null }],
  };
}

describe('the story of an imported catalogue', () => {
  const home = temporaryFolder();
  const portal = new Portal();
  const root = join(home.path, 'catalogue-data');
  const record = join(root, 'namespaces/city/datasets/street-trees/dataset.yaml');
  let server: Server;

  /** Runs a command line that has to succeed. */
  const done = async (...args: string[]) => {
    const { exitCode, out, err } = await run(args, { cwd: home.path });
    assert.equal(exitCode, 0, `${args.join(' ')}: ${out}${err}`);
    return { out, err };
  };
  const git = (...args: string[]) => {
    return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', env: { ...gitEnv, ...author } });
  };
  const commit = (message: string) => git('add', '--all') + git('commit', '--quiet', '--message', message);
  /** All files but the private ones, with the times at which they were written. */
  const filesWithTimes = () =>
    filesIn(root).flatMap((path) =>
      /^\.(catalogue|git)\//.test(path) ? [] : `${path} ${statSync(join(root, path)).mtimeMs}`,
    );
  /** Names of the versions of the trees, the oldest first. */
  const versionNames = () =>
    readdirSync(join(root, 'namespaces/city/datasets/street-trees/versions'))
      .map((file) => file.replace('.yaml', ''))
      .sort();
  /** Runs the line for cron that docs/importing.md has. */
  const runEveryNight = async () => {
    const [, line = ''] = /^0 3 \* \* \* cd \S+ && (catalogue refresh .*)$/m.exec(documentation) ?? [];
    const own = { CATALOGUE_DATA: undefined, CATALOGUE_REMOTE: undefined, XDG_CONFIG_HOME: join(home.path, '.config') };
    const env = { ...gitEnv, ...author, ...own, PATH: `${join(home.path, 'bin')}:${process.env.PATH}` };
    const { stdout: out, stderr: err } = await runProgram('sh', ['-c', line], { cwd: root, env });
    return { out, err };
  };
  const json = async (path: string) => {
    const response = await fetch(`${server.url}/${path}`);
    assert.equal(response.status, 200, path);
    return response.json();
  };

  /** The portal with some title and rows of its trees. Its API has no ETags, as that of CKAN; its files have. */
  const publishAtPortal = (title: string, rows: Parameters<typeof featuresOf>[0]) => {
    const packages = [
      ckanPackage(portal.base, 'street-trees', title, ['CSV', 'GeoJSON']),
      ckanPackage(portal.base, 'visitors', 'Visitors of parks', ['CSV']),
      ckanPackage(portal.base, 'plan', 'Plan of green spaces', ['PDF']),
    ];
    portal.answers.set('/', (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
    );
    portal.answers.set('/api/3/action/package_search', ({ url = '' }, response) => {
      const { searchParams } = new URL(url, portal.base);
      const start = Number(searchParams.get('start') ?? 0);
      const results = packages.slice(start, start + Number(searchParams.get('rows') ?? 10));
      const result = { count: packages.length, facets: {}, results, sort: 'id asc', search_facets: {} };
      const help = `${portal.base}/api/3/action/help_show?name=package_search`;
      response.writeHead(200, { 'content-type': 'application/json;charset=utf-8' });
      response.end(JSON.stringify({ help, success: true, result }));
    });
    for (const { resources } of packages)
      for (const { url, format } of resources) {
        const text =
          format === 'GeoJSON' ? featuresOf(rows) : 'park,day,visitors\nWest,2026-05-01,120\nEast,2026-05-01,75\n';
        portal.file(new URL(url).pathname, text, format === 'GeoJSON' ? geojson : 'text/csv');
      }
  };

  before(async () => {
    await portal.start();
    publishAtPortal('Trees', oldTrees);
    await done('init', '--title', 'Open data of the city');
    git('init', '--quiet', '--initial-branch=main');
    git('init', '--quiet', '--bare', '--initial-branch=main', join(home.path, 'remote.git'));
    git('remote', 'add', 'origin', join(home.path, 'remote.git'));
    mkdirSync(join(home.path, 'bin'));
    symlinkSync(fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url)), join(home.path, 'bin/catalogue'));
  });
  after(async () => {
    await server?.end('SIGTERM');
    portal.close();
    home.remove();
  });

  it('begins with an import of the portal, whose address is saved', async () => {
    const { out, err } = await done(
      ...['import', `${portal.base}/`, '--to', 'city', '--with-data', '--save', 'city', '--delay', '0'],
    );
    assert.match(err, /: 3 new, 0 updated, 0 unchanged, 2 versions\.\n/);
    assert.match(out, /^version\tcity\/street-trees@\d{20}\tstreet-trees\.geojson$/m);
    assert.match(out, /^link\tcity\/plan\t.*PDF/im);
    commit('Import the portal of the city');
    git('push', '--quiet', '--set-upstream', 'origin', 'main');
  });

  it('goes on with a description that is written by hand', () => {
    const text = readFileSync(record, 'utf8');
    const edited = text.replace(
      /^description: .*\n/m,
      '# Agreed with the gardeners.\ndescription: |-\n  Every tree at a street.\n\n  Heights are in **metres**.\n',
    );
    assert.notEqual(edited, text);
    writeFileSync(record, edited);
    // DCAT-AP demands both of a catalogue.
    appendFileSync(join(root, 'catalogue.yaml'), 'description: What the city knows.\npublisher: The city\n');
    commit('Describe the catalogue and its trees');
  });

  it('takes what changed at the portal, keeps what was written by hand, and is committed and pushed', async () => {
    publishAtPortal('Trees at streets', newTrees);
    const { out, err } = await runEveryNight();
    assert.equal(err, '');
    assert.deepEqual(out.trimEnd().split('\n'), [
      'updated\tcity/street-trees\tlabel',
      `version\tcity/street-trees@${versionNames().at(-1)}\tstreet-trees.geojson`,
    ]);
    const text = readFileSync(record, 'utf8');
    assert.match(text, /^label: Trees at streets$/m);
    assert.match(
      text,
      /\n# Agreed with the gardeners\.\ndescription: \|-\n {2}Every tree at a street\.\n\n {2}Heights are in \*\*metres\*\*\.\n/,
    );
    const name = versionNames().at(-1);
    const home = 'namespaces/city/datasets/street-trees';
    assert.deepEqual(git('show', '--format=%s', '--name-status', 'origin/main').trimEnd().split('\n'), [
      'Refresh',
      '',
      `A\t${home}/data/${name}.geojson`,
      `M\t${home}/dataset.yaml`,
      `A\t${home}/versions/${name}.yaml`,
    ]);
  });

  it('changes nothing if the portal has not changed', async () => {
    const [before, commit] = [filesWithTimes(), git('rev-parse', 'HEAD')];
    assert.deepEqual(await runEveryNight(), { out: '', err: '' });
    assert.deepEqual([filesWithTimes(), git('rev-parse', 'HEAD')], [before, commit]);
    assert.equal(git('status', '--porcelain'), '');
  });

  it('has no errors, and is a site of static files', async () => {
    assert.match((await done('check')).err, /: no errors\.\n$/);
    await done('export', join(home.path, 'site'), '--url', 'https://data.city.example');
    const files = await serveFiles(join(home.path, 'site'), '');
    try {
      const dataset = await (await fetch(`${files.base}/${trees}index.json`)).json();
      assert.deepEqual([dataset.label, dataset.versions.length], ['Trees at streets', 2]);
      const page = await fetch(`${files.base}/${trees}`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<h1[^>]*>Trees at streets<[\s\S]*Heights are in <strong>metres<\/strong>/);
    } finally {
      files.close();
    }
  });

  it('is served, and its documents are valid in the standards', async () => {
    server = await serve([], { cwd: home.path });
    const dataJson = await json('data.json');
    const titles = dataJson.dataset.map(({ title }: { title: string }) => title).sort();
    assert.deepEqual(titles, ['Plan of green spaces', 'Trees at streets', 'Visitors of parks']);
    assert.deepEqual(dcatUsErrors(dataJson), []);
    const dcat = await json('catalog.jsonld');
    assert.equal(dcat['@graph'].length, titles.length + 1);
    assert.deepEqual(await dcatErrors(dcat), []);
    assert.deepEqual(dataPackageErrors(await json(`${trees}datapackage.json`)), []);
    assert.deepEqual(stacErrors(await json(`${trees}stac.json`)), []);
  });

  it('opens in GDAL with all rows', { skip: withoutGdal }, async () => {
    const address = `/vsicurl/${server.url}/${trees}data.geojson`;
    const { stdout } = await runProgram('ogrinfo', ['-ro', '-al', address]);
    assert.match(stdout, /^Feature Count: 3$/m);
    assert.deepEqual(
      [...stdout.matchAll(/^ {2}species \(String\) = (.*)\n {2}height \(Real\) = (.*)$/gm)].map(([, ...row]) => row),
      newTrees.map(([species, height]) => [species, String(height)]),
    );
  });

  it('has both versions in Iceberg, by time travel', async () => {
    const { metadata } = (await json('iceberg/v1/namespaces/city/tables/street-trees')) as { metadata: Metadata };
    const versions = await Promise.all(
      metadata.snapshots.map(async (snapshot) => {
        const chosen = {
          ...metadata,
          'current-snapshot-id': snapshot['snapshot-id'],
          'current-schema-id': snapshot['schema-id'],
        };
        const rows = await icebergRead({ tableUrl: metadata.location, metadata: chosen as never });
        return rows.map(({ species, height }) => [species, height]);
      }),
    );
    assert.deepEqual(versions, [oldTrees, newTrees]);
  });
});
