/** Former addresses of records in an export: pages that lead to the new ones, and redirects for hosts that can. */
import { type Ref, refOf, slugRule } from '../catalogue/ref.ts';
import type { Dataset, Group, Namespace, Query } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import { escapeXml } from '../standards/xml.ts';
import type { PublicRecords } from './dependencies.ts';

/** A former address, and the new one: paths of the API. */
export interface Redirect {
  readonly from: string;
  readonly to: string;
}

/**
 * Redirects of the former names of records. Of an address that two records had, the last one's, as on a server. Other texts than names, which
 * records may have too, would be read as something else by nginx, by other hosts, and as the path of another record's file.
 */
export function redirectsOf({ namespaces, datasets, queries, groups }: PublicRecords): readonly Redirect[] {
  const taken = new Set([...namespaces, ...datasets, ...queries, ...groups].map((record) => apiPath(refOf(record))));
  const found = new Map<string, string>();
  const add = (former: Ref & { readonly namespace?: string }, record: Namespace | Dataset | Query | Group) => {
    if (!slugRule.test(former.slug) || !slugRule.test(former.namespace ?? former.slug)) return;
    const from = apiPath(former);
    if (!taken.has(from)) found.set(from, apiPath(refOf(record)));
  };
  for (const dataset of datasets)
    for (const alias of dataset.aliases) {
      const [slug = '', namespace = dataset.namespace, ...others] = alias.split('/').reverse();
      if (others.length === 0) add({ kind: 'dataset', namespace, slug }, dataset);
    }
  for (const namespace of namespaces) for (const slug of namespace.aliases) add({ kind: 'namespace', slug }, namespace);
  for (const query of queries) for (const slug of query.aliases) add({ kind: 'query', slug }, query);
  for (const group of groups) for (const slug of group.aliases) add({ kind: 'group', slug }, group);
  return [...found].map(([from, to]) => ({ from, to }));
}

/** The page at a former address. @param url the new one */
export function redirectPage(url: string): string {
  const address = escapeXml(url);
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta name="robots" content="noindex">` +
    `<link rel="canonical" href="${address}"><meta http-equiv="refresh" content="0; url=${address}"></head>` +
    `<body><p>Moved: <a href="${address}">${address}</a></p></body></html>\n`
  );
}

/** Redirects, with all addresses below them, as Netlify and Cloudflare Pages read them. @param prefix path of the site's address */
export const redirectsFile = (redirects: readonly Redirect[], prefix: string): string =>
  redirects.map(({ from, to }) => `${prefix}${from}* ${prefix}${to}:splat 308\n`).join('');
