/** `catalogue group`: users who own namespaces together. */
import { refFromSlug } from '../../catalogue/parse-ref.ts';
import { representGroup } from '../../catalogue/represent.ts';
import { sentencesAboutGroup } from '../audience.ts';
import { listEntities } from '../lookup.ts';
import type { Noun } from '../noun.ts';
import { entityFieldLines, verbsOfNoun } from '../noun-verbs.ts';
import { editorNote, renameOption } from '../options.ts';

const group: Noun<'group'> = {
  kind: 'group',
  argument: 'group',
  parse: (name) => refFromSlug('group', name),
  represent: representGroup,
  add: {
    usage: 'add [group]',
    description: 'Add a group.',
    notes:
      'Without a name, the name is made from the label. To make it the owner of a namespace: catalogue namespace edit <namespace> --owner <group>',
    examples: [
      'catalogue group add gardeners --label Gardeners --member alice --member bob',
      'catalogue group add --label "Water works"',
    ],
  },
  list: {
    description: 'List the groups.',
    examples: ['catalogue group list', 'catalogue group list --search garden --json'],
    plural: 'groups',
    headings: ['GROUP', 'LABEL', 'MEMBERS'],
    row: ({ slug, label, members }) => [slug, label, members.join(', ')],
  },
  show: {
    description: 'Show one group, with its members and namespaces.',
    examples: ['catalogue group show gardeners'],
    async print({ show }, group, catalogue) {
      const owned = await listEntities(catalogue, 'namespace', { filters: { owner: [group.slug] } });
      show.fields([...entityFieldLines('group', group), ['namespaces', owned.map(({ slug }) => slug).join(', ')]]);
    },
  },
  edit: {
    description: 'Edit a group. Only the fields that are given change.',
    notes: editorNote,
    examples: [
      'catalogue group edit gardeners',
      'catalogue group edit gardeners --member alice --member carol',
      'catalogue group edit gardeners --slug park-keepers',
    ],
    options: () => [renameOption('Rename it, in its namespaces and users too; the old address leads to the new one.')],
    consequences: (_, catalogue, { before, entity }) => sentencesAboutGroup(catalogue, before, entity),
  },
  remove: {
    description: 'Remove a group. Its members and namespaces stay.',
    examples: ['catalogue group remove gardeners', 'catalogue group remove gardeners --yes'],
  },
};

export const verbs = verbsOfNoun(group);
