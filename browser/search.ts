/**
 * The search of a static export: the lists of datasets as the server would show them for the address, made in the browser by the
 * same functions, over a summary in parts.
 */
import { listPage } from '../src/catalogue/listing.ts';
import { refOf } from '../src/catalogue/ref.ts';
import { type Summary, type SummaryPart, snapshotFromSummary, summaryParts } from '../src/catalogue/search-summary.ts';
import type { Snapshot } from '../src/catalogue/snapshot.ts';
import { findDatasets, suggestDatasets } from '../src/pages/find-datasets.ts';
import { renderSearchPage } from '../src/pages/home.tsx';
import { languageForTag, localeFor } from '../src/pages/locale.ts';
import { hrefOfRef, type PageContext } from '../src/pages/page-context.ts';
import { parseListOptions } from '../src/server/query-string.ts';

type Known = Partial<Summary> & Pick<Summary, 'labels'>;

const reading = new Map<SummaryPart, Promise<unknown>>();

/** A part of the summary; read once. */
function readPart<P extends SummaryPart>(part: P): Promise<Summary[P]> {
  const address = `${document.body.dataset.search}${part}.json`;
  const known = reading.get(part) ?? fetch(address).then((response) => response.json());
  reading.set(part, known);
  return known as Promise<Summary[P]>;
}

const catalogueOf = (snapshot: Snapshot) =>
  ({
    settings: snapshot.settings,
    list: async (kind, options) => listPage(snapshot, kind as 'dataset', options),
  }) as Parameters<typeof findDatasets>[0];

/** Datasets for a search that is being typed. */
export async function suggest(text: string) {
  const labels = await readPart('labels');
  const found = await suggestDatasets(catalogueOf(snapshotOf({ labels })), text);
  return found.map(({ dataset, namespace }) => ({
    label: dataset.label,
    namespace,
    url: new URL(hrefOfRef({ base: labels.base }, refOf(dataset)), location.href).href,
  }));
}

let last: { readonly count: number; readonly snapshot: Snapshot } | undefined;

/** The snapshot of the parts that are known; made once for each part more. */
function snapshotOf(known: Known): Snapshot {
  const count = Object.keys(known).length;
  if (!last || last.count < count) last = { count, snapshot: snapshotFromSummary(known) };
  return last.snapshot;
}

/** Shows the list of datasets that the address asks for: at once by labels, then by all texts. */
export async function showSearch(): Promise<void> {
  const query = withArea(new URLSearchParams(location.search));
  const known: { -readonly [P in keyof Known]: Known[P] } = { labels: await readPart('labels') };
  const { base } = known.labels;
  const path = location.pathname.slice(new URL(base).pathname.replace(/\/$/, '').length);
  const namespace = /^\/api\/v1\/namespaces\/([^/]+)\/(?:datasets\/)?$/.exec(path)?.[1];
  if (!namespace && path !== '/api/v1/datasets/') return;
  for (const part of summaryParts) {
    Object.assign(known, { [part]: await readPart(part) });
    await show(snapshotOf(known), { base, path, query, namespace });
  }
}

async function show(
  snapshot: Snapshot,
  { namespace, ...address }: Pick<PageContext, 'base' | 'path' | 'query'> & { readonly namespace: string | undefined },
): Promise<void> {
  const options = parseListOptions('dataset', address.query, { namespace });
  const list = await findDatasets(catalogueOf(snapshot), options);
  const html = renderSearchPage(
    {
      ...address,
      settings: snapshot.settings,
      locale: localeFor(languageForTag(document.documentElement.lang) ?? 'en'),
      assets: '',
      today: new Date().toISOString().slice(0, 10),
      isExport: true,
      username: null,
    },
    list,
  );
  const page = new DOMParser().parseFromString(html, 'text/html');
  const results = document.querySelector('.three');
  const found = page.querySelector('.three');
  if (!results || !found) return;
  results.replaceWith(found);
  document.title = page.title;
  const field = document.querySelector<HTMLInputElement>('#q');
  if (field && document.activeElement !== field) field.value = address.query.get('search') ?? '';
}

/** The parameters, with the four numbers of the form of an area as one. */
function withArea(query: URLSearchParams): URLSearchParams {
  const sides = ['_west', '_south', '_east', '_north'];
  if (!sides.some((side) => query.has(side))) return query;
  const limits = ['-180', '-90', '180', '90'];
  const values = sides.map((side) => query.get(side)?.trim() || '');
  if (values.some(Boolean)) query.set('bbox', values.map((value, i) => value || limits[i]).join(','));
  for (const side of sides) query.delete(side);
  return query;
}
