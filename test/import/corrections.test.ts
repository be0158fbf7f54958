/** Versions that people publish in imported datasets stay the newest until the file at the source has changed. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Dataset } from '../../src/catalogue/types.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { workbookOf, zipOf } from '../data/support/zip.ts';
import { Portal } from '../support/portal.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());

type Kind = {
  /** Makes the source with a height of the oak. @returns the arguments of `import` */
  readonly write: (folder: string, height: number) => readonly string[] | Promise<readonly string[]>;
  /** Dataset with the oak. */
  readonly dataset: string;
  /** True if its file comes from a server. */
  readonly isFetched?: boolean;
};

const csv = (height: number) => `name,height\noak,${height}\n`;
const cell = (value: unknown) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const sheet = (...rows: readonly unknown[]) => rows.map((row, i) => `<row r="${i + 1}">${cell(row)}</row>`).join('');

const ckanPackage = () => ({
  id: '00000001-0000-4000-8000-000000000000',
  name: 'trees',
  title: 'Trees',
  resources: [{ name: 'Table', url: `${portal.base}/trees.csv`, format: 'CSV' }],
});

const kinds: Readonly<Record<string, Kind>> = {
  'a folder of files': {
    dataset: 'trees',
    write(folder, height) {
      writeFileSync(join(folder, 'trees.csv'), csv(height));
      writeFileSync(join(folder, 'other.csv'), 'a\n1\n');
      return [folder];
    },
  },
  'a file': {
    dataset: 'trees',
    write(folder, height) {
      writeFileSync(join(folder, 'trees.csv'), csv(height));
      return [join(folder, 'trees.csv')];
    },
  },
  'a ZIP archive': {
    dataset: 'trees',
    write(folder, height) {
      writeFileSync(join(folder, 'trees.zip'), zipOf({ 'a/trees.csv': csv(height), 'README.txt': 'Read me' }));
      return [join(folder, 'trees.zip')];
    },
  },
  'a workbook': {
    dataset: 'plants-trees',
    write(folder, height) {
      const workbook = workbookOf({ Trees: sheet('height', height), Shrubs: sheet('name', 'ivy') });
      writeFileSync(join(folder, 'plants.xlsx'), workbook);
      return [join(folder, 'plants.xlsx')];
    },
  },
  'a data package': {
    dataset: 'trees',
    write(folder, height) {
      writeFileSync(join(folder, 'trees.csv'), csv(height));
      const fields = [{ name: 'height', title: 'Height', type: 'integer' }];
      const resources = [{ name: 'trees', path: 'trees.csv', schema: { fields } }];
      writeFileSync(join(folder, 'datapackage.json'), JSON.stringify({ name: 'trees', resources }));
      return [folder, '--with-data'];
    },
  },
  'CKAN, with ETags': {
    dataset: 'trees',
    isFetched: true,
    write(_, height) {
      portal.json('/api/3/action/package_search', {
        ...{ help: '', success: true },
        result: { count: 1, results: [ckanPackage()] },
      });
      portal.file('/trees.csv', csv(height), 'text/csv');
      return [`${portal.base}/api/3/action`, '--with-data'];
    },
  },
  'a data.json, whose files have no ETag': {
    dataset: 'trees',
    isFetched: true,
    write(_, height) {
      const distribution = [{ downloadURL: `${portal.base}/plain.csv`, mediaType: 'text/csv' }];
      portal.json('/data.json', {
        conformsTo: 'dcat',
        dataset: [{ title: 'Trees', identifier: 'trees-1', distribution }],
      });
      portal.answers.set('/plain.csv', (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/csv' }).end(csv(height)),
      );
      return [`${portal.base}/data.json`, '--with-data'];
    },
  },
};

/** The commands of a user on a catalogue. */
type Typing = (...argv: readonly string[]) => Promise<{ out: string; err: string; exitCode: number }>;

/** Imports a source again and again, while people publish and remove versions. */
async function importRepeatedly(kind: Kind, typing: Typing, get: () => Promise<Dataset>, folder: string) {
  const ref = `city/${kind.dataset}`;
  const add = async (height: number) => {
    writeFileSync(join(dirname(folder), 'mine.csv'), csv(height));
    const { exitCode, err } = await typing('version', 'add', ref, 'mine.csv', '--force');
    assert.equal(exitCode, 0, err);
    return (await get()).versions[0]?.slug ?? '';
  };
  const importing = async (height: number, ...more: string[]) => {
    const argv = [...(await kind.write(folder, height)), '--to', 'city', '--delay', '0', '--json', ...more];
    const { out, err, exitCode } = await typing('import', ...argv);
    assert.equal(exitCode, 0, err);
    const json = JSON.parse(out) as {
      readonly versions: readonly { dataset: string; version: string | null; addedByHand: readonly string[] }[];
      readonly unfetched: readonly { dataset: string }[];
      readonly links: readonly { failed?: boolean }[];
    };
    assert.deepEqual(
      json.links.filter(({ failed }) => failed),
      [],
    );
    return {
      versions: json.versions.filter(({ dataset }) => dataset === ref),
      unfetched: json.unfetched.map(({ dataset }) => dataset),
    };
  };
  /** Imports twice: the dry run says what the other one does. @returns versions of people that are older since, or null */
  const importTwice = async (height: number): Promise<readonly string[] | null> => {
    const before = await get().catch(() => null);
    const dry = await importing(height, '--dry-run');
    assert.deepEqual(await get().catch(() => null), before, 'a dry run changes nothing');
    const { versions, unfetched } = await importing(height);
    assert.deepEqual(unfetched, []);
    if (kind.isFetched) assert.deepEqual(dry, { versions: [], unfetched: [ref] });
    else
      assert.deepEqual(
        dry.versions,
        versions.map((one) => ({ ...one, version: null })),
      );
    return versions.length ? (versions[0]?.addedByHand ?? []) : null;
  };
  const slugs = async () => (await get()).versions.map(({ slug }) => slug);

  assert.deepEqual(await importTwice(3), []);
  assert.equal(await importTwice(3), null);
  const correction = await add(4);
  assert.equal(await importTwice(3), null, 'the correction stays the newest');
  assert.equal((await slugs())[0], correction);
  assert.deepEqual(await importTwice(5), [correction], 'a file that has changed is newer than the correction');
  const [imported = ''] = await slugs();

  const removed = await typing('version', 'remove', `${ref}@${imported}`, '--yes');
  assert.equal(removed.exitCode, 0, removed.err);
  assert.equal(await importTwice(5), null, 'a removed version does not come back');
  assert.equal((await slugs())[0], correction);
  assert.deepEqual(await importTwice(6), [], 'the correction was older before');
  assert.deepEqual(await importTwice(5), [], 'the source has its former file again');
  const another = await add(7);
  assert.deepEqual(await importTwice(8), [another]);
}

async function tokenOf(root: string, user: string): Promise<string> {
  const files = await openFileCatalogue(root);
  const { token } = await files.accounts.addToken(user);
  await files.close();
  return token;
}

async function importIntoFolder(kind: Kind): Promise<void> {
  const root = await makeRoot();
  const folder = join(dirname(root), 'sources');
  mkdirSync(folder);
  const get = async () => {
    const { catalogue } = await type(['dataset', 'list'], { root });
    return catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'city', slug: kind.dataset });
  };
  await importRepeatedly(kind, (...argv) => type(argv, { root }), get, folder);
}

describe('a version that people publish in an imported dataset', () => {
  for (const [what, kind] of Object.entries(kinds))
    it(`stays the newest in a folder: ${what}`, () => importIntoFolder(kind));

  for (const what of ['a folder of files', 'a ZIP archive', 'a workbook', 'CKAN, with ETags'])
    it(`stays the newest on a server: ${what}`, async () => {
      const kind = kinds[what] as Kind;
      const root = await makeRoot({
        namespaces: { city: { id: 1, label: 'City', owners: ['gardeners'] } },
        groups: { gardeners: { id: 41, label: 'Gardeners' } },
        users: { bob: { id: 2, groups: ['gardeners'] } },
      });
      const folder = join(dirname(root), 'sources');
      mkdirSync(folder);
      const token = await tokenOf(root, 'bob');
      const server = await serveFolder(root);
      const remote = await openRemoteCatalogue(server.base, { token });
      const env = {
        CATALOGUE_TOKEN: token,
        CATALOGUE_REMOTE: server.base,
        CATALOGUE_DATA: undefined,
        XDG_CACHE_HOME: join(dirname(root), '.cache'),
      };
      try {
        const get = () => remote.get<'dataset'>({ kind: 'dataset', namespace: 'city', slug: kind.dataset });
        await importRepeatedly(kind, (...argv) => type(argv, { root, env }), get, folder);
      } finally {
        await remote.close();
        await server.close();
      }
    });

  for (const [what, path, dataset] of [
    ['another catalogue', '', 'trees'],
    ['OGC API - Features', 'ogc/', 'parks-trees'],
  ] as const)
    it(`stays the newest in a folder: ${what}`, async () => {
      const theirs = await makeRoot({ ...seed, users: { eve: { id: 3, staff: true } } });
      const token = await tokenOf(theirs, 'eve');
      const served = await serveFolder(theirs);
      const env = { CATALOGUE_TOKEN: token, CATALOGUE_REMOTE: served.base, CATALOGUE_DATA: undefined };
      const write = async (_: string, height: number) => {
        const files = { 'trees.csv': `name,height,longitude,latitude\noak,${height},4.5,51.9\n` };
        const argv = ['version', 'add', 'parks/trees', 'trees.csv'];
        const { exitCode, err } = await type(argv, { root: theirs, env, files });
        assert.equal(exitCode, 0, err);
        return [`${served.base}/${path}`, '--with-data'];
      };
      try {
        await importIntoFolder({ dataset, isFetched: true, write });
      } finally {
        await served.close();
      }
    });

  it('is named in the report when the source has a newer file, and so is what a dry run would fetch', async () => {
    const root = await makeRoot();
    const folder = join(dirname(root), 'sources');
    mkdirSync(folder);
    const importing = async (kind: string, height: number, ...more: string[]) => {
      const argv = (await kinds[kind]?.write(folder, height)) ?? [];
      return type(['import', ...argv, '--to', 'city', ...more], { root });
    };
    await importing('a file', 3);
    writeFileSync(join(dirname(root), 'mine.csv'), csv(4));
    const { out: added } = await type(['version', 'add', 'city/trees', 'mine.csv'], { root });
    for (const [more, version] of [
      [['--dry-run'], 'city/trees'],
      [[], 'city/trees@\\d{20}'],
    ] as const) {
      const { out, err } = await importing('a file', 5, ...more);
      assert.match(out, new RegExp(`^version\t${version}\ttrees\\.csv$`, 'm'));
      assert.ok(out.includes(`older\t${added.trim()}\tadded by hand; the new file of the source is newer\n`), out);
      assert.match(err, /0 new, 0 updated, 1 unchanged, 1 version\.$/m);
    }
    const { out, err } = await importing('CKAN, with ETags', 3, '--delay', '0', '--dry-run');
    assert.match(out, /^fetch\tcity\/trees-2\tits file would be fetched; it becomes a version if it has changed$/m);
    assert.match(err, /1 new, 0 updated, 0 unchanged, 1 file to fetch\.$/m);
  });

  it('stays the newest in a dataset that an earlier release has imported: a version with the bytes is known', async () => {
    const root = await makeRoot();
    const folder = join(dirname(root), 'sources');
    mkdirSync(folder);
    writeFileSync(join(folder, 'trees.csv'), csv(3));
    const record = join(root, 'namespaces/city/datasets/trees/dataset.yaml');
    const importing = async () => {
      const { out, err } = await type(['import', folder, '--to', 'city', '--json'], { root });
      assert.ok(out, err);
      return JSON.parse(out).versions as readonly { readonly addedByHand: readonly string[] }[];
    };
    assert.equal((await importing()).length, 1);
    writeFileSync(join(dirname(root), 'mine.csv'), csv(4));
    assert.equal((await type(['version', 'add', 'city/trees', 'mine.csv'], { root })).exitCode, 0);
    const kept = readFileSync(record, 'utf8');
    const earlier = kept.replace(/^ +(?:file|version): .*\n/gm, '');
    assert.notEqual(earlier, kept);
    writeFileSync(record, earlier);
    assert.deepEqual(await importing(), []);
    assert.equal(readFileSync(record, 'utf8'), kept);
    assert.deepEqual(await importing(), []);
    writeFileSync(record, earlier);
    writeFileSync(join(folder, 'trees.csv'), csv(5));
    assert.deepEqual(
      (await importing()).map(({ addedByHand }) => addedByHand),
      [[]],
      'it is not known which versions people have added',
    );
  });
});
