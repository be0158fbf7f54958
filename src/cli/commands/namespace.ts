/** `catalogue namespace`: who publishes. */
import { Option } from 'commander';
import { orderFields } from '../../catalogue/facets.ts';
import { parseSlug } from '../../catalogue/ref.ts';
import { representNamespace } from '../../catalogue/represent.ts';
import type { Namespace } from '../../catalogue/types.ts';
import { collect } from '../collect.ts';
import type { Verb } from '../command.ts';
import { editorNote, editRecord, wantsEditor } from '../editing/edit-record.ts';
import { fieldOptions, filterOptions, filtersFrom, inputFrom } from '../fields.ts';
import { linksOf, mustChange, mustGiveSlug } from '../input.ts';
import { find, reach } from '../naming.ts';
import { dryRun, limit, ordering, search, yes } from '../options.ts';
import { confirmRemoval, tell } from '../output/outcome.ts';
import { rehearsal } from '../rehearsal.ts';
import { claim, refFrom } from '../taken.ts';

const add: Verb<{ label: string; dryRun?: boolean }> = {
  usage: 'add [namespace]',
  description: 'Add a namespace.',
  notes: 'Without a name, it gets the one that its label makes.',
  examples: [
    'catalogue namespace add parks --label "Parks department"',
    'catalogue namespace add --label "Parks department" --owner gardeners',
  ],
  options: () => [...fieldOptions('namespace', true), dryRun()],
  async run(call, [name], options) {
    const slug = name === undefined ? {} : { slug: parseSlug('namespace', name).slug };
    if (name === undefined) mustGiveSlug(options.label, 'catalogue namespace add <namespace> --label …');
    const input = { ...slug, ...(await inputFrom('namespace', options, call.context)) };
    const catalogue = await call.open();
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const namespace = await claim(catalogue, refFrom('namespace', input), () => writes.create('namespace', input));
    const object = representNamespace(namespace, linksOf(catalogue));
    tell(call, { done: ['Added', 'add'], ref: namespace, object, dryRun: options.dryRun });
    return 0;
  },
};

const list: Verb<{ search?: string; ordering?: string; limit?: number }> = {
  usage: 'list',
  description: 'List the namespaces.',
  examples: ['catalogue namespace list', 'catalogue namespace list --search park --json'],
  options: () => [search(), ...filterOptions('namespace'), ordering(Object.keys(orderFields.namespace)), limit()],
  async run(call, _args, options) {
    const { show } = call;
    const catalogue = await call.open();
    const filters = filtersFrom('namespace', { ...options });
    const question = { search: options.search, ordering: options.ordering, filters };
    const namespaces = await collect(catalogue, 'namespace', question, options.limit);
    if (show.asJson) show.json(namespaces.map((namespace) => representNamespace(namespace, linksOf(catalogue))));
    else if (show.forPeople && namespaces.length === 0) show.message('No namespaces.');
    else show.table(['NAMESPACE', 'LABEL', 'VISIBILITY', 'OWNERS'], namespaces.map(row));
    return 0;
  },
};

const row = ({ slug, label, visibility, owners }: Namespace) => [slug, label, visibility, owners.join(', ')];

const show: Verb = {
  usage: 'show <namespace>',
  description: 'Show one namespace.',
  examples: ['catalogue namespace show parks'],
  async run(call, [name = '']) {
    const catalogue = await call.open();
    const namespace = await find(catalogue, parseSlug('namespace', name), call.show);
    if (call.show.asJson) call.show.json(representNamespace(namespace, linksOf(catalogue)));
    else
      call.show.fields([
        ['namespace', namespace.slug],
        ['label', namespace.label],
        ['id', String(namespace.id)],
        ['description', namespace.description],
        ['visibility', namespace.visibility],
        ['owners', namespace.owners.join(', ')],
      ]);
    return 0;
  },
};

const edit: Verb<{ dryRun?: boolean; slug?: string }> = {
  usage: 'edit <namespace>',
  description: 'Change the fields of a namespace that are given, and no others.',
  notes: editorNote,
  examples: [
    'catalogue namespace edit parks',
    'catalogue namespace edit parks --description "All that is green"',
    'catalogue namespace edit parks --slug gardens',
  ],
  options: () => [
    ...fieldOptions('namespace', false),
    new Option('--slug <name>', 'Rename it; the old address leads to the new one.'),
    dryRun(),
  ],
  async run(call, [name = ''], options) {
    const ref = parseSlug('namespace', name);
    const { slug } = options;
    const input = { ...(await inputFrom('namespace', options, call.context)), ...(slug !== undefined && { slug }) };
    if (wantsEditor(call, input, options))
      return editRecord(call, ref, (it, catalogue) => representNamespace(it, linksOf(catalogue)));
    mustChange(input);
    const catalogue = await call.open();
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const target = slug === undefined ? ref : parseSlug('namespace', slug);
    const namespace = await reach(catalogue, ref, () =>
      claim(catalogue, target, () => writes.edit<'namespace'>(ref, input), ref),
    );
    const object = representNamespace(namespace, linksOf(catalogue));
    tell(call, { done: ['Changed', 'change'], ref, now: namespace, object, dryRun: options.dryRun });
    return 0;
  },
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <namespace>',
  description: 'Remove a namespace that has no datasets.',
  examples: ['catalogue namespace remove parks', 'catalogue namespace remove parks --yes'],
  options: () => [yes(), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseSlug('namespace', name);
    const catalogue = await call.open();
    // Nobody should be asked about what can't be done anyway.
    if (options.dryRun || !options.yes) await reach(catalogue, ref, () => rehearsal(catalogue).remove(ref));
    if (!options.dryRun) {
      await confirmRemoval(call, `namespace ${ref.slug}`, options.yes);
      await reach(catalogue, ref, () => catalogue.remove(ref));
    }
    tell(call, { done: ['Removed', 'remove'], ref, dryRun: options.dryRun });
    return 0;
  },
};

export const verbs: readonly Verb[] = [add, list, show, edit, remove];
