/**
 * Who may do what: every route, every method, everybody. A route that is added without a row fails here, and so does
 * one that tells somebody of what is private.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { readTable } from '../../src/iceberg/read-table.ts';
import { routes } from '../../src/server/routes.ts';
import { homeOf } from '../support/folder.ts';
import { type LightResponse, lightFetch } from '../support/light-fetch.ts';
import { served } from '../support/served.ts';

/** Those who ask, in the order of the columns below. `reader` is the member with a token to read only. */
const everybody = ['anonymous', 'other', 'member', 'staff', 'expired', 'reader'] as const;
type Who = (typeof everybody)[number];
type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const safe: readonly Method[] = ['GET', 'HEAD', 'OPTIONS'];
const writing: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

//                anonymous other member staff expired reader
const reads = '      200    200   200   200    401    200';
const exists = '     204    204   204   204    401    204';
const open = '       200    200   200   200    200    200';
const not = '        401    405   405   405    401    403';
const notOpen = '    405    405   405   405    405    405';
const owners = (status: number) => `401 403 ${status} ${status} 401 403`;
const staff = (status: number) => `401 403 403 ${status} 401 403`;
const keepers = '    401    403   403   200   401    403';
const own = '        401    200   200   200    401    403';
const members = '    401    200   200   200    401    200';
const absent = '     404    404   404   404    401    404';

type Row = Partial<Record<Method, string>>;
const changed: Row = { PUT: owners(200), PATCH: owners(200), DELETE: owners(204) };
const byStaff: Row = { PUT: staff(200), PATCH: staff(200), DELETE: staff(204) };
const dataset = '/api/v1/namespaces/:namespace/datasets/:dataset/';
const version = `${dataset}version/:version/`;

const collection = '/ogc/collections/:namespace.:dataset';

const table: Readonly<Record<string, Row>> = {
  '/': {},
  '/api/v1/': {},
  '/api/v1/datasets/': { POST: owners(201) },
  '/api/v1/datasets/map.svg': {},
  '/api/v1/namespaces/:namespace/datasets/': { POST: owners(201) },
  [dataset]: changed,
  [`${dataset}data/`]: {},
  [`${dataset}data.:extension`]: {},
  [`${dataset}download/`]: {},
  [`${dataset}download/:name`]: {},
  [`${dataset}history/`]: {},
  [`${dataset}embed/`]: {},
  [`${dataset}map.svg`]: {},
  [`${dataset}plate.svg`]: {},
  [`${dataset}plate.png`]: {},
  [`${dataset}tiles.json`]: {},
  [`${dataset}tiles/:z/:x/:file`]: {},
  [`${dataset}columns/:column/`]: {},
  [`${dataset}profile/`]: {},
  [`${dataset}schema.jsonld`]: {},
  [`${dataset}dcat.jsonld`]: {},
  [`${dataset}dcat.ttl`]: {},
  [`${dataset}datapackage.json`]: {},
  [`${dataset}croissant.json`]: {},
  [`${dataset}stac.json`]: {},
  [`${dataset}feed.atom`]: {},
  '/api/v1/versions/': {},
  [`${dataset}version/`]: { POST: owners(201) },
  [version]: { PATCH: owners(200), DELETE: owners(204) },
  [`${version}data/`]: {},
  [`${version}data.:extension`]: {},
  [`${version}download/`]: {},
  [`${version}download/:name`]: {},
  [`${version}diff/`]: {},
  [`${version}history/`]: {},
  [`${version}embed/`]: {},
  [`${version}map.svg`]: {},
  [`${version}plate.svg`]: {},
  [`${version}plate.png`]: {},
  [`${version}tiles.json`]: {},
  [`${version}tiles/:z/:x/:file`]: {},
  [`${version}profile/`]: {},
  '/api/v1/namespaces/': { POST: staff(201) },
  '/api/v1/namespaces/:namespace/': changed,
  '/api/v1/namespaces/:namespace/history/': {},
  '/api/v1/groups/': { POST: staff(201) },
  '/api/v1/groups/:group/': byStaff,
  '/api/v1/users/': { GET: members, POST: staff(201) },
  '/api/v1/users/me/': { GET: '401 200 200 200 401 200', PUT: own, PATCH: own },
  '/api/v1/users/:user/': { GET: members, ...byStaff },
  '/api/v1/queries/': { POST: owners(201) },
  '/api/v1/queries/:query/': changed,
  '/api/v1/queries/:query/data/': {},
  '/api/v1/queries/:query/data.:extension': {},
  '/api/v1/queries/:query/embed/': {},
  '/api/v1/queries/:query/map.svg': {},
  '/api/v1/queries/:query/plate.svg': {},
  '/api/v1/queries/:query/plate.png': {},
  '/api/v1/queries/:query/tiles.json': {},
  '/api/v1/queries/:query/tiles/:z/:x/:file': {},
  '/api/v1/changes/': {},
  '/api/v1/intrinsecus/': {},
  '/api/v1/intrinsecus/:file/': {},
  // What becomes of each change is told with it: `files.test.ts`.
  '/api/v1/files/': { PATCH: own },
  '/api/v1/files/*path': { PUT: owners(201), DELETE: owners(204) },
  '/api/v1/auth/token/obtain/': {
    GET: notOpen,
    OPTIONS: open,
    POST: '400 400 400 400 400 400',
    PUT: notOpen,
    PATCH: notOpen,
    DELETE: notOpen,
  },
  '/api/v1/auth/tokens/': { GET: '401 200 200 200 401 200', POST: '401 201 201 201 401 403' },
  // Each revokes a token of its own; that of another is for nobody but staff to see.
  '/api/v1/auth/tokens/:token/': { GET: '401 200 200 200 401 200', DELETE: '401 204 204 204 401 403' },
  '/api/v1/trash/': { GET: keepers, DELETE: staff(200) },
  '/api/v1/trash/:entry/': { GET: keepers, DELETE: staff(204) },
  '/api/v1/trash/:entry/restore/': { GET: '405 405 405 405 401 405', POST: staff(200) },
  '/api/namespaces/:namespace/sources/:dataset/data/': {},
  '/api/v1/openapi.json': {},
  '/api/v1/suggestions/': {},
  '/api/v1/namespaces/:namespace/feed.atom': {},
  '/data.json': {},
  '/catalog.jsonld': {},
  '/catalog.ttl': {},
  '/sitemap.xml': {},
  '/sitemap-:part.xml': {},
  '/robots.txt': {},
  '/feed.atom': {},
  '/ogc/': {},
  '/ogc/api': {},
  '/ogc/conformance': {},
  '/ogc/functions': {},
  '/ogc/collections': {},
  [collection]: {},
  [`${collection}/items`]: {},
  [`${collection}/items/:feature`]: {},
  [`${collection}/queryables`]: {},
  [`${collection}/schema`]: {},
  [`${collection}/sortables`]: {},
  '/iceberg/v1/config': {},
  '/iceberg/v1/namespaces': {},
  '/iceberg/v1/namespaces/:namespace': { HEAD: exists },
  '/iceberg/v1/namespaces/:namespace/tables': {},
  '/iceberg/v1/namespaces/:namespace/tables/:dataset': { HEAD: exists },
  '/iceberg/v1/:warehouse/namespaces': {},
  '/iceberg/v1/:warehouse/namespaces/:namespace': { HEAD: exists },
  '/iceberg/v1/:warehouse/namespaces/:namespace/tables': {},
  '/iceberg/v1/:warehouse/namespaces/:namespace/tables/:dataset': { HEAD: exists },
  '/iceberg/tables/:namespace/:dataset/metadata/:file': {},
  '/iceberg/tables/:namespace/:dataset/data/:file': {},
  '/stac/': {},
  '/stac/:namespace/': {},
  '/static/:version/:name': {},
  '/docs/openapi/': {},
  '/docs/': {},
  '/docs/:page/': {},
  '/docs/:page.md': {},
  '/docs/:folder/:name': {},
  '/schemas/': {},
  '/schemas/:schema': {},
  '/site_media/*path': {},
  '/healthz': {},
  '/readyz': {},
  '/metrics': { GET: absent },
  '/webhooks/git': {
    GET: notOpen,
    OPTIONS: open,
    POST: '404 404 404 404 404 404',
    PUT: notOpen,
    PATCH: notOpen,
    DELETE: notOpen,
  },
};

const slug = '20200101000000000000';
const csv = 'a,b,longitude,latitude\n1,2,3,4\n';
/** What a dataset needs to have a document in every standard. */
const described = { licence: 'CC0-1.0', columns: [{ name: 'a', type: 'integer' }] };
const record = { checksum: createHash('sha256').update(csv).digest('hex'), file: { name: 'a.csv', format: 'csv' } };
const each = <T>(make: (who: Who) => Record<string, T>): Record<string, T> =>
  Object.assign({}, ...everybody.map((who) => make(who)));
const names = [
  'parks/fixed',
  ...everybody.flatMap((who) => [`parks/for-${who}`, `parks/file-${who}`]),
  'parks/veiled',
  'hidden/inner',
];
const { base, folder } = await served({
  namespaces: {
    parks: { label: 'Parks', owners: ['rangers'] },
    hidden: { label: 'Hidden', visibility: 'private', owners: ['rangers'] },
    ...each((who) => ({ [`for-${who}`]: { label: who, owners: ['rangers'] } })),
  },
  datasets: Object.fromEntries(
    names.map((name) => [
      name,
      { ...described, label: name, ...(name === 'parks/veiled' && { visibility: 'private' }) },
    ]),
  ),
  versions: Object.fromEntries(names.map((name) => [`${name}@${slug}`, record])),
  groups: { rangers: { label: 'Rangers' }, ...each((who) => ({ [`for-${who}`]: { label: who } })) },
  users: {
    other: {},
    member: { groups: ['rangers'] },
    staff: { staff: true },
    ...each((who) => ({ [`for-${who}`]: {} })),
  },
  queries: {
    fixed: { label: 'Fixed', dataset: 'parks/fixed' },
    veiled: { label: 'Veiled', dataset: 'parks/veiled' },
    inner: { label: 'Inner', dataset: 'hidden/inner' },
    ...each((who) => ({ [`for-${who}`]: { label: who, dataset: 'parks/fixed' } })),
    ...each((who) => ({ [`back-${who}`]: { label: `back ${who}`, dataset: 'parks/fixed' } })),
    ...each((who) => ({ [`away-${who}`]: { label: `away ${who}`, dataset: 'parks/fixed' } })),
  },
  files: {
    'site_media/a.png': 'x',
    ...Object.fromEntries(names.map((name) => [`${homeOf(name)}/data/a.csv`, csv])),
  },
});

const files = await openFileCatalogue(folder.root);
after(() => files.close());
const { accounts } = files;
const tokens: Readonly<Record<Who, string | null>> = {
  anonymous: null,
  other: (await accounts.addToken('other')).token,
  member: (await accounts.addToken('member')).token,
  staff: (await accounts.addToken('staff')).token,
  // A millisecond must have passed before it is asked with.
  expired: (await accounts.addToken('staff', { expires: new Date(Date.now() + 1) })).token,
  reader: (await accounts.addToken('member', { scope: 'read' })).token,
};
const userOf: Readonly<Record<Who, string>> = {
  ...Object.fromEntries(everybody.map((who) => [who, who])),
  anonymous: 'other',
  expired: 'staff',
  reader: 'member',
} as Record<Who, string>;
const spare = Object.fromEntries(
  await Promise.all(everybody.map(async (who) => [who, (await accounts.addToken(userOf[who])).id] as const)),
) as Record<Who, string>;

/** What each may try to put back or to delete for good: entries of the trash by the names that the queries had. */
const view = files.for();
for (const who of everybody)
  for (const slug of [`back-${who}`, `away-${who}`]) await view.remove({ kind: 'query', slug });
const thrown = Object.fromEntries((await view.trash.list()).map(({ id, ref }) => [ref.slug, id]));

function ask(who: Who, method: Method, path: string, body?: string, type = 'application/json'): Promise<LightResponse> {
  const token = tokens[who];
  return lightFetch(base + path, {
    method,
    headers: {
      Accept: path === '/' ? 'text/html' : 'application/json',
      ...(token !== null && { Authorization: `Token ${token}` }),
      ...(body !== undefined && { 'Content-Type': type }),
      // Of a file, one says what one has seen.
      ...(path.startsWith('/api/v1/files/') && method === 'PUT' && { 'If-None-Match': '*' }),
      ...(path.startsWith('/api/v1/files/') && method === 'DELETE' && { 'If-Match': '*' }),
    },
    ...(body !== undefined && { body }),
  });
}

const found = (await (await ask('anonymous', 'GET', '/api/v1/intrinsecus/?kind=settings')).json()) as {
  results: { id: number }[];
};
const { table: fixedTable } = await readTable(
  view,
  await view.get({ kind: 'dataset', namespace: 'parks', slug: 'fixed' }),
);
const dataFile = fixedTable?.snapshots[0]?.files.data ?? '';

/** What the parts of an address are for one who asks: what may be removed is their own. */
function addressFor(template: string, who: Who, method: Method): string {
  const own = writing.includes(method) ? `for-${who}` : 'fixed';
  const ownNamespace = method !== 'GET' && template === '/api/v1/namespaces/:namespace/' ? own : 'parks';
  const parts: Readonly<Record<string, string>> = {
    column: 'a',
    namespace: ownNamespace === 'fixed' ? 'parks' : ownNamespace,
    dataset: own,
    version: slug,
    extension: 'csv',
    page: 'filters',
    folder: 'deploy',
    name: template.startsWith('/static/')
      ? 'page.js'
      : template.startsWith('/docs/')
        ? 'catalogue.service'
        : template.includes(':version')
          ? `${own}-${slug}.csv`
          : `${own}.csv`,
    z: '0',
    x: '0',
    group: own === 'fixed' ? 'rangers' : own,
    user: own === 'fixed' ? 'other' : own,
    query: own,
    file: fileNameFor(template),
    token: spare[who],
    entry: thrown[`${method === 'POST' ? 'back' : 'away'}-${who}`] ?? '',
    schema: 'dataset.json',
    warehouse,
    feature: '1',
    part: '1',
    path: template.startsWith('/site_media/') ? 'a.png' : fileFor(who, method),
  };
  const address = template.replace(/[:*](\w+)/g, (_, name: string) => parts[name] ?? '');
  return template.endsWith('diff/') ? `${address}?_from=${slug}` : address;
}

const warehouse = Buffer.from('s3://bucket/tables').toString('base64url');

function fileNameFor(template: string): string {
  if (template.startsWith('/iceberg/')) return template.includes('metadata') ? 'version-hint.text' : dataFile;
  return template.includes('tiles/') ? '0.mvt' : String(found.results[0]?.id);
}

function fileFor(who: Who, method: Method): string {
  if (method === 'PUT') return `namespaces/parks/datasets/written-${who}/dataset.yaml`;
  return `${homeOf(method === 'DELETE' ? `parks/file-${who}` : 'parks/fixed')}/dataset.yaml`;
}

/** A body that would do. */
function bodyFor(template: string, who: Who, method: Method): [body: string, type?: string] | [] {
  if (!writing.includes(method) || method === 'DELETE') return [];
  const name = `new-${who}-${createHash('md5').update(template).digest('hex').slice(0, 6)}`;
  const target = `${base}/api/v1/namespaces/parks/`;
  if (template === `${dataset}version/`) return [`a,b\n${who},2\n`, 'text/csv'];
  if (/tokens\/$|restore\/$/.test(template)) return ['{}'];
  if (template.endsWith('files/')) return ['[]'];
  if (template.endsWith('files/*path')) return ['label: Written\n', 'application/yaml'];
  if (template.endsWith('obtain/')) return ['{"username":"nobody","password":"wrong"}'];
  if (method === 'PATCH') return ['{}'];
  const user = template.endsWith('me/') ? userOf[who] : `for-${who}`;
  if (/users\//.test(template)) return [JSON.stringify({ username: method === 'POST' ? name : user })];
  if (/queries/.test(template))
    return [
      JSON.stringify({
        label: name,
        slug: method === 'POST' ? name : `for-${who}`,
        dataset: `${target}datasets/fixed/`,
      }),
    ];
  const label = { label: name, slug: method === 'POST' ? name : `for-${who}` };
  return [JSON.stringify(/datasets/.test(template) ? { ...label, namespace: target } : label)];
}

const expected = (template: string, method: Method): readonly number[] => {
  const row = table[template];
  const usual = method === 'HEAD' ? (row?.GET ?? reads) : safe.includes(method) ? reads : not;
  return (row?.[method] ?? usual).trim().split(/\s+/).map(Number);
};

describe('the matrix', () => {
  it('has a row for every route, and none besides', () => {
    assert.deepEqual(Object.keys(table).sort(), routes.map(({ path }) => path).sort());
  });

  // What removes comes last, and what lies deeper before what it lies in.
  const deepFirst = [...routes].sort((a, b) => b.path.split('/').length - a.path.split('/').length);
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
    describe(method, () => {
      for (const { path } of deepFirst)
        it(path, async () => {
          const statuses: number[] = [];
          for (const who of everybody)
            statuses.push(
              (await ask(who, method, addressFor(path, who, method), ...bodyFor(path, who, method))).status,
            );
          assert.deepEqual(statuses, expected(path, method));
        });
    });
});

describe('who may not write', () => {
  for (const method of ['POST', 'PUT', 'PATCH'] as const)
    for (const { path } of routes)
      if (expected(path, method)[everybody.indexOf('other')] === 403)
        it(`is refused at ${method} ${path}, whatever is wrong with the body`, async () => {
          const address = addressFor(path, 'anonymous', method);
          for (const [body, type] of [
            ['{bad', 'application/json'],
            ['{}', 'application/json'],
            ['<a/>', 'text/xml'],
          ])
            assert.equal((await ask('other', method, address, body, type)).status, 403, `${type}: ${body}`);
        });

  it('is refused a removal, whatever its condition is', async () => {
    const headers = { Authorization: `Token ${tokens.other}`, 'If-Match': '"another"' };
    const answer = await fetch(`${base}/api/v1/namespaces/parks/datasets/fixed/`, { method: 'DELETE', headers });
    assert.equal(answer.status, 403);
  });
});

describe('what is private', () => {
  const homes = [
    ['parks', 'veiled', 'veiled'],
    ['hidden', 'inner', 'inner'],
  ] as const;
  const fill = (template: string, namespace: string, dataset: string, query: string) =>
    template
      .replace(':warehouse', warehouse)
      .replace(':namespace', namespace)
      .replace(':dataset', dataset)
      .replace(':query', query)
      .replace(':version', slug)
      .replace(':extension', 'csv')
      .replace(':column', 'a')
      .replace(':feature', '1')
      .replace(':part', '1')
      .replace(':z/:x/:file', '0/0/0.mvt')
      .replace(':file', fileNameFor(template))
      .replace(':name', template.includes(':version') ? `${dataset}-${slug}.csv` : `${dataset}.csv`) +
    (template.endsWith('diff/') ? `?_from=${slug}` : '');

  for (const { path: template } of routes) {
    const within = /:dataset|:query/.test(template);
    if (!within && !template.includes(':namespace')) continue;
    for (const [namespace, dataset, query] of homes) {
      if (!within && namespace !== 'hidden') continue;
      const path = fill(template, namespace, dataset, query);
      const nowhere = fill(template, namespace === 'hidden' ? 'no-such' : namespace, 'no-such', 'no-such');

      it(`${path} is nowhere for who may not see it`, async () => {
        for (const who of ['anonymous', 'other'] as const)
          for (const method of [...safe, ...writing]) {
            const tell = async (at: string) => {
              const answer = await ask(who, method, at, ...bodyFor(template, who, method));
              const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
              return { status: answer.status, headers, body: await answer.text() };
            };
            const told = await tell(path);
            if (safe.includes(method) && method !== 'OPTIONS') assert.equal(told.status, 404, `${who} ${method}`);
            assert.deepEqual(told, await tell(nowhere), `${who} ${method}`);
          }
      });

      it(`${path} is there for who may`, async () => {
        for (const who of ['member', 'staff', 'reader'] as const)
          for (const method of safe) {
            const wanted = method === 'HEAD' && table[template]?.HEAD === exists ? 204 : 200;
            assert.equal((await ask(who, method, path)).status, wanted, `${who} ${method}`);
          }
      });
    }
  }

  it('is in nobody else’s lists, and in no list of files', async () => {
    for (const list of [
      'datasets',
      'versions',
      'namespaces',
      'queries',
      'intrinsecus',
      'changes',
      'namespaces/parks/datasets',
    ])
      for (const question of ['?page_size=1000', '?search=veiled', '?search=inner', '?search=hidden']) {
        const text = async (who: Who) => {
          const answer = await ask(who, 'GET', `/api/v1/${list}/${question}`);
          const body = (await answer.text()).replaceAll(question.slice(1), '');
          return body + (answer.headers.get('link') ?? '').replaceAll(question.slice(1), '');
        };
        for (const who of ['anonymous', 'other'] as const)
          assert.doesNotMatch(await text(who), /veiled|inner|hidden/i, list);
        const seen = `${await text('member')} ${await text('staff')}`;
        if (question.includes('size')) assert.match(seen, /veiled|inner|hidden/i, list);
      }
  });
});
