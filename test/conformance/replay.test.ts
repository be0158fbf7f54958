/** The judge is judged: what was recorded passes, and each way to differ is found. A check that can't fail is no check. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Answer, type Exchange, fill, fixture, judge, loadExchanges, send, sequences, singles } from './replay.ts';

const base = 'http://catalogue.example:8000';
const exchanges = loadExchanges();

/** Payloads by their SHA-256: a recorded answer holds what the bytes say, and not the bytes. */
const payloads = new Map<string, Buffer>();
for (const path of readdirSync(fixture, { recursive: true }).map(String)) {
  if (!path.endsWith('.geojson')) continue;
  const bytes = readFileSync(join(fixture, path));
  payloads.set(createHash('sha256').update(bytes).digest('hex'), bytes);
}

/** The answer as it was recorded, given by the server at `from`. */
function recorded({ request, response, checks }: Exchange, from = base): Answer {
  const { body } = response;
  const text = typeof body === 'string' ? body : escaped(JSON.stringify(body));
  const raw = payloads.get(checks?.sha256 ?? '') ?? Buffer.from(body === null ? '' : fill(text, from));
  return {
    status: response.status,
    headers: Object.entries(response.headers).map(([name, value]) => [name, fill(value, from)] as const),
    raw: request.method === 'HEAD' ? Buffer.alloc(0) : raw,
  };
}

const escaped = (json: string) => json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

function named(name: string): Exchange {
  const found = exchanges.find((exchange) => exchange.name === name);
  assert.ok(found, `There is no exchange ${name}.`);
  return found;
}

/** The recorded answer with a header replaced, or taken away where the value is null. */
function withHeader(answer: Answer, name: string, value: string | null): Answer {
  const headers = answer.headers.filter(([key]) => key !== name);
  return { ...answer, headers: value === null ? headers : [...headers, [name, value]] };
}

/** The recorded answer with another body. */
function withBody(answer: Answer, change: (body: never) => unknown): Answer {
  return { ...answer, raw: Buffer.from(JSON.stringify(change(JSON.parse(answer.raw.toString()) as never))) };
}

describe('the recorded exchanges', () => {
  it('are all there', () => {
    assert.equal(exchanges.length, 336);
    assert.equal(new Set(exchanges.map(({ group, name }) => `${group}/${name}`)).size, 336);
  });

  it('stand alone or are steps of a scenario, in order', () => {
    const scenarios = [...sequences(exchanges).values()];
    assert.equal(singles(exchanges).length + scenarios.flat().length, 336);
    for (const steps of scenarios)
      assert.deepEqual(
        steps.map(({ step }) => step),
        steps.map((_, n) => n + 1),
      );
  });
});

describe('send and judge, against a server that answers as recorded', () => {
  let current: Exchange | undefined;
  let asked: IncomingMessage | undefined;
  let askedBody = Buffer.alloc(0);
  let address = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    [asked, askedBody] = [request, Buffer.concat(chunks)];
    assert.ok(current);
    const answer = recorded(current, address);
    response.writeHead(answer.status, answer.headers.flat());
    response.end(answer.raw);
  });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('finds no difference in any of them', async () => {
    for (const exchange of exchanges) {
      current = exchange;
      const answer = await send(address, exchange, 'TOKEN');
      assert.deepEqual(judge(exchange, answer, address), [], `${exchange.group}/${exchange.name}`);
    }
  });

  it('sends each request as it was recorded, and no header more', async () => {
    const host = address.slice('http://'.length);
    for (const exchange of exchanges) {
      current = exchange;
      await send(address, exchange, 'TOKEN');
      const { method, path, headers, body, body_base64 } = exchange.request;
      const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
      const bytes = body_base64 ? Buffer.from(body_base64, 'base64') : Buffer.from(fill(text, address, 'TOKEN'));
      const hasBody = body != null || body_base64 != null;
      const name = `${exchange.group}/${exchange.name}`;
      assert.equal(asked?.method, method, name);
      assert.equal(asked?.url, fill(path, address), name);
      assert.deepEqual(askedBody, hasBody ? bytes : Buffer.alloc(0), name);
      assert.deepEqual(
        asked?.rawHeaders,
        [
          ...('Host' in headers ? [] : ['Host', host]),
          ...(exchange.auth ? ['Authorization', 'Token TOKEN'] : []),
          // HTTP has no blanks at the ends of a header's value: the parser of this server has cut them off.
          ...Object.entries(headers).flatMap(([key, value]) => [key, fill(value, address, 'TOKEN').trim()]),
          ...(hasBody || ['POST', 'PUT', 'PATCH'].includes(method)
            ? ['Content-Length', String(hasBody ? bytes.length : 0)]
            : []),
          'Connection',
          'close',
        ],
        name,
      );
    }
  });

  it('sends header values as UTF-8, and a path as it is written', async () => {
    current = named('root');
    const path = '/api/v1/?geometry=Point([1,2]).buffer(0.5)&a=%2e%zz';
    await send(address, { request: { method: 'GET', path, headers: { 'X-Word': 'é' } } });
    assert.equal(asked?.url, path);
    assert.equal(Buffer.from(asked?.headers['x-word'] as string, 'latin1').toString('utf8'), 'é');
  });
});

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
