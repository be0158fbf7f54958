/** Sources of words for an argument or for the value of an option, chosen by their names. */
import type { Command, Option } from 'commander';
import type { Expected } from './expected.ts';

export type Source =
  | { readonly from: 'words'; readonly words: readonly string[] }
  | {
      readonly from:
        | 'namespace'
        | 'dataset'
        /** A namespace, for a new dataset in it. */
        | 'home'
        | 'group'
        | 'user'
        | 'query'
        /** A dataset, or a saved query behind an @. */
        | 'rows'
        /** A dataset, or a version of the first one behind an @. */
        | 'other'
        | 'version of the dataset'
        | 'column'
        | 'columns'
        | 'filter'
        | 'remote'
        | 'file'
        | 'folder'
        | 'nothing';
    };

type From = Exclude<Source['from'], 'words'>;

/** Sources by the word between `<` and `>`. The name of a dataset may go on with that of a version. */
const byLabel: Readonly<Record<string, From>> = {
  namespace: 'namespace',
  dataset: 'dataset',
  version: 'dataset',
  other: 'other',
  query: 'query',
  group: 'group',
  owner: 'group',
  reader: 'group',
  username: 'user',
  member: 'user',
  column: 'column',
  columns: 'columns',
  filters: 'filter',
  remote: 'remote',
  'name|url': 'remote',
  file: 'file',
  dir: 'folder',
};

/** Sources by the command and the option or argument, which win over those by the word. */
const byPlace: Readonly<Record<string, From>> = {
  'dataset add name': 'home',
  'open name': 'dataset',
  'data dataset': 'rows',
  'serve --follow-git': 'nothing',
  'pull names': 'dataset',
  'push names': 'dataset',
  'diff what': 'dataset',
  'clone url': 'remote',
  'remote remove name': 'remote',
  'remote set-url name': 'remote',
  'query add --dataset': 'dataset',
  'query edit --dataset': 'dataset',
  'query add --version': 'version of the dataset',
  'query edit --version': 'version of the dataset',
  'dataset list --namespace': 'namespace',
  'dataset list --column': 'nothing',
  'dataset edit --namespace': 'namespace',
  'version add --name': 'nothing',
};

/** The source of the expected word. */
export function candidateSource(expected: Expected & { what: 'argument' | 'value' }): Source {
  const path = commandWords(expected.at);
  if (expected.what === 'argument') {
    const name = expected.argument.name();
    const choices = wordsOf[`${path} ${name}`];
    if (choices) return { from: 'words', words: choices };
    // A new record has a new name.
    const [noun] = path.split(' ');
    if (path.endsWith(' add') && (name === noun || (name === 'username' && noun === 'user')))
      return { from: 'nothing' };
    return { from: byPlace[`${path} ${name}`] ?? byLabel[name] ?? 'nothing' };
  }
  const { option } = expected;
  if (option.argChoices) return { from: 'words', words: option.argChoices };
  return { from: byPlace[`${path} ${option.long}`] ?? byLabel[labelOf(option)] ?? 'nothing' };
}

const wordsOf: Readonly<Record<string, readonly string[]>> = { 'completion shell': ['bash', 'zsh', 'fish'] };

const labelOf = ({ flags }: Option) => /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? '';

/** The words of a command, without the program's own name. */
const commandWords = (command: Command): string =>
  command.parent ? `${commandWords(command.parent)} ${command.name()}`.trimStart() : '';
