/** A server that follows a git remote: what it says about it, its webhook, its position, and that it takes no writes. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { removeFolder, until } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { makeRepository } from '../support/repository.ts';
import { serveFolder } from '../support/server.ts';

const benches = 'namespaces/parks/datasets/benches/dataset.yaml';
const address = '/api/v1/namespaces/parks/datasets/benches/';

/** A repository, and a server that follows it from a clone. */
async function workshop(t: TestContext, webhookSecret?: string) {
  const writer = await makeRepository({ ...seed, users: { alice: { id: 1, staff: true, groups: [] } } }, t);
  const clone = mkdtempSync(join(tmpdir(), 'catalogue-clone-'));
  t.after(() => removeFolder(clone));
  writer.git('clone', '--quiet', '.', clone);
  const root = join(clone, 'data');
  const { token } = await (await openFileCatalogue(root)).accounts.addToken('alice');
  const server = await serveFolder(root, { followGit: true, followInterval: 3600, webhookSecret });
  t.after(() => server.close());
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(server.base + path, init);
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const ready = async () => (await ask('/readyz')).body.git;
  await until(async () => (await ready()).state === 'current');
  const relabel = (label: string) => {
    writer.write(benches, `id: 12\nlabel: ${label}\n`);
    writer.commit();
    return writer.git('rev-parse', 'HEAD').trim();
  };
  return { ask, ready, relabel, token };
}

describe('a server that follows a git remote', () => {
  it('fetches when a webhook is signed with the secret, and for nobody else', async (t) => {
    const secret = 'lanterne verte, allumée';
    const { ask, ready, relabel } = await workshop(t, secret);
    const commit = relabel('Seats');
    const body = '{"ref":"refs/heads/main"}';
    const post = (headers: Record<string, string>) => ask('/webhooks/git', { method: 'POST', body, headers });
    const sign = (key: string) => createHmac('sha256', key).update(body).digest('hex');
    const wrong: Record<string, string>[] = [
      {},
      { 'X-Hub-Signature-256': `sha256=${sign('other')}` },
      { 'X-Hub-Signature-256': '' },
      { 'X-Gitlab-Token': 'other' },
      { Authorization: 'Bearer other' },
    ];
    for (const headers of wrong) assert.equal((await post(headers)).status, 403, JSON.stringify(headers));
    assert.notEqual((await ready()).commit, commit);
    const { status } = await post({ 'X-Hub-Signature-256': `sha256=${sign(secret)}` });
    assert.equal(status, 202);
    await until(async () => (await ready()).commit === commit);
    assert.equal((await ask(address)).body.label, 'Seats');
    // The characters of a header are bytes.
    const sent = Buffer.from(secret).toString('latin1');
    const right: Record<string, string>[] = [
      { 'X-Gitea-Signature': sign(secret) },
      { 'X-Gitlab-Token': sent },
      { Authorization: `Bearer ${sent}` },
    ];
    for (const headers of right) assert.equal((await post(headers)).status, 202, JSON.stringify(headers));
    assert.equal((await ask('/webhooks/git')).status, 405);
  });

  it('has no webhook without a secret, and refuses writes', async (t) => {
    const { ask, token } = await workshop(t);
    assert.equal((await ask('/webhooks/git', { method: 'POST' })).status, 404);
    const refused = await ask(address, { method: 'DELETE', headers: { Authorization: `Token ${token}` } });
    assert.equal(refused.status, 403);
    assert.match(refused.body.detail, /read-only/);
    assert.equal((await ask(address)).status, 200);
  });

  it('says its position, and fetches for a reader who has seen a later one', async (t) => {
    const { ask, relabel } = await workshop(t);
    const position = async (headers: Record<string, string> = {}) => {
      const response = await ask(address, { headers });
      return [response.status, Number(response.headers.get('X-Catalogue-Position')), response.body.label];
    };
    assert.deepEqual(await position(), [200, 1, 'Benches']);
    assert.deepEqual(await position(), [200, 1, 'Benches'], 'from the cache');
    relabel('Seats');
    assert.deepEqual(await position({ 'X-Catalogue-Min-Position': '1' }), [200, 1, 'Benches']);
    // Until it is fetched, which takes its time on a busy machine, it is 503 and never an older state.
    let found = await position({ 'X-Catalogue-Min-Position': '2' });
    for (; found[0] === 503; found = await position({ 'X-Catalogue-Min-Position': '2' }));
    assert.deepEqual(found, [200, 2, 'Seats']);
    assert.deepEqual(await position({ 'X-Catalogue-Min-Position': 'x' }), [200, 2, 'Seats']);
  });

  it('has no timeline of its own: another server may answer at the same address', async (t) => {
    const { ask } = await workshop(t);
    const { headers } = await ask('/api/v1/files/?groups=1', { headers: { 'X-Catalogue-Since': '0.1' } });
    assert.deepEqual([headers.get('x-catalogue-timeline'), headers.get('x-catalogue-continues')], [null, null]);
  });
});
