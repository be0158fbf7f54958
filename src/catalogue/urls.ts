/** URLs: paths of the API, for the server and for clients; and URLs of catalogues, as people type them. */
import { excerpt, ValidationError } from './errors.ts';
import type { Ref } from './ref.ts';
import type { Version } from './types.ts';

export const apiRoot = '/api/v1/';

/** Path of the documentation of the program. */
export const documentationRoot = '/docs/';

/** Header of the API's root with the version of the server's program, for staff: others could look up its weaknesses. */
export const versionHeader = 'X-Catalogue-Version';

/** Paths of the lists of the API, keyed by kind. */
export const collections = {
  dataset: 'datasets',
  version: 'versions',
  group: 'groups',
  file: 'intrinsecus',
  namespace: 'namespaces',
  user: 'users',
  query: 'queries',
} as const;

/** Path of a resource, with a slash at its end. */
export function apiPath(ref: Ref): string {
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

/** Path of a column of a dataset. */
export const columnPath = (dataset: Ref, name: string): string =>
  `${apiPath(dataset)}columns/${encodeURIComponent(name.toWellFormed())}/`;

/** Extension of a file name, which may have two parts: `.geojson`, `.csv.gz`; '' if there is none. */
const extensionOf = (name: string): string => /(\.[A-Za-z0-9]{1,10}){1,2}$/.exec(name)?.[0] ?? '';

/** Name of a downloaded payload: `trees-20200102030405000000.csv`; of the newest version, also `trees.csv`. */
export const downloadFileName = ({ dataset, slug, file }: Version, isNewest = false): string =>
  `${dataset}${isNewest ? '' : `-${slug}`}${extensionOf(file)}`;

/**
 * The names by which a payload is downloaded.
 * @param ofDataset true at the address of its dataset, where the newest version has two names
 * @param slug of the dataset; default the present one
 */
export const downloadFileNames = (version: Version, ofDataset: boolean, slug = version.dataset): readonly string[] =>
  (ofDataset ? [true, false] : [false]).map((isNewest) => downloadFileName({ ...version, dataset: slug }, isNewest));

/** Form of the URLs in a response. */
export interface Links {
  /** Part before the path: `https://host`, without a slash at its end; '' for URLs without a host. */
  readonly base: string;
  /** Appended to every URL of a resource: '' or `?format=json`, which DRF copies into its links. */
  readonly suffix: string;
}

/** The end of a URL from the name of the server on. That has at most 253 characters, and takes the square of its length to be read: with user and port, 300. */
const serverAndPath = '://[^\\s/?#]{1,300}([/?#]\\S*)?$';

/** Form of a URL of a file or page on another server. */
export const remoteUrl = {
  pattern: `^(https?|ftp|s3|gs)${serverAndPath}`,
  description: 'URL that begins with https, http, ftp, s3 or gs.',
};

/** Form of a URL of a payload on another server. */
export const httpUrlPattern = `^https?${serverAndPath}`;

/** True for an absolute URL whose server has a name of at most 300 characters: a longer one isn't read at all. */
export const isAbsoluteUrl = (text: string): boolean =>
  /^\s*[a-z][a-z0-9+.-]*:[/\\]*[^/\\?#]{1,300}(?:[/\\?#]|$)/i.test(text) && URL.canParse(text);

/** True for an absolute URL of HTTP, without spaces. */
export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s<>"]+$/.test(text) && isAbsoluteUrl(text);

/** An absolute URL of HTTP as a URI (RFC 3986), with other characters percent-encoded; undefined for other texts. */
export function httpUri(text: string): string | undefined {
  const url = text.trim();
  if (!isHttpUrl(url)) return undefined;
  if (/^[\w.~:/?@!$&'()*+,;=-]*(?:#[\w.~:/?@!$&'()*+,;=-]*)?$/.test(url)) return url;
  const { origin, href } = new URL(url.toWellFormed());
  const start = href.startsWith(origin) ? origin.length : 0;
  const encoded = href.slice(start).replace(/[[\]{}|\\^`]|%(?![0-9A-Fa-f]{2})/g, encodeURIComponent);
  // Of several, the first number sign begins the fragment.
  return href.slice(0, start) + encoded.replace(/(#.*)/, (fragment) => `#${fragment.slice(1).replaceAll('#', '%23')}`);
}

/**
 * A base URL as headers and links take it: percent-encoded, its host in Punycode, without a slash at its end. A text that is no URL
 * stays.
 */
export function canonicalBaseUrl(text: string): string {
  const { origin, pathname } = URL.canParse(text) ? new URL(text) : { origin: text, pathname: '' };
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** Path of a base URL, without a slash at its end: `/open-data` of a server behind a proxy; '' for the root of a host. */
export function baseUrlPath(base: string): string {
  if (base !== lastBase.url)
    lastBase = { url: base, path: URL.canParse(base) ? new URL(base).pathname.replace(/\/+$/, '') : '' };
  return lastBase.path;
}

/** A site has one: each link asks for its path. */
let lastBase = { url: '', path: '' };

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

/** The reference of the resource at a path; 'other' for lists and other routes; null if the path is not of the API. */
export function parseApiPath(path: string): Ref | 'other' | null {
  if (!path.startsWith(apiRoot)) return null;
  for (const [pattern, ref] of patterns) {
    const match = pattern.exec(path.slice(apiRoot.length));
    if (match) return ref(match.slice(1));
  }
  return null;
}

/** True if a text looks like a URL, not like a name. */
export const isUrl = (text: string): boolean => text.includes('://');

const urlError = (message: string) => new ValidationError({ non_field_errors: [message] });

/**
 * Parses the URL of a remote catalogue.
 * @returns the URL in canonical form: without a slash at its end, and without `/api/v1/`
 * @throws ValidationError if it is not valid; the message never contains a password
 */
export function parseCatalogueUrl(text: string): string {
  const like = 'An address is written like https://data.example.org';
  // `alice:password@host` is read as a scheme and a path.
  const maySignIn = text.includes('@') && !isUrl(text);
  if (maySignIn || !URL.canParse(text))
    throw urlError(
      maySignIn || isUrl(text)
        ? `This isn't an address. ${like}`
        : `${excerpt(text)} isn't an address. ${like}. Is it https://${excerpt(text)}?`,
    );
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (username || password)
    throw urlError(
      'A user name or a password in an address would be seen in lists, logs and histories. ' +
        'Give the address without them, and sign in with: catalogue login',
    );
  // `localhost:8000` is read as a scheme and a path.
  if (!/^https?:$/.test(protocol))
    throw urlError(
      isUrl(text)
        ? `${excerpt(protocol)}// is no web address. ${like}`
        : `${excerpt(text)} isn't an address. Is it http://${excerpt(text)}?`,
    );
  if (search || hash) throw urlError(`An address has no "?" and no "#". ${like}`);
  const path = pathname.replace(/\/*$/, '/');
  return origin + (path.endsWith(apiRoot) ? path.slice(0, -apiRoot.length) : path.slice(0, -1)).replace(/\/+$/, '');
}
