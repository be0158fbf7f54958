/** Options for reading an upload: as query parameters, as fields of a form, and through a remote catalogue. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { ReadingOptionChanges } from '../../src/catalogue/types.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';

const versions = '/api/v1/namespaces/parks/datasets/trees/version/';
const text = 'name;wert\n007;1,5\nx;"1,234"\n';

async function nursery(t: TestContext) {
  const server = await serveAccounts(t);
  const { token } = await server.accounts.addToken('bob');
  const dataset = { label: 'Trees', namespace: '/api/v1/namespaces/parks/' };
  await server.send('POST', '/api/v1/datasets/', dataset, token);
  const post = (body: string | FormData, query = '') =>
    server.ask(
      `${versions}${query}`,
      { method: 'POST', body, headers: typeof body === 'string' ? { 'Content-Type': 'text/csv' } : {} },
      token,
    );
  return { ...server, token, post };
}

function form(...parts: readonly (readonly [string, string])[]): FormData {
  const data = new FormData();
  for (const [name, value] of parts) {
    if (name === 'file') data.append(name, new Blob([value], { type: 'text/csv' }), 'trees.csv');
    else data.append(name, value);
  }
  return data;
}

describe('options for reading an upload', () => {
  it('are query parameters of raw bytes, and shown', async (t) => {
    const { post, ask } = await nursery(t);
    const { status, body } = await post(text, '?type=name%3Dstring&decimal=%2C&delimiter=%3B');
    assert.equal(status, 201);
    assert.deepEqual(body.reading, { types: { name: 'string' }, decimal: ',', delimiter: ';' });
    const dataset = await ask('/api/v1/namespaces/parks/datasets/trees/');
    assert.deepEqual(dataset.body.reading, body.reading);
    const rows = await ask('/api/v1/namespaces/parks/datasets/trees/data.objects');
    assert.deepEqual(rows.body, [
      { name: '007', wert: 1.5 },
      { name: 'x', wert: 1.234 },
    ]);
  });

  it('are fields of a form before its file; behind it, they are refused', async (t) => {
    const { post } = await nursery(t);
    const before = await post(form(['type', 'name=string'], ['crs', ''], ['file', text], ['label', 'Spring']));
    assert.equal(before.status, 201);
    assert.deepEqual(before.body.reading, { types: { name: 'string' } });
    assert.deepEqual(before.body.remarks, ['Column "wert": read as numbers with decimal commas such as 1,5.']);
    const behind = await post(form(['file', `${text}y;2\n`], ['decimal', ',']));
    assert.equal(behind.status, 400);
    assert.deepEqual(behind.body, { decimal: ['Send it before the file, or as a query parameter.'] });
  });

  it('are refused under their name', async (t) => {
    const { post } = await nursery(t);
    const { status, body } = await post(text, '?skip=-1&type=name');
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body), ['skip', 'type']);
    for (const name of ['constructor', '__proto__']) {
      const unknown = await post(text, `?decimal=${name}&delimiter=${name}`);
      assert.deepEqual([unknown.status, Object.keys(unknown.body)], [400, ['decimal', 'delimiter']]);
    }
  });

  it('go to a remote catalogue, also with details that follow', async (t) => {
    const { base, token } = await nursery(t);
    const remote = await openRemoteCatalogue(base, { token });
    t.after(() => remote.close());
    const reading: ReadingOptionChanges = { types: { name: 'string' }, decimal: ',' };
    const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    const source = () => Readable.from([Buffer.from(text)]);
    const first = await remote.publish(ref, { source: source(), fileName: 'a.csv', reading });
    assert.deepEqual(first.version.reading, reading);
    const second = await remote.publish(ref, {
      source: source(),
      fileName: 'a.csv',
      reading: { decimal: null, types: { name: null } },
      details: async () => ({ label: 'Late' }),
    });
    assert.deepEqual([second.created, second.version.label, second.version.reading], [true, 'Late', {}]);
    assert.match(second.remarks.join(), /decimal commas/);
  });

  it('are a field of the dataset, which is written, replaced and removed', async (t) => {
    const { send, ask, post, token, base } = await nursery(t);
    const path = '/api/v1/namespaces/parks/datasets/trees/';
    const set = await send(
      'PATCH',
      path,
      { reading: { types: { name: 'string' }, decimal: ',', header: true } },
      token,
    );
    assert.deepEqual([set.status, set.body.reading], [200, { types: { name: 'string' }, decimal: ',' }]);
    assert.deepEqual((await post(text)).body.reading, { types: { name: 'string' }, decimal: ',' });
    const form = new FormData();
    form.append('reading', '{"delimiter": ";"}');
    const replaced = await ask(path, { method: 'PATCH', body: form }, token);
    assert.deepEqual([replaced.status, replaced.body.reading], [200, { delimiter: ';' }]);
    for (const [wrong, message] of [
      [{ decimel: ',' }, 'Unknown option "decimel". Did you mean "decimal"?'],
      [{ skip: -1 }, 'skip: It must be a whole number of at most 999999.'],
      [{ types: { name: 'text' } }, /^type: "name=text" is not COLUMN=TYPE/],
      [['decimal'], 'Expected an object with options for reading.'],
      [{ lat: { toString: null } }, 'lat: Expected one value, not a list or an object.'],
      [{ lat: { a: 1 } }, 'lat: Expected one value, not a list or an object.'],
      [{ lat: ['a', 'b'] }, 'lat: Expected one value, not a list or an object.'],
      [
        { types: { lat: { toString: null } }, lat: 'y' },
        'types: Expected one type for "lat", not a list or an object.',
      ],
      [{ types: { name: ['string'] } }, 'types: Expected one type for "name", not a list or an object.'],
    ] as const) {
      const { status, body } = await send('PATCH', path, { reading: wrong }, token);
      assert.equal(status, 400);
      if (typeof message === 'string') assert.deepEqual(body, { reading: [message] });
      else assert.match(body.reading[0], message);
    }
    const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    const remote = await openRemoteCatalogue(base, { token });
    t.after(() => remote.close());
    assert.deepEqual((await remote.edit<'dataset'>(ref, { reading: { crs: 'EPSG:25833' } })).reading, {
      crs: 'EPSG:25833',
    });
    assert.deepEqual((await send('PATCH', path, { reading: {} }, token)).body.reading, {});
    const namespace = '/api/v1/namespaces/parks/';
    const made = await send('POST', '/api/v1/datasets/', { label: 'Wells', namespace, reading: { skip: 2 } }, token);
    assert.deepEqual([made.status, made.body.reading], [201, { skip: 2 }]);
    const { actions } = (await ask(path, { method: 'OPTIONS' }, token)).body;
    assert.deepEqual([actions.PUT.reading.type, actions.PUT.reading.read_only], ['nested object', false]);
  });
});
