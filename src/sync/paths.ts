/**
 * What the files of a depot are, by their paths alone. Where things lie in a catalogue is written down in
 * `files/layout.ts`; what two catalogues hand each other is laid out in the same way.
 */

export type FileKind =
  | 'settings'
  | 'group'
  | 'user'
  | 'namespace'
  | 'dataset'
  | 'version'
  | 'query'
  | 'payload'
  | 'image'
  | 'other';

const record = String.raw`\.(?:yaml|yml|json)$`;
const dataset = '^namespaces/([^/]+)/datasets/([^/]+)';
const shapes: readonly (readonly [FileKind, RegExp])[] = [
  ['version', new RegExp(`${dataset}/versions/([^/]+)${record}`)],
  ['payload', new RegExp(`${dataset}/data/([^/]+)$`)],
  ['dataset', new RegExp(`${dataset}/dataset${record}`)],
  ['namespace', new RegExp(`^namespaces/([^/]+)/namespace${record}`)],
  ['group', new RegExp(`^groups/([^/]+)${record}`)],
  ['user', new RegExp(`^users/([^/]+)${record}`)],
  ['query', new RegExp(`^queries/([^/]+)${record}`)],
  ['image', /^site_media\/(.+)$/],
  ['settings', new RegExp(`^catalogue${record}`)],
];

/** What a file is, and the names that its path holds. */
export function fileAt(path: string): { readonly kind: FileKind; readonly names: readonly string[] } {
  for (const [kind, shape] of shapes) {
    const found = shape.exec(path);
    if (found) return { kind, names: found.slice(1) };
  }
  return { kind: 'other', names: [] };
}

/**
 * As people call it: `parks`, `parks/trees`, `parks/trees@20200101000000000000`, `groups/gardeners`. What has no such
 * name is called by its path.
 */
export function nameOf(path: string): string {
  const {
    kind,
    names: [first, second, third],
  } = fileAt(path);
  switch (kind) {
    case 'namespace':
      return `${first}`;
    case 'dataset':
      return `${first}/${second}`;
    case 'version':
      return `${first}/${second}@${third}`;
    case 'payload':
      return `${first}/${second}/data/${third}`;
    case 'group':
    case 'user':
    case 'query':
      return stemOf(path);
    default:
      return path;
  }
}

/** The path without extension: two files of one stem are the same record. */
export const stemOf = (path: string): string => path.replace(/\.[^./]*$/, '');

/** The folder of a dataset or a namespace, with a slash, by the path of its record; null of what has none. */
export function folderOf(path: string): string | null {
  const { kind } = fileAt(path);
  return kind === 'dataset' || kind === 'namespace' ? path.slice(0, path.lastIndexOf('/') + 1) : null;
}

/** The folders of the dataset and the namespace that a path lies in, the innermost first; its own too. */
export function homesOf(path: string): readonly string[] {
  const home = /^(namespaces\/[^/]+\/)(?:datasets\/[^/]+\/)?/.exec(path);
  if (!home) return [];
  const [whole, namespace] = home as unknown as [string, string];
  return whole === namespace ? [namespace] : [whole, namespace];
}

/** Whether it is a file that is only ever added: bytes, and no record. */
export const isBytes = (path: string): boolean => ['payload', 'image'].includes(fileAt(path).kind);

/** Whether it is kept in step: each catalogue has settings of its own, and what is none of its files is nobody's business. */
export const isKept = (path: string): boolean => !['settings', 'other'].includes(fileAt(path).kind);

/** Kinds in the order in which they need each other. */
const order: readonly FileKind[] = [
  'group',
  'user',
  'namespace',
  'image',
  'dataset',
  'payload',
  'version',
  'query',
  'other',
];

/** Its place among what is to be added; what is removed goes the other way. */
export const rankOf = (path: string): number => order.indexOf(fileAt(path).kind);
