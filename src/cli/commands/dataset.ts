/** `catalogue dataset`: what is published. */
import { Option } from 'commander';
import { formatRef, parseDatasetRef, parseSlug } from '../../catalogue/ref.ts';
import { representDataset } from '../../catalogue/represent.ts';
import type { Verb } from '../command.ts';
import { editorNote, editRecord, wantsEditor } from '../editing/edit-record.ts';
import { fieldOptions, inputFrom } from '../fields.ts';
import { linksOf, mustChange, mustGiveSlug } from '../input.ts';
import { find, reach } from '../naming.ts';
import { dryRun, yes } from '../options.ts';
import { confirmRemoval, tell } from '../output/outcome.ts';
import { rehearsal } from '../rehearsal.ts';
import { claim, refFrom } from '../taken.ts';
import { list } from './dataset-list.ts';
import { showDataset } from './dataset-show.ts';

const add: Verb<{ label: string; dryRun?: boolean }> = {
  usage: 'add <name>',
  description: 'Add a dataset.',
  notes: 'Its name is <namespace>/<dataset>; with the namespace alone, it gets the name that its label makes.',
  examples: [
    'catalogue dataset add parks/trees --label Trees --keyword nature --licence CC-BY-4.0',
    'catalogue dataset add parks --label "Play grounds" --description-file about.md',
  ],
  options: () => [...fieldOptions('dataset', true), dryRun()],
  async run(call, [name = ''], options) {
    const dataset = name.includes('/') ? parseDatasetRef(name) : undefined;
    const namespace = dataset?.namespace ?? parseSlug('namespace', name).slug;
    if (!dataset) mustGiveSlug(options.label, `catalogue dataset add ${name}/<dataset> --label …`);
    const fields = await inputFrom('dataset', options, call.context);
    const catalogue = await call.open();
    const home = await find(catalogue, { kind: 'namespace', slug: namespace }, call.show);
    const input = { ...fields, namespace: home.slug, ...(dataset && { slug: dataset.slug }) };
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const added = await claim(catalogue, refFrom('dataset', input), () => writes.create('dataset', input));
    const object = representDataset(added, linksOf(catalogue));
    tell(call, { done: ['Added', 'add'], ref: added, object, dryRun: options.dryRun });
    return 0;
  },
};

const show: Verb = {
  usage: 'show <dataset>',
  description: 'Show one dataset, with its columns and versions.',
  examples: ['catalogue dataset show parks/trees', 'catalogue dataset show parks/trees --json'],
  async run(call, [name = '']) {
    const ref = parseDatasetRef(name);
    const catalogue = await call.open();
    const dataset = await find(catalogue, ref, call.show);
    if (call.show.asJson) call.show.json(representDataset(dataset, linksOf(catalogue)));
    else showDataset(call.show, dataset);
    return 0;
  },
};

const edit: Verb<{ slug?: string; namespace?: string; dryRun?: boolean }> = {
  usage: 'edit <dataset>',
  description: 'Change the fields of a dataset that are given, and no others.',
  notes: editorNote,
  examples: [
    'catalogue dataset edit parks/trees',
    'catalogue dataset edit parks/trees --label "Street trees" --keyword nature --keyword trees',
    'catalogue dataset edit parks/trees --slug street-trees',
    'catalogue dataset edit parks/trees --namespace forests --dry-run',
  ],
  options: () => [
    ...fieldOptions('dataset', false),
    new Option('--slug <name>', 'Rename it; the old address leads to the new one.'),
    new Option('--namespace <name>', 'Move it to another namespace; the old address leads to the new one.'),
    dryRun(),
  ],
  async run(call, [name = ''], options) {
    const ref = parseDatasetRef(name);
    const { slug, namespace } = options;
    const input = {
      ...(await inputFrom('dataset', options, call.context)),
      ...(slug !== undefined && { slug }),
      ...(namespace !== undefined && { namespace }),
    };
    if (wantsEditor(call, input, options))
      return editRecord(call, ref, (it, catalogue) => representDataset(it, linksOf(catalogue)));
    mustChange(input);
    const catalogue = await call.open();
    if (namespace !== undefined) {
      const home = parseSlug('namespace', namespace);
      await reach(catalogue, home, () => catalogue.get<'namespace'>(home));
    }
    const target = parseDatasetRef(`${namespace ?? ref.namespace}/${slug ?? ref.slug}`);
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const dataset = await reach(catalogue, ref, () =>
      claim(catalogue, target, () => writes.edit<'dataset'>(ref, input), ref),
    );
    const object = representDataset(dataset, linksOf(catalogue));
    tell(call, { done: ['Changed', 'change'], ref, now: dataset, object, dryRun: options.dryRun });
    return 0;
  },
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <dataset>',
  description: 'Remove a dataset, with all of its versions and their data.',
  examples: ['catalogue dataset remove parks/trees', 'catalogue dataset remove parks/trees --yes'],
  options: () => [yes(), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseDatasetRef(name);
    const catalogue = await call.open();
    const { versions } = await reach(catalogue, ref, () => catalogue.get<'dataset'>(ref));
    if (!options.dryRun) {
      const count = versions.length;
      const contents = count ? ` with ${count === 1 ? 'its version' : `its ${count} versions`} and the data` : '';
      await confirmRemoval(call, `dataset ${formatRef(ref)}${contents}`, options.yes);
      await catalogue.remove(ref);
    }
    tell(call, { done: ['Removed', 'remove'], ref, dryRun: options.dryRun });
    return 0;
  },
};

export const verbs: readonly Verb[] = [add, list, show, edit, remove];
