/** The library: one interface to a folder and to a server, and what makes it pleasant for programs. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { Rows } from '../src/catalogue/catalogue.ts';
import {
  connect,
  listAll,
  NotFoundError,
  openCatalogue,
  parseDatasetRef,
  parseVersionRef,
  readRows,
  refOf,
  UnusableCatalogueError,
} from '../src/index.ts';
import { serveAccounts } from './support/accounts.ts';
import { makeFolder, until } from './support/folder.ts';
import { served } from './support/served.ts';
import { serveFolder } from './support/server.ts';

const trees = parseDatasetRef('parks/trees');
const content = {
  settings: { title: 'Springfield' },
  namespaces: { parks: { label: 'Parks department' } },
  datasets: Object.fromEntries(
    ['benches', 'lakes', 'trees'].map((slug) => [`parks/${slug}`, { label: slug }] as const),
  ),
};

async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The same content, as a folder and behind a server. */
async function bothKinds(test: TestContext) {
  const folder = await openCatalogue(makeFolder(content, test).root);
  test.after(() => folder.close());
  const server = await connect((await served(content, test)).base);
  test.after(() => server.close());
  return { folder, server };
}

describe('a catalogue that a program opened', () => {
  it('knows at once what it is called', async (test) => {
    const { folder } = await bothKinds(test);
    assert.equal(folder.settings.title, 'Springfield');
  });

  it('answers alike from a folder and from a server', async (test) => {
    const { folder, server } = await bothKinds(test);
    for (const catalogue of [folder, server]) {
      assert.equal((await catalogue.get(trees)).label, 'trees');
      await assert.rejects(catalogue.get(parseDatasetRef('parks/birds')), NotFoundError);
    }
  });

  it('is none where there is no catalogue', async (test) => {
    const { root } = makeFolder({}, test);
    await assert.rejects(openCatalogue(`${root}/nowhere`), UnusableCatalogueError);
  });

  it('tells of what it writes itself, and of what others do where it follows them', async (test) => {
    const folder = makeFolder(content, test);
    let changes = 0;
    const catalogue = await openCatalogue(folder.root, { watch: true, onChange: () => changes++ });
    test.after(() => catalogue.close());
    assert.equal(changes, 0);
    const before = catalogue.revision;
    await catalogue.edit(trees, { label: 'Street trees' });
    await until(() => changes === 1);
    assert.notEqual(catalogue.revision, before);
    folder.write('namespaces/parks/datasets/lakes/dataset.yaml', 'label: Ponds\n');
    await until(() => changes > 1);
    await until(async () => (await catalogue.get(parseDatasetRef('parks/lakes'))).label === 'Ponds');
  });

  it('says which file is broken', async (test) => {
    const folder = makeFolder(content, test);
    const lines: string[] = [];
    const catalogue = await openCatalogue(folder.root, { watch: true, log: (line) => lines.push(line) });
    test.after(() => catalogue.close());
    folder.write('namespaces/parks/datasets/lakes/dataset.yaml', 'label: [\n');
    await until(() => lines.length > 0);
    assert.match(lines[0] ?? '', /^namespaces\/parks\/datasets\/lakes\/dataset\.yaml:\d+:\d+: /);
  });
});

describe('listAll', () => {
  it('follows the pages, however long they are', async (test) => {
    for (const catalogue of Object.values(await bothKinds(test)))
      for (const pageSize of [1, 2, 3, undefined]) {
        const found = await collected(listAll(catalogue, 'dataset', { pageSize }));
        assert.deepEqual(
          found.map(({ slug }) => slug),
          ['benches', 'lakes', 'trees'],
        );
      }
  });

  it('leaves none out while others are removed and renamed', async (test) => {
    const slugs = Array.from({ length: 12 }, (_, i) => `d${10 + i}`);
    const datasets = Object.fromEntries(slugs.map((slug) => [`parks/${slug}`, { label: slug }]));
    const catalogue = await openCatalogue(makeFolder({ ...content, datasets }, test).root);
    test.after(() => catalogue.close());
    const found: string[] = [];
    for await (const dataset of listAll(catalogue, 'dataset', { pageSize: 2 })) {
      found.push(dataset.slug);
      if (found.length % 4) await catalogue.remove(refOf(dataset));
      else await catalogue.edit(refOf(dataset), { slug: `a${dataset.slug}` });
    }
    assert.deepEqual(found, slugs);
  });

  it('follows the numbers of pages of a server without cursors', async (test) => {
    const pages = ['a', 'b', 'c'];
    const server = createServer(({ url }, response) => {
      const page = Number(new URL(url ?? '', 'http://x').searchParams.get('page') ?? 1);
      const next = page < pages.length ? `http://x/?page=${page + 1}&page_size=1` : null;
      const results = [{ id: page, username: pages[page - 1], groups: [] }];
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ count: pages.length, next, previous: null, results }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const catalogue = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    test.after(async () => {
      await catalogue.close();
      server.close();
    });
    const found = await collected(listAll(catalogue, 'user', { pageSize: 1 }));
    assert.deepEqual(
      found.map(({ slug }) => slug),
      pages,
    );
  });

  it('asks for no page that nobody wants', async (test) => {
    const { folder } = await bothKinds(test);
    const pages: unknown[] = [];
    const counting = {
      settings: folder.settings,
      list: ((kind, question) => {
        pages.push(question.cursor);
        return folder.list(kind, question);
      }) as typeof folder.list,
    };
    for await (const _ of listAll(counting, 'dataset', { pageSize: 2 })) break;
    assert.deepEqual(pages, ['']);
  });
});

describe('readRows', () => {
  const csv = `species,notes\nÉrable,"${'long '.repeat(40_000)}"\nЛипа,\n`;

  it('gives each row as an object, whole, from either kind', async (test) => {
    const { root } = makeFolder(content, test);
    const folder = await openCatalogue(root);
    test.after(() => folder.close());
    await folder.publish(trees, { source: Readable.from([Buffer.from(csv)]), fileName: 'trees.csv' });
    const { base, close } = await serveFolder(root);
    test.after(close);
    const server = await connect(base);
    test.after(() => server.close());
    for (const catalogue of [folder, server]) {
      const rows = await collected(readRows(catalogue, parseVersionRef('parks/trees'), { _ordering: '-species' }));
      assert.deepEqual(
        rows.map(({ species, notes }) => [species, String(notes ?? '').length]),
        [
          ['Липа', 0],
          ['Érable', 200_000],
        ],
      );
    }
  });

  it('reads lines and letters that come in pieces', async () => {
    const text = Buffer.from('{"a":"é"}\n{"a":"Липа"}\n');
    for (let size = 1; size < text.length; size++) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.subarray(i * size, (i + 1) * size),
      );
      const rows = async () => ({ stream: () => Readable.from(pieces) }) as Rows;
      const read = await collected(readRows({ rows }, parseVersionRef('a/b')));
      assert.deepEqual(read, [{ a: 'é' }, { a: 'Липа' }]);
    }
  });
});

it('a catalogue whose settings are broken is refused each time, until they are mended', async (t) => {
  const folder = makeFolder({ namespaces: { parks: { label: 'Parks' } } }, t);
  folder.write('catalogue.yaml', 'title: [T\n');
  const catalogue = await openCatalogue(folder.root);
  t.after(() => catalogue.close());
  for (let times = 0; times < 2; times++)
    await assert.rejects(catalogue.list('namespace', {}), /catalogue.yaml is broken/);
  folder.write('catalogue.yaml', 'title: Mended\n');
  assert.equal((await catalogue.list('namespace', {})).count, 1);
  assert.equal(catalogue.settings.title, 'Mended');
});

it("a file that can't be sent is named, whether a folder or a server would get it", async (t) => {
  const folder = await openCatalogue(makeFolder(content, t).root);
  t.after(() => folder.close());
  const { base, accounts } = await serveAccounts(t, {}, { datasets: content.datasets });
  const server = await connect(base, { token: (await accounts.addToken('alice')).token });
  t.after(() => server.close());
  const publications: Promise<unknown>[] = [];
  // Many at once, so that the error of some comes before their bytes are asked for.
  for (const catalogue of Array.from({ length: 50 }, () => [folder, server]).flat())
    publications.push(catalogue.publish(trees, { source: '/nowhere/trees.csv', fileName: 'trees.csv' }));
  await Promise.allSettled(publications);
  for (const publication of publications)
    await assert.rejects(publication, { code: 'ENOENT', path: '/nowhere/trees.csv' });
});
