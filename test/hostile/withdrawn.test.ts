/** Who withdraws a version because of what stands in its cells has that gone from all that others can read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeMetadata } from '../../src/catalogue/metadata.ts';
import { serveAccounts } from '../support/accounts.ts';
import { until } from '../support/folder.ts';

const datasets = { 'parks/people': { id: 1, label: 'People' } };
const rows = 'name,salary,longitude,latitude\nAnna Personal,98765,4.625,51.875\nBert Personal,87654,4.75,51.75\n';
const secrets = /Anna|Bert|98765|87654|4\.625|51\.875/;

describe('the values of a withdrawn version', () => {
  it('are in nothing that others than owners can read, until it is ready again', async (test) => {
    const { ask, accounts } = await serveAccounts(test, {}, { datasets });
    const { token: bob } = await accounts.addToken('bob');
    const { token: eve } = await accounts.addToken('eve');
    const dataset = '/api/v1/namespaces/parks/datasets/people/';
    const csv = { 'Content-Type': 'text/csv' };
    const added = await ask(`${dataset}version/`, { method: 'POST', body: rows, headers: csv }, bob);
    assert.equal(added.status, 201, added.text);
    const { slug } = added.body;
    const version = `${dataset}version/${slug}/`;
    const record = `/api/v1/files/namespaces/parks/datasets/people/versions/${slug}.yaml`;
    const places = [
      ...[
        version,
        `${dataset}version/`,
        dataset,
        '/api/v1/versions/',
        '/api/v1/datasets/',
        '/api/v1/files/?texts=true',
      ],
      ...[
        record,
        `${dataset}profile/`,
        `${version}profile/`,
        `${dataset}columns/name/`,
        '/data.json',
        '/catalog.jsonld',
      ],
      ...['/catalog.ttl', '/stac/', '/api/v1/changes/', `${dataset}croissant.json`, '/'],
    ];
    const setReady = (ready: boolean) =>
      ask(
        version,
        { method: 'PATCH', body: JSON.stringify({ ready }), headers: { 'Content-Type': 'application/json' } },
        bob,
      );
    const answers = (token?: string) =>
      Promise.all(
        places.flatMap((place) =>
          ['application/json', 'text/html'].map(async (Accept) => {
            const { status, text, body } = await ask(place, { headers: { Accept } }, token);
            const metadata = [body, ...(body?.results ?? []), ...(body?.versions ?? [])].map((one) => one?.metadata);
            const decoded = metadata.map((one) => JSON.stringify(decodeMetadata(one ?? '')));
            return { place, Accept, status, text: `${text} ${decoded.join(' ')}` };
          }),
        ),
      );
    assert.ok((await answers()).filter(({ text }) => secrets.test(text)).length > 10);

    assert.equal((await setReady(false)).status, 200);
    for (const token of [undefined, eve])
      for (const { place, Accept, text } of await answers(token))
        assert.doesNotMatch(text, secrets, `${place} ${Accept}`);
    // The record stays visible.
    const { status, body } = await ask(version);
    assert.deepEqual(
      [status, body.ready, body.rows, body.bbox, body.checksum],
      [200, false, 2, null, added.body.checksum],
    );
    const { columns } = decodeMetadata(body.metadata) as { columns: unknown };
    assert.deepEqual((columns as object[])[1], { name: 'name', nulls: 0, distinct: 2 });
    assert.equal((await ask(record)).status, 404);
    // Owners, who may make it ready again, have all.
    assert.equal((await ask(version, {}, bob)).body.metadata, added.body.metadata);
    assert.match((await ask(record, {}, bob)).text, secrets);

    assert.equal((await setReady(true)).status, 200);
    await until(async () => (await ask(version)).body.metadata === added.body.metadata);
    assert.equal((await ask(record)).status, 200);
  });

  it('are left out of metadata that a client has given, and nothing else is', async (test) => {
    const text = Buffer.from('{"columns": {"a": {"min": "Anna", "nulls": 0}, "b": 7}, "by": "me"}').toString('base64');
    const record = { id: 5, label: 'a', datetime: '2020-01-01T00:00:00Z', ready: false };
    const versions = {
      'parks/people@1': { ...record, metadata: text },
      'parks/people@2': { ...record, id: 6, metadata: 'mine' },
    };
    const { ask } = await serveAccounts(test, {}, { datasets, versions });
    const metadataOf = async (slug: string) =>
      (await ask(`/api/v1/namespaces/parks/datasets/people/version/${slug}/`)).body.metadata;
    assert.deepEqual(decodeMetadata(await metadataOf('1')), { by: 'me', columns: { a: { nulls: 0 }, b: 7 } });
    assert.equal(await metadataOf('2'), 'mine');
    const statuses = ['1', '2'].map(
      async (slug) => (await ask(`/api/v1/files/namespaces/parks/datasets/people/versions/${slug}.yaml`)).status,
    );
    assert.deepEqual(await Promise.all(statuses), [404, 200]);
  });
});

describe('a saved query of a draft', () => {
  it('is seen by those who see the draft, and by all when it is made ready', async (test) => {
    const record = { id: 5, label: 'a', datetime: '2020-01-01T00:00:00Z' };
    const versions = { 'parks/people@1': { ...record, ready: false, draft: true } };
    const queries = { early: { id: 3, label: 'Early', dataset: 'parks/people', version: '1' } };
    const { ask, accounts } = await serveAccounts(test, {}, { datasets, versions, queries });
    const { token: bob } = await accounts.addToken('bob');
    const paths = ['/api/v1/queries/early/', '/api/v1/files/queries/early.yaml'];
    const statuses = (token?: string) => Promise.all(paths.map(async (path) => (await ask(path, {}, token)).status));
    assert.deepEqual(
      [await statuses(), await statuses(bob)],
      [
        [404, 404],
        [200, 200],
      ],
    );
    for (const list of ['/api/v1/queries/', '/api/v1/files/?texts=true', '/api/v1/changes/'])
      assert.ok(!(await ask(list)).text.includes('early'), list);
    const headers = { 'Content-Type': 'application/json' };
    const path = '/api/v1/namespaces/parks/datasets/people/version/1/';
    assert.equal((await ask(path, { method: 'PATCH', body: '{"ready": true}', headers }, bob)).status, 200);
    assert.deepEqual(await statuses(), [200, 200]);
  });
});
