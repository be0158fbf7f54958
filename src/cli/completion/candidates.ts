/** The words that complete the current one. */
import { isPrintable } from '../../catalogue/printable-text.ts';
import type { DatasetRef } from '../../catalogue/ref.ts';
import type { Column } from '../../catalogue/types.ts';
import type { NamesRequest } from '../../files/folder.ts';
import type { Expected, Given } from './expected.ts';
import type { Names } from './names.ts';
import { candidateSource } from './sources.ts';

export interface Candidate {
  /** The whole word. */
  readonly word: string;
  readonly description: string;
}

/** The words that a shell offers. */
export interface Offer {
  readonly candidates: readonly Candidate[];
  /** Files or folders, which the shell itself completes. */
  readonly paths?: 'files' | 'folders' | undefined;
}

export interface Sources {
  readonly names: Names;
  /** The names of remotes. */
  remotes(): Promise<readonly Candidate[]>;
  /** True if the shell shows descriptions. */
  readonly describing: boolean;
}

/** The most words that get a description, since a file has to be read for each. */
const mostDescribed = 40;

/** The candidates for the current word. */
export async function completionCandidates(expected: Expected, current: string, sources: Sources): Promise<Offer> {
  const offer = await unfiltered(expected, current, sources);
  // A word that isn't printable could do harm in the shell's line, and nobody could type it.
  const fits = ({ word }: Candidate) => word.startsWith(current) && isPrintable(word);
  return { ...offer, candidates: offer.candidates.filter(fits) };
}

async function unfiltered(expected: Expected, current: string, sources: Sources): Promise<Offer> {
  switch (expected.what) {
    case 'nothing':
      return { candidates: [] };
    case 'command':
      return {
        candidates: expected.at
          .createHelp()
          .visibleCommands(expected.at)
          .map((command) => ({ word: command.name(), description: command.summary() || command.description() })),
      };
    case 'option':
      return { candidates: optionsOf(expected) };
    case 'argument':
      return values(expected, current, sources);
    case 'value': {
      const { candidates, paths } = await values(expected, current.slice(expected.prefix.length), sources);
      return { candidates: candidates.map((one) => ({ ...one, word: expected.prefix + one.word })), paths };
    }
  }
}

/** Options that aren't given yet, or are repeatable. */
function optionsOf({ at, given }: Expected & { what: 'option' }): readonly Candidate[] {
  return at
    .createHelp()
    .visibleOptions(at)
    .filter((option) => !(option.attributeName() in given.options) || option.description.includes('Repeatable'))
    .map(({ long, short, description }) => ({ word: long ?? short ?? '', description }));
}

async function values(
  expected: Expected & { what: 'argument' | 'value' },
  current: string,
  sources: Sources,
): Promise<Offer> {
  const source = candidateSource(expected);
  const { names } = sources;
  const columns = () => columnsOf(expected.given, names);
  switch (source.from) {
    case 'words':
      return { candidates: undescribed(source.words) };
    case 'file':
      return { candidates: [], paths: 'files' };
    case 'folder':
      return { candidates: [], paths: 'folders' };
    case 'remote':
      return { candidates: await sources.remotes() };
    case 'namespace':
    case 'group':
    case 'user':
    case 'query':
      return { candidates: await named(sources, current, '', { kind: source.from }) };
    case 'home':
      return { candidates: current.includes('/') ? [] : await homes(sources, current) };
    case 'rows':
      if (current.startsWith('@')) return { candidates: await named(sources, current, '@', { kind: 'query' }) };
      return { candidates: await datasetsAndVersions(sources, current) };
    case 'other':
      if (current.startsWith('@')) return versionsOfDataset(expected.given, current, '@', sources);
      return { candidates: await datasetsAndVersions(sources, current) };
    case 'dataset':
      return { candidates: await datasetsAndVersions(sources, current) };
    case 'version of the dataset':
      return versionsOfDataset(expected.given, current, '', sources);
    case 'column':
      return { candidates: columnWords(await columns(), '') };
    case 'columns': {
      // The columns before the last comma, and the minus of a descending one.
      const [before = ''] = /^(?:.*,)?-?/.exec(current) ?? [];
      return { candidates: columnWords(await columns(), before) };
    }
    case 'filter':
      return { candidates: await filterWords(await columns(), current) };
    case 'nothing':
      return { candidates: [] };
  }
}

/** Versions of the dataset that the command line names. @param prefix the text before a version in the same word */
async function versionsOfDataset(given: Given, current: string, prefix: '' | '@', sources: Sources): Promise<Offer> {
  const home = await datasetOf(given, sources.names);
  if (!home) return { candidates: undescribed([`${prefix}latest`]) };
  const within = { kind: 'version', namespace: home.namespace, dataset: home.slug } as const;
  return { candidates: await named(sources, current, prefix, within) };
}

/** Names of datasets that begin with the current word: first the namespace, then the dataset, then its versions. */
async function datasetsAndVersions(sources: Sources, current: string): Promise<readonly Candidate[]> {
  const { namespace, dataset } = readRef(current);
  if (namespace === undefined) return homes(sources, current);
  if (dataset === undefined) return named(sources, current, `${namespace}/`, { kind: 'dataset', namespace });
  return named(sources, current, `${namespace}/${dataset}@`, { kind: 'version', namespace, dataset });
}

/** Namespaces, each with a slash behind it. */
async function homes(sources: Sources, current: string): Promise<readonly Candidate[]> {
  const found = await named(sources, current, '', { kind: 'namespace' });
  return found.map(({ word, description }) => ({ word: `${word}/`, description }));
}

/** Names that begin with the current word, with descriptions unless there are many; versions the latest first. */
async function named(
  { names, describing }: Sources,
  current: string,
  prefix: string,
  listed: NamesRequest,
): Promise<readonly Candidate[]> {
  const all = await names.names(listed);
  const slugs = listed.kind === 'version' ? ['latest', ...[...all].reverse()] : all;
  const found = slugs.filter((slug) => (prefix + slug).startsWith(current));
  const isDescribed = describing && found.length <= mostDescribed;
  return Promise.all(
    found.map(async (slug) => ({
      word: prefix + slug,
      description: isDescribed ? await names.described({ ...listed, slug }) : '',
    })),
  );
}

const undescribed = (words: readonly string[]): readonly Candidate[] =>
  words.map((word) => ({ word, description: '' }));

/** The parts of a dataset's or version's name that are complete. */
function readRef(text: string): { namespace?: string; dataset?: string } {
  const [, namespace, dataset] = /^([^/@]+)\/(?:([^/@]+)@)?/.exec(text) ?? [];
  return { ...(namespace !== undefined && { namespace }), ...(dataset !== undefined && { dataset }) };
}

/** The dataset that the command line names. */
async function datasetOf({ arguments: [first = ''], options }: Given, names: Names): Promise<DatasetRef | undefined> {
  const named = typeof options.dataset === 'string' ? options.dataset : first;
  const name = named.includes('/') ? named : await names.datasetOf(named.replace(/^@/, ''));
  const [, namespace, slug] = /^([^/@]+)\/([^/@]+)/.exec(name ?? '') ?? [];
  return namespace && slug ? { kind: 'dataset', namespace, slug } : undefined;
}

async function columnsOf(given: Given, names: Names): Promise<readonly Column[]> {
  const ref = await datasetOf(given, names);
  return (ref && (await names.dataset(ref))?.columns) ?? [];
}

/** Columns as words. @param before the text before the name in the same word */
const columnWords = (columns: readonly Column[], before: string): readonly Candidate[] =>
  columns.map((column) => ({ word: before + column.name, description: descriptionOf(column) }));

const descriptionOf = ({ type, unit, label }: Column) => [type, unit && `in ${unit}`, label].filter(Boolean).join(', ');

/**
 * Filters that begin with the current word: `height=`; `height__` too if only one column fits; after `height__`, its
 * lookups; after the `=` of a boolean column, its values.
 */
async function filterWords(columns: readonly Column[], current: string): Promise<readonly Candidate[]> {
  const { lookupsByType } = await import('../../data/query/lookups.ts');
  const named = columns.find(({ name }) => current.startsWith(`${name}__`) || current.startsWith(`${name}=`));
  if (!named) {
    const near = columns.filter(({ name }) => name.startsWith(current));
    return near.flatMap((column) => {
      const ends = column.type === 'geometry' ? ['__'] : near.length === 1 ? ['=', '__'] : ['='];
      return ends.map((end) => ({ word: column.name + end, description: descriptionOf(column) }));
    });
  }
  const { name, type } = named;
  if (current.startsWith(`${name}=`)) return type === 'boolean' ? undescribed([`${name}=true`, `${name}=false`]) : [];
  return undescribed(lookupsByType[type].filter((lookup) => lookup !== 'exact').map((lookup) => `${name}__${lookup}=`));
}
