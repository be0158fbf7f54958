/** Representations of entities: pages of a collection, and one entity. */
import type { Catalogue, Page } from '../catalogue/catalogue.ts';
import { NotAuthenticatedError } from '../catalogue/errors.ts';
import { metadataForPeople } from '../catalogue/metadata.ts';
import { maySeePeople } from '../catalogue/permissions.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { datasetRefOf, type Ref, refOf } from '../catalogue/ref.ts';
import { representFile, resourceUrl, toJson } from '../catalogue/represent.ts';
import type { CatalogueFile, Dataset, Entities, FileDetails, Kind } from '../catalogue/types.ts';
import { collections, downloadFileName, type Links } from '../catalogue/urls.ts';
import { renderSearchPage, renderSearchPageStart } from '../pages/home.tsx';
import { queryOfAreaForm } from '../pages/row-forms.ts';
import { whileConnected } from './body.ts';
import { contextLinks } from './documents.ts';
import { entityBytes, entityJson, listBytes } from './entity-json.ts';
import { datasetListFor, dependenciesOf } from './home.ts';
import { runInTurns } from './in-turns.ts';
import {
  alternateLink,
  datasetLicenceUrl,
  formatLinkHeader,
  pageLinkRelations,
  pageLinks,
  urlWithParameters,
} from './link-header.ts';
import { pageLocale } from './page-context.ts';
import { parseListOptions } from './query-string.ts';
import { recordListPage, withPage } from './record-pages.ts';
import { seeOther } from './redirects.ts';
import { type Handler, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { documentsLacking } from './standards.ts';

type Plain = Exclude<Kind, 'file'>;

/** A page of a collection. */
export function makeCollectionPageHandler<K extends Kind>(kind: K): Handler {
  const title = collections[kind].charAt(0).toUpperCase() + collections[kind].slice(1);
  return async (request) => {
    const { catalogue, params, query, links } = request;
    const { namespace, dataset } = params;
    if (kind === 'dataset' && request.isPage && !query.has('cursor')) return datasetListPage(request);
    const options = parseListOptions(kind, query, { namespace, dataset });
    const found = await catalogue.list(kind, options);
    if (kind !== 'file') {
      const items = found.items as readonly Entities[Plain][];
      if (request.isPage && (kind === 'namespace' || kind === 'query') && !query.has('cursor'))
        return recordListPage(
          request,
          kind,
          representEntities(request, title, found as Page<Entities[Plain]>),
          found as never,
        );
      const { facets } = found;
      const page = representEntities(request, title, { ...found, items }, { facets });
      return facets ? { ...page, dependsOn: [...page.dependsOn, JSON.stringify(facets)] } : page;
    }
    const files = found.items as readonly CatalogueFile[];
    const details = await whileConnected(request.ctx, (signal) => catalogue.inspect(files, signal));
    const items = () => files.map((file, i) => toJson(representFile(file, links, details[i] ?? noDetails)));
    // The details are read from the disk, and change without a new revision of the catalogue.
    return { ...representPage(request, title, found, items), dependsOn: [] };
  };
}

/** A page of datasets for people. */
async function datasetListPage(request: RequestContext): Promise<Representation | undefined> {
  const { catalogue, ctx, query, params } = request;
  const plain = queryOfAreaForm(query, pageLocale(ctx, catalogue.settings), null);
  if (plain !== null) {
    seeOther(request, ctx.path + plain);
    return undefined;
  }
  const list = await datasetListFor(request, parseListOptions('dataset', query, { namespace: params.namespace }));
  const dependsOn = dependenciesOf(list);
  return {
    ...representEntities(request, 'Datasets', list.found),
    dependsOn,
    pageInParts: {
      head: (context) => renderSearchPageStart(context, list),
      complete: async () => ({ dependsOn, page: (context) => runInTurns(request, renderSearchPage(context, list)) }),
    },
  };
}

const noDetails: FileDetails = { checksum: '', modified: '', commit: null };

/**
 * @param items the JSON of each item
 * @param members further members of the page
 */
export function representPage(
  { app, links, ctx, query, type }: RequestContext,
  title: string,
  page: Page<unknown>,
  items: () => readonly string[],
  members: object = {},
): Representation {
  const address = `${links.base}${ctx.path}`;
  const { next, previous } = pageLinks(address, query, page, app.staticExport !== null);
  const link = formatLinkHeader(pageLinkRelations(address, query, page), [alternateLink(address, query, type)]);
  return {
    title,
    dependsOn: [page.count, page.pages, next, previous, ...page.items],
    json: () =>
      `${toJson({ count: page.count, next, previous, ...members }).slice(0, -1)},"results":[${items().join(',')}]}`,
    headers: [['Link', link]],
    reviver: showMetadata,
    beside: { next, previous },
  };
}

/** A page of entities. @param members further members of the page */
function representEntities(
  request: RequestContext,
  title: string,
  page: Page<Entities[Plain]>,
  members: object = {},
): Representation {
  const { json, ...representation } = representPage(request, title, page, () => [], members);
  const bytes = async () => listBytes(await json(), page.items, request);
  return { ...representation, json: async () => (await bytes()).toString(), bytes, hasNewBytes: true };
}

/** Metadata of versions in a form that people can read. */
const showMetadata = (name: string, value: unknown) =>
  name === 'metadata' && typeof value === 'string' ? metadataForPeople(value) : value;

/** The entity at the address. */
export function makeDetailHandler<K extends Kind>(kind: K): Handler {
  return async (request) => {
    const { catalogue, ctx, params, links, query, type } = request;
    const entity = await catalogue.get<K>(refFromRouteParams(kind, params));
    if (entity.kind === 'file') {
      const [details = noDetails] = await catalogue.inspect([entity]);
      return { title: entity.path, dependsOn: [], json: () => toJson(representFile(entity, links, details)) };
    }
    const known = entity as Entities[Plain];
    const dataset = await datasetWith(known, catalogue);
    const address = `${links.base}${ctx.path}`;
    const license = dataset && datasetLicenceUrl(dataset, catalogue.settings);
    const link = formatLinkHeader({ self: urlWithParameters(address, query) }, [alternateLink(address, query, type)]);
    const withContext = known.kind === 'dataset' || known.kind === 'version' ? known : null;
    const representation: Representation = {
      title: entityTitle(known),
      dependsOn: [entity, dataset],
      json: () => entityJson(known, request),
      bytes: () => entityBytes(known, request),
      headers: [['Link', link]],
      ...(known.kind === 'dataset' && { hasDocument: ({ path }) => !documentsLacking(request, known).has(path) }),
      ...(withContext && { links: () => contextLinks(withContext, links, license) }),
      reviver: showMetadata,
      targets: () => namedDownloads(known, links),
    };
    return request.isPage ? withPage(request, representation, known, dataset) : representation;
  };
}

/** The dataset that an entity is, or is a version of; null for other kinds. */
async function datasetWith(entity: Entities[Plain], catalogue: Catalogue): Promise<Dataset | null> {
  if (entity.kind === 'dataset') return entity;
  return entity.kind === 'version' ? catalogue.get<'dataset'>(datasetRefOf(entity)) : null;
}

/** The download addresses in the representation of an entity, and those with a file name that pages link to. */
function namedDownloads(entity: Entities[Plain], { base, suffix }: Links): ReadonlyMap<string, string> {
  if (entity.kind !== 'dataset' && entity.kind !== 'version') return new Map();
  const versions = entity.kind === 'dataset' ? entity.versions : [entity];
  const newest = entity.kind === 'dataset' ? latestReadyVersion(entity) : undefined;
  const named = (ref: Ref, name: string) => {
    const address = resourceUrl({ base, suffix: '' }, ref, 'download/');
    return [address + suffix, address + name] as const;
  };
  return new Map([
    ...(newest ? [named(refOf(entity), downloadFileName(newest, true))] : []),
    ...versions.filter(({ ready }) => ready).map((version) => named(refOf(version), downloadFileName(version))),
  ]);
}

export const entityTitle = (entity: Entities[Plain]): string => ('label' in entity ? entity.label : entity.slug);

/** A handler for those who may see people. @throws NotAuthenticatedError for others, whether or not there is such a user */
export function handlerIfMaySeePeople(handler: Handler): Handler {
  return async (request) => {
    if (!maySeePeople(request.viewer, request.catalogue.settings)) throw new NotAuthenticatedError();
    return handler(request);
  };
}

/** A handler of users, for the user who is signed in. */
export function ownUserHandlerFrom(handler: Handler): Handler {
  return async (request) => {
    const { username } = request.viewer;
    if (username === null) throw new NotAuthenticatedError();
    return handler({ ...request, params: { user: username } });
  };
}
