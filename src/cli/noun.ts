/** Nouns as data: the verbs add, list, show, edit and remove, made from the description of a noun. */
import type { Option } from 'commander';
import type { Catalogue, CreatableKind, Input, WritableKind } from '../catalogue/catalogue.ts';
import { orderFields } from '../catalogue/filters.ts';
import { refFromSlug } from '../catalogue/parse-ref.ts';
import { formatRef, type Refs } from '../catalogue/ref.ts';
import type { Entities } from '../catalogue/types.ts';
import type { Links } from '../catalogue/urls.ts';
import type { Call, Verb } from './command.ts';
import { editRecordUntilSaved, wantsEditor } from './editing/edit-record.ts';
import { fieldOptions, fieldValueTexts, filterOptions, filtersFromOptions, inputFromOptions } from './fields.ts';
import { findEntityOrRenamed, listEntities, runWithNameSuggestions } from './lookup.ts';
import { dryRunOption, limitOption, orderingOption, searchOption, yesOption } from './options.ts';
import { confirmRemoval, linksOfCatalogue, showOutcome } from './output/outcome.ts';
import type { Output } from './output/show.ts';
import {
  assertInputNotEmpty,
  assertLabelMakesSlug,
  createEntity,
  editEntityFields,
  removeEntity,
  warnOfDoubtfulValues,
} from './writes.ts';

/** Options of these verbs, besides those of the record's fields. */
interface Options {
  readonly label?: string;
  readonly slug?: string;
  readonly namespace?: string;
  readonly search?: string;
  readonly ordering?: string;
  readonly limit?: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** The help of a verb. */
interface Help {
  /** Default: the verb, and for all but list the noun's argument. */
  readonly usage?: string;
  readonly description: string;
  readonly notes?: string;
  readonly examples: readonly string[];
}

/** A noun whose records are shown, edited and removed. `Own` are the options that only this noun has. */
export interface RecordNoun<K extends WritableKind, Own extends object = object> {
  readonly kind: K;
  /** The argument's name in usage lines. */
  readonly argument: string;
  /** @throws ValidationError where the text can't be the name of such a record */
  parse(name: string): Refs[K];
  /** Finds the record itself where a name may stand for another, such as `latest`. */
  resolve?(catalogue: Catalogue, ref: Refs[K], show: Output): Promise<Refs[K]>;
  /** The API's object. */
  represent(entity: Entities[K], links: Links): unknown;
  /** Options of add and edit that aren't fields of the record's schema, such as --member. */
  options?(): readonly Option[];
  /** Reads those options and the words behind the name. @returns fields of the input */
  ownInput?(options: Own, words: readonly string[]): Input;
  readonly show: Help & {
    /** Shows a record to people and programs. Default: the lines of its fields. */
    print?(show: Output, entity: Entities[K], catalogue: Catalogue): void | Promise<void>;
  };
  readonly edit: Help & {
    /** Options that only edit has, such as --slug. */
    options?(): readonly Option[];
    /** Checks or completes the fields given, with a look into the catalogue. */
    complete?(call: Call, catalogue: Catalogue, ref: Refs[K], input: Input): Promise<Input>;
  };
  readonly remove: Help & {
    /** The parts that are removed with the record, for the confirmation question: ` with password and tokens`. */
    contents?(entity: Entities[K]): string;
  };
}

/** A noun whose records are also added and listed. */
export interface Noun<K extends CreatableKind, Own extends object = object> extends RecordNoun<K, Own> {
  readonly add: Help & {
    /** Options that only add has. */
    options?(): readonly Option[];
    /** True if no field is mandatory on the command line, since `input` derives or checks them. */
    readonly isPartial?: boolean;
    /** Makes all fields. Default: the name, unless the label makes it, and the fields given. */
    input?(call: Call, words: readonly string[], options: Own & Options): Promise<Input>;
  };
  readonly list: Help & {
    /** The noun in the plural: `namespaces`. */
    readonly plural: string;
    readonly headings: readonly string[];
    row(entity: Entities[K], show: Output): readonly string[];
  };
}

/** The verbs of a noun, in the order of its help. */
export const verbsOfNoun = <K extends CreatableKind, Own extends object>(noun: Noun<K, Own>): readonly Verb[] => [
  addVerb(noun),
  listVerb(noun),
  showVerb(noun),
  editVerb(noun),
  removeVerb(noun),
];

function addVerb<K extends CreatableKind, Own extends object>(noun: Noun<K, Own>): Verb<Own & Options> {
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
    async run(call, args, options) {
      const input = await (add.input ?? newInput)(call, wordsOf(args), options);
      const catalogue = await call.open();
      const entity = await createEntity(catalogue, kind, input, options);
      const object = noun.represent(entity, linksOfCatalogue(catalogue));
      showOutcome(call, { done: ['Added', 'add'], ref: entity, object, dryRun: options.dryRun });
      await warnOfDoubtfulValues(call.show, kind, input);
      return 0;
    },
  };

  async function newInput(call: Call, [name, ...words]: readonly string[], options: Own & Options): Promise<Input> {
    const slug = name === undefined ? {} : { slug: noun.parse(name).slug };
    if (name === undefined)
      await assertLabelMakesSlug(options.label ?? '', `catalogue ${kind} add <${noun.argument}> --label …`);
    return { ...slug, ...(await givenInput(noun, call, options, words)) };
  }
}

function listVerb<K extends CreatableKind, Own extends object>({ kind, represent, list }: Noun<K, Own>): Verb<Options> {
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
      const found = await (home ? runWithNameSuggestions(catalogue, home, read) : read());
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
    async run({ open, show }, [name = '']) {
      const ref = noun.parse(name);
      const catalogue = await open();
      const entity = await findEntityOrRenamed(catalogue, ref, show);
      if (show.asJson) show.json(noun.represent(entity, linksOfCatalogue(catalogue)));
      else if (noun.show.print) await noun.show.print(show, entity, catalogue);
      else show.fields(entityFieldLines(noun.kind, entity));
      return 0;
    },
  };
}

export function editVerb<K extends WritableKind, Own extends object>(noun: RecordNoun<K, Own>): Verb<Own & Options> {
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
    async run(call, args, options) {
      const [name = '', ...words] = wordsOf(args);
      const requested = noun.parse(name);
      const { slug, namespace } = options;
      const moved = { ...(slug !== undefined && { slug }), ...(namespace !== undefined && { namespace }) };
      const given = { ...(await givenInput(noun, call, options, words)), ...moved };
      if (wantsEditor(call, given, options))
        return editRecordUntilSaved(call, requested, (entity, catalogue) =>
          noun.represent(entity, linksOfCatalogue(catalogue)),
        );
      assertInputNotEmpty(given);
      noun.parse(formatRef({ ...requested, ...moved }));
      const catalogue = await call.open();
      const ref = (await noun.resolve?.(catalogue, requested, call.show)) ?? requested;
      const input = (await edit.complete?.(call, catalogue, ref, given)) ?? given;
      const entity = await editEntityFields(catalogue, ref, input, options);
      const object = noun.represent(entity, linksOfCatalogue(catalogue));
      showOutcome(call, { done: ['Changed', 'change'], ref, now: entity, object, dryRun: options.dryRun });
      await warnOfDoubtfulValues(call.show, kind, input);
      return 0;
    },
  };
}

export function removeVerb<K extends WritableKind, Own extends object>(noun: RecordNoun<K, Own>): Verb<Options> {
  return {
    usage: `remove <${noun.argument}>`,
    ...noun.remove,
    options: () => [yesOption(), dryRunOption()],
    async run(call, [name = ''], options) {
      const requested = noun.parse(name);
      const catalogue = await call.open();
      const ref = (await noun.resolve?.(catalogue, requested, call.show)) ?? requested;
      // Before the question: nobody is asked about a removal that would be refused.
      if (options.dryRun || !options.yes) await removeEntity(catalogue, ref, { dryRun: true });
      if (!options.dryRun) {
        const entity = await runWithNameSuggestions(catalogue, ref, () => catalogue.get<K>(ref));
        const contents = noun.remove.contents?.(entity) ?? '';
        await confirmRemoval(call, `${ref.kind} ${formatRef(ref)}${contents}`, options.yes);
        await removeEntity(catalogue, ref);
      }
      showOutcome(call, { done: ['Removed', 'remove'], ref, dryRun: options.dryRun });
      return 0;
    },
  };
}

/** The fields that options and words give. */
async function givenInput<K extends WritableKind, Own extends object>(
  noun: RecordNoun<K, Own>,
  call: Call,
  options: Own,
  words: readonly string[],
): Promise<Input> {
  return {
    ...(await inputFromOptions(noun.kind, options as Readonly<Record<string, unknown>>, call.context)),
    ...noun.ownInput?.(options, words),
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

const wordsOf = (args: readonly (string | undefined)[]) => args.filter((word) => word !== undefined);
