/** `catalogue version`: the data of a dataset, one snapshot after another. */
import { orderFields } from '../../catalogue/filters.ts';
import { numberText } from '../../catalogue/number-text.ts';
import { parseDatasetRef, parseVersionRef } from '../../catalogue/parse-ref.ts';
import { readingText } from '../../catalogue/reading.ts';
import { formatRef } from '../../catalogue/ref.ts';
import { representVersion } from '../../catalogue/represent.ts';
import type { Version } from '../../catalogue/types.ts';
import type { Verb } from '../command.ts';
import { findEntityOrRenamed, listEntities, resolveVersionRef } from '../lookup.ts';
import type { RecordNoun } from '../noun.ts';
import { editVerb, removeVerb, showVerb } from '../noun-verbs.ts';
import { dryRunOption, editorNote, limitOption, orderingOption } from '../options.ts';
import { metadataForDisplay } from '../output/metadata.ts';
import { linksOfCatalogue } from '../output/outcome.ts';
import { bytesText, momentText } from '../output/quantities.ts';
import type { Output } from '../output/show.ts';
import {
  openUploadSource,
  reportColumnChanges,
  showPublishedVersion,
  showUploadDryRun,
  uploadVersion,
} from '../transfer/upload.ts';
import {
  readableFormats,
  readingOptions,
  readingOptionsFrom,
  type UploadOptions,
  uploadDetails,
  uploadOptions,
  versionFieldOptions,
} from '../transfer/upload-options.ts';
import { typedCommand } from '../typed-command.ts';

interface AddOptions extends UploadOptions {
  readonly label?: string;
  readonly notes?: string;
  readonly metadata?: string;
  readonly dryRun?: boolean;
}

const add: Verb<AddOptions> = {
  usage: 'add <dataset> <file>',
  description: 'Add a version: a file with the newest data of a dataset.',
  notes:
    `The file - is stdin. ${readableFormats} ` +
    'Descriptions of columns stay, also while a version lacks the column. If the bytes are those of the newest ' +
    'version, nothing is added. A version that would lose all rows or columns is refused. Ctrl-C stops the upload, and ' +
    'nothing of it is kept.',
  examples: [
    'catalogue version add parks/trees trees.csv',
    'catalogue version add parks/trees trees.csv --notes "Counted again" --dry-run',
    'catalogue version add parks/trees - --name trees.geojson',
    'catalogue version add parks/trees trees.csv --draft',
  ],
  options: () => [...versionFieldOptions(), ...uploadOptions(), ...readingOptions(), dryRunOption()],
  async run(call, [name = '', file = ''], options) {
    const ref = parseDatasetRef(name);
    const catalogue = await call.open();
    const dataset = await findEntityOrRenamed(call, catalogue, ref);
    const reading = readingOptionsFrom(options);
    const source = await openUploadSource(call.context, file, options.name);
    const { label, notes, metadata } = options;
    const fields = { label, notes, metadata, reading, ...uploadDetails(options) };
    const published = await uploadVersion(call, catalogue, dataset, source, fields, options);
    if (options.dryRun) showUploadDryRun(call, dataset, published);
    else {
      showPublishedVersion(call, catalogue, published);
      await reportColumnChanges(call, catalogue, published);
    }
    return 0;
  },
};

const list: Verb<{ ordering?: string; limit?: number }> = {
  usage: 'list <dataset>',
  description: 'List the versions of a dataset, the newest first.',
  examples: ['catalogue version list parks/trees', 'catalogue version list parks/trees --ordering -size --json'],
  options: () => [orderingOption(Object.keys(orderFields.version)), limitOption()],
  async run(call, [name = ''], options) {
    const { show } = call;
    const ref = parseDatasetRef(name);
    const catalogue = await call.open();
    const { namespace, slug } = await findEntityOrRenamed(call, catalogue, ref);
    const listOptions = { namespace, dataset: slug, ordering: options.ordering };
    const versions = await listEntities(catalogue, 'version', listOptions, options.limit);
    if (show.asJson) show.json(versions.map((version) => representVersion(version, linksOfCatalogue(catalogue))));
    else if (show.forPeople && versions.length === 0)
      show.message(`No versions. Add one with: ${typedCommand(call, `version add ${namespace}/${slug} FILE`)}`);
    else show.table(['VERSION', 'DATETIME', 'FORMAT', 'ROWS', 'SIZE', 'READY'], versions.map(row(show)));
    return 0;
  },
};

const row = (show: Output) => (version: Version) => [
  version.slug,
  show.forPeople ? version.datetime.slice(0, 16).replace('T', ' ') : version.datetime,
  version.format,
  String(version.rows ?? ''),
  numberFor(show, version.size, bytesText),
  version.ready ? 'yes' : 'no',
];

/** A number as people read it, such as 1.2 MB; programs get the digits. */
const numberFor = ({ forPeople }: Output, number: number | null, textOf: (number: number) => string) =>
  number === null ? '' : forPeople ? textOf(number) : String(number);

const version: RecordNoun<'version'> = {
  kind: 'version',
  argument: 'version',
  parse: parseVersionRef,
  resolve: async (call, catalogue, ref) => (await resolveVersionRef(call, catalogue, ref)).ref,
  represent: representVersion,
  show: {
    description: 'Show one version; for a dataset, the newest that is ready.',
    examples: ['catalogue version show parks/trees', 'catalogue version show parks/trees@20200102030405000000 --json'],
    print: ({ show }, it) =>
      show.fields([
        ['version', formatRef(it)],
        ['label', it.label],
        ['id', String(it.id)],
        ['datetime', show.forPeople ? momentText(it.datetime) : it.datetime],
        ['ready', it.ready ? 'yes' : 'no'],
        ['format', it.format],
        ['media_type', it.media_type],
        ['size', numberFor(show, it.size, bytesText)],
        ['rows', numberFor(show, it.rows, numberText)],
        ['bbox', it.bbox?.join(', ') ?? ''],
        ['reading', readingText(it.reading)],
        ['metadata', metadataForDisplay(it.metadata, show.forPeople)],
        ['checksum', it.checksum],
        ['url', it.href],
        ['notes', it.notes],
      ]),
  },
  edit: {
    description: 'Edit a version. Only the fields that are given change.',
    notes: `The data of a version can't be changed: add another version. ${editorNote}`,
    examples: [
      'catalogue version edit parks/trees@latest',
      'catalogue version edit parks/trees@20200102030405000000 --ready false',
      'catalogue version edit parks/trees@latest --notes "Heights measured again"',
    ],
  },
  remove: {
    description: 'Remove a version and its data.',
    notes: 'To withdraw a version without removing it: catalogue version edit <version> --ready false',
    examples: [
      'catalogue version remove parks/trees@20200102030405000000',
      'catalogue version remove parks/trees@latest --yes',
    ],
    contents: () => ' and its data',
  },
};

export const verbs = [add, list, showVerb(version), editVerb(version), removeVerb(version)] as readonly Verb[];
