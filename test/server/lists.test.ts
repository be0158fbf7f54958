/** Parameters of lists. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { until } from '../support/folder.ts';
import { type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const { base, folder } = await served({
  settings: { people: 'public' },
  namespaces: { parks: { label: 'Parks' } },
  datasets: {
    'parks/trees': { label: 'Trees', keywords: ['wood'] },
    'parks/benches': { label: 'Benches', description: 'Made of wood.' },
    'parks/wood': { label: 'Old wood' },
    'parks/islands': { label: 'Wood' },
    'parks/empty': { label: 'Empty' },
  },
  versions: Object.fromEntries(
    Object.entries({
      'parks/trees': ['20200101000000000000', [4, 51, 5, 52]],
      'parks/benches': ['20220101000000000000', [13, 52, 0, 14, 53, 90]],
      'parks/wood': ['20210101000000000000', null],
      'parks/islands': ['20230601120000000000', [178, -20, -178, -15]],
    }).map(([name, [slug, bbox]]) => [
      `${name}@${slug}`,
      {
        ...(bbox && { bbox }),
        checksum: 'a'.repeat(64),
        file: { url: 'https://example.org/a.csv', format: 'csv', size: 1 },
      },
    ]),
  ),
});
const ask = async (path: string) => {
  const answer = await fetch(`${base}/api/v1/${path}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe('lists', () => {
  it('have at most 100 values of filters', async () => {
    const query = (count: number) => Array.from({ length: count }, (_, i) => `keyword=${i}`).join('&');
    assert.equal((await ask(`datasets/?${query(99)}&keyword=wood`)).body.count, 1);
    const { status, body } = await ask(`datasets/?${query(99)}&licence=a&licence=b`);
    assert.deepEqual([status, body], [400, { non_field_errors: ['There are 101 filters: at most 100.'] }]);
  });
});

describe('a mistyped parameter', () => {
  const table: readonly (readonly [list: string, parameter: string, meant: string])[] = [
    ['datasets', 'serch', 'search'],
    ['datasets', '_search', 'search'],
    ['datasets', 'Search', 'search'],
    ['datasets', 'keywords', 'keyword'],
    ['datasets', 'license', 'licence'],
    ['datasets', 'pagesize', 'page_size'],
    ['datasets', 'odering', 'ordering'],
    ['namespaces/parks/datasets', 'lable', 'label'],
    ['versions', 'redy', 'ready'],
    ['namespaces', 'owners', 'owner'],
    ['users', 'groups', 'group'],
    ['groups', 'members', 'member'],
    ['queries', 'datset', 'dataset'],
    ['intrinsecus', 'stauts', 'status'],
    ['namespaces/parks/history', 'pages', 'page'],
  ];
  for (const [list, parameter, meant] of table)
    it(`${list}/?${parameter}= is refused with the right one`, async () => {
      const { status, body } = await ask(`${list}/?${parameter}=x`);
      assert.equal(status, 400);
      assert.deepEqual(body, { [parameter]: [`Unknown parameter "${parameter}". Did you mean "${meant}"?`] });
    });

  it('is not taken for one that the list does not have', async () => {
    for (const list of ['namespaces/parks/history/?serch=x', 'changes/?serch=x', 'changes/?odering=x'])
      assert.equal((await ask(list)).status, 200, list);
  });

  it('and others are ignored, and kept in links', async () => {
    const query = 'alpha=2&lang=de&utm_source=x&v=1&zeta=1';
    const { status, body } = await ask(`datasets/?${query}&page_size=1`);
    assert.equal(status, 200);
    assert.equal(body.next, `${base}/api/v1/datasets/?alpha=2&lang=de&page=2&page_size=1&utm_source=x&v=1&zeta=1`);
    for (const name of ['sort', 'order', 'q', 'limit', 'offset', 'key', 'ref', '_', 'cache'])
      assert.equal((await ask(`datasets/?${name}=x`)).status, 200, name);
  });
});

describe('a filter that a list lacks', () => {
  const table: readonly (readonly [list: string, parameter: string, remedy: string | RegExp])[] = [
    ['datasets', 'namespace__in', 'Send "namespace", repeated for several values.'],
    ['datasets', 'id__exact', 'Send "id", repeated for several values.'],
    ['datasets', 'label__icontains', /^There are bbox, column, .*\bupdated__lte, .*\byear\.$/],
    ['datasets', 'keywords__contains', /^There are bbox, /],
    ['datasets', 'updated__range', /^There are bbox, /],
    ['versions', 'bbox', /^There are checksum, dataset, datetime__gte, datetime__lte, /],
    ['versions', 'updated__gte', /^There are checksum, /],
    ['versions', 'type', /^There are checksum, /],
    ['namespaces', 'keyword', /^There are id, /],
    ['users', 'staff__exact', 'There are group, id, username.'],
    ['intrinsecus', 'path__startswith', 'There are id, kind, path, status.'],
    ['namespaces/parks/datasets', 'slug__ne', /^There are bbox, /],
  ];
  for (const [list, parameter, remedy] of table)
    it(`${list}/?${parameter}= is refused with those that it has`, async () => {
      const { status, body } = await ask(`${list}/?${parameter}=x`);
      assert.equal(status, 400);
      const [message = ''] = body[parameter] as readonly string[];
      const start = `Unknown filter "${parameter}". `;
      assert.ok(message.startsWith(start), message);
      if (typeof remedy === 'string') assert.equal(message.slice(start.length), remedy);
      else assert.match(message.slice(start.length), remedy);
    });

  it('is ignored if it names no field', async () => {
    for (const name of ['sensor__gte', '__in', 'utm__source', 'a__b__c', 'name'])
      assert.equal((await ask(`datasets/?${name}=x`)).status, 200, name);
  });
});

describe('a list of versions', () => {
  const slugs = async (query: string) => {
    const { status, body } = await ask(`versions/${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return (body.results as { slug: string }[]).map(({ slug }) => slug.slice(0, 4));
  };
  it('is filtered by time', async () => {
    assert.deepEqual(await slugs('?datetime__gte=2021-01-01'), ['2023', '2022', '2021']);
    assert.deepEqual(await slugs('?datetime__gte=2020-06-01&datetime__lte=2022-01-01'), ['2022', '2021']);
    assert.equal((await ask('versions/?datetime__lte=yesterday')).status, 400);
  });
});

const slugsOf = async (query: string) => {
  const { status, body } = await ask(`datasets/${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body.results as { slug: string }[]).map(({ slug }) => slug);
};

describe('a list of datasets', () => {
  const boxes: readonly (readonly [box: string, slugs: readonly string[]])[] = [
    ['4.5,51.5,20,60', ['benches', 'trees']],
    ['5,52,5,52', ['trees']],
    ['6,51,12,54', []],
    ['-180,-90,180,90', ['benches', 'islands', 'trees']],
    ['179,-18,180,-17', ['islands']],
    ['-180,-18,-179,-17', ['islands']],
    ['170,-30,-170,0', ['islands']],
    ['13,52,0,14,53,10', ['benches']],
  ];
  for (const [box, slugs] of boxes)
    it(`is filtered by the box ${box} of the newest version`, async () => {
      assert.deepEqual(await slugsOf(`?bbox=${box}`), slugs);
    });

  it('is filtered and ordered by the time of the newest version', async () => {
    assert.deepEqual(await slugsOf('?ordering=-updated'), ['islands', 'benches', 'wood', 'trees', 'empty']);
    assert.deepEqual(await slugsOf('?ordering=updated&updated__gte=2021-01-01'), ['wood', 'benches', 'islands']);
    assert.deepEqual(await slugsOf('?updated__gte=2023-06-01T14:00:00%2B02:00'), ['islands']);
    assert.deepEqual(await slugsOf('?updated__lte=2020-01-01'), ['trees']);
    const beyond = '9999-12-31T23:59:59-23:59';
    assert.deepEqual(await slugsOf(`?updated__lte=${beyond}`), await slugsOf('?updated__lte=9999-12-31'));
    assert.deepEqual(await slugsOf(`?updated__gte=${beyond}`), []);
  });

  it('refuses what is no box or time', async () => {
    const times = ['yesterday', '2026-02-31', '2026-06-31T12:00:00Z'].map((time) => `updated__gte=${time}`);
    for (const query of ['bbox=1,2,3', 'bbox=1,2,3,x', 'bbox=0,60,1,50', 'bbox=200,0,201,1', ...times])
      assert.equal((await ask(`datasets/?${query}`)).status, 400, query);
  });

  it('has the best results of a search first', async () => {
    assert.deepEqual(await slugsOf('?search=wood'), ['benches', 'islands', 'trees', 'wood']);
    assert.deepEqual(await slugsOf('?search=wood&ordering=relevance'), ['islands', 'wood', 'trees', 'benches']);
    assert.deepEqual(await slugsOf('?ordering=relevance'), await slugsOf(''));
  });

  it('has the same at the command line', async () => {
    const list = async (...options: string[]) =>
      (await type(['dataset', 'list', ...options], { root: folder.root })).out
        .split('\n')
        .map((line) => line.split('\t')[0]);
    assert.deepEqual(await list('--bbox', '4.5,51.5,20,60'), ['parks/benches', 'parks/trees', '']);
    assert.equal((await list('--ordering', '-updated'))[0], 'parks/islands');
    assert.equal((await list('--ordering', 'relevance', '--search', 'wood', '--remote', base))[0], 'parks/islands');
  });
});

describe('a list of files', () => {
  const files = async (query: string) => {
    const { status, body } = await ask(`intrinsecus/?${query}`);
    assert.equal(status, 200);
    return body as { results: { id: number; path: string }[]; next: string | null };
  };

  it('is ordered as it is asked for', async () => {
    const byPath = (await files('page_size=100')).results;
    assert.deepEqual((await files('page_size=100&ordering=-path')).results, byPath.toReversed());
    const byId = byPath.toSorted((a, b) => a.id - b.id);
    assert.deepEqual((await files('page_size=100&ordering=id')).results, byId);
    assert.deepEqual((await files('page_size=100&ordering=%20-id%20,nothing')).results, byId.toReversed());
    const walked: unknown[] = [];
    for (let query: string | null = 'cursor=&page_size=2&ordering=-id'; query !== null; ) {
      const { results, next } = await files(query);
      walked.push(...results);
      query = next && new URL(next).search.slice(1);
    }
    assert.deepEqual(walked, byId.toReversed());
  });
});

describe('a cursor', () => {
  /** Slugs of all pages. @param meanwhile called after the first page */
  async function walk(query: string, meanwhile = async () => {}): Promise<string[]> {
    const slugs: string[] = [];
    for (let next: string | null = `datasets/?${query}`; next !== null; ) {
      const { status, body } = await ask(next);
      assert.equal(status, 200);
      assert.equal(body.previous, null);
      slugs.push(...(body.results as { slug: string }[]).map(({ slug }) => slug));
      if (slugs.length === 2) await meanwhile();
      next = body.next === null ? null : String(body.next).replace(`${base}/api/v1/`, '');
    }
    return slugs;
  }

  it('lists everything once, in every order', async () => {
    for (const order of ['', '&ordering=-updated', '&ordering=-label,id', '&search=wood&ordering=relevance'])
      assert.deepEqual(await walk(`cursor=&page_size=2${order}`), await slugsOf(`?page_size=100${order}`), order);
    for (const list of ['versions', 'intrinsecus', 'namespaces', 'users'])
      for (let next: unknown = `${base}/api/v1/${list}/?cursor=&page_size=1`; next !== null; ) {
        const { status, body } = await ask(String(next).replace(`${base}/api/v1/`, ''));
        assert.deepEqual([status, (body.results as unknown[]).length <= 1], [200, true]);
        next = body.next;
      }
    for (const cursor of ['x', 'WzFd', '%5B%5D']) assert.equal((await ask(`datasets/?cursor=${cursor}`)).status, 404);
  });

  it('neither repeats nor skips one if others are added or removed', async () => {
    const home = 'namespaces/parks/datasets/aaa/dataset.yaml';
    const slugs = await walk('cursor=&page_size=2&ordering=slug', async () => {
      folder.write(home, 'label: First\n');
      await until(async () => (await slugsOf('?page_size=100')).includes('aaa'));
    });
    assert.deepEqual(slugs, ['benches', 'empty', 'islands', 'trees', 'wood']);
  });

  it('is the same in the library, for a folder and for a server', async (t) => {
    const remote = await openRemoteCatalogue(base);
    t.after(() => remote.close());
    const first = await remote.list('dataset', { cursor: '', pageSize: 4, ordering: 'slug' });
    assert.equal(first.items.length, 4);
    const second = await remote.list('dataset', { cursor: first.nextCursor ?? '', pageSize: 4, ordering: 'slug' });
    assert.equal(second.nextCursor, null);
    assert.deepEqual(
      [...first.items, ...second.items].map(({ slug }) => slug),
      await slugsOf('?ordering=slug&page_size=100'),
    );
  });
});
