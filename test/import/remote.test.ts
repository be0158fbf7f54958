/** `catalogue import --remote`: datasets and files of a portal become those of a server, with the rights of its user. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { filesIn as allFilesIn } from '../support/exported.ts';
import { Portal } from '../support/portal.ts';
import { filesIn, makeRoot, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

describe('an import into a server', () => {
  const portal = new Portal();
  const tokens: Record<string, string> = {};
  let root: string;
  let base: string;
  let close: () => Promise<void>;

  before(async () => {
    root = await makeRoot({
      namespaces: { city: { id: 1, label: 'City', owners: ['gardeners'] } },
      groups: { gardeners: { id: 41, label: 'Gardeners' } },
      users: { alice: { id: 1, staff: true }, bob: { id: 2, groups: ['gardeners'] }, eve: { id: 3 } },
    });
    const files = await openFileCatalogue(root);
    for (const name of ['alice', 'bob', 'eve']) tokens[name] = (await files.accounts.addToken(name)).token;
    await files.close();
    const server = await serveFolder(root);
    base = server.base;
    close = () => server.close();
    await portal.start();
    publishAtPortal('Trees', 'oak,3');
  });
  after(async () => {
    portal.close();
    await close();
  });

  function publishAtPortal(title: string, row: string): void {
    const dataset = (name: string, label: string) => ({
      title: label,
      identifier: `${name}-1`,
      description: `${label} of the city.`,
      distribution: [{ downloadURL: `${portal.base}/${name}.csv`, mediaType: 'text/csv' }],
    });
    portal.json('/data.json', {
      conformsTo: 'dcat',
      dataset: [dataset('trees', title), dataset('benches', 'Benches')],
    });
    portal.file('/trees.csv', `name,height\n${row}\n`, 'text/csv');
    portal.file('/benches.csv', 'place\nsouth\n', 'text/csv');
  }
  const importing = async (name: string, ...more: string[]) => {
    const cwd = join(dirname(root), name);
    const { out, ...result } = await type(
      ['import', `${portal.base}/data.json`, '--to', 'city', '--with-data', '--delay', '0', '--json', ...more],
      {
        root,
        env: {
          CATALOGUE_TOKEN: tokens[name],
          CATALOGUE_REMOTE: base,
          CATALOGUE_DATA: undefined,
          XDG_CACHE_HOME: join(cwd, '.cache'),
        },
      },
    );
    return { ...result, cwd, json: out ? JSON.parse(out) : null };
  };
  const numbersOf = ({ created, updated, unchanged, skipped, versions }: Record<string, unknown[]>) => [
    created?.length,
    updated?.length,
    unchanged,
    skipped?.length,
    versions?.length,
  ];

  it('is refused to a user without the right, and leaves nothing', async () => {
    const before = filesIn(root);
    const { exitCode, err, json } = await importing('eve');
    assert.equal(exitCode, 1, err);
    const reason = 'You do not have permission to perform this action.';
    assert.deepEqual(
      json.skipped.map((one: { reason: string }) => one.reason),
      [reason, reason],
    );
    assert.deepEqual([json.links, portal.asked], [[], ['/data.json']], 'no file is fetched in vain');
    assert.deepEqual(filesIn(root), before);
  });

  it('is refused by a dry run as by the import: without the right to write in the namespace, or to make it', async () => {
    for (const more of [[], ['--to', 'new']]) {
      const { exitCode, err, json } = await importing('eve', ...more);
      const dry = await importing('eve', ...more, '--dry-run');
      assert.notEqual(exitCode, 0);
      assert.deepEqual([dry.exitCode, dry.err, dry.json?.skipped], [exitCode, err, json?.skipped]);
    }
  });

  it('tries it without a change', async () => {
    const before = filesIn(root);
    const { json, err } = await importing('bob', '--dry-run');
    assert.deepEqual(numbersOf(json), [2, 0, 0, 0, 0], err);
    assert.deepEqual(filesIn(root), before);
  });

  it('makes records and versions there, and keeps answers in the cache of the user', async () => {
    const { exitCode, json, err, cwd } = await importing('bob');
    assert.deepEqual([exitCode, numbersOf(json)], [0, [2, 0, 0, 0, 2]], err);
    assert.ok(allFilesIn(join(cwd, '.cache/catalogue/import')).some((path) => path.endsWith('.body')));
    assert.ok(!existsSync(join(root, '.catalogue/import')));
    const dataset = await (await fetch(new URL('api/v1/namespaces/city/datasets/trees/', base))).json();
    assert.deepEqual([dataset.description, dataset.versions.length], ['Trees of the city.', 1]);
    const rows = await fetch(new URL('api/v1/namespaces/city/datasets/trees/data.csv', base));
    assert.equal(await rows.text(), 'name,height\r\noak,3\r\n');
  });

  it('updates what has changed, keeps what people wrote on the server, and changes nothing the third time', async () => {
    const edited = await type(['dataset', 'edit', 'city/trees', '--description', 'By hand.'], {
      root,
      env: { CATALOGUE_TOKEN: tokens.alice, CATALOGUE_REMOTE: base, CATALOGUE_DATA: undefined },
    });
    assert.equal(edited.exitCode, 0, edited.err);
    publishAtPortal('Street trees', 'oak,4');
    const { json, err } = await importing('bob');
    assert.deepEqual(numbersOf(json), [0, 1, 1, 0, 1], err);
    assert.deepEqual(json.kept, [{ dataset: 'city/trees', fields: ['description'] }]);
    const record = () => readFileSync(join(root, 'namespaces/city/datasets/trees/dataset.yaml'), 'utf8');
    assert.match(record(), /^label: Street trees\ndescription: By hand\.$/m);
    const before = [filesIn(root), record()];
    assert.deepEqual(numbersOf((await importing('bob')).json), [0, 0, 2, 0, 0]);
    assert.deepEqual([filesIn(root), record()], before);
  });

  it('finds the datasets again in a namespace that was renamed, and where they were moved', async () => {
    const env = { CATALOGUE_TOKEN: tokens.alice, CATALOGUE_REMOTE: base, CATALOGUE_DATA: undefined };
    for (const argv of [
      ['namespace', 'add', 'parks-of-city', '--label', 'Parks'],
      ['dataset', 'edit', 'city/trees', '--namespace', 'parks-of-city'],
      ['namespace', 'edit', 'city', '--slug', 'town'],
    ])
      assert.equal((await type(argv, { root, env })).exitCode, 0);
    publishAtPortal('Our trees', 'oak,5');
    const { json, err } = await importing('alice');
    assert.deepEqual([numbersOf(json), json.namespace], [[0, 1, 1, 0, 1], 'town'], err);
    assert.match(err, /city is called town now\./);
    assert.deepEqual([json.updated[0].dataset, json.versions[0].dataset], Array(2).fill('parks-of-city/trees'));
  });

  it('gives no new dataset the former name of another, whose address leads to that', async () => {
    const env = { CATALOGUE_TOKEN: tokens.alice, CATALOGUE_REMOTE: base, CATALOGUE_DATA: undefined };
    const rename = ['dataset', 'edit', 'town/benches', '--slug', 'seats'];
    assert.equal((await type(rename, { root, env })).exitCode, 0);
    portal.json('/data.json', { conformsTo: 'dcat', dataset: [{ identifier: 'benches-2', title: 'Benches' }] });
    const { json, err } = await importing('alice');
    assert.deepEqual(json.created, [{ dataset: 'town/benches-2', label: 'Benches' }], err);
  });

  it('has no place to save a source', async () => {
    const { exitCode, err } = await importing('bob', '--save', 'city');
    assert.equal(exitCode, 2);
    assert.match(err, /--save keeps the source in catalogue\.yaml of a folder, not of a remote: leave out --save\./);
    const refreshed = await type(['refresh', '--remote', base], { root });
    assert.equal(refreshed.exitCode, 2);
    assert.match(refreshed.err, /catalogue refresh works on a folder, not on a remote/);
  });
});
