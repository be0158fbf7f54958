/** The words that complete the current one. */
import type { DatasetRef, Ref } from '../../catalogue/ref.ts';
import type { Column } from '../../catalogue/types.ts';
import type { Expected, Given } from './expected.ts';
import type { Names } from './names.ts';
import { sourceOf } from './sources.ts';

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
export async function candidatesFor(expected: Expected, current: string, sources: Sources): Promise<Offer> {
  const offer = await unfiltered(expected, current, sources);
  return { ...offer, candidates: offer.candidates.filter(({ word }) => word.startsWith(current)) };
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
  { names, remotes, describing }: Sources,
): Promise<Offer> {
  const source = sourceOf(expected);
  const described = (found: readonly string[], prefix: string, refOf: (name: string) => Ref) =>
    withDescriptions(
      found.filter((name) => (prefix + name).startsWith(current)),
      prefix,
      describing ? (name) => names.described(refOf(name)) : undefined,
    );
  const homes = async () => {
    const found = await described(await names.names({ kind: 'namespace' }), '', (slug) => ({
      kind: 'namespace',
      slug,
    }));
    return { candidates: found.map(({ word, description }) => ({ word: `${word}/`, description })) };
  };
  switch (source.from) {
    case 'words':
      return plain(source.words);
    case 'file':
      return { candidates: [], paths: 'files' };
    case 'folder':
      return { candidates: [], paths: 'folders' };
    case 'remote':
      return { candidates: await remotes() };
    case 'namespace':
    case 'group':
    case 'user':
    case 'query': {
      const kind = source.from;
      return { candidates: await described(await names.names({ kind }), '', (slug) => ({ kind, slug })) };
    }
    case 'home':
      return current.includes('/') ? { candidates: [] } : homes();
    case 'dataset': {
      const ref = readRef(current);
      if (ref.namespace === undefined) return homes();
      const { namespace, dataset } = ref;
      if (dataset === undefined) {
        const slugs = await names.names({ kind: 'dataset', namespace });
        return {
          candidates: await described(slugs, `${namespace}/`, (slug) => ({ kind: 'dataset', namespace, slug })),
        };
      }
      const slugs = [...(await names.names({ kind: 'version', namespace, dataset }))].reverse();
      const refTo = (slug: string): Ref => ({ kind: 'version', namespace, dataset, slug });
      return { candidates: await described(['latest', ...slugs], `${namespace}/${dataset}@`, refTo) };
    }
    case 'version of the dataset': {
      const home = await datasetOf(expected.given, names);
      if (!home) return plain(['latest']);
      const at = { kind: 'version', namespace: home.namespace, dataset: home.slug } as const;
      const slugs = [...(await names.names(at))].reverse();
      return { candidates: await described(['latest', ...slugs], '', (slug) => ({ ...at, slug })) };
    }
    case 'column':
      return { candidates: columnWords(await columnsOf(expected.given, names), '') };
    case 'columns': {
      // Those before the last comma, and the minus of a descending one.
      const [before = ''] = /^(?:.*,)?-?/.exec(current) ?? [];
      return { candidates: columnWords(await columnsOf(expected.given, names), before) };
    }
    case 'filter':
      return { candidates: await filterWords(await columnsOf(expected.given, names), current) };
    case 'nothing':
      return { candidates: [] };
  }
}

const plain = (words: readonly string[]): Offer => ({ candidates: words.map((word) => ({ word, description: '' })) });

async function withDescriptions(
  names: readonly string[],
  prefix: string,
  describe: ((name: string) => Promise<string>) | undefined,
): Promise<readonly Candidate[]> {
  const isFew = describe && names.length <= mostDescribed;
  return Promise.all(
    names.map(async (name) => ({ word: prefix + name, description: isFew ? await describe(name) : '' })),
  );
}

/** The parts of a dataset's or version's name that are complete. */
function readRef(text: string): { namespace?: string; dataset?: string } {
  const [, namespace, dataset] = /^([^/@]+)\/(?:([^/@]+)@)?/.exec(text) ?? [];
  return { ...(namespace !== undefined && { namespace }), ...(dataset !== undefined && { dataset }) };
}

/** The dataset that the command line names. */
async function datasetOf({ arguments: [first = ''], options }: Given, names: Names): Promise<DatasetRef | undefined> {
  const named = typeof options.dataset === 'string' ? options.dataset : first;
  const name = named.includes('/') ? named : await names.datasetOf(named);
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
  const { lookupsOf } = await import('../../data/lookups.ts');
  const plain = (words: readonly string[]) => words.map((word) => ({ word, description: '' }));
  const named = columns.find(({ name }) => current.startsWith(`${name}__`) || current.startsWith(`${name}=`));
  if (!named) {
    const near = columns.filter(({ name }) => name.startsWith(current));
    return near.flatMap((column) => {
      const ends = column.type === 'geometry' ? ['__'] : near.length === 1 ? ['=', '__'] : ['='];
      return ends.map((end) => ({ word: column.name + end, description: descriptionOf(column) }));
    });
  }
  const { name, type } = named;
  if (current.startsWith(`${name}=`)) return type === 'boolean' ? plain([`${name}=true`, `${name}=false`]) : [];
  return plain(lookupsOf[type].filter((lookup) => lookup !== 'exact').map((lookup) => `${name}__${lookup}=`));
}
