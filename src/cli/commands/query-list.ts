/** Saved questions as people see them: the list, and one in full. */
import { orderFields } from '../../catalogue/facets.ts';
import { parseSlug } from '../../catalogue/ref.ts';
import { representQuery } from '../../catalogue/represent.ts';
import type { Query } from '../../catalogue/types.ts';
import { collect } from '../collect.ts';
import type { Verb } from '../command.ts';
import { filterOptions, filtersFrom } from '../fields.ts';
import { parametersOf } from '../filters.ts';
import { linksOf } from '../input.ts';
import { find } from '../naming.ts';
import { limit, ordering, search } from '../options.ts';

interface ListOptions {
  readonly search?: string;
  readonly ordering?: string;
  readonly limit?: number;
}

export const list: Verb<ListOptions> = {
  usage: 'list',
  description: 'List the saved queries.',
  examples: ['catalogue query list', 'catalogue query list --dataset parks/trees --json'],
  options: () => [search(), ...filterOptions('query'), ordering(Object.keys(orderFields.query)), limit()],
  async run(call, _args, options) {
    const { show } = call;
    const catalogue = await call.open();
    const filters = filtersFrom('query', { ...options });
    const question = { search: options.search, ordering: options.ordering, filters };
    const queries = await collect(catalogue, 'query', question, options.limit);
    if (show.asJson) show.json(queries.map((query) => representQuery(query, linksOf(catalogue))));
    else if (show.forPeople && queries.length === 0) show.message('No queries.');
    else show.table(['QUERY', 'LABEL', 'DATASET', 'FILTERS'], queries.map(row));
    return 0;
  },
};

/** What is asked, as it is typed: `parks/trees@20200101000000000000`, `height__gte=10`. */
const askedOf = ({ dataset, version }: Query) => (version === null ? dataset : `${dataset}@${version}`);
const filtersOf = ({ parameters }: Query) => parametersOf(parameters).map((parameter) => parameter.join('='));

const row = (query: Query) => [query.slug, query.label, askedOf(query), filtersOf(query).join(' ')];

export const show: Verb = {
  usage: 'show <query>',
  description: 'Show one saved query.',
  examples: ['catalogue query show tall-trees'],
  async run(call, [name = '']) {
    const catalogue = await call.open();
    const query = await find(catalogue, parseSlug('query', name), call.show);
    if (call.show.asJson) call.show.json(representQuery(query, linksOf(catalogue)));
    else
      call.show.fields([
        ['query', query.slug],
        ['label', query.label],
        ['id', String(query.id)],
        ['description', query.description],
        ['dataset', askedOf(query)],
        ['filters', filtersOf(query).join('\n')],
      ]);
    return 0;
  },
};
