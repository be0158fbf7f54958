/** What every replica promises: the interface `replica.ts` as tests, which a folder's and one over HTTP run. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import {
  ConflictError,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  ValidationError,
} from '../../src/catalogue/errors.ts';
import { digestGroupOfPath, GroupDigests, isSynced } from '../../src/catalogue/manifest-groups.ts';
import type { FileEntry, RecordChange, Replica } from '../../src/catalogue/replica.ts';
import { parseRecordText } from '../../src/text/parse.ts';
import { type CatalogueFolder, type FolderContent, makeFolder } from '../support/folder.ts';
import type { Opened } from './catalogue.ts';

/** @param open opens a folder as a catalogue of this kind, until the test is over */
export function replicaPromises(
  kind: string,
  open: (test: TestContext, folder: CatalogueFolder) => Promise<Opened>,
): void {
  const given = async (test: TestContext) => {
    const folder = makeFolder(content, test);
    const { catalogue, open: other } = await open(test, folder);
    return { folder, catalogue, replica: catalogue.replica, other: other.replica };
  };

  describe(`The files of ${kind}`, { concurrency: 4 }, () => {
    it('are listed by path with their checksums, and their texts where they are asked for', async (test) => {
      const { folder, replica } = await given(test);
      const entries = await allOf(replica);
      assert.deepEqual(
        entries.map(({ path, record }) => [path, record]),
        [
          ['catalogue.yaml', true],
          ['groups/staff.yaml', true],
          [`${home}/data/${slug}.csv`, false],
          [`${home}/dataset.yaml`, true],
          [`${home}/versions/${slug}.yaml`, true],
          ['namespaces/parks/namespace.yaml', true],
          ['namespaces/secret/namespace.yaml', true],
          ['queries/tall.yaml', true],
          ['site_media/oak.png', false],
          ['users/bob.yaml', true],
        ],
      );
      for (const { path, checksum, size, text } of entries) {
        const bytes = readFileSync(folder.path(path));
        assert.deepEqual([checksum, size, text], [sha256(bytes), bytes.length, undefined], path);
      }
      const [first] = await allOf(replica, true);
      assert.equal(first?.text, readFileSync(folder.path('catalogue.yaml'), 'utf8'));
    });

    it('have a tag, which is the same until one is another', async (test) => {
      const { replica } = await given(test);
      const manifest = await replica.manifest();
      assert.ok(manifest?.tag);
      for await (const _ of manifest.entries);
      assert.equal(await replica.manifest({ known: manifest.tag }), null);
      const dataset = await textOf(replica, `${home}/dataset.yaml`);
      await succeed(replica, [write(`${home}/dataset.yaml`, `${dataset}# Seen\n`, dataset)]);
      const other = await replica.manifest({ known: manifest.tag });
      assert.notEqual(other?.tag, manifest.tag);
      for await (const _ of other?.entries ?? []);
      await succeed(replica, [write(`${home}/dataset.yaml`, dataset, `${dataset}# Seen\n`)]);
      assert.equal(await replica.manifest({ known: manifest.tag }), null);
    });

    it('have digests by group, and can be listed by group', async (test) => {
      const { folder, replica, other } = await given(test);
      const count = 16;
      const digests = async (of: Replica) => {
        const found = await of.digests(count);
        assert.ok(found && found !== 'unsupported');
        return found;
      };
      const before = await digests(replica);
      assert.equal(before.tag, (await replica.manifest({ groups: { count, only: [0] } }))?.tag);
      assert.equal(await replica.digests(count, { known: before.tag }), null);
      const computed = new GroupDigests(count);
      for (const entry of await allOf(other)) computed.add(entry);
      assert.deepEqual((await digests(other)).digests, computed.compute(sha256));
      // catalogue.yaml is not synchronised, and in no group.
      folder.write('catalogue.yaml', `${readFileSync(folder.path('catalogue.yaml'), 'utf8')}# More\n`);
      const dataset = await textOf(replica, `${home}/dataset.yaml`);
      await succeed(replica, [write(`${home}/dataset.yaml`, `${dataset}# Seen\n`, dataset)]);
      const after = await digests(replica);
      const group = digestGroupOfPath(`${home}/dataset.yaml`, count);
      assert.deepEqual(
        after.digests.flatMap((digest, i) => (digest === before.digests[i] ? [] : [i])),
        [group],
      );
      const manifest = await replica.manifest({ groups: { count, only: [group] } });
      const paths: string[] = [];
      for await (const { path } of manifest?.entries ?? []) paths.push(path);
      const all = (await allOf(replica)).map(({ path }) => path);
      assert.deepEqual(
        paths,
        all.filter((path) => isSynced(path) && digestGroupOfPath(path, count) === group),
      );
      assert.ok(paths.includes(`${home}/data/${slug}.csv`), 'a dataset is in one group');
    });

    it('are hidden from those who may not see what they hold', async (test) => {
      const { other } = await given(test);
      const paths = (await allOf(other)).map(({ path }) => path);
      assert.ok(paths.includes(`${home}/dataset.yaml`) && paths.includes(`${home}/data/${slug}.csv`));
      assert.deepEqual(
        paths.filter((path) => /secret|users\//.test(path)),
        [],
      );
      await assert.rejects(other.read('namespaces/secret/namespace.yaml'), NotFoundError);
      await assert.rejects(other.read('users/bob.yaml'), NotFoundError);
      await assert.rejects(other.entry('users/bob.yaml'), NotFoundError);
    });

    it('are read: whole, in part, and never others than were meant', async (test) => {
      const { replica } = await given(test);
      const path = `${home}/data/${slug}.csv`;
      assert.deepEqual(await buffer(await replica.read(path)), Buffer.from(payload));
      const rest = await replica.read(path, { checksum: sha256(payload), start: 4 });
      assert.deepEqual(await buffer(rest), Buffer.from(payload.slice(4)));
      assert.deepEqual(await buffer(await replica.read(path, { start: 2, end: 5 })), Buffer.from(payload.slice(2, 6)));
      await assert.rejects(replica.read(path, { checksum: sha256('other') }), ConflictError);
      await assert.rejects(replica.read('namespaces/none/namespace.yaml'), NotFoundError);
      const entry = await replica.entry('site_media/oak.png');
      assert.deepEqual([entry.checksum, entry.record, entry.mediaType], [sha256(png), false, 'image/png']);
      assert.equal((await replica.entry(`${home}/dataset.yaml`)).record, true);
    });

    it('are records wherever a record lies, also below something called "data"', async (test) => {
      const { replica } = await given(test);
      const path = 'namespaces/data/datasets/data/dataset.yaml';
      await succeed(replica, [
        write('namespaces/data/namespace.yaml', 'id: 9\nlabel: Data\n'),
        write(path, 'id: 10\nlabel: Data\n'),
      ]);
      assert.equal((await replica.entry(path)).record, true);
      assert.equal((await replica.entry('namespaces/data/namespace.yaml')).record, true);
    });

    for (const path of [
      '../outside.yaml',
      '.catalogue/accounts.json',
      'namespaces/../catalogue.yaml',
      'namespaces/parks/../../catalogue.yaml',
      'namespaces\\parks\\namespace.yaml',
      '/etc/passwd',
      'namespaces/parks/notes.txt',
      '',
    ])
      it(`are no files anywhere else: ${JSON.stringify(path)}`, async (test) => {
        const { replica } = await given(test);
        await assert.rejects(replica.read(path));
        const outcomes = await replica
          .apply([{ do: 'write', path, text: 'label: x\n', ifMatch: null }])
          .catch((error) => [{ done: false, error }]);
        assert.equal(outcomes[0]?.done, false);
        await assert.rejects(replica.put(path, bytes('x')));
      });

    it('are written as they are, comments and all, and the catalogue shows them at once', async (test) => {
      const { folder, catalogue, replica } = await given(test);
      const text = '# By hand\nid: 77\nlabel:   "Ponds"\nx-own: [1, 2]\n';
      await succeed(replica, [
        write('namespaces/water/namespace.yaml', 'id: 9\nlabel: Water\n'),
        write('namespaces/water/datasets/ponds/dataset.yaml', text),
      ]);
      const path = 'namespaces/water/datasets/ponds/dataset.yaml';
      assert.equal(readFileSync(folder.path(path), 'utf8'), text);
      const dataset = await catalogue.get({ kind: 'dataset', namespace: 'water', slug: 'ponds' });
      assert.deepEqual([dataset.id, dataset.label], [77, 'Ponds']);
      assert.equal((await replica.entry(path)).checksum, sha256(text));
    });

    it('are not written over what the writer has not seen', async (test) => {
      const { replica } = await given(test);
      const path = `${home}/dataset.yaml`;
      const text = await textOf(replica, path);
      const outcomes = await replica.apply([
        write(path, 'id: 1\nlabel: A\n'),
        write(path, 'id: 1\nlabel: B\n', 'something else'),
        write('namespaces/gone/namespace.yaml', 'id: 5\nlabel: C\n', 'it was there'),
        { do: 'remove', path, ifMatch: sha256('something else') },
        write(
          'queries/tall.yaml',
          'id: 1\nlabel: Taller\ndataset: parks/trees\n',
          await textOf(replica, 'queries/tall.yaml'),
        ),
      ]);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.done ? 'done' : outcome.error.constructor)),
        [StaleError, StaleError, StaleError, StaleError, 'done'],
      );
      assert.equal(await textOf(replica, path), text);
    });

    it('get another extension together with another text', async (test) => {
      const { folder, catalogue, replica } = await given(test);
      const stems = [
        'namespaces/parks/namespace',
        `${home}/dataset`,
        `${home}/versions/${slug}`,
        'groups/staff',
        'users/bob',
        'queries/tall',
      ];
      const filesOf = (stem: string) =>
        ['yaml', 'yml', 'json'].filter((extension) => existsSync(folder.path(`${stem}.${extension}`)));
      for (const stem of stems) {
        let [extension, text] = ['yaml', await textOf(replica, `${stem}.yaml`)];
        for (const next of ['json', 'yml', 'json', 'yaml', 'yml', 'yaml']) {
          const [path, replaces] = [`${stem}.${next}`, `${stem}.${extension}`];
          const fields = {
            ...(parseRecordText(text, extension === 'json' ? 'json' : 'yaml') as { value: object }).value,
          };
          const other = next === 'json' ? JSON.stringify(fields, null, '\t') : `# ${next}\n${stringify(fields)}`;
          const change: RecordChange = { do: 'write', path, text: other, ifMatch: sha256(text), replaces };
          const [stale] = await replica.apply([{ ...change, ifMatch: sha256('something else') }]);
          assert.ok(stale?.done === false && stale.error instanceof StaleError);
          assert.deepEqual(await replica.apply([change], { dryRun: true }), [{ path, done: true }]);
          assert.deepEqual(filesOf(stem), [extension]);
          await succeed(replica, [change]);
          // As by a client that didn't get the answer.
          await succeed(replica, [change]);
          assert.deepEqual(filesOf(stem), [next]);
          assert.equal(readFileSync(folder.path(path), 'utf8'), other);
          assert.equal(await textOf(replica, path), other);
          await assert.rejects(replica.entry(replaces), NotFoundError);
          [extension, text] = [next, other];
        }
      }
      const label = (await catalogue.get({ kind: 'dataset', namespace: 'parks', slug: 'trees' })).label;
      const { size } = await catalogue.get({ kind: 'version', namespace: 'parks', dataset: 'trees', slug });
      assert.deepEqual([label, size], ['Trees', payload.length]);
      const before = await textOf(replica, 'queries/tall.yaml');
      for (const replaces of ['queries/other.json', 'queries/tall.yaml', 'notes.txt']) {
        const change = {
          do: 'write',
          path: 'queries/tall.yaml',
          text: before,
          ifMatch: sha256(before),
          replaces,
        } as const;
        const [outcome] = await replica.apply([change]);
        assert.ok(outcome?.done === false && outcome.error instanceof ValidationError, replaces);
      }
    });

    it('have to fit: form, references, names and ids', async (test) => {
      const { replica } = await given(test);
      const refused = async (path: string, text: string) => {
        const [outcome] = await replica.apply([write(path, text)]);
        return outcome?.done ? 'done' : outcome?.error;
      };
      const broken = await refused('namespaces/a/namespace.yaml', 'label: [\n');
      assert.ok(broken instanceof ValidationError && /2/.test(broken.message), String(broken));
      assert.ok((await refused('namespaces/a/namespace.yaml', 'label: 5\n')) instanceof ValidationError);
      assert.ok((await refused('namespaces/none/datasets/x/dataset.yaml', 'label: X\n')) instanceof Error);
      const clash = await refused('namespaces/a/namespace.yaml', 'id: 1\nlabel: A\n');
      assert.ok(clash instanceof ConflictError, String(clash));
      assert.ok((await refused('namespaces/PARKS/namespace.yaml', 'id: 50\nlabel: A\n')) instanceof Error);
      assert.ok((await refused('namespaces/parks/namespace.json', '{"label":"A"}')) instanceof Error);
      assert.equal((await allOf(replica)).length, 10);
    });

    it('take payloads before the versions that name them', async (test) => {
      const { folder, catalogue, replica } = await given(test);
      const next = '20250101000000000000';
      const path = `${home}/data/${next}.csv`;
      const progress: number[] = [];
      await replica.put(path, { ...bytes('a,b\n3,4\n'), onProgress: (count) => progress.push(count) });
      assert.equal(progress.at(-1), 8);
      await replica.put(path, bytes('a,b\n3,4\n'));
      await assert.rejects(replica.put(path, bytes('a,b\n5,6\n')), ConflictError);
      const record = `id: 2\ndatetime: 2025-01-01T00:00:00.000Z\nchecksum: ${sha256('a,b\n3,4\n')}\nfile:\n  name: ${next}.csv\n  format: csv\n  size: 8\n`;
      await succeed(replica, [write(`${home}/versions/${next}.yaml`, record)]);
      const version = await catalogue.get({ kind: 'version', namespace: 'parks', dataset: 'trees', slug: 'latest' });
      assert.deepEqual([version.slug, version.ready, version.id], [next, true, 2]);
      assert.equal(readFileSync(folder.path(path), 'utf8'), 'a,b\n3,4\n');
    });

    it('take no bytes but those that were promised, and keep nothing of others', async (test) => {
      const { folder, replica } = await given(test);
      const path = `${home}/data/20250101000000000000.csv`;
      await assert.rejects(replica.put(path, { ...bytes('a\n1\n'), checksum: sha256('b') }), ValidationError);
      const controller = new AbortController();
      async function* endless() {
        for (let i = 0; ; i++) {
          if (i === 9) controller.abort(new Error('Enough.'));
          yield Buffer.alloc(1024);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
      const cut = { source: () => Readable.from(endless()), checksum: sha256('x'), size: 10_000_000 };
      await assert.rejects(replica.put(path, { ...cut, signal: controller.signal }));
      assert.equal(existsSync(folder.path(path)), false);
    });

    it('are moved with all that belongs to them, and removed', async (test) => {
      const { folder, catalogue, replica } = await given(test);
      const from = `${home}/dataset.yaml`;
      const to = 'namespaces/parks/datasets/oaks/dataset.yaml';
      const { checksum } = await replica.entry(from);
      await succeed(replica, [{ do: 'move', path: from, to, ifMatch: checksum }]);
      const moved = await catalogue.get({ kind: 'dataset', namespace: 'parks', slug: 'oaks' });
      assert.deepEqual([moved.id, moved.versions.length, moved.versions[0]?.ready], [1, 1, true]);
      await succeed(replica, [{ do: 'move', path: from, to, ifMatch: checksum }]);
      await succeed(replica, [{ do: 'remove', path: to, ifMatch: checksum }]);
      assert.equal(existsSync(folder.path('namespaces/parks/datasets/oaks')), false);
      assert.equal(existsSync(folder.path('.catalogue/trash')), true);
      await succeed(replica, [{ do: 'remove', path: to, ifMatch: checksum }]);
    });

    it('get a new text with the move, in one step', async (test) => {
      const { folder, catalogue, replica } = await given(test);
      const from = `${home}/dataset.yaml`;
      const to = 'namespaces/parks/datasets/oaks/dataset.yaml';
      const { checksum } = await replica.entry(from);
      const text = `${await textOf(replica, from)}aliases:\n  - trees\n`;
      const move = { do: 'move', path: from, to, ifMatch: checksum, text } as const;
      for (const change of [
        { ...move, ifMatch: sha256('another text') },
        { ...move, text: `${text}id: x\n` },
        { ...move, to: 'namespaces/none/datasets/oaks/dataset.yaml' },
      ]) {
        const [outcome] = await replica.apply([change]);
        assert.equal(outcome?.done, false);
        assert.equal((await replica.entry(from)).checksum, checksum);
      }
      for (let round = 0; round < 2; round++) {
        await succeed(replica, [move]);
        assert.equal(readFileSync(folder.path(to), 'utf8'), text);
        assert.equal(existsSync(folder.path(from)), false);
      }
      const oaks = { kind: 'dataset', namespace: 'parks', slug: 'oaks' } as const;
      assert.equal((await catalogue.get(oaks)).versions.length, 1);
      await assert.rejects(
        catalogue.get({ ...oaks, slug: 'trees' }),
        (error) => error instanceof MovedError && isDeepStrictEqual(error.to, oaks),
      );
    });

    it('are written by nobody who may not', async (test) => {
      const { replica, other } = await given(test);
      const isRefused = (error: unknown) =>
        error instanceof NotPermittedError || error instanceof NotAuthenticatedError;
      const path = `${home}/dataset.yaml`;
      const text = await textOf(replica, path);
      const outcomes = await other
        .apply([write(path, 'id: 1\nlabel: Mine\n', text)])
        .catch((error) => [{ done: false, error }]);
      assert.ok(outcomes[0]?.done === false && isRefused(outcomes[0].error));
      await assert.rejects(other.put(`${home}/data/20250101000000000000.csv`, bytes('a\n1\n')), isRefused);
      const [settings] = await replica.apply([
        write('catalogue.yaml', 'title: Mine\n', await textOf(replica, 'catalogue.yaml')),
      ]);
      assert.equal(settings?.done, false);
      assert.equal(await textOf(replica, path), text);
    });
  });
}

const slug = '20240101000000000000';
const home = 'namespaces/parks/datasets/trees';
const payload = 'a,b\n1,2\n';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
);
const content: FolderContent = {
  settings: { title: 'Parks' },
  namespaces: {
    parks: { id: 1, label: 'Parks' },
    secret: { id: 2, label: 'Secret', visibility: 'private' },
  },
  datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
  versions: {
    [`parks/trees@${slug}`]: {
      id: 1,
      datetime: '2024-01-01T00:00:00.000Z',
      checksum: sha256(payload),
      file: { name: `${slug}.csv`, format: 'csv', size: payload.length },
    },
  },
  groups: { staff: { id: 1, label: 'Staff' } },
  users: { bob: { id: 1, email: 'bob@example.org' } },
  queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees' } },
  files: { [`${home}/data/${slug}.csv`]: payload, 'site_media/oak.png': png },
};

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function allOf(replica: Replica, texts = false): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of (await replica.manifest({ texts }))?.entries ?? []) entries.push(entry);
  return entries;
}

const textOf = async (replica: Catalogue['replica'], path: string) =>
  (await buffer(await replica.read(path))).toString();

/** @param seen the text that the record has as far as the writer knows */
const write = (path: string, text: string, seen?: string): RecordChange => ({
  do: 'write',
  path,
  text,
  ifMatch: seen === undefined ? null : sha256(seen),
});

const bytes = (text: string) => ({
  source: () => Readable.from([Buffer.from(text)]),
  checksum: sha256(text),
  size: Buffer.byteLength(text),
});

async function succeed(replica: Replica, changes: readonly RecordChange[]): Promise<void> {
  for (const outcome of await replica.apply(changes))
    assert.ok(outcome.done, outcome.done ? '' : String(outcome.error));
}
