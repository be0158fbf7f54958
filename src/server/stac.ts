/** The static STAC catalogue: a root, and a Catalog for each namespace. */
import { NotFoundError } from '../catalogue/errors.ts';
import { toJson } from '../catalogue/represent.ts';
import type { DatasetFacts } from '../standards/facts.ts';
import { missingFor } from '../standards/requirements.ts';
import {
  type StacLink,
  stacCatalog,
  stacChildLink,
  stacNamespaceCatalog,
  stacNamespaceLink,
} from '../standards/stac.ts';
import type { Handler, RequestContext } from './route.ts';
import { allDatasets, factsOf, namespaceOf } from './standards.ts';

/** The root: a Catalog for each namespace with data. */
export const stacCatalogHandler: Handler = async (request) => {
  const children = new Map<string, StacLink>();
  for await (const { facts } of allDatasets(request, undefined, ({ namespace }) => !children.has(namespace)))
    if (isInStac(facts)) children.set(facts.namespaceSlug, stacNamespaceLink(facts));
  return representStac(request, stacCatalog(factsOf(request), [...children.values()]));
};

/** The Catalog of a namespace: its datasets with data. */
export const stacNamespaceHandler: Handler = async (request) => {
  const { catalogue, params } = request;
  const { namespace: slug = '' } = params;
  const children: StacLink[] = [];
  for await (const { facts } of allDatasets(request, slug)) if (isInStac(facts)) children.push(stacChildLink(facts));
  const namespace = await namespaceOf(catalogue, { namespace: slug });
  // The viewer may see some of the datasets, and not the namespace.
  if (!namespace && children.length === 0) throw new NotFoundError();
  const shown = namespace ?? { slug, label: '', description: '' };
  return representStac(request, stacNamespaceCatalog(factsOf(request), shown, children));
};

const isInStac = (facts: DatasetFacts): boolean => missingFor('stac', facts).length === 0;

function representStac({ catalogue, links }: RequestContext, document: object) {
  return {
    title: 'STAC',
    type: 'application/json',
    dependsOn: [catalogue.revision, links.base],
    json: () => toJson(document),
  };
}
