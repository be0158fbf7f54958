/** The judge is judged: each way to differ is found, what is left open is allowed. A check that cannot fail is none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { base, exchanges, named, recorded, withBody, withHeader } from './recorded.ts';
import { type Answer, fill, judge, singles } from './replay.ts';

describe('the judge finds', () => {
  const found = (name: string, change: (answer: Answer) => Answer) => {
    const exchange = named(name);
    return judge(exchange, change(recorded(exchange)), base);
  };
  const inBody = (name: string, change: (body: never) => unknown) => found(name, (answer) => withBody(answer, change));

  const differences: [what: string, actual: () => string[], expected: string][] = [
    ['another status', () => found('root', (a) => ({ ...a, status: 201 })), 'status: expected 200, got 201'],
    ['another media type', () => found('root', (a) => withHeader(a, 'content-type', 'text/html')), 'content-type: '],
    ['no media type', () => found('root-html', (a) => withHeader(a, 'content-type', null)), 'content-type: '],
    ['a method missing in Allow', () => found('root', (a) => withHeader(a, 'allow', 'GET, HEAD')), 'allow: '],
    ['no Allow', () => found('root', (a) => withHeader(a, 'allow', null)), 'allow: '],
    [
      'a method more in the Allow of an error',
      () => found('no-version', (a) => withHeader(a, 'allow', 'GET, HEAD, OPTIONS, DELETE')),
      'allow: ',
    ],
    ['Vary without Accept', () => found('root', (a) => withHeader(a, 'vary', 'Cookie, Accept-Encoding')), 'vary: '],
    ['no Vary', () => found('root', (a) => withHeader(a, 'vary', null)), 'vary: '],
    ['another Location', () => found('slash-datasets', (a) => withHeader(a, 'location', '/api/v1/')), 'location: '],
    ['no Location', () => found('form-minimal', (a) => withHeader(a, 'location', null)), 'location: '],
    [
      'a Location on another host',
      () => found('slash-datasets', (a) => withHeader(a, 'location', 'http://else.example/api/v1/datasets/')),
      'location: ',
    ],
    [
      'another scheme of credentials',
      () => found('write-anonymous', (a) => withHeader(a, 'www-authenticate', 'Basic realm="x"')),
      'www-authenticate: ',
    ],
    ['no scheme of credentials', () => found('bad-token', (a) => withHeader(a, 'www-authenticate', null)), 'www-auth'],
    ['another value', () => inBody('namespace', (b: object) => ({ ...b, label: 'X' })), 'body.label: '],
    ['a field missing', () => inBody('namespace', ({ label: _, ...b }: { label: string }) => b), 'body.label: '],
    ['null for a value', () => inBody('namespace', (b: object) => ({ ...b, label: null })), 'body.label: '],
    ['a value for null', () => inBody('list-users', (b: object) => ({ ...b, next: '' })), 'body.next: '],
    ['a number as text', () => inBody('namespace', (b: object) => ({ ...b, id: '1' })), 'body.id: '],
    ['true for a number', () => inBody('namespace', (b: object) => ({ ...b, id: true })), 'body.id: '],
    ['a number for true', () => inBody('version', (b: object) => ({ ...b, ready: 1 })), 'body.ready: '],
    ['an object for a list', () => inBody('user', (b: object) => ({ ...b, groups: {} })), 'body.groups: '],
    [
      'an element more',
      () => inBody('list-users', (b: { results: object[] }) => ({ ...b, results: [...b.results, {}] })),
      'body.results: expected 3 items, got 4',
    ],
    [
      'another order',
      () => inBody('list-users', (b: { results: object[] }) => ({ ...b, results: b.results.toReversed() })),
      'body.results[0].id: ',
    ],
    [
      'a difference deep inside',
      () => inBody('dataset', (b: { versions: object[] }) => ({ ...b, versions: [{ ...b.versions[0], slug: 'x' }] })),
      'body.versions[0].slug: ',
    ],
    ['another host in a link', () => inBody('namespace', (b: object) => ({ ...b, url: 'http://x/' })), 'body.url: '],
    ['a field more in an error', () => inBody('no-group', (b: object) => ({ ...b, hint: '' })), 'body.hint: '],
    [
      'a field more deep inside an error',
      () => inBody('token-empty', (b: object) => ({ ...b, username: ['This field is required.', 'x'] })),
      'body.username: ',
    ],
    ['a missing body', () => found('root', (a) => ({ ...a, raw: Buffer.alloc(0) })), 'body: expected '],
    ['a body where there was none', () => found('delete-dataset', (a) => ({ ...a, raw: Buffer.from('{}') })), 'body: '],
    ['broken JSON', () => found('root', (a) => ({ ...a, raw: Buffer.from('{"a":') })), 'body: expected '],
    [
      'text for JSON',
      () => found('root', (a) => withHeader(a, 'content-type', 'text/plain')),
      'body: expected {"authentication"',
    ],
    ['a rendering missing', () => inBody('options-root', (b: object) => ({ ...b, renders: [] })), 'body.renders: '],
    ['a parser missing', () => inBody('options-root', (b: object) => ({ ...b, parses: [] })), 'body.parses: '],
    [
      'another byte',
      () => found('data-download', (a) => ({ ...a, raw: Buffer.concat([a.raw, Buffer.from('\n')]) })),
      'raw body: SHA-256',
    ],
    [
      'blanks after separators',
      () => found('raw-compact', (a) => ({ ...a, raw: spaced(a.raw) })),
      'raw body: does not',
    ],
    ['no whole number', () => inBody('form-minimal', (b: object) => ({ ...b, id: 1.5 })), 'body.id: expected integer'],
    [
      'true for a whole number',
      () => inBody('form-minimal', (b: object) => ({ ...b, id: true })),
      'body.id: expected ',
    ],
    [
      'no whole number at all',
      () => inBody('form-minimal', ({ id: _, ...b }: { id: number }) => b),
      'body.id: expected ',
    ],
    ['an empty token', () => inBody('token-json', () => ({ token: '' })), 'body.token: expected string'],
    ['another beginning', () => inBody('json-word', () => ({ detail: 'Parse error' })), 'body.detail: expected prefix'],
  ];
  for (const [what, actual, expected] of differences)
    it(what, () => {
      const lines = actual();
      assert.ok(
        lines.some((line) => line.startsWith(expected)),
        `Expected "${expected}…" among ${JSON.stringify(lines)}.`,
      );
    });

  it('a wrong status, type, Allow, Vary and Location in every exchange', () => {
    for (const exchange of exchanges) {
      const answer = recorded(exchange);
      const open = new Set((exchange.tolerance ?? []).map(({ path }) => path));
      const name = `${exchange.group}/${exchange.name}`;
      assert.match(judge(exchange, { ...answer, status: 299 }, base).join('\n'), /^status: /m, name);
      for (const [header, value] of Object.entries(exchange.response.headers)) {
        if (open.has(header) || (header === 'vary' && !value.includes('Accept'))) continue;
        const lines = judge(exchange, withHeader(answer, header, 'x/y'), base);
        assert.ok(
          lines.some((line) => line.startsWith(`${header}: `)),
          `${name}: ${header}`,
        );
      }
    }
  });

  it('each single value of every body that is altered', () => {
    for (const exchange of singles(exchanges)) {
      const answer = recorded(exchange);
      if (exchange.tolerance?.length || exchange.request.method === 'HEAD') continue;
      if (exchange.response.body === null || typeof exchange.response.body === 'string') continue;
      for (const altered of alterations(exchange.response.body)) {
        const raw = Buffer.from(fill(JSON.stringify(altered), base));
        assert.notDeepEqual(judge({ ...exchange, checks: null }, { ...answer, raw }, base), [], exchange.name);
      }
    }
  });
});

/** `value` with one of the values inside it altered, once for each of them. */
function* alterations(value: unknown): Generator<unknown> {
  if (Array.isArray(value))
    for (const [n, item] of value.entries()) for (const altered of alterations(item)) yield value.with(n, altered);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      for (const altered of alterations(item)) yield { ...value, [key]: altered };
  else if (typeof value === 'number') yield value + 1;
  else if (typeof value === 'boolean') yield !value;
  else yield `${value}x`;
}

const spaced = (json: Buffer) => Buffer.from(JSON.stringify(JSON.parse(json.toString()), null, 1));

describe('the judge allows', () => {
  const allowed = (name: string, change: (answer: Answer) => Answer) => {
    const exchange = named(name);
    assert.deepEqual(judge(exchange, change(recorded(exchange)), base), []);
  };

  it('fields and methods more than were recorded, but in errors', () => {
    allowed('namespace', (answer) => withBody(answer, (body: object) => ({ ...body, visibility: 'public' })));
    allowed('namespace', (answer) => withHeader(answer, 'allow', 'OPTIONS,HEAD,DELETE,PATCH,PUT,GET,REPORT'));
    allowed('token-get', (answer) => withHeader(answer, 'allow', 'POST, OPTIONS, DELETE'));
  });

  it('another order of keys, and white space', () => {
    allowed('namespace', (answer) =>
      withBody(answer, (body: object) => Object.fromEntries(Object.entries(body).toReversed())),
    );
    allowed('dataset', (answer) => ({ ...answer, raw: spaced(answer.raw) }));
  });

  it('more renderings and parsers', () => {
    allowed('options-root', (answer) =>
      withBody(answer, (body: { renders: string[] }) => ({ ...body, renders: ['text/csv', ...body.renders] })),
    );
  });

  it('parameters of a media type, other varying headers, an absolute Location', () => {
    allowed('root', (answer) => withHeader(answer, 'content-type', 'Application/JSON; charset=utf-8'));
    allowed('root', (answer) => withHeader(answer, 'vary', 'Origin, accept'));
    allowed('root', (answer) => withHeader(answer, 'vary', '*'));
    allowed('slash-datasets', (answer) => withHeader(answer, 'location', `${base}/api/v1/datasets/`));
  });

  it('what an exchange leaves open', () => {
    allowed('form-minimal', (answer) => withBody(answer, (body: object) => ({ ...body, id: 4711 })));
    allowed('token-json', (answer) => withBody(answer, () => ({ token: 'abc', expires: '2030-01-01T00:00:00Z' })));
    allowed('json-word', (answer) => withBody(answer, () => ({ detail: 'JSON parse error - in our own words' })));
    allowed('root-html', (answer) => ({ ...answer, raw: Buffer.from('<!doctype html><title>Root</title>') }));
    allowed('slash-datasets', (answer) => withHeader(answer, 'content-type', 'text/plain'));
  });

  it('any place in a list where a tolerance has [*], and only there', () => {
    const exchange = named('list-users');
    const altered = withBody(recorded(exchange), (body: { results: object[] }) => ({
      ...body,
      results: body.results.map((user) => ({ ...user, id: 77 })),
    }));
    const lines = (path: string) => judge({ ...exchange, tolerance: [{ path, rule: 'integer' }] }, altered, base);
    assert.deepEqual(lines('body.results[*].id'), []);
    assert.equal(lines('body.results[1].id').length, 2);
    assert.equal(lines('body.results.*.id').length, 3);
  });
});
