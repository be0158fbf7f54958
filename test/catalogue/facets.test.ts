/** Facets of lists of datasets, and the order of a search. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countFacets, type FacetName, facetNames } from '../../src/catalogue/facets.ts';
import { listPage } from '../../src/catalogue/listing.ts';
import { runAtOnce } from '../../src/catalogue/steps.ts';
import type { Dataset } from '../../src/catalogue/types.ts';
import { snapshotOf } from '../support/snapshot.ts';

const datasets = {
  'parks/trees': { label: 'Trees', keywords: ['Nature', 'city'], licence: 'CC0-1.0' },
  'parks/benches': { label: 'Benches', keywords: ['city'], licence: 'CC-BY-4.0' },
  'water/wells': { label: 'Wells', keywords: ['nature'], licence: 'CC0-1.0' },
};
const snapshot = snapshotOf({ namespaces: { parks: { label: 'Parks' }, water: { label: 'Water' } }, datasets });
const facets = (filters: Readonly<Record<string, readonly string[]>>, search?: string) => {
  const { facets: found } = listPage(snapshot, 'dataset', { filters, search, facets: true });
  return (name: FacetName) => Object.fromEntries(found?.values[name].map(({ value, count }) => [value, count]) ?? []);
};

describe('facets of datasets', () => {
  it('count the values of all datasets, keywords without regard to case', () => {
    const of = facets({});
    assert.deepEqual(of('namespace'), { parks: 2, water: 1 });
    assert.deepEqual(of('licence'), { 'CC0-1.0': 2, 'CC-BY-4.0': 1 });
    assert.deepEqual(Object.values(of('keyword')), [2, 2]);
  });

  it('are on pages that follow a cursor, too', () => {
    const [byNumber, byCursor] = [undefined, ''].map((cursor) =>
      listPage(snapshot, 'dataset', { facets: true, cursor }),
    );
    assert.ok(byNumber?.facets);
    assert.deepEqual(byCursor?.facets, byNumber.facets);
  });

  it('count a value under the other filters', () => {
    const of = facets({ namespace: ['parks'], licence: ['CC0-1.0'] });
    assert.deepEqual(of('namespace'), { parks: 1, water: 1 });
    assert.deepEqual(of('licence'), { 'CC0-1.0': 1, 'CC-BY-4.0': 1 });
    assert.deepEqual(facets({}, 'wells')('namespace'), { water: 1 });
  });

  it('count datasets whose geometries are all missing or empty among those without geometry', () => {
    const measured = (geometry: object, nulls: number, bbox: readonly number[] | null) => ({
      ...{ ready: true, rows: 2, file: { name: 'rows.geojson', format: 'geojson' }, ...(bbox && { bbox }) },
      metadata: { rows: 2, ...geometry, columns: [{ name: 'where', nulls, distinct: null }] },
    });
    const columns = [{ name: 'where', type: 'geometry' } as const];
    const placed = snapshotOf({
      namespaces: { parks: { label: 'Parks' } },
      datasets: Object.fromEntries(
        ['null', 'empty', 'points', 'unread'].map((slug) => [`parks/${slug}`, { label: slug, columns }]),
      ),
      versions: {
        'parks/null@20260101000000000000': measured({}, 2, null),
        'parks/empty@20260101000000000000': measured({ geometry: ['Polygon'] }, 0, null),
        'parks/points@20260101000000000000': measured({ geometry: ['Point'] }, 1, [10, 40, 10, 40]),
        'parks/unread@20260101000000000000': { ready: true, file: { name: 'rows.geojson', format: 'geojson' } },
      },
    });
    const { facets: found } = listPage(placed, 'dataset', { facets: true });
    const counts = Object.fromEntries(found?.values.geometry.map(({ value, count }) => [value, count]) ?? []);
    assert.deepEqual(counts, { none: 2, point: 1, geometry: 1 });
    const filters = { geometry: ['none'] };
    assert.deepEqual(
      listPage(placed, 'dataset', { filters }).items.map(({ slug }) => slug),
      ['empty', 'null'],
    );
  });

  it('count the datasets updated since a date, and the box around the rows', () => {
    const version = (datetime: string, bbox: readonly number[]) => ({
      ...{ datetime, bbox, ready: true, file: { name: 'rows.geojson', format: 'geojson' } },
    });
    const dated = snapshotOf({
      namespaces: { parks: { label: 'Parks' }, water: { label: 'Water' } },
      datasets,
      versions: {
        'parks/trees@20260101000000000000': version('2026-01-01T00:00:00.000Z', [10, 40, 12, 42]),
        'parks/benches@20250601000000000000': version('2025-06-01T12:00:00.000Z', [-5, 41, 0, 50]),
        'water/wells@20200101000000000000': version('2020-01-01T00:00:00.000Z', [11, 1, 0, 11, 2, 9]),
      },
    });
    const options = { facets: true, updatedSince: ['2026-01-01', '2025-06-01', '2010-01-01'] };
    const of = (filters: Record<string, readonly string[]>) => {
      const { facets: found } = listPage(dated, 'dataset', { ...options, filters });
      return [found?.values.updated__gte.map(({ count }) => count), found?.totals.bbox];
    };
    assert.deepEqual(of({}), [
      [1, 2, 3],
      [-5, 1, 12, 50],
    ]);
    assert.deepEqual(of({ updated__gte: ['2026-01-01'], namespace: ['parks'] }), [
      [1, 2, 2],
      [10, 40, 12, 42],
    ]);
  });

  it('are those of filtering once for each value', () => {
    const all = listPage(snapshot, 'dataset', {}).items;
    const choices = {
      ...{ namespace: ['parks', 'water'], licence: ['CC0-1.0', 'CC-BY-4.0'], keyword: ['city', 'nature'] },
      geometry: ['none', 'point'],
    };
    const filter = fc.record(
      Object.fromEntries(
        Object.entries(choices).map(([name, values]) => [name, fc.subarray(values, { minLength: 1 })]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filter, (filters) => {
        const of = facets(filters as Record<string, string[]>);
        for (const [name, values] of Object.entries(choices))
          for (const value of values) {
            const { count } = listPage(snapshot, 'dataset', { filters: { ...(filters as object), [name]: [value] } });
            const counted = Object.entries(of(name as FacetName)).find(
              ([key]) => key.toLowerCase() === value.toLowerCase(),
            );
            assert.equal(counted?.[1] ?? 0, count, `${name}=${value} of ${JSON.stringify(filters)}`);
          }
      }),
    );
    assert.deepEqual(Object.keys(runAtOnce(countFacets(all as Dataset[], {})).values), [...facetNames]);
  });
});

describe('words in other scripts', () => {
  const columns = [{ name: '人口密度', type: 'integer' }] as const;
  const found = snapshotOf({
    namespaces: { parks: { label: 'Parks' } },
    datasets: {
      'parks/bus': { label: 'バス', keywords: ['バス'], columns },
      'parks/lotus': { label: 'ハス', keywords: ['ハス'], description: '東京 大阪' },
    },
  });
  const slugs = (search: string) => listPage(found, 'dataset', { search }).items.map(({ slug }) => slug);

  it('are keywords of their own, with marks that are letters', () => {
    const { facets: counted } = listPage(found, 'dataset', { facets: true });
    assert.deepEqual(counted?.values.keyword.map(({ value }) => value).sort(), ['ハス', 'バス']);
    assert.equal(listPage(found, 'dataset', { filters: { keyword: ['バス'] } }).count, 1);
  });

  it('are found within names of columns, where no spaces separate them, and between commas of their keyboards', () => {
    assert.deepEqual(slugs('密度'), ['bus']);
    for (const search of ['東京，大阪', '東京、大阪', '東京､大阪']) assert.deepEqual(slugs(search), ['lotus'], search);
  });
});

describe('a search by relevance', () => {
  it('ranks a label with all words before one that is one of them', () => {
    const two = snapshotOf({
      namespaces: { parks: { label: 'Parks' } },
      datasets: {
        'parks/a': { label: 'Trees', description: 'In Oslo', keywords: ['Oslo'] },
        'parks/b': { label: 'Trees of Oslo' },
      },
    });
    const { items } = listPage(two, 'dataset', { search: 'oslo trees', ordering: 'relevance' });
    assert.deepEqual(
      items.map(({ slug }) => slug),
      ['b', 'a'],
    );
  });

  const subjects = [
    'Trees',
    'trees',
    'Old trees',
    'Élections',
    'Elections',
    'Straße',
    'Strasse',
    'Budget',
    'مياه',
    'n_p',
    'C++',
  ];
  const places = [
    '',
    ' of the city',
    ', north',
    ' north',
    ' north, old',
    ' (monthly)',
    ' 2019',
    ' 2020: trees',
    '  twice',
    ' 🌳',
  ];
  // Most labels are parts of others, and all of them are in the descriptions of others.
  const labels = Array.from({ length: 10_000 }, (_, i) => {
    const number = i >> 4 ? ` ${i >> 4}` : '';
    return `${subjects[i % subjects.length]}${places[(i >> 2) % places.length]}${i % 3 ? number : ''}`;
  });
  const many = snapshotOf({
    namespaces: { parks: { label: 'Parks' } },
    datasets: Object.fromEntries(
      labels.map((label, i) => {
        const keywords = [...new Set([labels[(i * 7) % labels.length] as string])];
        return [`parks/d${i}`, { label, description: labels.slice(i, i + 3).join(' '), keywords }];
      }),
    ),
  });

  it('has each of 10,000 labels as the first result of a search for it', () => {
    // A fortieth of them at a time.
    fc.assert(
      fc.property(fc.nat(39), (start) => {
        for (let i = start; i < labels.length; i += 40) {
          const search = labels[i] as string;
          const [first] = listPage(many, 'dataset', { search, ordering: 'relevance', pageSize: 1 }).items;
          assert.equal(first?.label, search);
        }
      }),
      { numRuns: 3 },
    );
  });
});
