/** `catalogue dataset list`. */
import { orderFields } from '../../catalogue/facets.ts';
import { formatRef, parseSlug } from '../../catalogue/ref.ts';
import { representDataset } from '../../catalogue/represent.ts';
import type { Dataset } from '../../catalogue/types.ts';
import { collect } from '../collect.ts';
import type { Verb } from '../command.ts';
import { filterOptions, filtersFrom } from '../fields.ts';
import { linksOf } from '../input.ts';
import { reach } from '../naming.ts';
import { limit, ordering, search } from '../options.ts';
import type { Show } from '../output/show.ts';

interface ListOptions {
  readonly search?: string;
  readonly ordering?: string;
  readonly limit?: number;
}

export const list: Verb<ListOptions> = {
  usage: 'list [namespace]',
  description: 'List the datasets of the catalogue, or of one namespace.',
  examples: [
    'catalogue dataset list',
    'catalogue dataset list parks --search oak --ordering -label',
    'catalogue dataset list --type geometry --licence CC0-1.0 --json',
  ],
  options: () => [search(), ...filterOptions('dataset'), ordering(Object.keys(orderFields.dataset)), limit()],
  async run(call, [name], options) {
    const { show } = call;
    const ref = name === undefined ? undefined : parseSlug('namespace', name);
    const filters = filtersFrom('dataset', { ...options });
    const question = { search: options.search, ordering: options.ordering, filters, namespace: ref?.slug };
    const catalogue = await call.open();
    const ask = () => collect(catalogue, 'dataset', question, options.limit);
    const datasets = await (ref ? reach(catalogue, ref, ask) : ask());
    if (show.asJson) show.json(datasets.map((dataset) => representDataset(dataset, linksOf(catalogue))));
    else if (show.forPeople && datasets.length === 0) show.message('No datasets.');
    else show.table(['DATASET', 'LABEL', 'LICENCE', 'VERSIONS', 'UPDATED'], datasets.map(row(show)));
    return 0;
  },
};

/** People read the day, programs the moment. */
const moment = (show: Show, datetime = '') => (show.forPeople ? datetime.slice(0, 10) : datetime);

const row = (show: Show) => (dataset: Dataset) => [
  formatRef(dataset),
  dataset.label,
  dataset.licence,
  String(dataset.versions.length),
  moment(show, dataset.versions[0]?.datetime),
];
