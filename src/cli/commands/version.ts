/** `catalogue version`: the data of a dataset, one snapshot after another. */
import { orderFields } from '../../catalogue/facets.ts';
import { formatRef, parseDatasetRef, parseVersionRef } from '../../catalogue/ref.ts';
import { representVersion } from '../../catalogue/represent.ts';
import type { Version } from '../../catalogue/types.ts';
import { collect } from '../collect.ts';
import type { Verb } from '../command.ts';
import { editorNote, editRecord, wantsEditor } from '../editing/edit-record.ts';
import { fieldOptions, inputFrom } from '../fields.ts';
import { linksOf, mustChange } from '../input.ts';
import { find, findVersion } from '../naming.ts';
import { dryRun, limit, ordering, yes } from '../options.ts';
import { momentText } from '../output/age.ts';
import { confirmRemoval, tell } from '../output/outcome.ts';
import type { Show } from '../output/show.ts';
import { bytesText, numberText } from '../output/sizes.ts';
import { rehearsal } from '../rehearsal.ts';
import { add } from './version-add.ts';

const list: Verb<{ ordering?: string; limit?: number }> = {
  usage: 'list <dataset>',
  description: 'List the versions of a dataset, the newest first.',
  examples: ['catalogue version list parks/trees', 'catalogue version list parks/trees --ordering -size --json'],
  options: () => [ordering(Object.keys(orderFields.version)), limit()],
  async run(call, [name = ''], options) {
    const { show } = call;
    const ref = parseDatasetRef(name);
    const catalogue = await call.open();
    const { namespace, slug } = await find(catalogue, ref, show);
    const question = { namespace, dataset: slug, ordering: options.ordering };
    const versions = await collect(catalogue, 'version', question, options.limit);
    if (show.asJson) show.json(versions.map((version) => representVersion(version, linksOf(catalogue))));
    else if (show.forPeople && versions.length === 0)
      show.message(`No versions. Add one with: catalogue version add ${namespace}/${slug} FILE`);
    else show.table(['VERSION', 'DATETIME', 'FORMAT', 'ROWS', 'SIZE', 'READY'], versions.map(row(show)));
    return 0;
  },
};

const row = (show: Show) => (version: Version) => [
  version.slug,
  show.forPeople ? version.datetime.slice(0, 16).replace('T', ' ') : version.datetime,
  version.format,
  String(version.rows ?? ''),
  sizeOf(show, version),
  version.ready ? 'yes' : 'no',
];

/** People read 1.2 MB, programs the number of bytes. */
const sizeOf = (show: Show, { size }: Version) =>
  size === null ? '' : show.forPeople ? bytesText(size) : String(size);

const countOf = (show: Show, count: number | null) =>
  count === null ? '' : show.forPeople ? numberText(count) : String(count);

const show: Verb = {
  usage: 'show <version>',
  description: 'Show one version; of a dataset, the newest that is ready.',
  examples: ['catalogue version show parks/trees', 'catalogue version show parks/trees@20200102030405000000 --json'],
  async run(call, [name = '']) {
    const catalogue = await call.open();
    const { version } = await findVersion(catalogue, parseVersionRef(name), call.show);
    const { show } = call;
    if (show.asJson) show.json(representVersion(version, linksOf(catalogue)));
    else
      show.fields([
        ['version', formatRef(version)],
        ['label', version.label],
        ['id', String(version.id)],
        ['datetime', show.forPeople ? momentText(version.datetime) : version.datetime],
        ['ready', version.ready ? 'yes' : 'no'],
        ['format', version.format],
        ['media_type', version.media_type],
        ['size', sizeOf(show, version)],
        ['rows', countOf(show, version.rows)],
        ['bbox', version.bbox?.join(', ') ?? ''],
        ['checksum', version.checksum],
        ['url', version.href],
        ['notes', version.notes],
      ]);
    return 0;
  },
};

const edit: Verb<{ dryRun?: boolean }> = {
  usage: 'edit <version>',
  description: 'Change the fields of a version that are given, and no others.',
  notes: `Its data never change: other data are another version. ${editorNote}`,
  examples: [
    'catalogue version edit parks/trees@latest',
    'catalogue version edit parks/trees@20200102030405000000 --ready false',
    'catalogue version edit parks/trees@latest --notes "Heights measured again"',
  ],
  options: () => [...fieldOptions('version', false), dryRun()],
  async run(call, [name = ''], options) {
    const asked = parseVersionRef(name);
    const input = await inputFrom('version', options, call.context);
    if (wantsEditor(call, input, options))
      return editRecord(call, asked, (it, catalogue) => representVersion(it, linksOf(catalogue)));
    mustChange(input);
    const catalogue = await call.open();
    const { ref } = await findVersion(catalogue, asked, call.show);
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const version = await writes.edit<'version'>(ref, input);
    const object = representVersion(version, linksOf(catalogue));
    tell(call, { done: ['Changed', 'change'], ref, object, dryRun: options.dryRun });
    return 0;
  },
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <version>',
  description: 'Remove a version and its data.',
  notes: 'To take it out of service and keep it: catalogue version edit <version> --ready false',
  examples: [
    'catalogue version remove parks/trees@20200102030405000000',
    'catalogue version remove parks/trees@latest --yes',
  ],
  options: () => [yes(), dryRun()],
  async run(call, [name = ''], options) {
    const asked = parseVersionRef(name);
    const catalogue = await call.open();
    const { ref } = await findVersion(catalogue, asked, call.show);
    if (!options.dryRun) {
      await confirmRemoval(call, `version ${formatRef(ref)} and its data`, options.yes);
      await catalogue.remove(ref);
    }
    tell(call, { done: ['Removed', 'remove'], ref, dryRun: options.dryRun });
    return 0;
  },
};

export const verbs: readonly Verb[] = [add, list, show, edit, remove];
