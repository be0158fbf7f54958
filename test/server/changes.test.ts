/** The feed of changes. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCatalogue } from '../../src/index.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { homeOf, until } from '../support/folder.ts';
import { served } from '../support/served.ts';

const slug = '20200101000000000000';
const { base, folder } = await served({
  namespaces: { parks: { label: 'Parks' }, secret: { label: 'Secret', visibility: 'private' } },
  datasets: {
    'parks/trees': { label: 'Trees' },
    'parks/lawns': { label: 'Lawns' },
    'parks/hidden': { label: 'Hidden', visibility: 'private' },
    'secret/inner': { label: 'Inner' },
  },
  versions: { [`parks/lawns@${slug}`]: { notes: 'First' } },
  queries: { tall: { label: 'Tall', dataset: 'parks/trees' } },
  users: { ann: {} },
});

interface Change {
  readonly kind: string;
  readonly url: string;
  readonly datetime: string;
  readonly removed: boolean;
}
const ask = async (query: string) => {
  const answer = await fetch(query.startsWith('http') ? query : `${base}/api/v1/changes/${query}`);
  return { status: answer.status, body: (await answer.json()) as { results: Change[]; next: string | null } };
};
/** Names of the records that changed since a time, in the order of the feed. */
const changed = async (since = '') => {
  const { status, body } = await ask(since && `?since=${encodeURIComponent(since)}`);
  assert.equal(status, 200);
  return body.results.filter(({ removed }) => !removed).map(({ url }) => /.*\/(.*)\/$/.exec(url)?.[1]);
};
const allVisible = ['lawns', 'parks', 'tall', 'trees'];

describe('the feed of changes', () => {
  it('has the visible records, and those that changed since a time, the last one last', async () => {
    await until(async () => (await changed()).length === allVisible.length);
    assert.deepEqual((await changed()).sort(), allVisible);
    const last = async () => (await ask('?page_size=100')).body.results.at(-1)?.datetime ?? '';
    const later = async () => new Date(Date.parse(await last()) + 1).toISOString();

    const first = await later();
    assert.deepEqual(await changed(first), []);
    folder.write(`${homeOf('parks/trees')}/dataset.yaml`, 'label: Oaks\n');
    const isListed = async () => (await changed(first)).length > 0;
    await until(isListed);
    // Under load, a change may be listed by its file while it is being noticed, and then by the time at which it was.
    await sleep(1100);
    await until(isListed);
    assert.deepEqual(await changed(first), ['trees']);
    assert.deepEqual(await changed((await last()).replace('Z', '+00:00')), ['trees'], 'the time itself is included');

    for (const address of ['changes/', 'changes/?format=html', `changes/?since=${first}`]) {
      const response = await fetch(`${base}/api/v1/${address}`);
      const known = { headers: { 'If-None-Match': response.headers.get('etag') ?? '' } };
      // Another time of the response alone is no news.
      await new Promise((resolve) => setTimeout(resolve, 2));
      assert.equal((await fetch(`${base}/api/v1/${address}`, known)).status, 304, address);
      if (!address.includes('html')) {
        folder.write(`${homeOf('parks/trees')}/dataset.yaml`, `label: Oaks of ${address}\n`);
        await until(async () => (await fetch(`${base}/api/v1/${address}`, known)).status === 200);
      }
    }
    assert.deepEqual(await changed(first), ['trees']);

    const second = await later();
    rmSync(folder.path(`${homeOf('parks/lawns')}/versions/${slug}.yaml`));
    await until(async () => (await changed(second)).length > 0);
    assert.deepEqual(await changed(second), ['lawns'], 'a removed version is a change of the dataset');
    assert.deepEqual((await changed(first)).slice(-2), ['trees', 'lawns']);

    // What becomes visible has changed.
    const third = await later();
    folder.write('namespaces/secret/namespace.yaml', 'label: Secret\n');
    await until(async () => (await changed(third)).length === 2);
    assert.deepEqual((await changed(third)).sort(), ['inner', 'secret']);
  });

  it('comes in parts, each record once', async () => {
    const found: (string | undefined)[] = [];
    for (let next: string | null = '?page_size=2'; next !== null; ) {
      const { body }: Awaited<ReturnType<typeof ask>> = await ask(next);
      assert.ok(body.results.length <= 2);
      found.push(...body.results.map(({ url }) => url));
      next = body.next;
    }
    assert.equal(new Set(found).size, found.length);
    assert.equal(found.length, (await changed()).length);
  });

  it('refuses what is no time, and says so', async () => {
    for (const since of ['yesterday', '2026-13-01', '2026-02-31', '2026-01-31T12:00:00', '2026-01-31T24:00:00Z', '1'])
      assert.equal((await ask(`?since=${since}`)).status, 400, since);
    assert.equal((await ask('?sinc=2026-01-01')).status, 400);
    assert.equal((await ask('?cursor=x')).status, 404);
    for (const since of [
      '2026-01-31',
      '2026-01-31T12:00:00Z',
      '2016-12-31T23:59:60Z',
      '2026-01-31T12:00:00.5%2B02:00',
      '2026-01-31T12:00:00+02:00',
    ])
      assert.equal((await ask(`?since=${since}`)).status, 200, since);
  });

  it('is the same in the library, for a folder and for a server', async (t) => {
    const [local, remote] = [await openCatalogue(folder.root), await openRemoteCatalogue(base)];
    t.after(() => Promise.all([local.close(), remote.close()]));
    const { items } = await remote.changes();
    assert.deepEqual(
      items.filter(({ ref }) => ref.kind === 'query'),
      (await local.changes()).items.filter(({ ref }) => ref.kind === 'query'),
    );
    assert.equal((await remote.changes({ pageSize: 1 })).items.length, 1);
    assert.deepEqual((await remote.changes({ since: '2999-01-01' })).items, []);
  });
});
