/** Writes over HTTP that meet a hand: a file that is broken stays as it is, and what was changed since isn't written over. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import type { Viewer } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { listTrash } from '../../src/files/writing/trash.ts';
import { serveAccounts } from '../support/accounts.ts';
import { editFile } from '../support/edit.ts';
import { homeOf, until } from '../support/folder.ts';

const api = '/api/v1';
const trees = `${api}/namespaces/parks/datasets/trees/`;
const record = `${homeOf('parks/trees')}/dataset.yaml`;
const slug = '20200101000000000000';

/** With a dataset, a version, a query; and what the catalogue has of each is good. */
async function workshop(t: TestContext) {
  const server = await serveAccounts(t);
  const { folder, accounts, ask } = server;
  const { token } = await accounts.addToken('alice');
  folder.write(`${homeOf('parks/trees')}/data/${slug}.csv`, 'a\n1\n');
  folder.write(
    `${homeOf('parks/trees')}/versions/${slug}.yaml`,
    `id: 8\nlabel: One\ndatetime: 2020-01-01T00:00:00Z\nready: true\nfile:\n  name: ${slug}.csv\n  format: csv\n`,
  );
  folder.write('queries/tall.yaml', 'id: 9\nlabel: Tall\ndataset: parks/trees\n');
  folder.write(record, 'id: 7\nlabel: Trees\n');
  await until(async () => {
    const [dataset, query] = await Promise.all([ask(trees), ask(`${api}/queries/tall/`)]);
    return dataset.body?.versions?.length === 1 && query.status === 200;
  });
  const write = (method: string, path: string, body: unknown = {}, headers = {}) =>
    method === 'FILE'
      ? ask(path, { method: 'POST', body: 'a\n2\n', headers: { 'Content-Type': 'text/csv', ...headers } }, token)
      : ask(
          path,
          { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } },
          token,
        );
  /** Edits a file by hand, without the server having had the time to see it. */
  const hand = (path: string, text: string) => writeFileSync(folder.path(path), text);
  const text = (path: string) => readFileSync(folder.path(path), 'utf8');
  const head = (path: string) => ask(path, { method: 'HEAD' }, token);
  return { ...server, write, head, hand, text };
}

const halfWritten = '# mine\nlabel: Half\ndescription: "not yet\n';
const misfit = '# mine\nlabel: [no, text]\n';

describe('a file that is broken', () => {
  const namespace = 'namespaces/parks/namespace.yaml';
  const version = `${homeOf('parks/trees')}/versions/${slug}.yaml`;
  const attempts: readonly (readonly [what: string, file: string, method: string, path: string, body?: unknown])[] = [
    ['an edit', record, 'PATCH', trees, { label: 'x' }],
    ['an edit of all', record, 'PUT', trees, { label: 'x', namespace: `${api}/namespaces/parks/` }],
    ['a renaming', record, 'PATCH', trees, { slug: 'plants' }],
    ['a move', record, 'PATCH', trees, { namespace: `${api}/namespaces/water/` }],
    ['a removal', record, 'DELETE', trees],
    ['a new version', record, 'FILE', `${trees}version/`],
    ['an edit of a version', version, 'PATCH', `${trees}version/${slug}/`, { notes: 'x' }],
    ['a removal of a version', version, 'DELETE', `${trees}version/${slug}/`],
    ['an edit of a namespace', namespace, 'PATCH', `${api}/namespaces/parks/`, { label: 'x' }],
    ['a renaming of a namespace', namespace, 'PATCH', `${api}/namespaces/parks/`, { slug: 'green' }],
    ['an edit of a query', 'queries/tall.yaml', 'PATCH', `${api}/queries/tall/`, { label: 'x' }],
    ['a removal of a query', 'queries/tall.yaml', 'DELETE', `${api}/queries/tall/`],
    ['an edit of a group', 'groups/gardeners.yaml', 'PATCH', `${api}/groups/gardeners/`, { label: 'x' }],
    ['a renaming of a group', 'users/bob.yaml', 'PATCH', `${api}/groups/gardeners/`, { slug: 'growers' }],
    ['a renaming of an owner', namespace, 'PATCH', `${api}/groups/gardeners/`, { slug: 'growers' }],
    ['a removal of a group', 'users/bob.yaml', 'DELETE', `${api}/groups/gardeners/`],
    [
      'other members',
      'users/bob.yaml',
      'PATCH',
      `${api}/groups/gardeners/`,
      { label: 'x', members: [`${api}/users/eve/`] },
    ],
    [
      'a group with members',
      'users/bob.yaml',
      'POST',
      `${api}/groups/`,
      { label: 'New', members: [`${api}/users/eve/`, `${api}/users/bob/`] },
    ],
    ['an edit of a user', 'users/bob.yaml', 'PATCH', `${api}/users/bob/`, { name: 'x' }],
    ['a removal of a user', 'users/bob.yaml', 'DELETE', `${api}/users/bob/`],
  ];
  it('stays as it is, and so does all else: 409 that says where it is broken', { timeout: 120_000 }, async (t) => {
    const { write, hand, text, folder } = await workshop(t);
    const others = [record, version, namespace, 'queries/tall.yaml', 'groups/gardeners.yaml', 'users/eve.yaml'];
    for (const broken of [halfWritten, misfit])
      for (const [what, file, method, path, body] of attempts) {
        const [good, before] = [text(file), others.map(text)];
        // A label means nothing in a user's record.
        const now = file.startsWith('users/') && broken === misfit ? '# mine\nname: [no, text]\n' : broken;
        hand(file, now);
        const { status, body: said } = await write(method, path, body);
        const name = `${what}: ${status} ${JSON.stringify(said)}`;
        assert.equal(status, 409, name);
        assert.equal(said.detail.slice(0, file.length), file, name);
        assert.match(said.detail.slice(file.length), /^:\d+:\d+: ./, name);
        assert.ok(!said.detail.includes(folder.root), name);
        assert.equal(text(file), now, name);
        hand(file, good);
        assert.deepEqual(others.map(text), before, name);
      }
    assert.deepEqual(await listTrash(folder.root), []);
  });

  it('may be moved about with what it lies in, and is written when it is fixed', async (t) => {
    const { write, hand, text } = await workshop(t);
    hand(record, halfWritten);
    assert.equal((await write('PATCH', `${api}/namespaces/parks/`, { slug: 'green' })).status, 200);
    const moved = record.replace('parks', 'green');
    assert.equal(text(moved), halfWritten);
    const path = trees.replace('parks', 'green');
    hand(moved, '# mine\nid: 7\nlabel: Half\n');
    await until(async () => (await write('PATCH', path, { licence: 'CC0-1.0' })).status === 200);
    assert.equal(text(moved), '# mine\nid: 7\nlabel: Half\nlicence: CC0-1.0\n');
  });
});

describe('If-Match', () => {
  it('holds against what the files say at the moment of writing, seen by the server or not', async (t) => {
    const { write, head, hand, text } = await workshop(t);
    for (const [file, path, by, change] of [
      [record, trees, 'id: 7\nlabel: By hand\n', { licence: 'x' }],
      [`${homeOf('parks/trees')}/versions/${slug}.yaml`, `${trees}version/${slug}/`, null, { notes: 'x' }],
      ['queries/tall.yaml', `${api}/queries/tall/`, 'id: 9\nlabel: By hand\ndataset: parks/trees\n', { label: 'x' }],
      ['groups/gardeners.yaml', `${api}/groups/gardeners/`, 'id: 1\nlabel: By hand\n', { label: 'x' }],
      ['users/bob.yaml', `${api}/groups/gardeners/`, 'id: 2\n', { label: 'x' }],
      ['users/bob.yaml', `${api}/users/bob/`, 'id: 2\nname: By hand\n', { name: 'x' }],
    ] as const) {
      const seen = (await head(path)).headers.get('etag') ?? '';
      const own = { 'If-Match': seen };
      const now = by ?? text(file).replace('One', 'By hand');
      const good = text(file);
      hand(file, now);
      for (const method of ['PATCH', 'DELETE']) {
        const { status, body } = await write(method, path, change, own);
        assert.deepEqual(
          [status, body],
          [412, { detail: 'It was changed since you read it. Read it again, and then decide.' }],
          path,
        );
        assert.equal(text(file), now, path);
      }
      hand(file, good);
      await until(async () => (await head(path)).headers.get('etag') === seen);
      const { status } = await write('PATCH', path, change, own);
      assert.equal(status, 200, path);
    }
  });

  it('lets one of many through', async (t) => {
    const { write, head } = await workshop(t);
    const seen = (await head(trees)).headers.get('etag') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => write('PATCH', trees, { label: `By ${i}` }, { 'If-Match': seen })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(7).fill(412)]);
  });

  it('has a counterpart, If-None-Match, which keeps what is there from being written over', async (t) => {
    const { write, head, text } = await workshop(t);
    const before = text(record);
    const seen = (await head(trees)).headers.get('etag') ?? '';
    for (const condition of ['*', seen, `"another", W/${seen}`])
      for (const [method, body] of [
        ['PATCH', { label: 'x' }],
        ['PUT', { label: 'x', namespace: `${api}/namespaces/parks/` }],
        ['DELETE', null],
      ] as const) {
        const refused = await write(method, trees, body, { 'If-None-Match': condition });
        assert.equal(refused.status, 412, `${method} ${condition}`);
        assert.match(refused.body.detail, /If-None-Match/);
        assert.equal(text(record), before);
      }
    assert.equal((await write('PATCH', trees, { label: 'x' }, { 'If-None-Match': '"another"' })).status, 200);
  });

  it('that is a star asks only that it is there', async (t) => {
    const { write, hand } = await workshop(t);
    hand(record, 'id: 7\nlabel: By hand\n');
    assert.equal((await write('PATCH', trees, { licence: 'x' }, { 'If-Match': '*' })).status, 200);
  });
});

describe('a hand that saves while we write', () => {
  it('wins, and our edit is made of what it wrote', async (t) => {
    const { folder, hand } = await workshop(t);
    let times = 0;
    const change = () => {
      if (times++ === 0) hand(record, '# saved meanwhile\nid: 7\nlabel: By hand\n');
      return { licence: 'CC0-1.0' };
    };
    await editFile(folder.root, record, change);
    assert.equal(times, 2);
    const text = '# saved meanwhile\nid: 7\nlabel: By hand\nlicence: CC0-1.0\n';
    assert.equal(await readFile(folder.path(record), 'utf8'), text);
  });

  it('again and again: then we give in', async (t) => {
    const { folder, hand } = await workshop(t);
    let times = 0;
    const change = () => {
      hand(record, `id: 7\nlabel: By hand ${times++}\n`);
      return { licence: 'x' };
    };
    await assert.rejects(editFile(folder.root, record, change), /is being written by another program/);
    assert.equal(await readFile(folder.path(record), 'utf8'), `id: 7\nlabel: By hand ${times - 1}\n`);
  });

  it('and one that removes is obeyed: nothing is made again', async (t) => {
    const { folder } = await workshop(t);
    const ann: Viewer = { username: 'ann', staff: true, groups: [] };
    const files = await openFileCatalogue(folder.root);
    t.after(() => files.close());
    await files.load();
    await rename(folder.path(homeOf('parks/trees')), folder.path('elsewhere'));
    const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    await assert.rejects(files.for(ann).edit(ref, { label: 'x' }), { name: 'NotFoundError' });
    await assert.rejects(readFile(folder.path(record)), { code: 'ENOENT' });
  });
});
