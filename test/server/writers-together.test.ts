/** Writers who wait for the disk together: each has an answer of its own, and what one is refused harms no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';

const slugs = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7'];
const rounds = 12;
/** Long, so that half of it would be noticed. */
const described = (round: number, slug: string) => `${slug} in round ${round} ${'x'.repeat(2000)}`;

test('eight at once: one is wrong, one is late, one leaves, and two write the same record', async (t) => {
  const folder = makeFolder({
    settings: { title: 'x' },
    namespaces: { parks: { id: 1, label: 'Parks' } },
    datasets: Object.fromEntries(slugs.map((slug, i) => [`parks/${slug}`, { id: i + 1, label: slug }])),
    users: { ann: { id: 1, staff: true } },
  });
  const files = await openFileCatalogue(folder.root);
  const { token } = await files.accounts.addToken('ann');
  await files.close();
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  // Another process, as far as locks are concerned: it shares nothing but the folder.
  const other = await openFileCatalogue(folder.root);
  t.after(() => other.close());

  const at = (slug: string) => `${server.base}/api/v1/namespaces/parks/datasets/${slug}/`;
  const onDisk = (slug: string) => readFileSync(folder.path(`${homeOf(`parks/${slug}`)}/dataset.yaml`), 'utf8');
  const write = (slug: string, fields: object, headers: object = {}, signal: AbortSignal | null = null) =>
    fetch(at(slug), {
      method: 'PATCH',
      headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(fields),
      signal,
    });

  let left = '';
  for (let round = 0; round < rounds; round++) {
    const leaving = new AbortController();
    const stale = '"0123456789abcdef"';
    const wrong = write('d0', { description: described(round, 'd0'), visibility: 'everybody' });
    const late = write('d1', { description: described(round, 'd1') }, { 'If-Match': stale });
    const leaves = write('d2', { description: described(round, 'd2') }, {}, leaving.signal).catch(() => null);
    const good = slugs.slice(3).map((slug) => write(slug, { description: described(round, slug) }));
    const beside = other
      .for()
      .edit({ kind: 'dataset', namespace: 'parks', slug: 'd3' }, { publisher: `Publisher ${round}` });
    setTimeout(() => leaving.abort(), round);
    const before = left;
    assert.equal((await wrong).status, 400);
    assert.equal((await late).status, 412);
    for (const answer of good) {
      assert.equal((await answer).status, 200);
      await (await answer).arrayBuffer();
    }
    await beside;
    await leaves;
    for (const slug of slugs.slice(3)) assert.ok(onDisk(slug).includes(described(round, slug)), slug);
    assert.ok(onDisk('d3').includes(`publisher: Publisher ${round}`));
    for (const slug of ['d0', 'd1']) assert.equal(onDisk(slug).includes('description'), false, slug);
    // The one who left may have been heard: then all of it is there, in the end.
    await write('d2', { publisher: String(round) });
    left = /^description: (.*)$/m.exec(onDisk('d2'))?.[1] ?? '';
    assert.ok(left === before || left === described(round, 'd2'), left.slice(0, 40));
    for (const slug of slugs.slice(3)) {
      const served = (await (await fetch(at(slug))).json()) as { description: string };
      assert.equal(served.description, described(round, slug));
    }
  }
});
