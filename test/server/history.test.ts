/** The history of a thing over HTTP: which commits are in it, by which names, and who may know of them. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';
import { until } from '../support/folder.ts';

const api = '/api/v1/namespaces';
const own = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** A served catalogue whose writes are commits, and alice's and bob's tokens. */
async function workshop(t: TestContext, { git: inGit = true } = {}) {
  const server = await serveAccounts(t, { git: { commit: true } });
  const as = ['-c', 'user.name=Olga', '-c', 'user.email=olga@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', server.folder.root, ...as, ...args], { encoding: 'utf8', stdio: 'pipe', env: own });
  if (inGit) {
    git('init', '--quiet', '--initial-branch=main');
    server.folder.write('.gitignore', '.catalogue/\n');
    git('add', '-A');
    git('commit', '--quiet', '-m', 'Start');
  }
  const [alice, bob] = await Promise.all(
    ['alice', 'bob'].map(async (name) => (await server.accounts.addToken(name)).token),
  );
  /** Messages, the newest first. */
  const messages = async (path: string, token?: string) => {
    const { status, text, body } = await server.ask(`${api}/${path}history/`, {}, token);
    assert.equal(status, 200, text);
    return body.results.map(({ message }: { message: string }) => message);
  };
  const add = (label: string, namespace = 'parks', more = {}) =>
    server.send('POST', '/api/v1/datasets/', { label, namespace: `${api}/${namespace}/`, ...more }, alice);
  return { ...server, git, messages, add, alice, bob };
}

describe('the history', () => {
  it('on the page of a dataset has a commit that changes no file', async (t) => {
    const { ask, add, git, folder, base, alice } = await workshop(t);
    await add('Trees');
    const page = async () =>
      (await fetch(`${base}${api}/parks/datasets/trees/`, { headers: { Accept: 'text/html' } })).text();
    const path = 'namespaces/parks/datasets/trees/dataset.yaml';
    appendFileSync(join(folder.root, path), 'description: All of them\n');
    await until(async () => /All of them/.test(await page()) && /Add dataset/.test(await page()));
    assert.equal((await ask(`${api}/parks/datasets/trees/`, {}, alice)).status, 200);
    git('commit', '--quiet', '-am', 'Committed by hand');
    await until(async () => (await page()).includes('Committed by hand'));
  });

  it('of a dataset, a version and a namespace: the commits that touched them, the newest first', async (t) => {
    const { ask, send, messages, add, git, folder, alice, bob } = await workshop(t);
    assert.equal((await add('Trees')).status, 201);
    assert.equal((await add('Lawns')).status, 201);
    assert.equal((await send('PATCH', `${api}/parks/datasets/trees/`, { label: 'Bäume' }, bob)).status, 200);
    const csv = { method: 'POST', body: 'name\noak\n', headers: { 'Content-Type': 'text/csv' } };
    const published = await ask(`${api}/parks/datasets/trees/version/`, csv, bob);
    assert.equal(published.status, 201, published.text);
    const { slug } = published.body;
    await send('PATCH', `${api}/parks/datasets/trees/version/${slug}/`, { notes: 'All of them' }, bob);
    const upload = [`Edit version parks/trees@${slug}: notes`, `Add version parks/trees@${slug}`];
    const edits = ['Edit dataset parks/trees: label', 'Add dataset parks/trees'];
    assert.deepEqual(await messages('parks/datasets/trees/'), [...upload, ...edits]);
    assert.deepEqual(await messages(`parks/datasets/trees/version/${slug}/`), upload);
    assert.deepEqual(await messages('parks/datasets/trees/version/latest/'), upload);
    assert.deepEqual(await messages('parks/', alice), [
      ...upload,
      edits[0],
      'Add dataset parks/lawns',
      edits[1],
      'Start',
    ]);
    const page = async (path: string, token?: string) =>
      (await ask(`${api}/${path}`, { headers: { Accept: 'text/html' } }, token)).text.replaceAll(/<[^>]*>/g, '');
    assert.match(await page('parks/datasets/trees/history/'), /History of Bäume.*Edit dataset parks\/trees: label/s);
    assert.doesNotMatch(await page('parks/datasets/trees/history/'), /\bbob\b/);
    assert.match(await page('parks/datasets/trees/history/', bob), /by bob/);
    await until(async () => /Whole history/.test(await page('parks/datasets/trees/')));
    assert.match(await page('parks/datasets/trees/'), /Edit version parks\/trees@\d+: notes.*Whole history/s);
    assert.doesNotMatch(await page('parks/datasets/trees/'), /\bbob\b/);
    const { body } = await ask(`${api}/parks/datasets/trees/history/`);
    assert.deepEqual(Object.keys(body), ['count', 'next', 'previous', 'results']);
    const [id = '', datetime = ''] = git('log', '-1', '--format=%H %aI').trim().split(' ');
    assert.deepEqual(body.results[0], { id, author: '', datetime, message: upload[0] });
    const own = await ask(`${api}/parks/datasets/trees/history/`, {}, bob);
    assert.deepEqual(own.body.results[0], { id, author: 'bob', datetime, message: upload[0] });
    // What a person commits counts as well.
    folder.write('namespaces/parks/datasets/trees/NOTES.md', 'x\n');
    git('add', '-A');
    git('commit', '--quiet', '-m', 'By hand');
    assert.equal((await messages('parks/datasets/trees/'))[0], 'By hand');
  });

  it('has what was removed, and what came back from the trash', async (t) => {
    const { ask, send, messages, add, git, alice, bob } = await workshop(t);
    await add('Trees');
    assert.equal((await ask(`${api}/parks/datasets/trees/`, { method: 'DELETE' }, bob)).status, 204);
    const [entry] = (await ask('/api/v1/trash/', {}, alice)).body.results;
    assert.equal((await send('POST', `/api/v1/trash/${entry.id}/restore/`, {}, alice)).status, 200);
    const expected = ['Restore dataset parks/trees', 'Remove dataset parks/trees', 'Add dataset parks/trees'];
    assert.deepEqual(await messages('parks/datasets/trees/'), expected);
    assert.equal(git('log', '-1', '--format=%an'), 'alice\n');
    assert.equal(git('status', '--porcelain'), '');
  });

  it('comes in pages', async (t) => {
    const { ask, send, add, alice } = await workshop(t);
    await add('Trees');
    for (const label of ['B', 'C', 'D', 'E'])
      await send('PATCH', `${api}/parks/datasets/trees/`, { label: `Label ${label}` }, alice);
    const path = `${api}/parks/datasets/trees/history/`;
    const first = await ask(`${path}?page_size=2`);
    assert.deepEqual([first.body.count, first.body.results.length, first.body.previous], [5, 2, null]);
    assert.match(first.headers.get('link') ?? '', /rel="next"/);
    const last = await ask(`${path}?page_size=2&page=last`);
    assert.deepEqual(last.body.results.length, 1);
    assert.equal(last.body.results[0].message, 'Add dataset parks/trees');
    assert.equal((await ask(`${path}?page=9`)).status, 404);
    const { status } = await ask(path, { headers: { 'If-None-Match': (await ask(path)).headers.get('etag') ?? '' } });
    assert.equal(status, 304);
    assert.equal((await send('POST', path, {}, alice)).status, 405);
  });

  it('goes on under another name, and ends where somebody else has the old one', async (t) => {
    const { ask, send, messages, add, alice } = await workshop(t);
    await add('Trees');
    await send('PATCH', `${api}/parks/datasets/trees/`, { slug: 'plants' }, alice);
    const rename = 'Rename dataset parks/trees to parks/plants';
    assert.deepEqual(await messages('parks/datasets/plants/'), [rename, 'Add dataset parks/trees']);
    const moved = await ask(`${api}/parks/datasets/trees/history/?page_size=3`);
    assert.equal(moved.status, 308);
    assert.equal(moved.headers.get('location'), `${api}/parks/datasets/plants/history/?page_size=3`);
    await add('Trees');
    assert.deepEqual(await messages('parks/datasets/plants/'), [rename]);
    await send('DELETE', `${api}/parks/datasets/trees/`, undefined, alice);
    await send('PATCH', `${api}/parks/`, { slug: 'green' }, alice);
    const other = ['Remove dataset parks/trees', 'Add dataset parks/trees'];
    const both = ['Rename namespace parks to green', ...other, rename, 'Add dataset parks/trees'];
    assert.deepEqual(await messages('green/datasets/plants/'), both);
  });

  it('is empty outside of git; writes stand, and /readyz counts those that are in no commit', async (t) => {
    const { ask, add, log } = await workshop(t, { git: false });
    const { status, body } = await ask(`${api}/parks/history/`);
    assert.deepEqual([status, body], [200, { count: 0, next: null, previous: null, results: [] }]);
    assert.equal((await add('Trees')).status, 201);
    await until(async () => (await ask('/readyz')).body.commits.failed === 1);
    // It is logged when the failure is noted on disk.
    await until(() => /Not committed to git: Add dataset parks\/trees .*not a git repository/.test(log.join()));
  });
});

describe('who may know', () => {
  it('of a draft: its owners, and everybody once it is published', async (t) => {
    const { ask, send, messages, add, git, bob } = await workshop(t);
    await add('Trees');
    const csv = { method: 'POST', body: 'name\noak\n', headers: { 'Content-Type': 'text/csv' } };
    const path = `${api}/parks/datasets/trees/version/`;
    const { slug } = (await ask(`${path}?ready=false`, csv, bob)).body;
    await send('PATCH', `${path}${slug}/`, { notes: 'Not yet' }, bob);
    await until(() => git('status', '--porcelain') === '');
    const ofDraft = [`Edit version parks/trees@${slug}: notes`, `Add version parks/trees@${slug}`];
    for (const of of ['parks/datasets/trees/', 'parks/']) {
      const seen = (await messages(of)).filter((message: string) => message !== 'Start');
      assert.deepEqual(seen, ['Add dataset parks/trees']);
      assert.deepEqual((await messages(of, bob)).slice(0, 2), ofDraft);
    }
    const { text } = await ask(`${api}/parks/datasets/trees/`, { headers: { Accept: 'text/html' } });
    assert.doesNotMatch(text, new RegExp(slug));
    await send('PATCH', `${path}${slug}/`, { ready: true }, bob);
    assert.deepEqual((await messages('parks/datasets/trees/')).slice(-3), [...ofDraft, 'Add dataset parks/trees']);
  });

  it('of a draft that was removed: its owners', async (t) => {
    const { ask, messages, add, bob } = await workshop(t);
    await add('Trees');
    const csv = { method: 'POST', body: 'name\noak\n', headers: { 'Content-Type': 'text/csv' } };
    const path = `${api}/parks/datasets/trees/version/`;
    const { slug } = (await ask(path, csv, bob)).body;
    const draft = (await ask(`${path}?ready=false&force=true`, { ...csv, body: 'name\nelm\n' }, bob)).body.slug;
    assert.equal((await ask(`${path}${draft}/`, { method: 'DELETE' }, bob)).status, 204);
    const ofDraft = [`Remove version parks/trees@${draft}`, `Add version parks/trees@${draft}`];
    const others = [`Add version parks/trees@${slug}`, 'Add dataset parks/trees'];
    for (const of of ['parks/datasets/trees/', 'parks/']) {
      assert.deepEqual((await messages(of, bob)).slice(0, 4), [...ofDraft, ...others]);
      assert.deepEqual((await messages(of)).slice(0, 2), others);
    }
  });

  it('of a draft that was removed: nobody else on the page of the dataset, after its owners have seen it', async (t) => {
    const { ask, add, alice, bob, accounts } = await workshop(t);
    await add('Trees');
    const csv = { method: 'POST', body: 'name\noak\n', headers: { 'Content-Type': 'text/csv' } };
    const path = `${api}/parks/datasets/trees/`;
    const draft = (await ask(`${path}version/?ready=false`, csv, bob)).body.slug;
    assert.equal((await ask(`${path}version/${draft}/`, { method: 'DELETE' }, bob)).status, 204);
    const page = async (token?: string) => (await ask(path, { headers: { Accept: 'text/html' } }, token)).text;
    await until(async () => (await page(bob)).includes(`Remove version parks/trees@${draft}`));
    const { token: eve } = await accounts.addToken('eve');
    for (const token of [eve, undefined]) {
      await until(async () => (await page(token)).includes('Add dataset parks/trees'));
      assert.doesNotMatch(await page(token), new RegExp(draft));
    }
    await until(async () => (await page(alice)).includes(`Remove version parks/trees@${draft}`));
  });

  it('what is private has no history for others, nor has it left a trace in that of its namespace', async (t) => {
    const { ask, messages, add, send, git, alice, bob, log } = await workshop(t);
    await add('Trees');
    await add('Hidden', 'parks', { visibility: 'private' });
    await add('Gone', 'parks', { visibility: 'private' });
    await send('DELETE', `${api}/parks/datasets/gone/`, undefined, alice);
    await add('Wells', 'secret');
    for (const path of ['parks/datasets/hidden/', 'secret/', 'secret/datasets/wells/'])
      assert.equal((await ask(`${api}/${path}history/`)).status, 404, path);
    assert.deepEqual(await messages('parks/'), ['Add dataset parks/trees', 'Start']);
    const all = ['Remove dataset parks/gone', 'Add dataset parks/gone', 'Add dataset parks/hidden'];
    assert.deepEqual((await messages('parks/', bob)).slice(0, 3), all);
    assert.deepEqual(await messages('parks/datasets/hidden/', bob), ['Add dataset parks/hidden']);
    assert.deepEqual(await messages('secret/datasets/wells/', bob), ['Add dataset secret/wells']);
    await until(() => git('status', '--porcelain') === '');
    assert.deepEqual(log, []);
  });
});
