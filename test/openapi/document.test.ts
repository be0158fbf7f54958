/** The OpenAPI document is valid, complete, and true for every recorded exchange. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';
import { type OpenApiDocument, openApiDocument, templateOf } from '../../src/server/openapi/document.ts';
import { describedOperation } from '../../src/server/openapi/operations.ts';
import type { Method } from '../../src/server/route.ts';
import { routes } from '../../src/server/routes.ts';
import { base, exchanges, recorded } from '../conformance/recorded.ts';
import { fill, headerOf } from '../conformance/replay.ts';
import { resolvedLinks } from '../support/raw.ts';
import { served } from '../support/served.ts';
import { makeContract } from './contract.ts';

const document = openApiDocument(routes, settingsFromRecord({}), base);
const contract = makeContract(document);

/** Members that the recorded service didn't have (fields after the observed ones). */
const later = new Set(
  'keywords licence homepage publisher contact visibility readers reading format media_type size rows bbox notes data download unit members owners datasets name expires url'.split(
    ' ',
  ),
);
const recordedContract = makeContract(document, (member) => later.has(member));

/** All values of a document, with their places. */
function* walk(value: unknown, place = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [place, value as Record<string, unknown>];
  for (const [name, part] of Object.entries(value)) yield* walk(part, `${place}/${name}`);
}

describe('the OpenAPI document', () => {
  it('is valid by the schema of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
    assert.deepEqual(errors ?? [], []);
    assert.equal(valid, true);
  });

  it('refers to parts that it has, and has none that nothing refers to', () => {
    const parts = new Set(
      Object.entries(document.components)
        .filter(([group]) => group !== 'securitySchemes')
        .flatMap(([group, byName]) => Object.keys(byName).map((name) => `#/components/${group}/${name}`)),
    );
    const references = new Set([...walk(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
    assert.deepEqual(
      [...references].filter((one) => !parts.has(one)),
      [],
    );
    // `FileEntry` and `RowChange` are lines of NDJSON.
    assert.deepEqual(
      [...parts].filter((one) => !references.has(one)),
      [],
    );
  });

  it('has every route and method of the API', () => {
    for (const { path, name, handlers } of routes) {
      if (!path.startsWith('/api/')) continue;
      const item = document.paths[templateOf(path)];
      assert.ok(item, path);
      const wanted = Object.keys(handlers).map((method) => method.toLowerCase());
      if (handlers.GET) wanted.push('head');
      assert.deepEqual(Object.keys(item).sort(), [...wanted, 'options'].sort(), path);
      for (const method of Object.keys(handlers))
        assert.ok(describedOperation(name, method as Method), `${method} ${path}`);
    }
  });

  it('has the form of dates in requests', () => {
    const { DatasetInput, DatasetPatch } = document.components.schemas as Record<
      string,
      { readonly properties?: Readonly<Record<string, { readonly pattern?: string }>> }
    >;
    for (const schema of [DatasetInput, DatasetPatch])
      for (const name of ['issued', 'modified']) {
        const form = new RegExp(schema?.properties?.[name]?.pattern ?? 'missing', 'u');
        for (const text of ['', ' 2020-01-31 ', '2020-01-31T12:00:00Z']) assert.match(text, form);
        for (const text of ['2020', '2020-01', '2020-01-31T12:00:00', 'x']) assert.doesNotMatch(text, form);
      }
  });

  it('describes every parameter, and names each operation once', () => {
    for (const { name, description } of Object.values(document.components.parameters))
      assert.notEqual(description, '', name);
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, ids.length);
  });

  it('describes each parameter in the path of an operation, also beside one of the query with its name', () => {
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, { parameters = [] }] of Object.entries(item)) {
        const names = parameters.flatMap((one) => {
          const found = '$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1) ?? ''] : one;
          return found?.in === 'path' ? [found.name] : [];
        });
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        assert.deepEqual(names.toSorted(), inPath.toSorted(), `${method} ${path}`);
      }
  });

  it('has a contact as people write it in catalogue.yaml', () => {
    const contactIn = (contact: string) =>
      openApiDocument(routes, settingsFromRecord({ title: 'Test', contact }), base).info.contact;
    assert.deepEqual(contactIn('Data office <data@example.org>'), { name: 'Data office', email: 'data@example.org' });
    assert.deepEqual(contactIn('mailto:data@example.org'), { name: 'Test', email: 'data@example.org' });
    assert.deepEqual(contactIn('https://example.org'), { name: 'Test', url: 'https://example.org' });
    assert.equal(contactIn('ask @ the desk'), undefined);
  });

  it('has examples that fit their schemas', () => {
    let count = 0;
    for (const [place, { schema, example }] of walk(document)) {
      if (schema === undefined || example === undefined) continue;
      count++;
      const validate = contract.validatorOf(schema as object, false);
      assert.ok(validate(example), `${place}: ${JSON.stringify(validate.errors)}`);
    }
    assert.ok(count > 10, `${count}`);
  });
});

it('has parameters whose names differ for generators of clients, which take letters and digits of them only', () => {
  const names = Object.keys(document.components.parameters).map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

describe('an operation', () => {
  const operation = (method: string, path: string) => {
    const found = document.paths[path]?.[method];
    assert.ok(found, `${method} ${path}`);
    const parameters = (found.parameters ?? []).map((one) =>
      '$ref' in one ? document.components.parameters[one.$ref.replace('#/components/parameters/', '')] : one,
    );
    const of = (place: string) => parameters.flatMap((one) => (one?.in === place ? [one.name] : []));
    const contents = Object.fromEntries(
      Object.entries(found.responses).map(([status, response]) => [
        status,
        Object.keys((response as { content?: object }).content ?? {}),
      ]),
    );
    return { ...found, query: of('query'), headers: of('header'), contents, parameters };
  };
  const headersOf = (path: string) =>
    Object.keys((operation('get', path).responses[200] as { headers?: object }).headers ?? {});
  const dataset = '/api/v1/namespaces/{namespace}/datasets/{dataset}/';

  it('says which credentials it needs: reads of what belongs to a user, and the secret of a webhook', () => {
    for (const path of ['auth/tokens/', 'auth/tokens/{token}/', 'trash/', 'trash/{entry}/', 'users/me/'])
      for (const method of ['get', 'head'])
        assert.equal(operation(method, `/api/v1/${path}`).security?.length, 3, `${method} ${path}`);
    assert.equal(operation('get', '/api/v1/users/{user}/').security, undefined);
    const webhook = operation('post', '/webhooks/git');
    assert.deepEqual(webhook.security, [{}]);
    assert.deepEqual(webhook.headers, ['X-Hub-Signature-256', 'X-Gitea-Signature', 'X-Gitlab-Token']);
    assert.ok(webhook.requestBody);
  });

  it('has a page and ?format= where the address has pages, of writes, too', () => {
    for (const path of [
      '/data.json',
      '/metrics',
      `${dataset}dcat.ttl`,
      `${dataset}download/`,
      '/stac/',
      '/site_media/{path}',
    ]) {
      const { contents, query } = operation('get', path);
      assert.deepEqual([contents[200]?.includes('text/html'), contents[303]], [false, undefined], path);
      assert.ok(!query.includes('format'), path);
    }
    for (const [method, status] of [
      ['patch', 200],
      ['put', 200],
    ] as const)
      assert.ok(operation(method, dataset).contents[status]?.includes('text/html'), method);
    assert.ok(operation('post', '/api/v1/datasets/').contents[201]?.includes('text/html'));
    assert.deepEqual(operation('delete', dataset).contents[204], []);
  });

  it('has the parameters and headers that its handler reads, and no others', () => {
    const bytes = ['Range', 'If-Range', 'If-Match', 'If-Modified-Since', 'If-Unmodified-Since'];
    for (const path of [`${dataset}data/`, `${dataset}download/`, '/site_media/{path}'])
      assert.deepEqual(operation('get', path).headers.toSorted(), [...bytes, 'If-None-Match'].toSorted(), path);
    const profile = operation('get', `${dataset}profile/`).query;
    assert.ok(profile.includes('_ordering'));
    for (const name of ['_group_by', '_aggregate', '_bom', '_excel', '_sep']) assert.ok(!profile.includes(name), name);
    const embed = operation('get', `${dataset}embed/`).query;
    for (const name of ['_fields', '_ordering', '_limit', '_group_by', '_colour', '_view', 'maxwidth'])
      assert.ok(embed.includes(name), name);
    assert.deepEqual(operation('get', '/iceberg/v1/config').query.includes('warehouse'), true);
    assert.deepEqual(operation('get', '/iceberg/v1/namespaces').query.includes('parent'), true);
    assert.ok(headersOf(`${dataset}map.svg`).includes('X-Feature-Count'));
    assert.ok(!headersOf('/site_media/{path}').includes('Repr-Digest'));
    assert.ok(headersOf('/api/v1/files/{path}').includes('Repr-Digest'));
    assert.ok(!headersOf('/metrics').includes('ETag'));
    const put = operation('put', '/api/v1/files/{path}').parameters.find((one) => one?.name === 'If-None-Match');
    assert.match(put?.description ?? '', /must not be there/);
  });
});

describe('every recorded exchange', () => {
  /** Addresses that the API doesn't have: 404, or a redirect to the slash at their end. */
  const isOutside = (path: string) => contract.pathOf(path) === undefined;

  it('matches a path, a status and a schema', () => {
    const wrong: string[] = [];
    let matched = 0;
    for (const exchange of exchanges) {
      const { method, headers, body, path: address } = exchange.request;
      const path = fill(address, '');
      const { status, raw, ...answer } = recorded(exchange);
      const type = headerOf({ ...answer, status, raw }, 'content-type') ?? '';
      if (isOutside(path)) {
        const expected = isOutside(path.replace(/(\?|$)/, '/$1')) ? [404] : method === 'GET' ? [301] : [401];
        assert.ok(expected.includes(status), `${method} ${path}: ${status}`);
        continue;
      }
      const requestType = headers['Content-Type'] ?? headers['content-type'];
      const isJson = /json/.test(type);
      const errors = recordedContract.judge({
        ...{ method, path, status, type },
        body: raw.length === 0 ? undefined : isJson ? JSON.parse(raw.toString()) : raw.toString(),
        ...(requestType?.startsWith('application/json') && { requestType, requestBody: jsonOf(body) }),
      });
      if (errors.length) wrong.push(`${exchange.group}/${exchange.name}: ${errors.join('; ')}`);
      matched++;
    }
    assert.deepEqual(wrong, []);
    assert.ok(matched > 300, `${matched}`);
  });

  const jsonOf = (body: unknown): unknown => {
    const text = fill(typeof body === 'string' ? body : JSON.stringify(body ?? null), base);
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
});

const { base: address } = await served({ namespaces: { parks: { label: 'Parks' } } });

describe('over HTTP', () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, address), { headers });

  it('has its own media type, an ETag, and is linked from the root of the API', async () => {
    const response = await get('/api/v1/openapi.json');
    assert.equal(response.headers.get('Content-Type'), 'application/vnd.oai.openapi+json;version=3.1');
    const body = (await response.json()) as OpenApiDocument;
    assert.equal(body.servers[0]?.url, address.replace(/\/$/, ''));
    const again = await get('/api/v1/openapi.json', { 'If-None-Match': response.headers.get('ETag') ?? '' });
    assert.equal(again.status, 304);
    const asJson = await get('/api/v1/openapi.json', { Accept: 'application/json' });
    assert.equal(asJson.headers.get('Content-Type'), 'application/json');
    const browser = await get('/api/v1/openapi.json', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    assert.equal(browser.headers.get('Content-Type'), 'application/json');
    const root = await get('/api/v1/');
    const link = resolvedLinks(root.headers.get('Link'), root.url);
    assert.match(
      link,
      /<[^>]*\/api\/v1\/openapi\.json>; rel="service-desc"; type="application\/vnd\.oai\.openapi\+json;version=3\.1"/,
    );
    assert.match(link, /<[^>]*\/docs\/openapi\/>; rel="service-doc"; type="text\/html"/);
    const page = await (await get('/api/v1/?format=html')).text();
    assert.match(
      page,
      /<link rel="service-desc" type="application\/vnd\.oai\.openapi\+json;version=3\.1" href="\/api\/v1\/openapi\.json"\/?>/,
    );
  });

  it('promises no page where a client that prefers pages gets none', async () => {
    for (const path of [
      '/data.json',
      '/catalog.ttl',
      '/feed.atom',
      '/sitemap.xml',
      '/stac/',
      '/api/v1/files/catalogue.yaml',
    ])
      for (const query of ['', '?format=html']) {
        const response = await get(path + query, { Accept: 'text/html,*/*;q=0.8' });
        const type = response.headers.get('Content-Type') ?? '';
        assert.ok(response.status >= 400 || !type.startsWith('text/html'), `${path}${query}: ${type}`);
      }
  });

  it('is a page to read, in the language of the reader', async () => {
    const response = await get('/docs/openapi/', { Accept: 'text/html', 'Accept-Language': 'de' });
    const page = await response.text();
    assert.equal(response.status, 200);
    assert.match(page, /Referenz der API/);
    for (const path of ['/api/v1/datasets/', '/api/v1/namespaces/{namespace}/datasets/{dataset}/version/'])
      assert.ok(page.includes(path), path);
  });
});
