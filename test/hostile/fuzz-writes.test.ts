/** Every route that writes, with every type of JSON in every field: the answer is 2xx or 4xx, and the catalogue stays sound. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { WritableKind } from '../../src/catalogue/catalogue.ts';
import { fieldsOf } from '../../src/catalogue/fields.ts';
import { routes } from '../../src/server/routes.ts';
import { serveAccounts } from '../support/accounts.ts';

/** JSON texts: not all are values that `JSON.stringify` would write. */
const hostileValues: readonly string[] = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e400', '-1e400', '1e-400', '9007199254740993', '2147483648'],
  ...[
    '""',
    '" "',
    '"\\ud800"',
    '"a\\udfffb"',
    '"\\u0000"',
    '"\\u001b[31m"',
    '"\\u202e"',
    '"../../etc"',
    '"__proto__"',
    '"a\\nb"',
  ],
  ...[
    '"constructor"',
    '"/api/v1/users/%00/"',
    '"/api/v1/namespaces/parks/"',
    '"user:eve"',
    '"2999-01-01"',
    '"-"',
    '"NaN"',
  ],
  ...[
    '[]',
    '[[]]',
    '[null]',
    '[[["a"]]]',
    '[{}]',
    '["a", "a"]',
    '["\\ud800"]',
    '[1e400]',
    '[{"name": []}]',
    '[{"name": "a", "label": {}}]',
  ],
  ...[
    '{}',
    '{"": ""}',
    '{"__proto__": {"toString": 1}}',
    '{"toString": 1, "valueOf": null}',
    '{"constructor": {"prototype": 1}}',
  ],
  ...[
    '{"a": 1e400}',
    '{"a": "\\ud800"}',
    '{"\\ud800": 1}',
    '{"a": "\\u0000"}',
    '{"a": {"b": [null, [[]]]}}',
    '{"length": 1e9}',
    '{"a\\n: b": 1}',
  ],
  ...['[{"name": "a", "former_names": {"0": 1}}]', '[{"name": {"toString": 1}}]', '[{"toString": null}]'],
  '['.repeat(30) + ']'.repeat(30),
  '['.repeat(20_000) + ']'.repeat(20_000),
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  `"${'x'.repeat(100_000)}"`,
  '9'.repeat(5000),
];
/** Bodies that aren't objects with fields, or aren't JSON. */
const hostileBodies: readonly string[] = [
  ...hostileValues.filter((_, i) => i % 3 === 0),
  ...['', '{', '{"a": }', '\u{feff}{}', '{"a": 1, "a": 2}', 'NaN', '{"__proto__": null}', '[{"do": "write"}]', '{} {}'],
];

const content = {
  datasets: { 'parks/trees': { id: 1, label: 'Trees' }, 'parks/old': { id: 2, label: 'Old' } },
  versions: {
    'parks/trees@20200101000000000000': { id: 1, label: 'a', datetime: '2020-01-01T00:00:00Z', ready: false },
  },
  queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees' } },
};
const params: Readonly<Record<string, string>> = {
  ...{
    namespace: 'parks',
    dataset: 'trees',
    version: '20200101000000000000',
    group: 'gardeners',
    user: 'eve',
    query: 'tall',
  },
  ...{ token: '0123456789ab', entry: 'nothing' },
};
const pathOf = (path: string) =>
  path.replace(/[:*](\w+)/g, (_, name: string) => params[name] ?? 'namespaces/a/namespace.yaml');
/** Fields of routes that aren't those of a kind. */
const otherFields: Readonly<Record<string, readonly string[]>> = {
  'Obtain Auth Token': ['username', 'password'],
  'Token List': ['label', 'scope', 'expires', 'user', 'dry_run'],
  Restore: ['dry_run'],
};
const kinds: Readonly<Record<string, WritableKind>> = {
  ...{ Dataset: 'dataset', Namespace: 'namespace', Group: 'group', User: 'user', Query: 'query', Version: 'version' },
};
const valid: { readonly [K in WritableKind]?: object } = {
  dataset: { label: 'New', namespace: '/api/v1/namespaces/water/' },
  query: { label: 'New', dataset: '/api/v1/namespaces/parks/datasets/trees/' },
  user: { username: 'new' },
  ...{ namespace: { label: 'New' }, group: { label: 'New' }, version: {} },
};

async function serveHostile(test: TestContext, settings: object = {}) {
  const server = await serveAccounts(test, settings, content);
  const { token } = await server.accounts.addToken('alice');
  const headers = { 'Content-Type': 'application/json' };
  const send = (method: string, path: string, body: string) => server.ask(path, { method, headers, body }, token);
  const failures: string[] = [];
  const assertHandled = async (method: string, path: string, body: string) => {
    const { status, text, body: answer } = await send(method, path, body);
    const shown = `${method} ${path} ${body.slice(0, 150)}: ${status} ${text.slice(0, 300)}`;
    const all = [status, ...(Array.isArray(answer) ? answer.map((outcome) => outcome.status) : [])];
    if (all.some((one) => one >= 500)) failures.push(shown);
  };
  const assertSound = async () => {
    assert.deepEqual(failures, []);
    const { body } = await server.ask('/api/v1/intrinsecus/?status=invalid', {}, token);
    assert.deepEqual(body.results, []);
    for (const list of [
      'datasets',
      'namespaces',
      'groups',
      'users',
      'queries',
      'versions',
      'auth/tokens',
      'trash',
      'changes',
    ])
      for (const type of ['application/json', 'text/html']) {
        const headers = { Accept: type };
        const { status, text } = await server.ask(`/api/v1/${list}/?page_size=1000`, { headers }, token);
        assert.equal(status, 200, list);
        if (type === 'application/json') JSON.parse(text);
      }
  };
  return { ...server, token, failures, assertHandled, assertSound };
}

const writes = routes.flatMap((route) =>
  (['POST', 'PUT', 'PATCH', 'DELETE'] as const).flatMap((method) =>
    route.handlers[method] ? [{ method, route }] : [],
  ),
);

describe('every route that writes', () => {
  it('refuses what it does not take with 4xx, in every field', async (test) => {
    const { assertHandled, assertSound, log } = await serveHostile(test);
    const seen = new Set<string>();
    let turn = Math.floor(Math.random() * 10);
    for (const { method, route } of writes.filter(({ method }) => method !== 'DELETE')) {
      if (!route.parses.includes('application/json') || route.name === 'File List') continue;
      const [, noun = ''] = /^(\w+) (?:List|Instance)$/.exec(route.name) ?? [];
      const kind = otherFields[route.name] ? undefined : kinds[noun];
      const names =
        otherFields[route.name] ??
        (kind ? fieldsOf(kind).flatMap(({ name, readOnly }) => (readOnly ? [] : [name])) : undefined);
      assert.ok(names, `${route.name} has fields that this test doesn't know`);
      // An upload takes bytes: its fields are in the form.
      if (route.name === 'Version List') continue;
      for (const name of names) {
        // The rights and the token of the one who asks would be gone.
        if (route.path.endsWith('/users/me/') && ['staff', 'password'].includes(name)) continue;
        const { [name]: _, ...others } = { ...(method === 'PATCH' || !kind ? {} : valid[kind]) } as Record<
          string,
          unknown
        >;
        const rest = JSON.stringify(others).slice(1, -1);
        // The password is hashed, which takes its time; and a kind's fields are parsed by the same code in all its routes.
        const isKnown = seen.has(`${kind} ${name}`);
        const isSlow = name === 'password';
        const values = hostileValues.filter(
          (value, i) => (!isKnown || (i + turn) % 10 === 0) && (!isSlow || !value.startsWith('"')),
        );
        seen.add(`${kind} ${name}`);
        turn++;
        for (const value of values)
          await assertHandled(method, pathOf(route.path), `{"${name}": ${value}${rest && `, ${rest}`}}`);
      }
    }
    await assertSound();
    assert.deepEqual(
      log.filter((line) => /Error|\bat /.test(line)),
      [],
    );
  });

  it('refuses bodies that are no objects, with and without a prefix of the path', async (test) => {
    const { assertHandled, assertSound } = await serveHostile(test, { base_url: 'https://example.org/data/' });
    for (const { method, route } of writes)
      for (const body of hostileBodies) {
        if (route.name === 'Version List' || route.name === 'Trash List' || method === 'DELETE') continue;
        await assertHandled(method, pathOf(route.path), body);
      }
    for (const value of hostileValues)
      for (const name of ['image', 'thumbnail_image'])
        await assertHandled('PATCH', pathOf('/api/v1/namespaces/parks/datasets/trees/'), `{"${name}": ${value}}`);
    await assertSound();
  });

  it('refuses changes of files of any form', async (test) => {
    const { assertHandled, assertSound } = await serveHostile(test);
    const names = ['do', 'path', 'text', 'to', 'ifMatch'];
    const read = { write: names, remove: ['path', 'ifMatch'], move: ['path', 'to', 'ifMatch'] };
    for (const verb of ['write', 'remove', 'move'] as const)
      for (const name of names)
        for (const [i, value] of hostileValues.entries()) {
          // A few of the values where nothing reads the member.
          if (!read[verb].includes(name) && i % 5 !== 0) continue;
          const change = {
            do: verb,
            path: 'groups/x.yaml',
            text: 'label: X\n',
            to: 'groups/y.yaml',
            ifMatch: verb === 'write' ? null : '0',
          };
          const { [name as 'do']: _, ...others } = change;
          await assertHandled('PATCH', '/api/v1/files/', `[{"${name}": ${value}, ${JSON.stringify(others).slice(1)}]`);
        }
    await assertSound();
  });
});

describe('an upload', () => {
  const feature = (geometry: string, properties = '{}') =>
    `{"type": "Feature", "geometry": ${geometry}, "properties": ${properties}}`;
  it('of GeoJSON with any type of value in any place is refused with 4xx, or taken', async (test) => {
    const { ask, token, failures, assertSound } = await serveHostile(test);
    const values = hostileValues.filter(
      (value, i) => (value.length < 1000 && (!value.startsWith('"') || i % 4 === 0)) || value.startsWith('[['),
    );
    /** Each type and each depth once for every value. */
    const coordinates = (value: string, i: number) =>
      ['Point', 'LineString', 'Polygon', 'MultiPolygon'].map((type, j) => {
        const depth = (i + j) % 3;
        return feature(`{"type": "${type}", "coordinates": ${'['.repeat(depth)}${value}${']'.repeat(depth)}}`);
      });
    const texts = values.flatMap((value, i) => [
      value,
      `{"type": "FeatureCollection", "features": ${value}}`,
      `{"type": "FeatureCollection", "features": [${value}]}`,
      `{"type": ${value}, "features": []}`,
      `{"type": "FeatureCollection", "crs": ${value}, "bbox": ${value}, "name": ${value}, "features": [${feature('null')}]}`,
      feature(value),
      feature('{"type": "Point", "coordinates": [1, 2]}', value),
      feature('{"type": "Point", "coordinates": [1, 2]}', `{"a": ${value}}`),
      ...coordinates(value, i),
      feature(`{"type": "GeometryCollection", "geometries": ${value}}`),
      feature(`{"type": "GeometryCollection", "geometries": [${value}]}`),
      feature(
        `{"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection", "geometries": [${value}]}]}`,
      ),
      feature(`{"type": ${value}, "coordinates": [1, 2]}`),
      `{"type": "Feature", "id": ${value}, "geometry": null, "properties": {"a": 1}}`,
    ]);
    for (const body of texts) {
      const headers = { 'Content-Type': 'application/geo+json' };
      const path = '/api/v1/namespaces/parks/datasets/old/version/?force=true&replace=true&dry_run=true';
      const { status, text } = await ask(path, { method: 'POST', headers, body }, token);
      if (status >= 500) failures.push(`${body.slice(0, 200)}: ${status} ${text.slice(0, 200)}`);
    }
    await assertSound();
  });

  it('with any text in any field of its form is refused with 4xx, or taken', async (test) => {
    const { base, token, failures, assertSound } = await serveHostile(test);
    const names = [
      ...['label', 'notes', 'metadata', 'ready'],
      'force',
      'replace',
      'rename',
      'checksum',
      'dry_run',
      'file',
      '__proto__',
    ];
    const readings = [
      'encoding',
      'delimiter',
      'decimal',
      'date_format',
      'header',
      'skip',
      'longitude',
      'latitude',
      'geometry',
      'crs',
      'types',
      'type',
    ];
    const headers = { Authorization: `Token ${token}` };
    for (const name of [...names, ...readings])
      for (const value of [
        '',
        '[]',
        '{}',
        '{"__proto__": 1}',
        'null',
        '1e400',
        '-1',
        '\0',
        '\ufffe',
        '=',
        'a=b=c',
        '__proto__=integer',
        'x'.repeat(5000),
      ]) {
        const form = new FormData();
        form.set(name, value);
        form.set('file', new Blob(['a,b\n1,2\n'], { type: 'text/csv' }), 'a.csv');
        const init = { method: 'POST', headers, body: form };
        const answer = await fetch(`${base}/api/v1/namespaces/parks/datasets/old/version/?dry_run=true`, init);
        const text = await answer.text();
        if (answer.status >= 500) failures.push(`${name}=${value.slice(0, 50)}: ${answer.status} ${text}`);
      }
    await assertSound();
  });
});
