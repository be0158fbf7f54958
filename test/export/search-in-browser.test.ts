/** The search of an export in the browser: the hits and facets that a server's page shows, from the summary. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { listPage } from '../../src/catalogue/listing.ts';
import { anonymous } from '../../src/catalogue/permissions.ts';
import { snapshotFromSummary, summarize } from '../../src/catalogue/search-summary.ts';
import { runAtOnce } from '../../src/catalogue/steps.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { findDatasets } from '../../src/pages/find-datasets.ts';
import { renderSearchPage } from '../../src/pages/home.tsx';
import { localeFor } from '../../src/pages/locale.ts';
import type { PageContext } from '../../src/pages/page-context.ts';
import { parseListOptions } from '../../src/server/query-string.ts';
import { homeOf, makeFolder } from '../support/folder.ts';

const seed = makeFolder({
  settings: { title: 'Open data' },
  namespaces: { parks: { label: 'Parks' } },
  datasets: {
    'parks/trees': { label: 'Street trees', keywords: ['nature'], licence: 'CC-BY-4.0' },
    'parks/gone': { label: 'Gone trees' },
    'parks/plan': { label: 'Plan of the trees' },
    'parks/empty': { label: 'Empty trees' },
    'parks/linked': { label: 'Linked trees' },
    'parks/listed': { label: 'Listed trees', links: { Report: 'https://example.org/report.pdf' } },
  },
});
const base = 'https://data.example.org/open';

/** The search over files, and over the summary of them. */
let searched: Readonly<Record<'server' | 'browser', Parameters<typeof findDatasets>[0]>>;

before(async () => {
  const catalogue = await openFileCatalogue(seed.root, { cache: false });
  after(() => catalogue.close());
  const publish = async (slug: string, text: string, fileName: string) => {
    const ref = { kind: 'dataset', namespace: 'parks', slug } as const;
    return (await catalogue.for().publish(ref, { source: Readable.from([text]), fileName })).version;
  };
  const points = 'name,longitude,latitude\nOak,-66.1,18.4\nElm,-66.2,18.5\n';
  await publish('trees', points, 'trees.csv');
  await publish('plan', 'no table', 'plan.pdf');
  const { slug } = await publish('gone', points, 'gone.csv');
  await catalogue.for().edit({ kind: 'version', namespace: 'parks', dataset: 'gone', slug }, { ready: false });
  seed.write(
    `${homeOf('parks/linked')}/versions/v1.yaml`,
    'datetime: 2026-01-01T00:00:00Z\nrows: 3\nfile: {url: "https://example.org/trees.csv", format: csv}\n',
  );
  await catalogue.load();
  const server = catalogue.for(anonymous);
  const all = { pageSize: 100 };
  const [namespaces, datasets] = [await server.list('namespace', all), await server.list('dataset', all)];
  const snapshot = snapshotFromSummary(
    JSON.parse(JSON.stringify(summarize(server.settings, base, namespaces.items, datasets.items))),
  );
  searched = {
    server,
    browser: {
      settings: snapshot.settings,
      list: async (kind, options) => listPage(snapshot, kind as 'dataset', options) as never,
    },
  };
});

describe('the search of an export', () => {
  for (const search of ['?search=trees', '?search=trees&file_format=csv', '?bbox=-67,18,-66,19', '?geometry=point'])
    it(`shows the hits and facets of the server: ${search}`, async () => {
      const query = new URLSearchParams(search);
      const render = async (catalogue: Parameters<typeof findDatasets>[0]) => {
        const context: PageContext = {
          settings: catalogue.settings,
          locale: localeFor('en'),
          ...{
            base,
            path: '/api/v1/datasets/',
            query,
            assets: '',
            today: '2026-01-01',
            isExport: true,
            username: null,
          },
        };
        const list = await findDatasets(catalogue, parseListOptions('dataset', query));
        const page = runAtOnce(renderSearchPage(context, list));
        return /<div class="three.*<\/main>/s.exec(page)?.[0].replace(/></g, '>\n<').split('\n');
      };
      const page = await render(searched.browser);
      assert.deepEqual(page, await render(searched.server));
      assert.ok(page?.some((line) => line.includes('class="hit"')));
      const withoutData = page?.filter((line) => line.includes('no data yet')).length;
      assert.equal(withoutData, search === '?search=trees' ? 1 : 0);
    });
});
