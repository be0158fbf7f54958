/** `catalogue query`: saved questions about datasets. */
import { Option } from 'commander';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { labelFor } from '../../catalogue/columns.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { formatRef, parseDatasetRef, parseSlug, type VersionRef } from '../../catalogue/ref.ts';
import { representQuery } from '../../catalogue/represent.ts';
import type { Call, Verb } from '../command.ts';
import { editorNote, editRecord, wantsEditor } from '../editing/edit-record.ts';
import { UsageError } from '../errors.ts';
import { fieldOptions, inputFrom } from '../fields.ts';
import { type Parameter, parametersFrom, parametersOf, recordFrom } from '../filters.ts';
import { linksOf, mustChange, mustGiveSlug } from '../input.ts';
import { find, findVersion, reach } from '../naming.ts';
import { dryRun, yes } from '../options.ts';
import { confirmRemoval, tell } from '../output/outcome.ts';
import { rehearsal } from '../rehearsal.ts';
import { claim, refFrom } from '../taken.ts';
import { list, show } from './query-list.ts';

interface Fields {
  readonly label?: string;
  readonly dataset?: string;
  readonly version?: string;
}

interface AddOptions extends Fields {
  readonly dryRun?: boolean;
}

const add: Verb<AddOptions> = {
  usage: 'add [query] [filters...]',
  description: 'Save a question about a dataset.',
  notes:
    'The filters are those of: catalogue data. Parameters such as _ordering=-height or _limit=10 are saved as well. ' +
    'Without a name, it gets the one that its label makes.',
  examples: [
    'catalogue query add tall-trees --dataset parks/trees height__gte=10 _ordering=-height',
    'catalogue query add --label "Tall trees" --dataset parks/trees height__gte=10',
  ],
  options: () => [...fieldOptions('query', false), dryRun()],
  async run(call, words, options) {
    const { name, parameters } = split(words);
    const label = options.label ?? (name === undefined ? undefined : labelFor(name));
    if (label === undefined) throw new UsageError('Name it: catalogue query add <query> …, or give it a --label');
    if (options.dataset === undefined)
      throw new UsageError('Say which dataset is asked: --dataset <namespace>/<dataset>');
    if (name === undefined) mustGiveSlug(label, 'catalogue query add <query> --label …');
    const slug = name === undefined ? {} : { slug: parseSlug('query', name).slug };
    const catalogue = await call.open();
    const fields = await questionFrom(call, catalogue, { ...options, dataset: options.dataset }, parameters);
    const input = { ...slug, ...(await inputFrom('query', { ...options }, call.context)), label, ...fields };
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const query = await claim(catalogue, refFrom('query', input), () => writes.create('query', input));
    const object = representQuery(query, linksOf(catalogue));
    tell(call, { done: ['Added', 'add'], ref: query, object, dryRun: options.dryRun });
    return 0;
  },
};

interface EditOptions extends Fields {
  readonly slug?: string;
  /** False with --no-filters. */
  readonly filters: boolean;
  readonly dryRun?: boolean;
}

const edit: Verb<EditOptions> = {
  usage: 'edit <query> [filters...]',
  description: 'Change the fields of a query that are given, and no others.',
  notes: `Filters that are given replace all of its filters. ${editorNote}`,
  examples: [
    'catalogue query edit tall-trees',
    'catalogue query edit tall-trees height__gte=20 --description "As high as a house"',
    'catalogue query edit tall-trees --version latest --slug high-trees',
  ],
  options: () => [
    ...fieldOptions('query', false),
    new Option('--slug <name>', 'Rename it; the old address leads to the new one.'),
    new Option('--no-filters', 'Take its filters away: it asks for all rows.').default(true, 'the filters stay'),
    dryRun(),
  ],
  async run(call, [name = '', ...words], options) {
    const ref = parseSlug('query', name);
    const { slug } = options;
    const given = parametersFrom(words);
    if (given.length && !options.filters) throw new UsageError('Give filters or --no-filters, and not both.');
    const touchesFilters = given.length > 0 || !options.filters;
    const touchesQuestion = touchesFilters || options.dataset !== undefined || options.version !== undefined;
    const texts = await inputFrom('query', { ...options }, call.context);
    const touched = { ...texts, ...(slug !== undefined && { slug }), ...(touchesQuestion && { parameters: {} }) };
    if (wantsEditor(call, touched, options))
      return editRecord(call, ref, (it, catalogue) => representQuery(it, linksOf(catalogue)));
    mustChange(touched);
    const catalogue = await call.open();
    const current = await reach(catalogue, ref, () => catalogue.get<'query'>(ref));
    const { dataset, version } = { dataset: current.dataset, version: current.version ?? 'latest', ...options };
    const parameters = touchesFilters ? given : parametersOf(current.parameters);
    const question = touchesQuestion ? await questionFrom(call, catalogue, { dataset, version }, parameters) : {};
    const input = { ...texts, ...question, ...(slug !== undefined && { slug }) };
    const target = slug === undefined ? ref : parseSlug('query', slug);
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const query = await claim(catalogue, target, () => writes.edit<'query'>(ref, input), ref);
    const object = representQuery(query, linksOf(catalogue));
    tell(call, { done: ['Changed', 'change'], ref, now: query, object, dryRun: options.dryRun });
    return 0;
  },
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <query>',
  description: 'Remove a query; the dataset stays.',
  examples: ['catalogue query remove tall-trees', 'catalogue query remove tall-trees --yes'],
  options: () => [yes(), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseSlug('query', name);
    const catalogue = await call.open();
    await reach(catalogue, ref, () => catalogue.get<'query'>(ref));
    if (!options.dryRun) {
      await confirmRemoval(call, `query ${formatRef(ref)}`, options.yes);
      await catalogue.remove(ref);
    }
    tell(call, { done: ['Removed', 'remove'], ref, dryRun: options.dryRun });
    return 0;
  },
};

/** The first word is the name, unless it is a filter already. */
function split(words: readonly (string | undefined)[]): { name: string | undefined; parameters: readonly Parameter[] } {
  const [first, ...rest] = words;
  if (first === undefined || first.includes('='))
    return { name: undefined, parameters: parametersFrom(first === undefined ? [] : words) };
  return { name: first, parameters: parametersFrom(rest) };
}

/**
 * The question itself, tried once where its data are there: nobody should save one that can't be answered.
 * @throws NotFoundError, ValidationError that say what to type instead
 */
async function questionFrom(
  { show }: Call,
  catalogue: Catalogue,
  { dataset: name, version = 'latest' }: { readonly dataset: string; readonly version?: string },
  parameters: readonly Parameter[],
) {
  const dataset = await find(catalogue, parseDatasetRef(name), show);
  const isNewest = version === 'latest' || version === '';
  const ref: VersionRef = {
    kind: 'version',
    namespace: dataset.namespace,
    dataset: dataset.slug,
    slug: isNewest ? 'latest' : version,
  };
  if (!isNewest) await findVersion(catalogue, ref, show);
  await catalogue.rows(ref, { parameters }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
    show.message(`The question was not tried: ${formatRef(ref)} has no rows that can be read.`);
  });
  return { dataset: formatRef(dataset), version: isNewest ? null : version, parameters: recordFrom(parameters) };
}

export const verbs = [add, list, show, edit, remove] as readonly Verb[];
