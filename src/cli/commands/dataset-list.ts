/** Datasets as people see them: the list, and one in full. */
import { Option } from 'commander';
import { orderFields } from '../../catalogue/facets.ts';
import { formatRef, parseSlug } from '../../catalogue/ref.ts';
import { representDataset } from '../../catalogue/represent.ts';
import { columnTypes, type Dataset } from '../../catalogue/types.ts';
import { collect } from '../collect.ts';
import type { Verb } from '../command.ts';
import { linksOf } from '../input.ts';
import { reach } from '../naming.ts';
import { limit, ordering, repeatable, search } from '../options.ts';
import type { Show } from '../output/show.ts';

/** Filters: the option's name is that of the API's parameter. */
const filters = {
  keyword: () => repeatable('--keyword <word>', 'Only those with this keyword; of several, any.'),
  licence: () => repeatable('--licence <id>', 'Only those of this licence.'),
  publisher: () => repeatable('--publisher <name>', 'Only those of this publisher.'),
  type: () => new Option('--type <type>', 'Only those with a column of this type.').choices(columnTypes),
  column: () => repeatable('--column <name>', 'Only those with a column of this name.'),
  namespace: () => repeatable('--namespace <name>', 'Only those of this namespace.'),
  visibility: () =>
    new Option('--visibility <public|private>', 'Only those of this visibility.').choices(['public', 'private']),
  ready: () =>
    new Option('--ready <true|false>', 'Only those with data to serve, or without.').choices(['true', 'false']),
};

interface ListOptions extends Partial<Record<keyof typeof filters, string | readonly string[]>> {
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
  options: () => [
    search(),
    ...Object.values(filters).map((option) => option()),
    ordering(Object.keys(orderFields.dataset)),
    limit(),
  ],
  async run(call, [name], options) {
    const { show } = call;
    const ref = name === undefined ? undefined : parseSlug('namespace', name);
    const wanted: Record<string, readonly string[]> = {};
    for (const field of Object.keys(filters) as (keyof typeof filters)[])
      if (options[field] !== undefined) wanted[field] = [options[field]].flat();
    const question = { search: options.search, ordering: options.ordering, filters: wanted, namespace: ref?.slug };
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
