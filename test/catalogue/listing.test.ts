/** Collections: filtered, searched, ordered, in pages. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { ListOptions, Page } from '../../src/catalogue/catalogue.ts';
import { MovedError, NotFoundError, ValidationError } from '../../src/catalogue/errors.ts';
import { type ListedKind, listPage } from '../../src/catalogue/listing.ts';
import { anonymous, localAdmin, restrictSnapshotToVisible } from '../../src/catalogue/permissions.ts';
import { emptySnapshot, nextSnapshot, type Snapshot } from '../../src/catalogue/snapshot.ts';
import type { Dataset } from '../../src/catalogue/types.ts';
import { type Content, readingsOf, snapshotOf } from '../support/snapshot.ts';

const content: Content = {
  settings: { page_size: 3, max_page_size: 4 },
  namespaces: {
    parks: { id: 1, label: 'Parks', owners: ['editors'] },
    water: { id: 2, label: 'Wasser', aliases: ['wet'] },
  },
  datasets: {
    'parks/trees': {
      id: 12,
      label: 'Bäume',
      description: 'All trees, 50% of them old',
      keywords: ['Nature'],
      licence: 'CC0-1.0',
      columns: [
        { type: 'geometry', name: 'geometry' },
        { type: 'integer', name: 'height' },
      ],
    },
    'parks/benches': { id: 11, label: 'Benches', aliases: ['seats'] },
    'water/wells': { id: 13, label: 'Wells', keywords: ['nature', 'drink'] },
    'water/springs': { id: 14, label: 'Springs' },
    'water/lakes': { id: 15, label: 'Lakes' },
  },
  versions: {
    'parks/trees@20200101000000000000': { file: { name: 'a.csv' } },
    'parks/trees@20210101000000000000': { ready: false },
    'water/wells@20220101000000000000': { file: { name: 'a.csv', size: 99 }, rows: 5 },
  },
  groups: { editors: { label: 'Editors' } },
  users: { ann: { id: 2, groups: ['editors'] }, bob: { id: 1, name: 'Robert' } },
  queries: { tall: { label: 'Tall', dataset: 'parks/trees' } },
};
const snapshot = snapshotOf(content);
const ask = (kind: ListedKind, question: ListOptions = {}) =>
  listPage(snapshot, kind, { pageSize: 100, ...question }).items.map(({ slug }) => slug);
const all = { ...snapshot, settings: { ...snapshot.settings, max_page_size: 100 } };
const slugs = (kind: ListedKind, question: ListOptions = {}) =>
  listPage(all, kind, { pageSize: 100, ...question }).items.map(({ slug }) => slug);

/** Counts the comparisons of sorting from now on. */
function countComparisons(t: TestContext): { count: number } {
  const sorting = { count: 0 };
  const { sort } = Array.prototype;
  t.after(() => Object.assign(Array.prototype, { sort }));
  function countingSort(this: unknown[], compare?: (a: unknown, b: unknown) => number) {
    if (!compare) return sort.call(this);
    return sort.call(this, (a, b) => {
      sorting.count++;
      return compare(a, b);
    });
  }
  Object.defineProperty(Array.prototype, 'sort', { value: countingSort, configurable: true, writable: true });
  return sorting;
}

describe('sorted lists', () => {
  const length = 1000;
  const label = (i: number) => `Dataset ${(i * 7919) % length}`;
  const visibility = (i: number) => (i % 10 ? 'public' : 'private');
  const datasets = Array.from(
    { length },
    (_, i) => [`parks/d${i}`, { label: label(i), visibility: visibility(i) }] as const,
  );
  const whole = snapshotOf({
    namespaces: {
      parks: { label: 'Parks', owners: ['editors'] },
      cellar: { label: 'Cellar', visibility: 'private' },
    },
    datasets: Object.fromEntries(datasets),
  });
  const parts = [whole, restrictSnapshotToVisible(anonymous, whole)];

  it('are kept for several viewers who list in turn', (t) => {
    const listAll = () =>
      parts.map((part) => listPage(part, 'dataset', { ordering: 'label' }).items.map(({ slug }) => slug));
    const first = listAll();
    const sorting = countComparisons(t);
    assert.deepEqual([listAll(), listAll()], [first, first]);
    assert.equal(sorting.count, 0);
  });

  it('follow the settings when the default ordering changes', () => {
    const labels = (snapshot: Snapshot) => listPage(snapshot, 'dataset', {}).items.map(({ label }) => label);
    const next = (before: Snapshot, more: Content) =>
      nextSnapshot(before, { readings: readingsOf(more), diagnostics: new Map() });
    const first = snapshotOf({
      settings: { ordering: 'label' },
      namespaces: { a: { label: 'A' } },
      datasets: { 'a/x': { label: '1' }, 'a/y': { label: '2' } },
    });
    assert.deepEqual(labels(first), ['1', '2']);
    const reversed = next(first, { settings: { ordering: '-label' } });
    const longer = next(reversed, { datasets: { 'a/z': { label: '3' } } });
    assert.deepEqual(labels(longer), ['3', '2', '1']);
    assert.deepEqual(labels(next(longer, { datasets: { 'a/w': { label: '0' } } })), ['3', '2', '1', '0']);
  });

  it('are kept for several catalogues that are listed in turn', (t) => {
    const other = snapshotOf({
      namespaces: { a: { label: 'A' } },
      datasets: { 'a/b': { label: 'B' }, 'a/c': { label: 'C' } },
    });
    const listBoth = () => [whole, other].map((one) => listPage(one, 'dataset', { ordering: '-label' }).items[0]?.slug);
    const first = listBoth();
    const sorting = countComparisons(t);
    assert.deepEqual(listBoth(), first);
    assert.equal(sorting.count, 0);
  });

  it('are kept for a signed-in viewer of whom each request makes a new object', (t) => {
    const editor = () => ({ username: 'ann', staff: false, groups: ['staff', 'editors'] });
    const listMine = () => listPage(restrictSnapshotToVisible(editor(), whole), 'dataset', { ordering: 'slug' });
    const { count } = listMine();
    const sorting = countComparisons(t);
    assert.equal(listMine().count, count);
    assert.equal(sorting.count, 0);
  });

  it('of the next snapshot are not sorted from scratch', (t) => {
    for (const part of parts) listPage(part, 'dataset', { ordering: 'label' });
    const [reading] = readingsOf({ datasets: { 'parks/d500': { label: 'A new label' } } });
    assert.ok(reading);
    const next = nextSnapshot(whole, { readings: [reading], diagnostics: new Map() });
    const sorting = countComparisons(t);
    for (const viewer of [localAdmin, anonymous])
      assert.equal(
        listPage(restrictSnapshotToVisible(viewer, next), 'dataset', { ordering: 'label' }).items[0]?.slug,
        'd500',
      );
    assert.ok(sorting.count < 2 * length, `${sorting.count} comparisons`);
  });

  it('of a part have what the viewer may see, in the same order', () => {
    const question = { ordering: '-label,slug', page: 3, pageSize: 50 };
    const publicDatasets = datasets.filter(([, one]) => one.visibility === 'public');
    const alone = snapshotOf({
      namespaces: { parks: { label: 'Parks' } },
      datasets: Object.fromEntries(publicDatasets),
    });
    const [a, b] = [restrictSnapshotToVisible(anonymous, whole), alone].map((one) =>
      listPage(one, 'dataset', question),
    );
    assert.deepEqual(
      a?.items.map(({ slug }) => slug),
      b?.items.map(({ slug }) => slug),
    );
    assert.equal(a?.count, publicDatasets.length);
  });

  it('of a part are in the order of what the viewer may see, not of hidden drafts', () => {
    const many = Array.from({ length: 201 }, (_, i) => `parks/d${i}`);
    const withDrafts = snapshotOf({
      namespaces: { parks: { label: 'Parks' }, water: { label: 'Water' } },
      datasets: Object.fromEntries(['water/a', 'water/b', 'water/c', ...many].map((name) => [name, { label: name }])),
      versions: {
        'water/a@20200101000000000000': {},
        'water/a@20260101000000000000': { draft: true, ready: false },
        'water/b@20250101000000000000': {},
        'water/c@20240101000000000000': {},
        ...Object.fromEntries(many.map((name, i) => [`${name}@20${10 + (i % 10)}0101000000000000`, {}])),
        'parks/d7@20260101000000000000': { draft: true, ready: false },
      },
    });
    const visible = restrictSnapshotToVisible(anonymous, withDrafts);
    for (const ordering of ['-updated', 'updated'])
      for (const namespace of [undefined, 'parks']) {
        const updates: string[] = [];
        const slugs = new Set<string>();
        for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
          const page: Page<Dataset> = listPage(visible, 'dataset', { ordering, namespace, cursor, pageSize: 1 });
          for (const { slug, versions } of page.items) {
            slugs.add(slug);
            updates.push(versions[0]?.datetime ?? '');
          }
          cursor = page.nextCursor;
        }
        const ascending = updates.toSorted();
        assert.deepEqual(updates, ordering === 'updated' ? ascending : ascending.reverse());
        assert.deepEqual([slugs.size, updates.length], namespace ? [201, 201] : [204, 204]);
      }
  });
});

describe('pages', () => {
  const table: readonly (readonly [ListOptions, { page: number; pages: number; slugs: string[] } | null])[] = [
    [{}, { page: 1, pages: 2, slugs: ['benches', 'trees', 'lakes'] }],
    [{ page: 2 }, { page: 2, pages: 2, slugs: ['springs', 'wells'] }],
    [{ page: 'last' }, { page: 2, pages: 2, slugs: ['springs', 'wells'] }],
    [{ page: 3 }, null],
    [{ page: 0 }, null],
    [{ page: Number.POSITIVE_INFINITY }, null],
    [
      { pageSize: 2, page: 3 },
      { page: 3, pages: 3, slugs: ['wells'] },
    ],
    [{ pageSize: 1000 }, { page: 1, pages: 2, slugs: ['benches', 'trees', 'lakes', 'springs'] }],
    [{ search: 'nothing' }, { page: 1, pages: 1, slugs: [] }],
    [
      { search: 'nothing', page: 'last' },
      { page: 1, pages: 1, slugs: [] },
    ],
    [{ search: 'nothing', page: 2 }, null],
  ];
  for (const [question, expected] of table)
    it(JSON.stringify(question), () => {
      if (!expected) return assert.throws(() => listPage(snapshot, 'dataset', question), { message: 'Invalid page.' });
      const { page, pages, items } = listPage(snapshot, 'dataset', question);
      assert.deepEqual({ page, pages, slugs: items.map(({ slug }) => slug) }, expected);
    });

  it('have the default size where none is possible', () => {
    for (const pageSize of [0, -1, 0.5, Number.NaN])
      for (const cursor of [undefined, '']) {
        const { items, pages } = listPage(snapshot, 'dataset', { pageSize, cursor });
        assert.deepEqual([items.length, pages], [3, 2]);
      }
  });

  it('count the whole', () => assert.equal(listPage(snapshot, 'dataset', {}).count, 5));
});

describe('where', () => {
  it('within a namespace, or a dataset', () => {
    assert.deepEqual(ask('dataset', { namespace: 'parks' }), ['benches', 'trees']);
    assert.deepEqual(ask('version', { namespace: 'parks', dataset: 'trees' }), [
      '20210101000000000000',
      '20200101000000000000',
    ]);
    assert.deepEqual(ask('version', { namespace: 'parks', dataset: 'benches' }), []);
  });

  it('nowhere', () => {
    for (const [kind, question] of [
      ['dataset', { namespace: 'none' }],
      ['version', { namespace: 'parks', dataset: 'none' }],
      ['version', { namespace: 'parks' }],
      ['user', { namespace: 'parks' }],
    ] as const)
      assert.throws(() => listPage(snapshot, kind, question), NotFoundError);
  });

  it('at a former address', () => {
    const to = (ref: object) => (error: unknown) => {
      assert.ok(error instanceof MovedError);
      assert.deepEqual(error.to, ref);
      return true;
    };
    assert.throws(() => listPage(snapshot, 'dataset', { namespace: 'wet' }), to({ kind: 'namespace', slug: 'water' }));
    assert.throws(
      () => listPage(snapshot, 'version', { namespace: 'parks', dataset: 'seats' }),
      to({ kind: 'dataset', namespace: 'parks', slug: 'benches' }),
    );
  });
});

describe('search', () => {
  const table: readonly (readonly [string, string[]])[] = [
    ['baume', ['trees']],
    ['BÄUME', ['trees']],
    ['tree old', ['trees']],
    ['tree,old', ['trees']],
    [' ,, ', ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['50%', ['trees']],
    ['t_ees', []],
    ['nature', ['trees', 'wells']],
    ['tr\0ees', ['trees']],
    ['bäume benches', []],
    ['oldbäume', []],
    ['.*', []],
  ];
  for (const [search, found] of table)
    it(JSON.stringify(search), () => assert.deepEqual(slugs('dataset', { search }), found));

  it('looks in what each kind has', () => {
    assert.deepEqual(slugs('user', { search: 'robert' }), ['bob']);
    assert.deepEqual(slugs('version', { search: '2021' }), ['20210101000000000000']);
    assert.deepEqual(slugs('namespace', { search: 'WASSER' }), ['water']);
  });
});

describe('filters', () => {
  const table: readonly (readonly [ListedKind, Record<string, string[]>, string[]])[] = [
    ['dataset', { namespace: ['parks'] }, ['benches', 'trees']],
    ['dataset', { namespace: ['Parks'] }, []],
    ['dataset', { slug: ['trees', 'wells'] }, ['trees', 'wells']],
    ['dataset', { slug: [''] }, ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['dataset', { id: ['12'] }, ['trees']],
    ['dataset', { keyword: ['NATURE'] }, ['trees', 'wells']],
    ['dataset', { keyword: ['nature'], namespace: ['water'] }, ['wells']],
    ['dataset', { type: ['integer'] }, ['trees']],
    ['dataset', { column: ['height'] }, ['trees']],
    ['dataset', { ready: ['true'] }, ['trees', 'wells']],
    ['dataset', { licence: ['CC0-1.0'] }, ['trees']],
    ['dataset', { colour: ['red'] }, ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['dataset', { constructor: ['x'] }, ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['version', { dataset: ['trees'], ready: ['true'] }, ['20200101000000000000']],
    ['version', { dataset: ['water/wells'] }, ['20220101000000000000']],
    ['namespace', { owner: ['editors'] }, ['parks']],
    ['group', { member: ['ann'] }, ['editors']],
    ['user', { group: ['editors'] }, ['ann']],
    ['query', { dataset: ['parks/trees'] }, ['tall']],
  ];
  for (const [kind, filters, found] of table)
    it(`${kind} ${JSON.stringify(filters)}`, () => assert.deepEqual(slugs(kind, { filters }), found));

  it('a value that none can have is an error that names those that can', () => {
    assert.throws(
      () => slugs('dataset', { filters: { ready: ['yes'] } }),
      (error: unknown) =>
        error instanceof ValidationError &&
        error.fields.ready?.[0] === 'Select a valid choice. yes is not one of the available choices: true, false.',
    );
  });
});

describe('order', () => {
  const table: readonly (readonly [ListedKind, string | undefined, string[]])[] = [
    ['dataset', undefined, ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['dataset', '', ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['dataset', 'colour', ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['dataset', 'constructor', ['benches', 'trees', 'lakes', 'springs', 'wells']],
    ['dataset', 'id', ['benches', 'trees', 'wells', 'springs', 'lakes']],
    ['dataset', '-id', ['lakes', 'springs', 'wells', 'trees', 'benches']],
    ['dataset', ' colour , -namespace , slug ', ['lakes', 'springs', 'wells', 'benches', 'trees']],
    ['dataset', '-namespace', ['lakes', 'springs', 'wells', 'benches', 'trees']],
    ['version', undefined, ['20220101000000000000', '20210101000000000000', '20200101000000000000']],
    ['version', 'datetime', ['20200101000000000000', '20210101000000000000', '20220101000000000000']],
    ['version', '-rows', ['20220101000000000000', '20210101000000000000', '20200101000000000000']],
    ['user', 'id', ['bob', 'ann']],
    ['user', undefined, ['ann', 'bob']],
  ];
  for (const [kind, ordering, order] of table)
    it(`${kind} by ${ordering ?? 'nothing'}`, () => assert.deepEqual(slugs(kind, { ordering }), order));

  it('by code point, also beyond the basic plane', () => {
    const labels = ['\u{1F333}', '\uFFFD', 'z', 'é', '\u{10000}', 'Z', ''];
    const datasets = Object.fromEntries(labels.map((label, i) => [`parks/d${i}`, { label }]));
    const { items } = listPage(snapshotOf({ namespaces: { parks: { label: 'x' } }, datasets }), 'dataset', {
      ordering: 'label',
    });
    const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const expected = [...labels].sort((a, b) => {
      const [x, y] = [points(a), points(b)];
      const i = x.findIndex((point, at) => point !== y[at]);
      return i < 0 ? x.length - y.length : (x[i] ?? 0) - (y[i] ?? -1);
    });
    assert.deepEqual(
      items.map(({ label }) => label),
      expected,
    );
  });

  it('never depends on what was read first', () => {
    const readings = readingsOf({
      namespaces: { a: { label: 'x' }, b: { label: 'x' } },
      datasets: Object.fromEntries(['b/z', 'a/y', 'b/a', 'a/x'].map((name) => [name, { label: 'the same' }])),
      versions: Object.fromEntries(['b/z', 'a/y', 'b/a'].map((name) => [`${name}@20200101000000000000`, {}])),
    });
    const orderOf = (order: typeof readings, kind: 'dataset' | 'version', ordering?: string) => {
      let step = emptySnapshot;
      const seen: string[][] = [];
      for (const reading of order) {
        step = nextSnapshot(step, { readings: [reading], diagnostics: new Map() });
        seen.push(
          listPage(step, kind, { ordering }).items.map(
            (item) => `${item.namespace}/${item.slug}${'dataset' in item ? item.dataset : ''}`,
          ),
        );
      }
      return seen.at(-1);
    };
    for (const [kind, ordering] of [
      ['dataset', 'label'],
      ['dataset', '-label'],
      ['version', undefined],
      ['version', 'size'],
    ] as const) {
      const one = orderOf(readings, kind, ordering);
      fc.assert(
        fc.property(fc.shuffledSubarray(readings, { minLength: readings.length }), (shuffled) => {
          assert.deepEqual(orderOf(shuffled, kind, ordering), one);
        }),
        { numRuns: 20 },
      );
    }
  });
});
