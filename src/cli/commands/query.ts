/** `catalogue query`: saved filters of datasets. */
import { Option } from 'commander';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { labelFromName } from '../../catalogue/field.ts';
import { parseDatasetRef, refFromSlug } from '../../catalogue/parse-ref.ts';
import { formatRef, type VersionRef } from '../../catalogue/ref.ts';
import { representQuery } from '../../catalogue/represent.ts';
import { namesParameters, parametersFromRecord } from '../../catalogue/row-parameters.ts';
import type { Query } from '../../catalogue/types.ts';
import { ParameterError } from '../../data/errors.ts';
import { splitList } from '../../data/query/parameter-values.ts';
import type { Call } from '../command.ts';
import { UsageError } from '../errors.ts';
import { inputFromOptions } from '../fields.ts';
import { type Parameter, parseFilterWords } from '../filters.ts';
import { findEntityOrRenamed, resolveVersionRef, runWithNameSuggestions } from '../lookup.ts';
import type { Noun } from '../noun.ts';
import { verbsOfNoun } from '../noun-verbs.ts';
import { editorNote, renameOption } from '../options.ts';
import { assertLabelMakesSlug } from '../writes.ts';

interface Own {
  readonly dataset?: string;
  readonly version?: string;
  /** False with --no-filters. */
  readonly filters?: boolean;
}

const query: Noun<'query', Own> = {
  kind: 'query',
  argument: 'query',
  parse: (name) => refFromSlug('query', name),
  represent: representQuery,
  ownInput({ filters = true }, words) {
    if (words.length && !filters) throw new UsageError('Give filters or --no-filters, and not both.');
    return words.length || !filters ? { parameters: parametersToRecord(parseFilterWords(words)) } : {};
  },
  add: {
    usage: 'add [query] [filters...]',
    description: 'Save filters of a dataset as a query.',
    notes:
      'The filters are those of: catalogue data. Parameters such as _ordering=-height, _limit=10 or _group_by=name are saved, too. ' +
      'Without a name, the name is made from the label.',
    examples: [
      'catalogue query add tall-trees --dataset parks/trees height__gte=10 _ordering=-height',
      'catalogue query add --label "Tall trees" --dataset parks/trees height__gte=10',
      'catalogue query add heights --dataset parks/trees _group_by=name "_aggregate=count,mean(height)"',
    ],
    isPartial: true,
    async input(call, words, options) {
      const { name, parameters } = split(words);
      const label = options.label ?? (name === undefined ? undefined : labelFromName(name));
      if (label === undefined)
        throw new UsageError('Give the query a name: catalogue query add <query> …, or a --label');
      if (options.dataset === undefined) throw new UsageError('Name the dataset: --dataset <namespace>/<dataset>');
      if (name === undefined) await assertLabelMakesSlug(label, 'catalogue query add <query> --label …');
      const slug = name === undefined ? {} : { slug: refFromSlug('query', name).slug };
      const fields = await queryFields(call, await call.open(), { ...options, dataset: options.dataset }, parameters);
      return { ...slug, ...(await inputFromOptions('query', { ...options }, call.context)), label, ...fields };
    },
  },
  list: {
    description: 'List the saved queries.',
    examples: ['catalogue query list', 'catalogue query list --dataset parks/trees --json'],
    plural: 'queries',
    headings: ['QUERY', 'LABEL', 'DATASET', 'FILTERS'],
    row: (entity) => [entity.slug, entity.label, versionText(entity), filtersOf(entity).join(' ')],
  },
  show: {
    description: 'Show one saved query.',
    examples: ['catalogue query show tall-trees'],
    print: ({ show }, entity) =>
      show.fields([
        ['query', entity.slug],
        ['label', entity.label],
        ['id', String(entity.id)],
        ['description', entity.description],
        ['dataset', versionText(entity)],
        ['filters', filtersOf(entity).join('\n')],
      ]),
  },
  edit: {
    usage: 'edit <query> [filters...]',
    description: 'Edit a query. Only the fields that are given change.',
    notes: `New filters replace all filters of the query. ${editorNote}`,
    examples: [
      'catalogue query edit tall-trees',
      'catalogue query edit tall-trees height__gte=20 --description "As high as a house"',
      'catalogue query edit tall-trees --version latest --slug high-trees',
    ],
    options: () => [
      renameOption(),
      new Option('--no-filters', 'Remove its filters: the query gives all rows.').default(true, 'the filters stay'),
    ],
    async complete(call, catalogue, ref, input) {
      if (!['dataset', 'version', 'parameters'].some((field) => field in input)) return input;
      const current = await runWithNameSuggestions(call, catalogue, ref, () => catalogue.get<'query'>(ref));
      const { dataset, version, parameters } = { ...current, version: current.version ?? 'latest', ...input };
      return {
        ...input,
        ...(await queryFields(call, catalogue, { dataset, version }, parametersFromRecord(parameters))),
      };
    },
  },
  remove: {
    description: 'Remove a query; the dataset stays.',
    examples: ['catalogue query remove tall-trees', 'catalogue query remove tall-trees --yes'],
  },
};

/** The dataset or version of a query, as it is typed: `parks/trees@20200101000000000000`. */
const versionText = ({ dataset, version }: Query) => (version === null ? dataset : `${dataset}@${version}`);

/** The filters, as they are typed: `height__gte=10`. */
const filtersOf = ({ parameters }: Query) => parametersFromRecord(parameters).map((parameter) => parameter.join('='));

/** The first word is the name, unless it is a filter. */
function split([first, ...rest]: readonly string[]): { name: string | undefined; parameters: readonly Parameter[] } {
  if (first?.includes('=')) return { name: undefined, parameters: parseFilterWords([first, ...rest]) };
  return { name: first, parameters: parseFilterWords(rest) };
}

/**
 * The fields of a query, which is tried once if the dataset has data: a query that fails isn't saved.
 * @throws NotFoundError, ValidationError that say what to type instead
 */
async function queryFields(
  call: Call,
  catalogue: Catalogue,
  { dataset: name, version = 'latest' }: { readonly dataset: string; readonly version?: string },
  parameters: readonly Parameter[],
) {
  const dataset = await findEntityOrRenamed(call, catalogue, parseDatasetRef(name));
  const isNewest = version === 'latest' || version === '';
  const ref: VersionRef = {
    kind: 'version',
    namespace: dataset.namespace,
    dataset: dataset.slug,
    slug: isNewest ? 'latest' : version,
  };
  if (!isNewest) await resolveVersionRef(call, catalogue, ref);
  await catalogue.rows(ref, { parameters }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
    call.show.message(`The query was not tried: ${formatRef(ref)} has no rows that can be read.`);
  });
  return {
    dataset: formatRef(dataset),
    version: isNewest ? null : version,
    parameters: parametersToRecord(parameters),
  };
}

/**
 * Parameters as a query's record has them: a number as a number, several values of a name as a list.
 * @throws UsageError if a quote in a list of columns isn't closed
 */
function parametersToRecord(parameters: readonly Parameter[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown[]>();
  for (const [name, value] of parameters) values.set(name, [...(values.get(name) ?? []), plainValue(value)]);
  return Object.fromEntries(
    [...values].map(([name, list]) => {
      const [first, ...more] = list;
      if (more.length === 0) return [name, first];
      // Each item of a list in a record is one name.
      return [name, namesParameters.includes(name) ? list.flatMap((text) => splitNames(name, String(text))) : list];
    }),
  );
}

function splitNames(parameter: string, text: string): readonly string[] {
  try {
    return splitList(text);
  } catch (error) {
    throw error instanceof ParameterError ? new UsageError(`${parameter}: ${error.message}`) : error;
  }
}

/** A number or boolean if it is written back as it was typed, else the text: `007` and `1e3` stay texts. */
function plainValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

export const verbs = verbsOfNoun(query);
