/** Addresses that a mistyped one may mean: the nearest dataset or namespace that the viewer may see, or page of the documentation. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { closestWord } from '../catalogue/closest.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Dataset } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import { documentationPagePath, indexPage } from '../pages/documentation.tsx';
import type { ProblemParts } from '../pages/problem.tsx';
import { documentationPages } from './assets.ts';
import type { Params } from './route.ts';

/** @param params of the route at the address; none if there is no route */
export async function findNearestAddresses(
  catalogue: Catalogue,
  { namespace, dataset, page }: Params,
): Promise<NonNullable<ProblemParts['suggestions']>> {
  if (page !== undefined) return findNearestPages(page);
  if (namespace === undefined) return [];
  const pageSize = catalogue.settings.max_page_size;
  const known = await catalogue.get<'namespace'>({ kind: 'namespace', slug: namespace }).catch(() => null);
  if (known && dataset === undefined) return [];
  const own = known && { path: apiPath(refOf(known)), label: known.label };
  if (dataset === undefined) {
    const { items: namespaces } = await catalogue.list('namespace', { pageSize });
    const slug = closestWord(
      namespace,
      namespaces.map((one) => one.slug),
    );
    const near = namespaces.find((one) => one.slug === slug);
    return near ? [{ path: apiPath(refOf(near)), label: near.label }] : [];
  }
  const exact = await catalogue.get<'dataset'>({ kind: 'dataset', namespace, slug: dataset }).catch(() => null);
  const { items } = exact
    ? { items: [exact] }
    : await catalogue.list('dataset', { pageSize, ...(known && { namespace }) });
  // In a known namespace, only the name of the dataset may be mistyped.
  const nameOf = (one: Dataset) => (known && !exact ? one.slug : formatRef(refOf(one)));
  const near = closestWord(known && !exact ? dataset : `${namespace}/${dataset}`, items.map(nameOf));
  const found = items.find((one) => nameOf(one) === near);
  return [...(found ? [{ path: apiPath(refOf(found)), label: found.label }] : []), ...(own ? [own] : [])];
}

/** The page of the documentation with the nearest name, and the list of all. */
function findNearestPages(name: string): NonNullable<ProblemParts['suggestions']> {
  const pages = documentationPages();
  const near = closestWord(name.toLowerCase().replace(/\.(md|html?)$/, ''), [...pages.keys()]);
  const titleOf = (page: string) => /^# (.*)$/m.exec(pages.get(page) ?? '')?.[1] ?? page;
  const names = new Set([near ?? indexPage, indexPage]);
  return [...names].map((page) => ({ path: documentationPagePath(page), label: titleOf(page) }));
}
