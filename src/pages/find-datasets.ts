/** The search for datasets behind the pages of lists: on the server, and in the browser over a static export. */
import type { Catalogue, ListOptions } from '../catalogue/catalogue.ts';
import { listAll } from '../catalogue/iterate.ts';
import type { DatasetList, Obstacle } from './dataset-list.tsx';

type Searched = Pick<Catalogue, 'list' | 'settings'>;

/** A page of datasets with their facets: the best first if there is a search, else the newest. */
export async function findDatasets(catalogue: Searched, options: ListOptions): Promise<DatasetList> {
  const ordering = options.ordering ?? (options.search?.trim() ? 'relevance' : '-updated');
  const found = await catalogue.list('dataset', { ...options, ordering, facets: true });
  const isInVain = found.count === 0;
  const words = isInVain && options.search?.trim() ? await wordsToSuggest(catalogue, options) : [];
  const obstacles = isInVain ? await obstaclesIn(catalogue, options) : [];
  const namespaces = await namespaceLabels(catalogue);
  const { namespace: slug } = options;
  const namespace = slug === undefined ? null : { slug, label: namespaces.get(slug) ?? slug };
  return { found, ordering, words, obstacles, namespace, namespaces };
}

/** Values of filters that are tried, at most. */
const mostObstacles = 10;

/** The values of the filters, and the namespace of the list, each with the number of datasets without it. */
async function obstaclesIn(catalogue: Searched, options: ListOptions): Promise<readonly Obstacle[]> {
  const { filters = {}, namespace } = options;
  const first = { page: 1, pageSize: 1 };
  const chosen = Object.entries(filters).flatMap(([name, values]) =>
    values.filter(Boolean).map((value) => ({ name, value })),
  );
  const without = async ({ name, value }: Omit<Obstacle, 'count'>) => {
    const others = filters[name]?.filter((one) => one !== value) ?? [];
    const wider = { ...options, ...first, filters: { ...filters, [name]: others } };
    return { name, value, count: (await catalogue.list('dataset', wider)).count };
  };
  const inAll = async (value: string) => {
    const { count } = await catalogue.list('dataset', { ...options, ...first, namespace: undefined });
    return { name: 'namespace', value, count, isInPath: true };
  };
  const own = namespace !== undefined && (chosen.length > 0 || options.search?.trim()) ? [inAll(namespace)] : [];
  return Promise.all([...chosen.slice(0, mostObstacles).map(without), ...own]);
}

/** Labels of the namespaces, by slug. */
async function namespaceLabels(catalogue: Searched): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  for await (const { slug, label } of listAll(catalogue, 'namespace')) labels.set(slug, label);
  return labels;
}

/** Words of labels and keywords, of which the nearest to a search in vain is suggested. */
async function wordsToSuggest(
  catalogue: Searched,
  { namespace }: Pick<ListOptions, 'namespace'>,
): Promise<readonly string[]> {
  const { items } = await catalogue.list('dataset', { namespace, pageSize: catalogue.settings.max_page_size });
  const words = items.flatMap(({ label, keywords }) => [...label.split(/[^\p{L}\p{N}]+/u), ...keywords]);
  return [...new Set(words.filter((word) => word.length > 3))];
}

/** Most datasets that are suggested. */
const suggestionCount = 7;

/** Datasets for a search that is being typed, the best first, each with the label of its namespace. */
export async function suggestDatasets(catalogue: Searched, search: string) {
  const options = { search, ordering: 'relevance', pageSize: suggestionCount };
  const { items } = search ? await catalogue.list('dataset', options) : { items: [] };
  const namespaces = await namespaceLabels(catalogue);
  return items.map((dataset) => ({ dataset, namespace: namespaces.get(dataset.namespace) ?? dataset.namespace }));
}
