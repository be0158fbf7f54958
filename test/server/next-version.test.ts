/** Versions over HTTP that would lose data, drafts, and renames of columns. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf, until } from '../support/folder.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const versions = `${trees}version/`;

async function withTrees(test: TestContext) {
  const server = await serveAccounts(test);
  const { token } = await server.accounts.addToken('bob');
  const namespace = '/api/v1/namespaces/parks/';
  await server.send('POST', '/api/v1/datasets/', { label: 'Trees', namespace }, token);
  const post = (body: string | FormData, query = '', type = 'text/csv') => {
    const headers = typeof body === 'string' ? { 'Content-Type': type } : {};
    return server.ask(`${versions}${query}`, { method: 'POST', body, headers }, token);
  };
  const first = await post('name,height\noak,12\n');
  assert.deepEqual([first.status, first.body.warnings], [201, undefined]);
  await server.send('PATCH', trees, { columns: [{ name: 'height', unit: 'm' }] }, token);
  return { ...server, token, post };
}

describe('a new version', () => {
  it('that would lose data is refused with what to send', async (test) => {
    const { post, ask } = await withTrees(test);
    for (const [body, type, parameter, reason] of [
      ['name,height\n', 'text/csv', 'force', 'The file has no rows, and the version before has 1.'],
      ['a,b\n1,2\n', 'text/csv', 'force', 'The file has no column of the version before'],
      ['Trees\nname,height,x\noak,1,2\n', 'text/csv', 'force', 'If the names are in line 2, write --skip 1. To'],
      ['name,height\noak,1\n', 'text/plain', 'replace', 'To read its rows, name it so: --name table.csv. To'],
      ['%PDF-1.4 nothing', 'application/pdf', 'replace', 'has no rows that can be read'],
    ] as const) {
      const refused = await post(body, '', type);
      assert.deepEqual([refused.status, refused.body.override], [409, parameter]);
      assert.ok(refused.body.detail.includes(reason), refused.text);
      assert.ok(refused.body.detail.endsWith(`To publish it all the same, send ${parameter}=true.`), refused.text);
      assert.equal((await post(body, `?dry_run=true&${parameter}=true`, type)).status, 201);
    }
    assert.equal((await post('name,height\n', '?force=perhaps')).status, 400);
    assert.equal((await ask(trees)).body.versions.length, 1);
    const form = new FormData();
    form.append('file', new Blob(['a,b\n1,2\n']), 'a.csv');
    form.append('force', 'true');
    assert.equal((await post(form)).status, 201);
  });

  it('that lacks a described column says so, and the description comes back', async (test) => {
    const { post, ask, token, send } = await withTrees(test);
    const without = await post('name,girth\noak,3\n');
    assert.deepEqual(without.body.warnings, [
      'The column "height" is without data now. Its description is kept, and comes back with the column.',
    ]);
    assert.equal(without.body.changes.dropped[0].name, 'height');
    const { columns, missing_columns } = (await ask(trees)).body;
    assert.deepEqual(
      columns.map(({ name }: { name: string }) => name),
      ['name', 'girth'],
    );
    const [missing] = missing_columns;
    assert.deepEqual([missing.name, missing.unit, missing.missing_since], ['height', 'm', without.body.slug]);
    const inCase = await post('name,Height\noak,3\n');
    assert.equal(inCase.body.warnings, undefined, 'it was lost before');
    await send('PATCH', trees, { columns: [{ name: 'Height', former_names: ['height'] }] }, token);
    const after = (await ask(trees)).body;
    assert.deepEqual([after.columns[1].unit, after.missing_columns], ['m', undefined]);
    const refused = await send('PATCH', trees, { columns: [{ name: 'Height', former_names: ['x'] }] }, token);
    assert.deepEqual([refused.status, refused.body], [400, { columns: ['There is no column "x".'] }]);
  });

  it('with a column in another case is taken with its rename', async (test) => {
    const { post, ask } = await withTrees(test);
    const dry = await post('name,Height\noak,3\n', '?dry_run=true');
    assert.deepEqual(dry.body.warnings, [
      'The column "Height" is probably "height" of the version before. If it is, rename it, so that it keeps its description.',
    ]);
    assert.equal((await post('name,Height\noak,3\n', '?rename=height')).status, 400);
    const renamed = await post('name,Height\noak,3\n', '?rename=height%3DHeight');
    assert.deepEqual([renamed.status, renamed.body.warnings], [201, undefined]);
    assert.equal((await ask(trees)).body.columns[1].unit, 'm');
  });

  it('can be a draft: only owners see it, until it is ready', async (test) => {
    const { post, ask, token, send } = await withTrees(test);
    const draft = await post('name,girth\noak,3\n', '?ready=false');
    assert.deepEqual([draft.status, draft.body.ready], [201, false]);
    assert.deepEqual(draft.body.warnings, [
      'The column "height" is without data once the version is ready. Its description is kept, and comes back with the column.',
    ]);
    const path = new URL(draft.body.url).pathname;
    const slugs = async (as?: string) =>
      (await ask(trees, {}, as)).body.versions.map(({ slug }: { slug: string }) => slug).includes(draft.body.slug);
    assert.deepEqual([await slugs(), await slugs(token)], [false, true]);
    assert.deepEqual([(await ask(path)).status, (await ask(path, {}, token)).status], [404, 200]);
    for (const list of ['/api/v1/versions/', '/api/v1/intrinsecus/', '/api/v1/files/'])
      assert.ok(!(await ask(list)).text.includes(draft.body.slug), list);
    assert.match((await ask(`${trees}data.csv`)).text, /height/);
    assert.match((await ask(`${versions}latest/`)).text, /"ready":true/);
    assert.equal((await send('PATCH', path, { ready: true }, token)).body.ready, true);
    assert.match((await ask(`${trees}data.csv`)).text, /girth/);
    assert.equal(await slugs(), true);
    await send('PATCH', path, { ready: false }, token);
    assert.match((await ask(`${trees}data.csv`)).text, /height/);
    assert.equal((await ask(path)).status, 200, 'a withdrawn version is still named');
    const form = new FormData();
    form.append('file', new Blob(['name,height\nelm,2\n']), 'a.csv');
    form.append('ready', 'false');
    assert.equal((await post(form)).body.ready, false);
    const query = new FormData();
    query.append('file', new Blob(['name,Height\nelm,3\n']), 'a.csv');
    query.append('label', 'Spring');
    const { body } = await post(query, '?ready=false&rename=height%3DHeight&label=Winter');
    assert.deepEqual([body.ready, body.label], [false, 'Spring'], 'the form counts before the address');
    await send('PATCH', new URL(body.url).pathname, { ready: true }, token);
    assert.deepEqual((await ask(trees)).body.columns[1].name, 'Height');
  });
});

it('a draft whose file breaks is no problem that others hear of', async (test) => {
  const { post, ask, token, folder } = await withTrees(test);
  const { slug } = (await post('name,height\noak,3\n', '?ready=false')).body;
  const path = `${homeOf('parks/trees')}/versions/${slug}.yaml`;
  folder.write(path, 'notes: [');
  const problems = (as?: string) => ask('/api/v1/intrinsecus/?status=invalid', {}, as);
  await until(async () => (await problems(token)).text.includes(slug));
  assert.equal((await problems()).body.count, 0);
  for (const list of ['/api/v1/intrinsecus/', '/api/v1/files/'])
    assert.ok(!(await ask(list)).text.includes(slug), list);
  assert.equal((await ask(`/api/v1/files/${path}`)).status, 404);
});

it('a dry run in the body of a write is refused', async (test) => {
  const { ask, token, send } = await withTrees(test);
  const message = { dry_run: ['It belongs to the address, and not to the body: send ?dry_run=true.'] };
  const body = { dry_run: true, label: 'Oaks' };
  for (const [method, path] of [
    ['DELETE', trees],
    ['DELETE', `${versions}latest/`],
    ['PATCH', trees],
    ['POST', '/api/v1/datasets/'],
    ['POST', '/api/v1/auth/tokens/'],
  ] as const) {
    const refused = await send(method, path, body, token);
    assert.deepEqual([refused.status, refused.body], [400, message], `${method} ${path}`);
  }
  const multipart = new FormData();
  multipart.append('dry_run', 'true');
  for (const form of [new URLSearchParams({ dry_run: 'true' }), multipart])
    for (const query of ['', '?permanently=true'])
      assert.equal((await ask(`${trees}${query}`, { method: 'DELETE', body: form }, token)).status, 400);
  assert.equal((await ask(trees)).body.label, 'Trees');
});

it('a new dataset has no columns but those with a type', async (test) => {
  const { token, send } = await withTrees(test);
  const input = { label: 'Wells', namespace: '/api/v1/namespaces/parks/' };
  const refused = await send('POST', '/api/v1/datasets/', { ...input, columns: [{ name: 'depth' }] }, token);
  assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ['columns']]);
  const columns = [{ name: 'depth', type: 'float', unit: 'm' }];
  const made = await send('POST', '/api/v1/datasets/', { ...input, columns }, token);
  assert.deepEqual([made.status, made.body.columns[0].unit], [201, 'm']);
});

it('the name in GeoJSON is the present slug of the dataset', async (test) => {
  const { ask, token, send } = await withTrees(test);
  assert.match((await ask(`${trees}data.geojson`)).text, /^\{"type":"FeatureCollection","name":"trees"/);
  const renamed = await send('PATCH', trees, { slug: 'oaks' }, token);
  assert.equal(renamed.status, 200);
  const after = await ask('/api/v1/namespaces/parks/datasets/oaks/data.geojson');
  assert.match(after.text, /^\{"type":"FeatureCollection","name":"oaks"/);
});
