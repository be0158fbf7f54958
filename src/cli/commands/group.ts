/** `catalogue group`: who owns namespaces together. */
import { Option } from 'commander';
import { orderFields } from '../../catalogue/facets.ts';
import { parseSlug } from '../../catalogue/ref.ts';
import { representGroup } from '../../catalogue/represent.ts';
import type { Group } from '../../catalogue/types.ts';
import { collect } from '../collect.ts';
import type { Verb } from '../command.ts';
import { editorNote, editRecord, wantsEditor } from '../editing/edit-record.ts';
import { fieldOptions, inputFrom } from '../fields.ts';
import { linksOf, mustChange, mustGiveSlug } from '../input.ts';
import { find, reach } from '../naming.ts';
import { dryRun, limit, ordering, search, yes } from '../options.ts';
import { confirmRemoval, tell } from '../output/outcome.ts';
import { rehearsal } from '../rehearsal.ts';
import { claim, refFrom } from '../taken.ts';

const add: Verb<{ label: string; dryRun?: boolean }> = {
  usage: 'add [group]',
  description: 'Add a group.',
  notes:
    'Without a name, it gets the one that its label makes. Namespaces are given to it with: catalogue namespace edit.',
  examples: [
    'catalogue group add gardeners --label Gardeners --member alice --member bob',
    'catalogue group add --label "Water works"',
  ],
  options: () => [...fieldOptions('group', true), dryRun()],
  async run(call, [name], options) {
    const slug = name === undefined ? {} : { slug: parseSlug('group', name).slug };
    if (name === undefined) mustGiveSlug(options.label, 'catalogue group add <group> --label …');
    const input = { ...slug, ...(await inputFrom('group', { ...options }, call.context)) };
    const catalogue = await call.open();
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const group = await claim(catalogue, refFrom('group', input), () => writes.create('group', input));
    const object = representGroup(group, linksOf(catalogue));
    tell(call, { done: ['Added', 'add'], ref: group, object, dryRun: options.dryRun });
    return 0;
  },
};

const list: Verb<{ search?: string; ordering?: string; limit?: number }> = {
  usage: 'list',
  description: 'List the groups.',
  examples: ['catalogue group list', 'catalogue group list --search garden --json'],
  options: () => [search(), ordering(Object.keys(orderFields.group)), limit()],
  async run(call, _args, { limit, ...question }) {
    const { show } = call;
    const catalogue = await call.open();
    const groups = await collect(catalogue, 'group', question, limit);
    if (show.asJson) show.json(groups.map((group) => representGroup(group, linksOf(catalogue))));
    else if (show.forPeople && groups.length === 0) show.message('No groups.');
    else show.table(['GROUP', 'LABEL', 'MEMBERS'], groups.map(row));
    return 0;
  },
};

const row = ({ slug, label, members }: Group) => [slug, label, members.join(', ')];

const show: Verb = {
  usage: 'show <group>',
  description: 'Show one group, with its members and what it owns.',
  examples: ['catalogue group show gardeners'],
  async run(call, [name = '']) {
    const catalogue = await call.open();
    const group = await find(catalogue, parseSlug('group', name), call.show);
    if (call.show.asJson) {
      call.show.json(representGroup(group, linksOf(catalogue)));
      return 0;
    }
    const owned = await collect(catalogue, 'namespace', { filters: { owner: [group.slug] } });
    call.show.fields([
      ['group', group.slug],
      ['label', group.label],
      ['id', String(group.id)],
      ['members', group.members.join(', ')],
      ['namespaces', owned.map(({ slug }) => slug).join(', ')],
    ]);
    return 0;
  },
};

const edit: Verb<{ slug?: string; dryRun?: boolean }> = {
  usage: 'edit <group>',
  description: 'Change the fields of a group that are given, and no others.',
  notes: editorNote,
  examples: [
    'catalogue group edit gardeners',
    'catalogue group edit gardeners --member alice --member carol',
    'catalogue group edit gardeners --slug park-keepers',
  ],
  options: () => [
    ...fieldOptions('group', false),
    new Option('--slug <name>', 'Rename it, in its namespaces and users too; the old address leads to the new one.'),
    dryRun(),
  ],
  async run(call, [name = ''], options) {
    const ref = parseSlug('group', name);
    const { slug } = options;
    const input = { ...(await inputFrom('group', { ...options }, call.context)), ...(slug !== undefined && { slug }) };
    if (wantsEditor(call, input, options))
      return editRecord(call, ref, (it, catalogue) => representGroup(it, linksOf(catalogue)));
    mustChange(input);
    const catalogue = await call.open();
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const target = slug === undefined ? ref : parseSlug('group', slug);
    const group = await reach(catalogue, ref, () =>
      claim(catalogue, target, () => writes.edit<'group'>(ref, input), ref),
    );
    const object = representGroup(group, linksOf(catalogue));
    tell(call, { done: ['Changed', 'change'], ref, now: group, object, dryRun: options.dryRun });
    return 0;
  },
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <group>',
  description: 'Remove a group: its members and namespaces stay, without it.',
  examples: ['catalogue group remove gardeners', 'catalogue group remove gardeners --yes'],
  options: () => [yes(), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseSlug('group', name);
    const catalogue = await call.open();
    await reach(catalogue, ref, () => catalogue.get<'group'>(ref));
    if (!options.dryRun) {
      await confirmRemoval(call, `group ${ref.slug}`, options.yes);
      await reach(catalogue, ref, () => catalogue.remove(ref));
    }
    tell(call, { done: ['Removed', 'remove'], ref, dryRun: options.dryRun });
    return 0;
  },
};

export const verbs: readonly Verb[] = [add, list, show, edit, remove];
