/** The catalogue as an Iceberg REST catalog, of which clients read: namespaces, and datasets with rows as tables. */
import { NotFoundError } from '../catalogue/errors.ts';
import { toJson } from '../catalogue/represent.ts';
import type { Dataset } from '../catalogue/types.ts';
import type { Links } from '../catalogue/urls.ts';
import { Turns } from '../data/event-loop.ts';
import { mayBeTable, readTable } from '../iceberg/read-table.ts';
import {
  catalogConfig,
  errorDocument,
  type ListPart,
  loadedTable,
  locationOfPrefix,
  namespaceDocument,
  namespaceList,
  partOfList,
  tableList,
} from '../iceberg/rest-catalog.ts';
import type { Table } from '../iceberg/table.ts';
import { BadRequestError } from './errors.ts';
import { listInTurns, runInTurns, runSteps, toJsonInTurns, turnsOf } from './in-turns.ts';
import { type Handler, type Params, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { namespaceOf } from './standards.ts';

/** Path of the tables' files. */
export const tablesRoot = '/iceberg/tables/';

/** Address of a table's files, without a slash at its end. */
export const tableLocation = ({ base }: Links, { namespace, slug }: Dataset): string =>
  `${base}${tablesRoot}${namespace}/${slug}`;

/** The body of an error in the form of the REST catalog. @param body in the usual form */
export function icebergErrorBody(status: number, body: Readonly<Record<string, unknown>>, params: Params): object {
  const messages = Object.values(body).flat().map(String);
  return errorDocument(status, messages.join(' '), params.dataset !== undefined);
}

export const icebergConfigHandler: Handler = async ({ catalogue, query }) => ({
  title: 'Iceberg',
  dependsOn: [catalogue.settings],
  json: () => toJson(catalogConfig(query.get('warehouse'))),
});

/** A handler of addresses that may name the location of an export. @throws NotFoundError if they name another thing */
const withWarehouse =
  (handler: Handler): Handler =>
  async (request) => {
    locationFromRoute(request);
    return handler(request);
  };

/** The location of the export in an address; undefined if there is none. @throws NotFoundError if it is no location */
function locationFromRoute({ params: { warehouse } }: RequestContext): string | undefined {
  if (warehouse === undefined) return undefined;
  const location = locationOfPrefix(warehouse);
  if (location === undefined) throw new NotFoundError();
  return location;
}

/** The part of a list that the parameters `pageToken` and `pageSize` ask for. @throws BadRequestError */
function partAskedFor({ query }: RequestContext, names: Iterable<string>): ListPart {
  const size = query.get('pageSize');
  if (size !== null && !/^[1-9]\d{0,8}$/.test(size)) throw new BadRequestError('"pageSize" is no number of items.');
  return partOfList([...names].sort(), query.get('pageToken') ?? undefined, size === null ? undefined : Number(size));
}

/** Slugs of the namespaces that the viewer may see, or in which there is a table for them. */
async function namespaceSlugs(request: RequestContext): Promise<ReadonlySet<string>> {
  const slugs = new Set<string>();
  for await (const { slug } of listInTurns(request, 'namespace')) slugs.add(slug);
  for await (const dataset of listInTurns(request, 'dataset')) if (mayBeTable(dataset)) slugs.add(dataset.namespace);
  return slugs;
}

export const icebergNamespacesHandler: Handler = withWarehouse(async (request) => {
  const { catalogue, query } = request;
  const slugs = await namespaceSlugs(request);
  const parent = query.get('parent');
  if (parent && !slugs.has(parent)) throw new NotFoundError();
  const part = partAskedFor(request, parent ? [] : slugs);
  return { title: 'Iceberg', dependsOn: [catalogue.revision], json: () => toJson(namespaceList(part)) };
});

export const icebergNamespaceHandler: Handler = withWarehouse(async (request) => {
  const { catalogue, params } = request;
  const { namespace: slug = '' } = params;
  const namespace = await namespaceOf(catalogue, { namespace: slug });
  if (!namespace && !(await namespaceSlugs(request)).has(slug)) throw new NotFoundError();
  return respondExisting(request, {
    title: 'Iceberg',
    dependsOn: [catalogue.revision],
    json: () => toJson(namespaceDocument(slug, namespace)),
  });
});

/** Responds to HEAD with 204, as the REST catalog demands; to GET with a document. */
function respondExisting({ ctx }: RequestContext, representation: Representation): Representation | undefined {
  if (ctx.method !== 'HEAD') return { ...representation, isForGetOnly: true };
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.status = 204;
  return undefined;
}

export const icebergTablesHandler: Handler = withWarehouse(async (request) => {
  const { catalogue, params } = request;
  const { namespace: slug = '' } = params;
  const namespace = await namespaceOf(catalogue, { namespace: slug });
  const names: string[] = [];
  // A namespace that the viewer may not see can have datasets that they may see.
  const options = namespace ? { namespace: slug } : {};
  for await (const dataset of listInTurns(request, 'dataset', options))
    if (dataset.namespace === slug && mayBeTable(dataset)) names.push(dataset.slug);
  if (!namespace && names.length === 0) throw new NotFoundError();
  const part = partAskedFor(request, names);
  return { title: 'Iceberg', dependsOn: [catalogue.revision], json: () => toJson(tableList(slug, part)) };
});

/** The table at an address. @throws NotFoundError if the dataset doesn't exist, or has no version with rows; UnavailableError */
export async function tableFromRoute({ catalogue, params }: RequestContext): Promise<Table> {
  const dataset = await catalogue.get<'dataset'>(refFromRouteParams('dataset', params));
  // Others may wait for the same table: it is read on when this client has left.
  const { table } = await readTable(catalogue, dataset, (steps) => runSteps(steps, new Turns()));
  if (!table) throw new NotFoundError(`${dataset.namespace}/${dataset.slug} has no version with rows: it is no table.`);
  return table;
}

export const icebergTableHandler: Handler = withWarehouse(async (request) => {
  const { links } = request;
  const table = await tableFromRoute(request);
  const { namespace, slug } = table.dataset;
  const exported = locationFromRoute(request);
  const location = exported === undefined ? tableLocation(links, table.dataset) : `${exported}/${namespace}/${slug}`;
  return respondExisting(request, {
    title: 'Iceberg',
    dependsOn: [table, links.base],
    json: async () => toJsonInTurns(await runInTurns(request, loadedTable(table, location)), turnsOf(request)),
  });
});
