/** Former addresses of records and files in an export: pages that lead to the new ones, and redirects for hosts that can. */
import { formerSlugs } from '../catalogue/aliases.ts';
import { type Ref, refOf, slugRule } from '../catalogue/ref.ts';
import type { Dataset, Group, Namespace, Query, Version } from '../catalogue/types.ts';
import { apiPath, downloadFileNames } from '../catalogue/urls.ts';
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

/** The names that the files of a dataset's payloads had by a former name of it, at its present address. */
export interface FormerFileNames {
  /** Path of the dataset. */
  readonly path: string;
  /** Slug by which they were called. */
  readonly former: string;
  readonly slug: string;
  /** The files at the address of the dataset itself: those of the newest version. */
  readonly ofDataset: readonly Redirect[];
  readonly ofVersions: readonly Redirect[];
}

/** The former names of files, without those that are present names of the same dataset's files. */
export function formerFileNamesOf(datasets: readonly Dataset[]): readonly FormerFileNames[] {
  return datasets.flatMap((dataset) => {
    const path = apiPath(refOf(dataset));
    const ready = dataset.versions.filter((version) => version.ready && !version.href);
    const newest = dataset.versions.find((version) => version.ready);
    const names = (former: string, version: Version, below: string, ofDataset: boolean): Redirect[] => {
      const present = downloadFileNames(version, ofDataset).map((name) => `${below}download/${name}`);
      return downloadFileNames(version, ofDataset, former)
        .map((name, i) => ({ from: `${below}download/${name}`, to: present[i] ?? '' }))
        .filter(({ from }) => !present.includes(from));
    };
    return formerSlugs(dataset)
      .filter((former) => slugRule.test(former))
      .map((former) => ({
        ...{ path, former, slug: dataset.slug },
        ofDataset: newest && !newest.href ? names(former, newest, path, true) : [],
        ofVersions: ready.flatMap((version) => names(former, version, apiPath(refOf(version)), false)),
      }));
  });
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
export const redirectsFile = (
  redirects: readonly Redirect[],
  fileNames: readonly FormerFileNames[],
  prefix: string,
): string =>
  [
    ...redirects.map(({ from, to }) => `${prefix}${from}* ${prefix}${to}:splat 308\n`),
    ...fileNames
      .flatMap(({ ofDataset, ofVersions }) => [...ofDataset, ...ofVersions])
      .map(({ from, to }) => `${prefix}${from} ${prefix}${to} 308\n`),
  ].join('');
