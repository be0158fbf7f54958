/** Facts that every page needs besides its content: settings, language, addresses, viewer. */

import type { Ref } from '../catalogue/ref.ts';
import type { Settings } from '../catalogue/types.ts';
import { apiPath, apiRoot, baseUrlPath, collections } from '../catalogue/urls.ts';
import type { Locale } from './locale.ts';

/** A link to a resource that isn't a page (HTML Standard, section 4.2.4). */
export interface PageLink {
  readonly url: string;
  readonly type?: string;
  /** By default `alternate`. */
  readonly rel?: string;
}

/** Rows of an export: the browser filters them, or they are too large for that. */
export type RowFiltering = 'inBrowser' | 'tooLarge';
export type FilteringOf = (path: string) => RowFiltering | undefined;

export interface PageContext {
  readonly settings: Settings;
  readonly locale: Locale;
  /** Base URL of the site, without a slash at its end; '' if the host isn't known. */
  readonly base: string;
  /** Path of the page, without the prefix of the base URL. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path of the static files, with their version: `/static/1f3a`. */
  readonly assets: string;
  /** The day of the request, UTC: `2026-01-31`. */
  readonly today: string;
  /** True if the page becomes a file: there are no forms then that a server answers, and few addresses with parameters. */
  readonly isExport?: boolean;
  /** In an export: how rows are filtered, by the path of their page; undefined if they aren't, or that isn't known. */
  readonly filteringOf?: FilteringOf;
  /** In an export: false for paths that can't become a file. */
  readonly hasFile?: (path: string) => boolean;
  /** Links to related resources, for the head of the page. */
  readonly links?: readonly PageLink[];
  /** Name of the user who is signed in; null if nobody is. */
  readonly username: string | null;
}

/** Address of a path of this site. It has no host, so that pages work under each name of the server. */
export const hrefOf = ({ base }: Pick<PageContext, 'base'>, path: string): string => baseUrlPath(base) + path;

/** Address of the page of an entity, or of a path below it. */
export const hrefOfRef = (context: Pick<PageContext, 'base'>, ref: Ref, below = ''): string =>
  hrefOf(context, apiPath(ref) + below);

/** Address of the list of datasets, with parameters. */
export const hrefOfSearch = (context: Pick<PageContext, 'base'>, parameters: Readonly<Record<string, string>> = {}) =>
  hrefOf(context, `${apiRoot}${collections.dataset}/${queryStringOf(Object.entries(parameters))}`);

/** `?a=b&c=d`; '' if there is no pair. Commas, colons and slashes stay readable. */
export function queryStringOf(pairs: Iterable<readonly [string, string]>): string {
  const text = [...pairs].map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join('&');
  return text && `?${text}`;
}

const encodePart = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/%(2C|3A|2F|20)/g, (code) => readable[code] ?? code);
const readable: Readonly<Record<string, string>> = { '%2C': ',', '%3A': ':', '%2F': '/', '%20': '+' };

/** Address of this page with some parameters replaced; null removes one. */
export function hrefWith(
  context: PageContext,
  change: Readonly<Record<string, string | readonly string[] | null>>,
): string {
  const kept = [...context.query].filter(([name]) => !Object.hasOwn(change, name));
  const added = Object.entries(change).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one): [string, string] => [name, one as string]),
  );
  return hrefOf(context, context.path) + (queryStringOf([...kept, ...added]) || '');
}

/** Absolute address of a path of this site: for programs, and for what people copy. */
export const absoluteUrl = ({ base }: Pick<PageContext, 'base'>, path: string): string => `${base}${path}`;
