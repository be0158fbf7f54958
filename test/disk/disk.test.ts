/** Disks that take nothing, and a folder that is gone: said clearly, nothing lost, and over without a restart. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isTemporaryFile } from '../../src/disk/durable.ts';
import { AccountsAdapter, noAccounts } from '../../src/files/accounts/accounts-file.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { cachePath } from '../../src/files/reading/cache.ts';
import {
  ensureFallbackTableFolder,
  openDerivedFileFolder,
  openPayloadCacheFolder,
} from '../../src/files/table-folder.ts';
import { until } from '../support/folder.ts';
import { png } from '../support/images.ts';
import { type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';
import { smallDisk } from '../support/small-disk.ts';

const path = '/api/v1/namespaces/parks/datasets/trees/';

/** A catalogue with one dataset and one version in the folder, served; and one who may write. */
async function serveIn(t: TestContext, root: string) {
  writeFileSync(join(root, 'catalogue.yaml'), 'title: x\n');
  const files = await openFileCatalogue(root);
  const catalogue = files.for();
  await catalogue.create('namespace', { label: 'Parks', slug: 'parks' });
  await catalogue.create('dataset', { label: 'Trees', slug: 'trees', namespace: 'parks' });
  await catalogue.create('user', { username: 'ann', staff: true });
  const { token } = await files.accounts.addToken('ann');
  await files.close();
  const server = await serveFolder(root);
  t.after(() => server.close());
  const ask = async (method: string, at: string, body?: string | Buffer, type = 'application/json') => {
    const headers = { Authorization: `Token ${token}`, 'Content-Type': type };
    const answer = await fetch(server.base + at, {
      method,
      headers,
      ...(body !== undefined && { body: body as BodyInit }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
  };
  const describe = (text: string) => ask('PATCH', path, JSON.stringify({ description: text }));
  const described = async () => (await ask('GET', path)).body.description;
  return { server, ask, describe, described };
}

const temporaries = (root: string) =>
  readdirSync(root, { recursive: true }).filter((name) => isTemporaryFile(String(name).split('/').at(-1) ?? ''));

const imagesIn = (root: string) =>
  readdirSync(root, { recursive: true }).filter((name) => /^site_media\/.*\./.test(String(name)));

/** A form with an image of some size. */
const imageForm = Buffer.concat([
  Buffer.from('--B\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'),
  png(900, 900),
  Buffer.alloc(50_000),
  Buffer.from('IEND\r\n--B--\r\n'),
]);

/** Writes until the disk takes no more. */
function fill(file: string): void {
  for (const size of [65_536, 4096, 1])
    try {
      for (;;) writeFileSync(file, 'x'.repeat(size), { flag: 'a' });
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
}

test('a full disk', async (t) => {
  const root = smallDisk(t);
  if (!root) return;
  const { ask, describe, described } = await serveIn(t, root);
  assert.equal((await describe('before')).status, 200);
  const record = join(root, 'namespaces/parks/datasets/trees/dataset.yaml');
  const before = readFileSync(record, 'utf8');
  // The last use of the token and the cache of states are written in the background, and take room for a moment.
  const isAtRest = () =>
    existsSync(cachePath(root)) &&
    readdirSync(join(root, '.catalogue/locks')).length === 0 &&
    !readFileSync(join(root, '.catalogue/accounts.json'), 'utf8').includes('"last_used": null');
  await until(isAtRest);
  fill(join(root, 'filler'));

  for (const [method, at, body, type] of [
    ['PATCH', path, JSON.stringify({ description: 'long '.repeat(20_000) })],
    ['POST', '/api/v1/datasets/', JSON.stringify({ label: 'Ponds', namespace: '/api/v1/namespaces/parks/' })],
    ['POST', `${path}version/`, Buffer.alloc(300_000, 'a,b\n1,2\n'), 'text/csv'],
    ['POST', '/api/v1/users/', '{"username":"bob"}'],
    ['PATCH', path, imageForm, 'multipart/form-data; boundary=B'],
  ] as const) {
    const answer = await ask(method, at, body, type);
    assert.equal(answer.status, 503, `${method} ${at}: ${JSON.stringify(answer.body)}`);
    assert.match(answer.body.detail, /disk is full/);
    assert.equal(answer.headers.get('retry-after'), '5');
  }
  assert.equal(readFileSync(record, 'utf8'), before);
  assert.equal(await described(), 'before');
  assert.equal((await ask('GET', '/api/v1/datasets/')).body.count, 1);
  assert.deepEqual(temporaries(root), []);
  assert.deepEqual(imagesIn(root), []);

  rmSync(join(root, 'filler'));
  assert.equal((await describe('after')).status, 200);
  assert.equal((await ask('POST', `${path}version/`, 'a,b\n1,2\n', 'text/csv')).status, 201);
  assert.equal((await ask('PATCH', path, imageForm, 'multipart/form-data; boundary=B')).status, 200);
  assert.equal(imagesIn(root).length, 1);
  assert.equal(await described(), 'after');
});

test('a disk that is full for some of eight who write at once', async (t) => {
  const root = smallDisk(t);
  if (!root) return;
  const { ask } = await serveIn(t, root);
  const slugs = Array.from({ length: 8 }, (_, i) => `pond-${i}`);
  const at = (slug: string) => `/api/v1/namespaces/parks/datasets/${slug}/`;
  const recordOf = (slug: string) => readFileSync(join(root, `namespaces/parks/datasets/${slug}/dataset.yaml`), 'utf8');
  for (const slug of slugs)
    await ask(
      'POST',
      '/api/v1/datasets/',
      JSON.stringify({ slug, label: slug, namespace: '/api/v1/namespaces/parks/' }),
    );
  const before = new Map(slugs.map((slug) => [slug, recordOf(slug)]));
  // Room for two of the new records.
  const filler = join(root, 'filler');
  fill(filler);
  truncateSync(filler, statSync(filler).size - 250_000);
  const described = (slug: string) => `${slug} ${'x'.repeat(100_000)}`;
  const answers = await Promise.all(
    slugs.map(async (slug) => {
      const answer = await ask('PATCH', at(slug), JSON.stringify({ description: described(slug) }));
      // What is acknowledged is there at this moment.
      if (answer.status === 200) assert.ok(recordOf(slug).includes(described(slug)), slug);
      return answer;
    }),
  );
  assert.ok(answers.some(({ status }) => status === 503));
  for (const [i, slug] of slugs.entries()) {
    const { status, body } = answers[i] ?? { status: 0, body: null };
    const isDone = status === 200;
    if (!isDone) assert.match(`${status} ${body.detail}`, /^503 .*disk is full/);
    if (isDone) assert.ok(recordOf(slug).includes(described(slug)), slug);
    else assert.equal(recordOf(slug), before.get(slug));
    assert.equal((await ask('GET', at(slug))).body.description, isDone ? described(slug) : '');
  }
  // The cache of states is written in the background, and its file goes away again.
  await until(() => temporaries(root).length === 0);
  rmSync(filler);
  for (const slug of slugs) assert.equal((await ask('PATCH', at(slug), '{"description":"room"}')).status, 200);
});

test('a disk with room for a payload, and not for its columnar copy', async (t) => {
  const root = smallDisk(t);
  if (!root) return;
  const { ask, server } = await serveIn(t, root);
  const row = (i: number) => `${(i % 170) + 0.25},${(i % 80) + 0.5}\n`;
  const rows = `longitude,latitude\n${Array.from({ length: 30_000 }, (_, i) => row(i)).join('')}`;
  const answer = await ask('POST', `${path}version/`, rows, 'text/csv');
  assert.deepEqual([answer.status, answer.body.rows], [201, 30_000], JSON.stringify(answer.body));
  assert.match(
    server.log.join('\n'),
    /tables can't be written \(ENOSPC\): the rows of the new version aren't cached\.$/m,
  );
  assert.deepEqual(temporaries(root), []);
  // The rows are cached outside of the full disk.
  const read = await fetch(`${server.base}${path}data/?_limit=1&_format=csv`);
  assert.deepEqual([read.status, await read.text()], [200, 'longitude,latitude\r\n0.25,0.5\r\n']);
  const cache = /rows are cached in (\S+)\.$/m.exec(server.log.join('\n'))?.[1] ?? '';
  t.after(() => rmSync(cache, { recursive: true }));
});

test('a disk that becomes read-only', async (t) => {
  const root = smallDisk(t);
  if (!root) return;
  const { ask, describe, described } = await serveIn(t, root);
  assert.equal((await describe('before')).status, 200);
  await until(() => spawnSync('mount', ['-o', 'remount,ro', root]).status === 0);
  for (const answer of [
    await describe('while'),
    await ask('DELETE', path),
    await ask('POST', `${path}version/`, 'a,b\n1,2\n', 'text/csv'),
  ]) {
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    assert.match(answer.body.detail, /read-only/);
  }
  assert.equal(await described(), 'before');
  execFileSync('mount', ['-o', 'remount,rw', root]);
  assert.equal((await describe('after')).status, 200);
});

test('rows are read in a folder that can’t be written: from a private cache, which is said once', async (t) => {
  const disk = smallDisk(t);
  if (disk) {
    const { server, ask } = await serveIn(t, disk);
    for (const rows of ['a,b\n1,2\n', 'a,b\n1,2\n3,4\n'])
      assert.equal((await ask('POST', `${path}version/`, rows, 'text/csv')).status, 201);
    await server.close();
    rmSync(join(disk, '.catalogue/cache'), { recursive: true });
    await until(() => spawnSync('mount', ['-o', 'remount,ro', disk]).status === 0);
    const { base, log, close } = await serveFolder(disk);
    t.after(close);
    const versions = (await (await fetch(`${base}${path}version/`)).json()) as { results: { url: string }[] };
    for (const { url } of versions.results) assert.equal((await fetch(`${url}data/`)).status, 200, log.join('\n'));
    const said = log.filter((line) => line.includes('rows are cached in'));
    assert.equal(said.length, 1, log.join('\n'));
    const [, cache = ''] =
      /^\S+\.catalogue can't be written \(EROFS\): rows are cached in (\S+)\.$/.exec(said[0] ?? '') ?? [];
    t.after(() => rmSync(cache, { recursive: true }));
    assert.equal(statSync(cache).mode & 0o777, 0o700);
    assert.equal(readdirSync(cache).length, 2);
    const { out, err, exitCode } = await type(['data', 'parks/trees', '--format', 'csv'], { root: disk });
    assert.deepEqual([out.includes('3,4'), exitCode], [true, 0], err);
  }
});

test('a cache for rows is not taken from another user', async (t) => {
  const own = await ensureFallbackTableFolder('/some/catalogue');
  t.after(() => rmSync(own, { recursive: true, force: true }));
  assert.equal(await ensureFallbackTableFolder('/some/catalogue'), own);
  chmodSync(own, 0o777);
  const other = await ensureFallbackTableFolder('/some/catalogue');
  t.after(() => rmSync(other, { recursive: true, force: true }));
  assert.notEqual(other, own);
  assert.equal(statSync(other).mode & 0o777, 0o700);
  rmSync(own, { recursive: true });
  symlinkSync(tmpdir(), own);
  const third = await ensureFallbackTableFolder('/some/catalogue');
  t.after(() => rmSync(third, { recursive: true, force: true }));
  assert.notEqual(third, own);
});

test('what is written in the background does not make a folder that is gone', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'catalogue-gone-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, 'data');
  const isGone = { message: 'The catalogue folder is gone. Put it back and try again.' };
  await assert.rejects(new AccountsAdapter(root).write(noAccounts), isGone);
  const files = { root, options: {} };
  for (const open of [openDerivedFileFolder, openPayloadCacheFolder]) {
    const folder = await open(files);
    t.after(() => rmSync(dirname(folder), { recursive: true, force: true }));
    assert.ok(!folder.startsWith(root), folder);
    assert.ok(statSync(folder).isDirectory());
  }
  assert.ok(!existsSync(root));
});

test('an empty mount point in the place of the folder', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'catalogue-gone-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const [root, elsewhere] = [join(home, 'data'), join(home, 'elsewhere')];
  for (const folder of [root, elsewhere]) mkdirSync(folder);
  const { ask, server } = await serveIn(t, root);
  assert.equal((await ask('POST', `${path}version/`, 'a,b\n1,2\n', 'text/csv')).status, 201);
  const files = await openFileCatalogue(root);
  await files.accounts.setPassword('ann', 'meadow violet 17', { keepTokens: true });
  const { token } = await files.accounts.addToken('ann');
  await files.close();
  // The server reads the accounts once more.
  assert.equal((await ask('GET', path)).status, 200);
  for (const name of readdirSync(root)) renameSync(join(root, name), join(elsewhere, name));

  const askWith = (authorization: string, at = path) =>
    fetch(server.base + at, { headers: { Authorization: authorization } });
  // Its use would be noted.
  assert.equal((await askWith(`Token ${token}`)).status, 200);
  const login = await fetch(`${server.base}/api/v1/auth/token/obtain/`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'ann', password: 'meadow violet 17' }),
  });
  assert.equal(login.status, 503, await login.text());
  assert.equal((await ask('GET', path)).status, 200);
  for (const at of [`${path}data.csv`, `${path}data/`, `${path}profile/`]) {
    const answer = await fetch(server.base + at);
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5'], at);
  }
  assert.deepEqual(readdirSync(root), [], 'nothing is made in the mount point');
  assert.equal((await askWith(`Token ${token}`)).status, 200);

  for (const name of readdirSync(elsewhere)) renameSync(join(elsewhere, name), join(root, name));
  assert.equal((await askWith(`Token ${token}`)).status, 200);
  assert.equal((await fetch(`${server.base}${path}data.csv`)).status, 200);
});

test('a folder that is moved away and comes back', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'catalogue-gone-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const [root, elsewhere] = [join(home, 'data'), join(home, 'elsewhere')];
  spawnSync('mkdir', [root]);
  const { ask, describe, described } = await serveIn(t, root);
  assert.equal((await describe('before')).status, 200);
  renameSync(root, elsewhere);

  assert.equal(await described(), 'before');
  for (const answer of [
    await describe('while'),
    await ask('DELETE', path),
    await ask('POST', `${path}version/`, 'a,b\n1,2\n', 'text/csv'),
    await ask('POST', '/api/v1/datasets/', JSON.stringify({ label: 'Ponds', namespace: '/api/v1/namespaces/parks/' })),
  ]) {
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    assert.match(answer.body.detail, /is gone/);
  }
  const inItsPlace = existsSync(root) ? readdirSync(root, { recursive: true }) : null;
  assert.equal(inItsPlace, null, `nothing is made in its place: ${inItsPlace}`);
  assert.equal((await ask('GET', '/healthz')).status, 200);
  const gone = { detail: 'The catalogue folder is gone. Put it back and try again.' };
  const notReady = await ask('GET', '/readyz');
  assert.deepEqual([notReady.status, notReady.body], [503, gone]);
  assert.equal(await described(), 'before');

  renameSync(elsewhere, root);
  assert.equal((await ask('GET', '/readyz')).status, 200);
  assert.equal((await describe('after')).status, 200);
  assert.equal(await described(), 'after');
  writeFileSync(join(root, 'namespaces/parks/datasets/trees/dataset.yaml'), 'label: Trees\ndescription: by hand\n');
  await until(async () => (await described()) === 'by hand', 20_000);
});
