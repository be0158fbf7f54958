/** The search of exports of random catalogues: for each search, the page that a server shows. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ListOptions } from '../../src/catalogue/catalogue.ts';
import { listPage } from '../../src/catalogue/listing.ts';
import { encodeMetadata } from '../../src/catalogue/metadata.ts';
import { snapshotFromSummary, summarize } from '../../src/catalogue/search-summary.ts';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import { runAtOnce } from '../../src/catalogue/steps.ts';
import { findDatasets } from '../../src/pages/find-datasets.ts';
import { renderSearchPage } from '../../src/pages/home.tsx';
import { localeFor } from '../../src/pages/locale.ts';
import { randomNumbers } from '../support/random.ts';
import { type Content, snapshotOf } from '../support/snapshot.ts';

const base = 'https://data.example.org';
const namespaces = ['parks', 'Water', 'n_2'];
const words = [
  'rain',
  'Straße',
  'STRASSE',
  '東京',
  'שלום',
  'a & b',
  '<b>',
  '[x](https://example.org)',
  'x-y',
  '-',
  'İ',
];
const datetimes = [
  '2020-01-01T00:00:00Z',
  '0001-06-01T12:00:00Z',
  '1969-01-01T00:00:00.5Z',
  '9999-12-31T23:59:59.999Z',
];
const searches: readonly Pick<ListOptions, 'search' | 'ordering' | 'filters'>[] = [
  {},
  { ordering: 'label' },
  { search: 'strasse' },
  { search: 'a -', ordering: '-updated' },
  { filters: { keyword: ['rain'], file_format: ['csv'] } },
  { filters: { geometry: ['point'], ready: ['true'] } },
  { filters: { bbox: ['175,-5,180,5'], namespace: ['parks'] } },
  { filters: { year: ['1969'], licence: ['mine'] } },
];

function randomContent(seed: number): Content {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const some = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(words));
  const datasets: Record<string, NonNullable<Content['datasets']>[string]> = {};
  const versions: Record<string, NonNullable<Content['versions']>[string]> = {};
  for (let i = 0; i < 12; i++) {
    const name = `${pick(namespaces)}/d${i}`;
    const types = ['integer', 'string', 'geometry'] as const;
    const columns = some(3).map((word, k) => ({ name: `${word}${k}`, label: pick(['', word]), type: pick(types) }));
    const image = pick(['', '/site_media/a.png', 'https://example.org/a.png']);
    const texts = { description: some(4).join(pick([' ', '\n\n'])), licence: pick(['', 'CC-BY-4.0', 'mine']) };
    const id = 1 + Math.floor(random() * 1e6);
    datasets[name] = { id, label: some(3).join(' ') || 'x', ...texts, keywords: some(3), image, columns };
    for (let k = 0; k < pick([0, 1, 2]); k++)
      versions[`${name}@v${k}`] = {
        ...{ datetime: pick(datetimes), ready: pick([true, true, false]), columns },
        ...pick([{}, { rows: 0 }, { rows: 1000 }]),
        ...pick([{}, { bbox: [1, 2, 3, 4] }, { bbox: [170, -10, -170, 10] }]),
        ...pick([
          {},
          { file: { name: 'a.csv', format: 'csv', size: 10 } },
          { file: { name: 'a.bin', size: 0 } },
          { file: { url: 'https://example.org/a.csv', format: 'csv' } },
        ]),
        metadata: encodeMetadata({
          geometry: pick<readonly string[]>([[], ['Point'], ['Polygon', 'MultiPolygon']]),
          columns: columns.map((column) => ({ name: column.name, nulls: pick([0, 1, 3]) })),
        }),
      };
  }
  const settings = {
    title: 'T',
    ordering: pick(['label', '-id', 'updated', 'namespace,-label']),
    page_size: pick([3, 100]),
  };
  const labels = Object.fromEntries(namespaces.map((slug) => [slug, { label: pick(words) }]));
  return { settings, namespaces: labels, datasets, versions };
}

const catalogueOf = (snapshot: Snapshot): Parameters<typeof findDatasets>[0] => ({
  settings: snapshot.settings,
  list: async (kind, options) => listPage(snapshot, kind as 'dataset', options ?? {}) as never,
});

async function pageOf(snapshot: Snapshot, options: (typeof searches)[number]): Promise<string> {
  const list = await findDatasets(catalogueOf(snapshot), { ...options, updatedSince: [] });
  const { search, ordering, filters = {} } = options;
  const query = new URLSearchParams({ ...(search && { search }), ...(ordering && { ordering }) });
  for (const [name, values] of Object.entries(filters)) for (const value of values) query.append(name, value);
  const context = { settings: snapshot.settings, locale: localeFor('en'), base, path: '/api/v1/datasets/', query };
  return runAtOnce(renderSearchPage({ ...context, assets: '', today: '2026-01-01', username: null }, list));
}

it('shows what a server shows', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const snapshot = snapshotOf(randomContent(seed));
    const all = { pageSize: 100 };
    const lists = [listPage(snapshot, 'namespace', all).items, listPage(snapshot, 'dataset', all).items] as const;
    const summary = JSON.parse(JSON.stringify(summarize(snapshot.settings, base, ...lists)));
    const exported = snapshotFromSummary(summary);
    for (const options of searches)
      assert.equal(
        await pageOf(exported, options),
        await pageOf(snapshot, options),
        `seed ${seed}, ${JSON.stringify(options)}`,
      );
  }
});
