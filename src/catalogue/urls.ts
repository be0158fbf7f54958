/** Where things are: the addresses of the API, one function for the server that serves them and the client that asks. */
import type { Ref } from './ref.ts';

export const apiRoot = '/api/v1/';

/** The collections of the API, by kind. */
export const collections = {
  dataset: 'datasets',
  version: 'versions',
  group: 'groups',
  file: 'intrinsecus',
  namespace: 'namespaces',
  user: 'users',
  query: 'queries',
} as const;

/** Path of a resource, with its final slash. */
export function pathOf(ref: Ref): string {
  switch (ref.kind) {
    case 'dataset':
      return `${apiRoot}namespaces/${ref.namespace}/datasets/${ref.slug}/`;
    case 'version':
      return `${apiRoot}namespaces/${ref.namespace}/datasets/${ref.dataset}/version/${ref.slug}/`;
    case 'user':
      return `${apiRoot}users/${encodeURIComponent(ref.slug)}/`;
    default:
      return `${apiRoot}${collections[ref.kind]}/${ref.slug}/`;
  }
}

/** How addresses are written in an answer. */
export interface Links {
  /** What stands before the path: `https://host`, without a slash at the end; '' for addresses without a host. */
  readonly base: string;
  /** Appended to every address of a resource: '' or `?format=json`, which DRF copies into its links. */
  readonly suffix: string;
}

const segment = '([^/.]+)';
const patterns: readonly (readonly [RegExp, (parts: readonly string[]) => Ref | 'other'])[] = [
  [/^namespaces\/([^/.]+)\/$/, ([slug = '']) => ({ kind: 'namespace', slug })],
  [
    new RegExp(`^namespaces/${segment}/datasets/${segment}/$`),
    ([namespace = '', slug = '']) => ({ kind: 'dataset', namespace, slug }),
  ],
  [
    new RegExp(`^namespaces/${segment}/datasets/${segment}/version/${segment}/$`),
    ([namespace = '', dataset = '', slug = '']) => ({ kind: 'version', namespace, dataset, slug }),
  ],
  [/^groups\/([^/.]+)\/$/, ([slug = '']) => ({ kind: 'group', slug })],
  [/^users\/([^/]+)\/$/, ([slug = '']) => ({ kind: 'user', slug })],
  [/^queries\/([^/.]+)\/$/, ([slug = '']) => ({ kind: 'query', slug })],
  [/^(?:(?:datasets|versions|namespaces|groups|users|queries|intrinsecus)\/)?$/, () => 'other'],
  [new RegExp(`^namespaces/${segment}/datasets/(?:${segment}/(?:data|download|version)/)?$`), () => 'other'],
];

/** What lies at a path of the API; 'other' where it is a route without an object; null where it is none. */
export function refAt(path: string): Ref | 'other' | null {
  if (!path.startsWith(apiRoot)) return null;
  for (const [pattern, ref] of patterns) {
    const match = pattern.exec(path.slice(apiRoot.length));
    if (match) return ref(match.slice(1));
  }
  return null;
}
