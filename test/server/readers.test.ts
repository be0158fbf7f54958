/** Readers: groups and users who see what is private, on every route, and write nothing; and people, whom anonymous clients don't see. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { readTable } from '../../src/iceberg/read-table.ts';
import { routes } from '../../src/server/routes.ts';
import { homeOf, until } from '../support/folder.ts';
import '../support/judged.ts';
import { type LightRequest, lightFetch } from '../support/light-fetch.ts';
import { type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const slug = '20200101000000000000';
const csv = 'a,b,longitude,latitude\n1,2,3,4\n';
const version = {
  checksum: createHash('sha256').update(csv).digest('hex'),
  file: { name: 'a.csv', format: 'csv', size: csv.length },
};
/** What a dataset needs to have a document in every standard. */
const described = { licence: 'CC0-1.0', contact: 'a@example.org', columns: [{ name: 'a', type: 'integer' }] };
const draft = '20210101000000000000';
const names = ['parks/plans', 'parks/open', 'secret/inner', 'secret/other'];

/** Viewers, and the datasets that each may see. ann reads one dataset of each namespace, finn a namespace by his group. */
const visibleDatasets = {
  anonymous: ['parks/open'],
  eve: ['parks/open'],
  ann: ['parks/open', 'parks/plans', 'secret/inner'],
  finn: ['parks/open', 'secret/inner', 'secret/other'],
  owen: ['parks/open', 'parks/plans', 'secret/inner', 'secret/other'],
  stella: ['parks/open', 'parks/plans', 'secret/inner', 'secret/other'],
} as const;
type Who = keyof typeof visibleDatasets;
const everybody = Object.keys(visibleDatasets) as Who[];

const { base, folder } = await served(
  {
    settings: { title: 'Parks', git: { commit: true } },
    namespaces: {
      parks: { label: 'Parks', owners: ['owners'] },
      secret: { label: 'Secret', visibility: 'private', owners: ['owners'], readers: ['foresters'] },
    },
    datasets: {
      'parks/open': { ...described, label: 'Open', readers: ['user:ann'] },
      'parks/plans': {
        ...described,
        label: 'Plans',
        visibility: 'private',
        readers: ['user:ann'],
        image: '/site_media/plan.png',
      },
      'secret/inner': { ...described, label: 'Inner', readers: ['user:ann'] },
      'secret/other': { ...described, label: 'Other' },
    },
    versions: {
      ...Object.fromEntries(names.map((name) => [`${name}@${slug}`, version])),
      [`parks/plans@${draft}`]: { ...version, ready: false, file: { ...version.file, name: 'draft.csv' } },
    },
    groups: { owners: { label: 'Owners' }, foresters: { label: 'Foresters' } },
    users: {
      ann: { name: 'Ann Reader' },
      eve: {},
      finn: { groups: ['foresters'] },
      owen: { groups: ['owners'] },
      stella: { staff: true },
    },
    queries: Object.fromEntries(names.map((name) => [name.replace('/', '-'), { label: name, dataset: name }])),
    files: {
      ...Object.fromEntries(names.map((name) => [`${homeOf(name)}/data/a.csv`, csv])),
      [`${homeOf('parks/plans')}/data/draft.csv`]: csv,
      'site_media/plan.png': 'x',
      'namespaces/secret/datasets/broken/dataset.yaml': 'label: [',
    },
  },
  undefined,
  { metrics: true },
);
const files = await openFileCatalogue(folder.root);
after(() => files.close());
const tokens = Object.fromEntries(
  await Promise.all(
    everybody
      .filter((who) => who !== 'anonymous')
      .map(async (who) => [who, (await files.accounts.addToken(who)).token] as const),
  ),
);

const ask = (who: Who, path: string, init: LightRequest = {}) =>
  lightFetch(new URL(path, base).href, {
    ...init,
    headers: {
      Accept: 'application/json',
      ...(init.body != null && { 'Content-Type': 'application/json' }),
      ...(who !== 'anonymous' && { Authorization: `Token ${tokens[who]}` }),
    },
  });
const jsonOf = async (who: Who, path: string) => (await ask(who, path)).json() as Promise<Record<string, unknown>>;

const view = files.for();
/** All datasets have the same file, and so the same name of it as a file of a table. */
const { table } = await readTable(view, await view.get({ kind: 'dataset', namespace: 'parks', slug: 'open' }));
const fileOfTable = (template: string) =>
  template.includes('/data/') ? (table?.snapshots[0]?.files.data ?? '') : 'version-hint.text';

const namespacesOf = (who: Who) => [...new Set(visibleDatasets[who].map((name) => name.split('/')[0]))];

/** Responses to requests with credentials, errors too, are `private`; to others, a shared cache may keep them. */
function assertCacheControl(who: Who, headers: Headers, what: string): void {
  const rule = headers.get('cache-control') ?? 'none';
  if (who === 'anonymous') assert.match(rule, /no-cache|immutable/, what);
  else assert.match(rule, /^private, /, `${who} ${what}`);
}

it('filtered rows, errors and redirects are private if the request has credentials', async () => {
  const plans = '/api/v1/namespaces/parks/datasets/plans/';
  for (const path of [
    'data/?a=1',
    'data/?_limit=1',
    'data/?b=1',
    'data/?_aggregate=count',
    'tiles/9/0/0.mvt',
    'nothing/',
  ])
    assertCacheControl('ann', (await ask('ann', plans + path)).headers, path);
  for (const path of [plans, '/api/v1/namespaces/parks/datasets/open/data/?a=1', '/nothing/'])
    assertCacheControl('anonymous', (await ask('anonymous', path)).headers, path);
  const far = { headers: { Range: 'bytes=9999-', Authorization: `Token ${tokens.ann}` } };
  const outside = await fetch(new URL(`${plans}download/`, base), far);
  assert.equal(outside.status, 416);
  assertCacheControl('ann', outside.headers, 'range');
});

describe('every route', () => {
  for (const { path: template, handlers } of routes) {
    if (!/:namespace|:dataset|:query/.test(template)) continue;
    it(`${template} answers who may see, and says 404 to others`, async () => {
      for (const who of everybody)
        for (const name of names) {
          const [namespace = '', dataset = ''] = name.split('/');
          const parts: Record<string, string> = {
            ...{ namespace, dataset, query: `${namespace}-${dataset}`, version: slug, extension: 'csv', column: 'a' },
            feature: '1',
            warehouse: Buffer.from('s3://bucket/tables').toString('base64url'),
            ...{ z: '0', x: '0', file: template.startsWith('/iceberg/') ? fileOfTable(template) : '0.mvt' },
          };
          const path = template.replace(/:(\w+)/g, (_, part: string) => parts[part] ?? '');
          const sees = /:dataset|:query/.test(template)
            ? (visibleDatasets[who] as readonly string[]).includes(name)
            : namespacesOf(who).includes(namespace);
          const address = template.endsWith('diff/') ? `${path}?_from=${slug}` : path;
          for (const method of ['GET', 'HEAD']) {
            // What exists, the Iceberg REST catalog says without content.
            const found = method === 'HEAD' && /iceberg\/.*(:namespace|:dataset)$/.test(template) ? 204 : 200;
            const { status, headers } = await ask(who, address, { method });
            assert.equal(status, sees ? found : 404, `${who} ${method} ${address}`);
            assertCacheControl(who, headers, address);
          }
          for (const method of ['PATCH', 'DELETE'] as const) {
            if (!handlers[method] || who === 'owen' || who === 'stella') continue;
            const body = method === 'DELETE' ? {} : { body: '{}' };
            const { status } = await ask(who, path, { method, ...body });
            assert.equal(status, who === 'anonymous' ? 401 : sees ? 403 : 404, `${who} ${method} ${path}`);
          }
        }
    });
  }
});

it('data.json says which datasets not everybody may see, and is kept by no shared cache', async () => {
  for (const who of ['anonymous', 'ann'] as const) {
    const response = await ask(who, '/data.json');
    const { dataset } = (await response.json()) as { dataset: readonly { identifier: string; accessLevel: string }[] };
    const levels = dataset.map(({ identifier, accessLevel }) => `${identifier.split('/').at(-2)} ${accessLevel}`);
    const hidden = who === 'ann' ? ['inner non-public', 'plans non-public'] : [];
    assert.deepEqual(levels.sort(), [...hidden, 'open public'].sort());
    assert.equal(response.headers.get('cache-control'), who === 'ann' ? 'private, no-cache' : 'no-cache');
  }
});

it('documents about all datasets have another ETag after an edit for those alone who see the dataset', async () => {
  const paths = ['/data.json', '/catalog.jsonld', '/catalog.ttl'];
  const tagOf = async (who: Who, path: string) => (await ask(who, path, { method: 'HEAD' })).headers.get('etag');
  const tags = () => Promise.all(everybody.flatMap((who) => paths.map((path) => tagOf(who, path))));
  for (const name of names) {
    const before = await tags();
    const path = `/api/v1/namespaces/${name.replace('/', '/datasets/')}/`;
    assert.equal((await ask('stella', path, { method: 'PATCH', body: '{"publisher":"Parks"}' })).status, 200);
    const changed = (await tags()).map((tag, i) => tag !== before[i]);
    const expected = everybody.flatMap((who) =>
      paths.map(() => (visibleDatasets[who] as readonly string[]).includes(name)),
    );
    assert.deepEqual(changed, expected, name);
  }
});

describe('lists, searches and counts', () => {
  it('have what the viewer may see', async () => {
    for (const who of everybody) {
      const expected = [...visibleDatasets[who]].sort();
      const slugsOf = async (path: string) =>
        ((await jsonOf(who, path)).results as { slug: string; url: string }[]).map(({ slug, url }) => [slug, url]);
      const datasets = await slugsOf('/api/v1/datasets/?page_size=100');
      const named = datasets.map(([, url = '']) => /namespaces\/(.*)\/datasets\/(.*)\//.exec(url)?.slice(1).join('/'));
      assert.deepEqual(named.sort(), expected, who);
      const queries = (await slugsOf('/api/v1/queries/')).map(([slug]) => slug);
      assert.deepEqual(
        queries.sort(),
        expected.map((name) => name.replace('/', '-')),
        who,
      );
      const namespaces = (await slugsOf('/api/v1/namespaces/')).map(([slug]) => slug);
      assert.deepEqual(namespaces, namespacesOf(who), who);
      assert.equal(
        (await jsonOf(who, '/api/v1/datasets/?search=other')).count,
        expected.includes('secret/other' as never) ? 1 : 0,
      );
      const seesDraft = expected.includes('parks/plans' as never) ? 1 : 0;
      assert.equal((await jsonOf(who, '/api/v1/versions/')).count, expected.length + seesDraft, who);
    }
  });

  it('of files have no trace of the others', async () => {
    for (const who of ['anonymous', 'eve', 'ann', 'finn'] as const) {
      const texts = await Promise.all(
        ['/api/v1/intrinsecus/?page_size=200', '/api/v1/files/', '/api/v1/files/?texts=true'].map(async (path) =>
          (await ask(who, path)).text(),
        ),
      );
      for (const text of texts) {
        for (const name of names) {
          const sees = (visibleDatasets[who] as readonly string[]).includes(name);
          assert.equal(text.includes(`${homeOf(name)}/dataset.yaml`), sees, `${who} ${name}`);
        }
        // A broken dataset of a private namespace is for those who may see the namespace as a whole.
        assert.equal(text.includes('datasets/broken'), who === 'finn', who);
        assert.equal(text.includes('draft.csv') && text === texts[1], false);
      }
    }
    const draftPath = `/api/v1/files/${homeOf('parks/plans')}/data/draft.csv`;
    assert.equal((await ask('ann', draftPath)).status, 404);
    assert.equal((await ask('owen', draftPath)).status, 200);
  });

  it('of images and metrics', async () => {
    assert.equal((await ask('anonymous', '/site_media/plan.png')).status, 404);
    assert.equal((await ask('finn', '/site_media/plan.png')).status, 404);
    assert.equal((await ask('ann', '/site_media/plan.png')).status, 200);
    const metrics = await (await ask('stella', '/metrics')).text();
    assert.match(metrics, /catalogue_entities\{kind="dataset"\} 1\n/);
    assert.match(metrics, /catalogue_entities\{kind="user"\} 0\n/);
  });
});

describe('people', () => {
  it('are shown to people', async () => {
    for (const path of ['/api/v1/users/', '/api/v1/users/ann/', '/api/v1/users/nobody/']) {
      const answer = await ask('anonymous', path);
      assert.equal(answer.status, 401, path);
      assert.match(answer.headers.get('www-authenticate') ?? '', /Token/);
    }
    assert.equal((await jsonOf('eve', '/api/v1/users/')).count, 5);
    assert.equal((await ask('eve', '/api/v1/users/nobody/')).status, 404);
    assert.deepEqual((await jsonOf('anonymous', '/api/v1/groups/foresters/')).members, []);
    assert.equal(((await jsonOf('eve', '/api/v1/groups/foresters/')).members as string[]).length, 1);
    assert.equal((await jsonOf('anonymous', '/api/v1/groups/?member=finn')).count, 0);
    assert.equal((await jsonOf('anonymous', '/api/v1/groups/')).count, 2);
    const open = '/api/v1/namespaces/parks/datasets/open/';
    assert.deepEqual((await jsonOf('anonymous', open)).readers, []);
    assert.equal(((await jsonOf('eve', open)).readers as string[]).length, 1);
  });

  it('are said to be hidden on the page of a group, which has members', async () => {
    const pageFor = async (name: Parameters<typeof ask>[0]) =>
      (await ask(name, '/api/v1/groups/foresters/?format=html')).text();
    const [hidden, shown] = [await pageFor('anonymous'), await pageFor('eve')];
    assert.match(hidden, /The members of this group are shown to users who are logged in\./);
    assert.doesNotMatch(shown, /users who are logged in/);
    assert.match(shown, /<h2>Members<\/h2>/);
  });

  it('and the text of catalogue.yaml are nowhere for anonymous clients', async () => {
    const everywhere = routes
      .filter(({ path, handlers }) => handlers.GET && !/[:*]/.test(path))
      .map(({ path }) => path);
    for (const path of [...everywhere, '/api/v1/intrinsecus/?page_size=200', '/api/v1/files/?texts=true']) {
      const text = await (await ask('anonymous', path)).text();
      const allowed = text.replace(/readers:\\n {2}- user:ann/g, '');
      assert.doesNotMatch(allowed, /users\/\w+\.yaml|users\/(ann|eve|finn|owen|stella)\/|Ann Reader|finn|owen/, path);
    }
    assert.equal((await ask('anonymous', '/api/v1/files/catalogue.yaml')).status, 404);
    assert.equal((await ask('eve', '/api/v1/files/catalogue.yaml')).status, 200);
  });
});

describe('a reader', () => {
  it('is set over HTTP with the address of a group or user, and must exist', async () => {
    const path = '/api/v1/namespaces/secret/datasets/other/';
    const send = (readers: unknown) => ask('owen', path, { method: 'PATCH', body: JSON.stringify({ readers }) });
    const changed = await send(['/api/v1/users/eve/', '/api/v1/groups/foresters/']);
    assert.equal(changed.status, 200);
    const { readers } = (await changed.json()) as { readers: string[] };
    assert.deepEqual(
      readers.map((url) => new URL(url).pathname),
      ['/api/v1/users/eve/', '/api/v1/groups/foresters/'],
    );
    const record = () => parse(readFileSync(folder.path(`${homeOf('secret/other')}/dataset.yaml`), 'utf8')).readers;
    assert.deepEqual(record(), ['user:eve', 'foresters']);
    assert.equal((await ask('eve', path)).status, 200);
    for (const wrong of ['/api/v1/users/nobody/', '/api/v1/namespaces/parks/', 'eve'])
      assert.equal((await send([wrong])).status, 400, wrong);
    assert.equal((await ask('eve', path, { method: 'PATCH', body: '{"label":"x"}' })).status, 403);

    // A group that is renamed or removed, and a user who is, go with it.
    const group = (method: string, slug: string, body?: string) =>
      ask('stella', `/api/v1/groups/${slug}/`, { method, ...(body && { body }) });
    assert.equal((await group('PATCH', 'foresters', '{"slug":"rangers"}')).status, 200);
    assert.deepEqual(record(), ['user:eve', 'rangers']);
    assert.deepEqual(parse(readFileSync(folder.path('namespaces/secret/namespace.yaml'), 'utf8')).readers, ['rangers']);
    assert.equal((await ask('finn', path)).status, 200);
    assert.equal((await ask('stella', '/api/v1/users/eve/', { method: 'DELETE' })).status, 204);
    assert.deepEqual(record(), ['rangers']);
    assert.equal((await group('DELETE', 'rangers')).status, 204);
    assert.deepEqual(record(), []);
    assert.equal((await ask('finn', path)).status, 404);
  });

  it('is set at the command line, and has to exist', async () => {
    const { root } = folder;
    const edit = (...options: string[]) => type(['dataset', 'edit', 'parks/plans', ...options], { root });
    assert.equal((await edit('--reader', 'user:ann', '--reader', 'owners')).out, 'parks/plans\n');
    assert.match((await type(['dataset', 'show', 'parks/plans'], { root })).out, /readers\s+user:ann, owners/);
    const online = await type(['dataset', 'edit', 'parks/plans', '--reader', 'user:ann', '--remote', base], {
      env: { CATALOGUE_TOKEN: tokens.stella },
    });
    assert.deepEqual([online.exitCode, online.out], [0, 'parks/plans\n'], online.err);
    await until(async () => (await ask('ann', '/api/v1/namespaces/parks/datasets/plans/')).status === 200);

    folder.write(`${homeOf('secret/other')}/dataset.yaml`, 'id: 9\nlabel: Other\nreaders: [ann, "user:nobody"]\n');
    const { out, exitCode } = await type(['check'], { root });
    assert.equal(exitCode, 1);
    assert.match(out, /other\/dataset\.yaml:3:11: There is no group ann\. For the user, write user:ann\./);
    assert.match(
      out,
      /other\/dataset\.yaml:3:16: There is no user nobody\. Add users\/nobody\.yaml, or remove it here\./,
    );
  });

  it('clones and pulls what the reader may see, and may not push', async () => {
    const cwd = folder.beside('clone');
    mkdirSync(cwd);
    const env = { CATALOGUE_TOKEN: tokens.ann, CATALOGUE_DATA: undefined };
    const cloned = await type(['clone', base, 'copy'], { cwd, env });
    assert.equal(cloned.exitCode, 0, cloned.err);
    const copy = join(cwd, 'copy');
    const datasets = readdirSync(join(copy, 'namespaces/secret/datasets'));
    assert.deepEqual(datasets, ['inner']);
    assert.deepEqual(readdirSync(join(copy, 'namespaces/parks/datasets')).sort(), ['open', 'plans']);
    assert.ok(existsSync(join(copy, 'catalogue.yaml')));
    const edited = await type(['dataset', 'edit', 'secret/inner', '--label', 'x'], { cwd: copy, env });
    assert.equal(edited.exitCode, 0, edited.err);
    assert.equal((await type(['push', '--remote', base], { cwd: copy, env })).exitCode, 4);
    // Other users are on the remote only.
    const named = await type(['dataset', 'edit', 'secret/inner', '--reader', 'user:stella', '--reader', 'user:ann'], {
      cwd: copy,
      env,
    });
    assert.equal(named.exitCode, 0, named.err);
    const checked = await type(['check'], { cwd: copy, env });
    assert.match(checked.out, /There is no user stella in this copy, but perhaps on the remote/);
    assert.equal(checked.exitCode, 0, checked.out);
    const group = await type(['dataset', 'edit', 'secret/inner', '--reader', 'nobodies'], { cwd: copy, env });
    assert.equal(group.exitCode, 2, group.err);
    // Without the token, nothing is taken for removed.
    const anonymous = await type(['pull'], { cwd: copy, env: { CATALOGUE_DATA: undefined } });
    assert.match(anonymous.err + anonymous.out, /hidden because you are not signed in/);
    assert.ok(existsSync(join(copy, 'catalogue.yaml')));
    assert.deepEqual(readdirSync(join(copy, 'namespaces/secret/datasets')), ['inner']);
  });
});
