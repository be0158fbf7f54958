/** `catalogue namespace`: those who publish. */
import { refFromSlug } from '../../catalogue/parse-ref.ts';
import { representNamespace } from '../../catalogue/represent.ts';
import { sentencesAboutNamespace } from '../audience.ts';
import type { Noun } from '../noun.ts';
import { verbsOfNoun } from '../noun-verbs.ts';
import { editorNote, renameOption } from '../options.ts';

const namespace: Noun<'namespace'> = {
  kind: 'namespace',
  argument: 'namespace',
  parse: (name) => refFromSlug('namespace', name),
  represent: representNamespace,
  add: {
    usage: 'add [namespace]',
    description: 'Add a namespace.',
    notes: 'Without a name, the name is made from the label.',
    examples: [
      'catalogue namespace add parks --label "Parks department"',
      'catalogue namespace add --label "Parks department" --owner gardeners',
    ],
  },
  list: {
    description: 'List the namespaces.',
    examples: ['catalogue namespace list', 'catalogue namespace list --search park --json'],
    plural: 'namespaces',
    headings: ['NAMESPACE', 'LABEL', 'VISIBILITY', 'OWNERS'],
    row: ({ slug, label, visibility, owners }) => [slug, label, visibility, owners.join(', ')],
  },
  show: {
    description: 'Show one namespace.',
    examples: ['catalogue namespace show parks'],
  },
  edit: {
    description: 'Edit a namespace. Only the fields that are given change.',
    notes: editorNote,
    examples: [
      'catalogue namespace edit parks',
      'catalogue namespace edit parks --description "All that is green"',
      'catalogue namespace edit parks --slug gardens',
    ],
    options: () => [renameOption()],
    consequences: (call, catalogue, { before, entity, dryRun }) =>
      sentencesAboutNamespace(call, catalogue, before, entity, (dryRun ? before : entity).slug),
  },
  remove: {
    description: 'Remove a namespace that has no datasets.',
    examples: ['catalogue namespace remove parks', 'catalogue namespace remove parks --yes'],
  },
};

export const verbs = verbsOfNoun(namespace);
