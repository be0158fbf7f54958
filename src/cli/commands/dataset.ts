/** `catalogue dataset`: descriptions of published data. */
import { isDeepStrictEqual } from 'node:util';
import { Option } from 'commander';
import { parseDatasetRef, refFromSlug } from '../../catalogue/parse-ref.ts';
import { mergeReadingOptions } from '../../catalogue/reading.ts';
import { formatRef } from '../../catalogue/ref.ts';
import { representDataset } from '../../catalogue/represent.ts';
import type { Dataset, ReadingOptionChanges } from '../../catalogue/types.ts';
import { sentencesAboutDataset } from '../audience.ts';
import type { Call } from '../command.ts';
import { UsageError } from '../errors.ts';
import { inputFromOptions } from '../fields.ts';
import { findEntityOrRenamed, runWithNameSuggestions } from '../lookup.ts';
import type { Noun } from '../noun.ts';
import { verbsOfNoun } from '../noun-verbs.ts';
import { editorNote, renameOption } from '../options.ts';
import { readingOptions, readingOptionsFrom, type UploadOptions } from '../transfer/upload-options.ts';
import { typedCommand } from '../typed-command.ts';
import { assertLabelMakesSlug } from '../writes.ts';
import { showDataset } from './dataset-show.ts';

interface EditOptions extends UploadOptions {
  /** False to forget all options for reading. */
  readonly reading?: boolean;
}

const dataset: Noun<'dataset', EditOptions> = {
  kind: 'dataset',
  argument: 'dataset',
  parse: parseDatasetRef,
  represent: representDataset,
  ownInput(options) {
    const changes = readingOptionsFrom(options);
    const isChanged = Object.keys(changes).length > 0;
    if (options.reading === false && isChanged)
      throw new UsageError('Give options for reading or --no-reading, and not both.');
    if (options.reading === false) return { reading: null };
    return isChanged ? { reading: changes } : {};
  },
  add: {
    usage: 'add <name>',
    description: 'Add a dataset.',
    notes: 'The name is <namespace>/<dataset>. If only the namespace is given, the rest is made from the label.',
    examples: [
      'catalogue dataset add parks/trees --label Trees --keyword nature --licence CC-BY-4.0',
      'catalogue dataset add parks --label "Play grounds" --description-file about.md',
    ],
    async input(call, [name = ''], options) {
      const ref = name.includes('/') ? parseDatasetRef(name) : undefined;
      const namespace = ref?.namespace ?? refFromSlug('namespace', name).slug;
      if (!ref) await assertLabelMakesSlug(options.label ?? '', `catalogue dataset add ${name}/<dataset> --label …`);
      const fields = await inputFromOptions('dataset', { ...options }, call.context);
      const home = await findEntityOrRenamed(call, await call.open(), { kind: 'namespace', slug: namespace });
      return { ...fields, namespace: home.slug, ...(ref && { slug: ref.slug }) };
    },
  },
  list: {
    usage: 'list [namespace]',
    description: 'List the datasets of the catalogue, or of one namespace.',
    examples: [
      'catalogue dataset list',
      'catalogue dataset list parks --search oak --ordering -label',
      'catalogue dataset list --type geometry --licence CC0-1.0 --json',
    ],
    plural: 'datasets',
    headings: ['DATASET', 'LABEL', 'LICENCE', 'VERSIONS', 'UPDATED'],
    row(entity, { forPeople }) {
      const { label, licence, versions } = entity;
      const updated = versions[0]?.datetime ?? '';
      return [formatRef(entity), label, licence, String(versions.length), forPeople ? updated.slice(0, 10) : updated];
    },
  },
  show: {
    description: 'Show one dataset, with its columns and versions.',
    examples: ['catalogue dataset show parks/trees', 'catalogue dataset show parks/trees --json'],
    print: showDataset,
  },
  edit: {
    description: 'Edit a dataset. Only the fields that are given change.',
    notes:
      'The options for reading, --type to --strict, are those of the next version; those that are not given stay, and an ' +
      `empty value forgets one. ${editorNote}`,
    examples: [
      'catalogue dataset edit parks/trees',
      'catalogue dataset edit parks/trees --label "Street trees" --keyword nature --keyword trees',
      'catalogue dataset edit parks/trees --slug street-trees',
      'catalogue dataset edit parks/trees --namespace forests --dry-run',
      "catalogue dataset edit parks/trees --decimal , --type postcode=string --crs ''",
    ],
    options: () => [
      renameOption(),
      new Option('--namespace <name>', 'Move it to another namespace; the old address leads to the new one.'),
      ...readingOptions(),
      new Option('--no-reading', 'Forget all options for reading.').default(true, 'they stay'),
    ],
    async complete(call, catalogue, ref, input) {
      if (input.namespace !== undefined) {
        const home = refFromSlug('namespace', String(input.namespace));
        await runWithNameSuggestions(call, catalogue, home, () => catalogue.get<'namespace'>(home));
      }
      if (input.reading === undefined || input.reading === null) return input;
      const { reading } = await runWithNameSuggestions(call, catalogue, ref, () => catalogue.get<'dataset'>(ref));
      return { ...input, reading: mergeReadingOptions(reading, input.reading as ReadingOptionChanges) };
    },
    consequences: async (call, catalogue, { before, entity, input, dryRun }) => [
      ...(input.reading === undefined ? [] : sentencesAboutNextVersion(call, entity)),
      ...(await sentencesAboutDataset(call, catalogue, before, entity, dryRun ? before : entity)),
    ],
  },
  remove: {
    description: 'Remove a dataset, with all of its versions and their data.',
    examples: ['catalogue dataset remove parks/trees', 'catalogue dataset remove parks/trees --yes'],
    contents({ versions: { length } }) {
      return length === 0 ? '' : ` with ${length === 1 ? 'its version' : `its ${length} versions`} and the data`;
    },
  },
};

/** The sentence that other options for reading leave the data as they are, if there are some. */
function sentencesAboutNextVersion(call: Call, entity: Dataset): string[] {
  const newest = entity.versions.find(({ ready }) => ready);
  if (!newest || newest.rows === null || isDeepStrictEqual(newest.reading, entity.reading)) return [];
  const name = formatRef(entity);
  const download = typedCommand(call, `download ${name} --output FILE`);
  const publish = typedCommand(call, `publish FILE --to ${name}`);
  return [
    `These are the options of the next version. To read the file of the newest one by them: ${download}, and then ${publish}`,
  ];
}

export const verbs = verbsOfNoun(dataset);
