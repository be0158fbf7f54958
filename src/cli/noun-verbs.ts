/** The verbs add, list, show, edit and remove, made from the description of a noun. */
import type { CreatableKind, WritableKind } from '../catalogue/catalogue.ts';
import { orderFields } from '../catalogue/filters.ts';
import { refFromSlug } from '../catalogue/parse-ref.ts';
import { formatRef } from '../catalogue/ref.ts';
import type { Entities } from '../catalogue/types.ts';
import type { Verb } from './command.ts';
import { fieldOptions, fieldValueTexts, filterOptions, filtersFromOptions } from './fields.ts';
import { findEntityOrRenamed, listEntities, runWithNameSuggestions } from './lookup.ts';
import type { Noun, NounOptions, RecordNoun } from './noun.ts';
import { dryRunOption, limitOption, orderingOption, searchOption, yesOption } from './options.ts';
import { linksOfCatalogue } from './output/outcome.ts';

/** The verbs of a noun, in the order of its help. */
export const verbsOfNoun = <K extends CreatableKind, Own extends object>(noun: Noun<K, Own>): readonly Verb[] => [
  addVerb(noun),
  listVerb(noun),
  showVerb(noun),
  editVerb(noun),
  removeVerb(noun),
];

function addVerb<K extends CreatableKind, Own extends object>(noun: Noun<K, Own>): Verb<Own & NounOptions> {
  const { kind, add } = noun;
  return {
    usage: `add <${noun.argument}>`,
    ...add,
    options: () => [
      ...fieldOptions(kind, !add.isPartial),
      ...(noun.options?.() ?? []),
      ...(add.options?.() ?? []),
      dryRunOption(),
    ],
    async run(...call) {
      const { addRecord } = await loadWrites();
      return addRecord(noun, ...call);
    },
  };
}

function listVerb<K extends CreatableKind, Own extends object>({
  kind,
  represent,
  list,
}: Noun<K, Own>): Verb<NounOptions> {
  return {
    usage: 'list',
    ...list,
    options: () => [
      searchOption(),
      ...filterOptions(kind),
      orderingOption([...Object.keys(orderFields[kind]), 'relevance']),
      limitOption(),
    ],
    async run(call, [name], options) {
      const { show } = call;
      const home = name === undefined ? undefined : refFromSlug('namespace', name);
      const listOptions = {
        search: options.search,
        ordering: options.ordering,
        filters: filtersFromOptions(kind, { ...options }),
        namespace: home?.slug,
      };
      const catalogue = await call.open();
      const read = () => listEntities(catalogue, kind, listOptions, options.limit);
      const found = await (home ? runWithNameSuggestions(call, catalogue, home, read) : read());
      if (show.asJson) show.json(found.map((entity) => represent(entity, linksOfCatalogue(catalogue))));
      else if (show.forPeople && found.length === 0) show.message(`No ${list.plural}.`);
      else
        show.table(
          list.headings,
          found.map((entity) => list.row(entity, show)),
        );
      return 0;
    },
  };
}

export function showVerb<K extends WritableKind, Own extends object>(noun: RecordNoun<K, Own>): Verb {
  return {
    usage: `show <${noun.argument}>`,
    ...noun.show,
    async run(call, [name = '']) {
      const { show } = call;
      const ref = noun.parse(name);
      const catalogue = await call.open();
      const entity = await findEntityOrRenamed(call, catalogue, ref);
      if (show.asJson) show.json(noun.represent(entity, linksOfCatalogue(catalogue)));
      else if (noun.show.print) await noun.show.print(call, entity, catalogue);
      else show.fields(entityFieldLines(noun.kind, entity));
      return 0;
    },
  };
}

export function editVerb<K extends WritableKind, Own extends object>(
  noun: RecordNoun<K, Own>,
): Verb<Own & NounOptions> {
  const { kind, edit } = noun;
  return {
    usage: `edit <${noun.argument}>`,
    ...edit,
    options: () => [
      ...fieldOptions(kind, false),
      ...(noun.options?.() ?? []),
      ...(edit.options?.() ?? []),
      dryRunOption(),
    ],
    async run(...call) {
      const { editRecordFields } = await loadWrites();
      return editRecordFields(noun, ...call);
    },
  };
}

export function removeVerb<K extends WritableKind, Own extends object>(noun: RecordNoun<K, Own>): Verb<NounOptions> {
  return {
    usage: `remove <${noun.argument}>`,
    ...noun.remove,
    options: () => [yesOption(), dryRunOption()],
    async run(...call) {
      const { removeRecord } = await loadWrites();
      return removeRecord(noun, ...call);
    },
  };
}

/** The lines of `show`: the name, the fields that people look for first, and the others in the order of the table of fields. */
export function entityFieldLines<K extends WritableKind>(
  kind: K,
  entity: Entities[K],
): readonly (readonly [string, string])[] {
  const texts = fieldValueTexts(kind, entity);
  const first = ['label', 'id', 'description', 'keywords'].filter((name) => texts.has(name));
  const others = [...texts.keys()].filter((name) => !first.includes(name));
  return [[kind, formatRef(entity)], ...[...first, ...others].map((name) => [name, texts.get(name) ?? ''] as const)];
}

/** What writes records: reading and listing them, which most commands do, needs none of it. */
const loadWrites = () => import('./noun-writes.ts');
