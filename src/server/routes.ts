/** The URL map: a line a route, in the order of the documentation. */
import type { CreatableKind, WritableKind } from '../catalogue/catalogue.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { schemaKinds } from '../standards/ogc/schema.ts';
import { listSchemasHandler, rootHandler, showSchemaHandler } from './about.ts';
import { assetHandler, documentationFileHandler } from './assets.ts';
import {
  handlerIfMaySeePeople,
  makeCollectionPageHandler,
  makeDetailHandler,
  ownUserHandlerFrom,
} from './collections.ts';
import { columnHandler } from './columns.ts';
import { dataTypes, profileHandler, savedQueryRowsHandler, versionRowsHandler } from './data.ts';
import { differenceHandler, differenceTypes } from './difference.ts';
import { documentationHandler, documentationSourceHandler } from './documentation.ts';
import { profiles } from './documents.ts';
import { makeEmbedHandler } from './embed.ts';
import { applyFileChangesHandler, putFileHandler, removeRecordFileHandler } from './file-writes.ts';
import { fileListTypes, listCatalogueFilesHandler, showFileHandler } from './files.ts';
import { aliveHandler, metricsHandler, readyHandler } from './health.ts';
import { changesHandler, makeHistoryHandler } from './histories.ts';
import { homeHandler, suggestionsHandler } from './home.ts';
import * as iceberg from './iceberg.ts';
import { icebergDataFileHandler, icebergMetadataFileHandler } from './iceberg-files.ts';
import {
  makeMapHandler,
  pictureType,
  pngType,
  respondPicture,
  respondPlate,
  respondPlateAsPng,
  respondTile,
  respondTileset,
  tileType,
} from './maps.ts';
import {
  makeOgcSchemaHandler,
  ogcApiHandler,
  ogcCollectionHandler,
  ogcCollectionsHandler,
  ogcConformanceHandler,
  ogcFunctionsHandler,
  ogcLandingHandler,
} from './ogc.ts';
import { ogcFeatureHandler, ogcFeaturesHandler } from './ogc-features.ts';
import { makeApiReferenceHandler, makeOpenApiHandler } from './openapi/handlers.ts';
import type { DescribedHandlers, RouteName } from './openapi/operations.ts';
import { overviewHandler } from './overview.ts';
import { downloadHandler, siteMediaHandler } from './payloads.ts';
import type { Handler, Route } from './route.ts';
import { stacCatalogHandler, stacNamespaceHandler } from './stac.ts';
import {
  datasetDocuments,
  dcatJsonLdHandler,
  dcatTurtleHandler,
  dcatUsHandler,
  makeDatasetDocumentHandler,
} from './standards.ts';
import {
  catalogueFeedHandler,
  datasetFeedHandler,
  namespaceFeedHandler,
  robotsHandler,
  sitemapHandler,
} from './syndication.ts';
import {
  createTokenHandler,
  listTokensHandler,
  obtainTokenHandler,
  revokeTokenHandler,
  showTokenHandler,
  tokenRequestFields,
} from './tokens.ts';
import {
  deleteTrashEntryHandler,
  emptyTrashHandler,
  listTrashHandler,
  restoreTrashEntryHandler,
  showTrashEntryHandler,
} from './trash.ts';
import { uploadVersionHandler } from './uploads.ts';
import { gitWebhookHandler } from './webhook.ts';
import { makeCreateHandler, makeEditHandler, makeRemoveHandler } from './writes.ts';

const json = 'application/json';
const html = 'text/html';
const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';

/** A route of JSON and pages, unless its parts say otherwise. */
function route<N extends RouteName>(
  path: string,
  name: N,
  handlers: DescribedHandlers<N>,
  ...parts: Partial<Route>[]
): Route {
  const usual = { types: [json, html], parses: [json, form, multipart] };
  return Object.assign({ path, name, handlers, ...usual }, ...parts);
}

const get = (GET: Handler) => ({ GET });
const collection = (kind: CreatableKind) => ({
  GET: makeCollectionPageHandler(kind),
  POST: makeCreateHandler(kind),
});
const instance = (kind: WritableKind) => ({
  ...{
    GET: makeDetailHandler(kind),
    PUT: makeEditHandler(kind, 'all'),
    PATCH: makeEditHandler(kind, 'some'),
    DELETE: makeRemoveHandler(kind),
  },
});
/** Handlers of users, whom not everybody may see. */
const users = <H extends { readonly GET: Handler }>(handlers: H): H => ({
  ...handlers,
  GET: handlerIfMaySeePeople(handlers.GET),
});
const me = {
  GET: ownUserHandlerFrom(makeDetailHandler('user')),
  PUT: ownUserHandlerFrom(makeEditHandler('user', 'all')),
  PATCH: ownUserHandlerFrom(makeEditHandler('user', 'some')),
};

const rowsOf = (kind: 'version' | 'query'): Partial<Route> => ({ rowsOf: kind });
const rows = (kind: 'version' | 'query'): Partial<Route> => ({ types: dataTypes, ownFormats: true, rowsOf: kind });
const differences: Partial<Route> = { types: differenceTypes, ownFormats: true };
const documentation: Partial<Route> = { types: [html, 'text/markdown', '*/*'] };
const anyType: Partial<Route> = { types: [json, html, '*/*'] };
const hidesWrites: Partial<Route> = { hidesWrites: true };
const fields = (kind: WritableKind): Partial<Route> => ({ fields: kind });
const signIn: Partial<Route> = {
  types: [json],
  parses: [form, multipart, json],
  withoutSignIn: true,
  options: { actions: { POST: tokenRequestFields() } },
};

const documentNames = Object.keys(datasetDocuments) as (keyof typeof datasetDocuments)[];

/** The standards of the same address by Accept; of one media type, the first unless a profile is named. */
const jsonLd = 'application/ld+json';
const feedDocument = (handler: Handler, path = 'feed.atom') => ({ type: 'application/atom+xml', path, handler });
const datasetDocument = (path: keyof typeof datasetDocuments, type: string, profile?: string) => ({
  ...{ type, path, handler: makeDatasetDocumentHandler(path) },
  ...(profile !== undefined && { profile }),
});
const documentsOfDataset: Partial<Route> = {
  documents: [
    datasetDocument('dcat.jsonld', jsonLd, profiles.dcat),
    datasetDocument('dcat.ttl', 'text/turtle', profiles.dcat),
    datasetDocument('schema.jsonld', jsonLd, profiles.schemaOrg),
    datasetDocument('croissant.json', jsonLd, profiles.croissant),
    datasetDocument('datapackage.json', 'application/vnd.datapackage+json'),
    datasetDocument('stac.json', json, profiles.stac),
    feedDocument(datasetFeedHandler),
  ],
};
const documentsOfCatalogue: Partial<Route> = {
  documents: [
    { type: jsonLd, profile: profiles.dcat, path: '/catalog.jsonld', handler: dcatJsonLdHandler },
    { type: 'text/turtle', profile: profiles.dcat, path: '/catalog.ttl', handler: dcatTurtleHandler },
    feedDocument(catalogueFeedHandler, '/feed.atom'),
  ],
};
const documentsOfNamespace: Partial<Route> = { documents: [feedDocument(namespaceFeedHandler)] };

const ogc: Partial<Route> = { formatParameter: 'f' };
/** Slugs have no dots. */
const ogcCollection = '/ogc/collections/:namespace.:dataset';
const schemaKindNames = Object.keys(schemaKinds) as (keyof typeof schemaKinds)[];

const restCatalog: Partial<Route> = { errorBody: iceberg.icebergErrorBody };
/** Routes of the REST catalog, whose clients may have a prefix in their addresses. */
const restCatalogRoutes = (root: string): Route[] => [
  route(root, 'Iceberg Namespaces', get(iceberg.icebergNamespacesHandler), restCatalog),
  route(`${root}/:namespace`, 'Iceberg Namespace', get(iceberg.icebergNamespaceHandler), restCatalog),
  route(`${root}/:namespace/tables`, 'Iceberg Tables', get(iceberg.icebergTablesHandler), restCatalog),
  route(`${root}/:namespace/tables/:dataset`, 'Iceberg Table', get(iceberg.icebergTableHandler), restCatalog),
];

const namespaces = `${apiRoot}namespaces/`;
const datasets = `${namespaces}:namespace/datasets/`;
const versions = `${datasets}:dataset/version/`;
const queries = `${apiRoot}queries/`;
const files = `${apiRoot}files/`;
const tokens = `${apiRoot}auth/tokens/`;
const trash = `${apiRoot}trash/`;

/** Maps of the rows at an address, and pages with them for frames: of a dataset, a version or a saved query. */
const maps = (path: string, kind: 'version' | 'query'): Route[] => {
  const ofType = (type: string): Partial<Route> => ({ types: [type, '*/*'], ownFormats: true, rowsOf: kind });
  return [
    route(`${path}embed/`, 'Embed', get(makeEmbedHandler(kind)), rowsOf(kind)),
    route(`${path}map.svg`, 'Map', get(makeMapHandler(kind, respondPicture)), ofType(pictureType)),
    route(`${path}plate.svg`, 'Plate', get(makeMapHandler(kind, respondPlate)), ofType(pictureType)),
    route(`${path}plate.png`, 'Plate As PNG', get(makeMapHandler(kind, respondPlateAsPng)), ofType(pngType)),
    route(`${path}tiles.json`, 'Tile Set', get(makeMapHandler(kind, respondTileset)), ofType(json)),
    route(`${path}tiles/:z/:x/:file`, 'Tile', get(makeMapHandler(kind, respondTile)), ofType(tileType)),
  ];
};

// biome-ignore format: a line a route
export const routes: readonly Route[] = [
  route('/', 'Home', get(homeHandler), { types: [html, json] }, documentsOfCatalogue),
  route(apiRoot, 'Api Version 1', get(rootHandler), documentsOfCatalogue),
  route(`${apiRoot}openapi.json`, 'OpenAPI', get(makeOpenApiHandler(() => routes)), { types: ['application/vnd.oai.openapi+json', json, '*/*'] }),
  route(`${apiRoot}datasets/`, 'Dataset List', collection('dataset'), fields('dataset')),
  route(`${apiRoot}datasets/map.svg`, 'Overview', get(overviewHandler), { types: [pictureType, '*/*'], ownFormats: true }),
  route(`${apiRoot}suggestions/`, 'Suggestions', get(suggestionsHandler), { types: [json] }),
  route(datasets, 'Dataset List', collection('dataset'), fields('dataset')),
  route(`${datasets}:dataset/`, 'Dataset Instance', instance('dataset'), fields('dataset'), documentsOfDataset),
  route(`${datasets}:dataset/data/`, 'Data', get(versionRowsHandler), rows('version')),
  route(`${datasets}:dataset/data.:extension`, 'Data', get(versionRowsHandler), rows('version')),
  ...maps(`${datasets}:dataset/`, 'version'),
  route(`${datasets}:dataset/columns/:column/`, 'Column', get(columnHandler)),
  route(`${datasets}:dataset/profile/`, 'Profile', get(profileHandler), rowsOf('version')),
  route(`${datasets}:dataset/download/`, 'Download', get(downloadHandler), anyType),
  route(`${datasets}:dataset/download/:name`, 'Download', get(downloadHandler), anyType),
  route(`${datasets}:dataset/history/`, 'History', get(makeHistoryHandler('dataset'))),
  ...documentNames.map((name) => route(`${datasets}:dataset/${name}`, 'Document', get(makeDatasetDocumentHandler(name)), anyType)),
  route(`${apiRoot}versions/`, 'Version List', get(makeCollectionPageHandler('version'))),
  route(versions, 'Version List', { GET: makeCollectionPageHandler('version'), POST: uploadVersionHandler }, hidesWrites),
  route(`${versions}:version/`, 'Version Instance', { GET: makeDetailHandler('version'), PATCH: makeEditHandler('version', 'some'), DELETE: makeRemoveHandler('version') }, hidesWrites),
  route(`${versions}:version/data/`, 'Data', get(versionRowsHandler), rows('version')),
  route(`${versions}:version/data.:extension`, 'Data', get(versionRowsHandler), rows('version')),
  ...maps(`${versions}:version/`, 'version'),
  route(`${versions}:version/profile/`, 'Profile', get(profileHandler), rowsOf('version')),
  route(`${versions}:version/download/`, 'Download', get(downloadHandler), anyType),
  route(`${versions}:version/download/:name`, 'Download', get(downloadHandler), anyType),
  route(`${versions}:version/diff/`, 'Diff', get(differenceHandler), differences),
  route(`${versions}:version/history/`, 'History', get(makeHistoryHandler('version'))),
  route(namespaces, 'Namespace List', collection('namespace'), fields('namespace')),
  route(`${namespaces}:namespace/`, 'Namespace Instance', instance('namespace'), fields('namespace'), documentsOfNamespace),
  route(`${namespaces}:namespace/history/`, 'History', get(makeHistoryHandler('namespace'))),
  route(`${apiRoot}groups/`, 'Group List', collection('group'), fields('group'), hidesWrites),
  route(`${apiRoot}groups/:group/`, 'Group Instance', instance('group'), fields('group'), hidesWrites),
  route(`${apiRoot}users/`, 'User List', users(collection('user')), fields('user'), hidesWrites),
  route(`${apiRoot}users/me/`, 'User Instance', me, { ...hidesWrites, ...fields('user') }),
  route(`${apiRoot}users/:user/`, 'User Instance', users(instance('user')), fields('user'), hidesWrites),
  route(queries, 'Query List', collection('query'), fields('query'), hidesWrites),
  route(`${queries}:query/`, 'Query Instance', instance('query'), fields('query'), hidesWrites),
  route(`${queries}:query/data/`, 'Data', get(savedQueryRowsHandler), rows('query')),
  route(`${queries}:query/data.:extension`, 'Data', get(savedQueryRowsHandler), rows('query')),
  ...maps(`${queries}:query/`, 'query'),
  route(`${apiRoot}changes/`, 'Changes', get(changesHandler)),
  route(`${apiRoot}intrinsecus/`, 'Intrinsecus List', get(makeCollectionPageHandler('file'))),
  route(`${apiRoot}intrinsecus/:file/`, 'Intrinsecus Instance', get(makeDetailHandler('file'))),
  route(files, 'File List', { GET: listCatalogueFilesHandler, PATCH: applyFileChangesHandler }, { types: fileListTypes, parses: [json] }, hidesWrites),
  route(`${files}*path`, 'File Instance', { GET: showFileHandler, PUT: putFileHandler, DELETE: removeRecordFileHandler }, anyType, { parses: ['*/*'] }, hidesWrites),
  route(`${apiRoot}auth/token/obtain/`, 'Obtain Auth Token', { POST: obtainTokenHandler }, signIn),
  route(tokens, 'Token List', { GET: listTokensHandler, POST: createTokenHandler }, hidesWrites),
  route(`${tokens}:token/`, 'Token Instance', { GET: showTokenHandler, DELETE: revokeTokenHandler }),
  route(trash, 'Trash List', { GET: listTrashHandler, DELETE: emptyTrashHandler }, hidesWrites),
  route(`${trash}:entry/`, 'Trash Instance', { GET: showTrashEntryHandler, DELETE: deleteTrashEntryHandler }, hidesWrites),
  route(`${trash}:entry/restore/`, 'Restore', { POST: restoreTrashEntryHandler }),
  // The address that older clients of the service use.
  route('/api/namespaces/:namespace/sources/:dataset/data/', 'Data', get(versionRowsHandler), rows('version')),
  route('/schemas/', 'Schemas', get(listSchemasHandler)),
  route('/schemas/:schema', 'Schema', get(showSchemaHandler), { types: ['application/schema+json', json, html] }),
  route('/docs/openapi/', 'Api Reference', get(makeApiReferenceHandler(() => routes)), { types: [html, json] }),
  route('/docs/', 'Documentation', get(documentationHandler), documentation),
  route('/docs/:page/', 'Documentation', get(documentationHandler), documentation),
  route('/docs/:page.md', 'Documentation', get(documentationSourceHandler), anyType),
  route('/docs/:folder/:name', 'Documentation', get(documentationFileHandler), anyType),
  route('/data.json', 'DCAT-US', get(dcatUsHandler), anyType),
  route('/catalog.jsonld', 'DCAT', get(dcatJsonLdHandler), anyType),
  route('/catalog.ttl', 'DCAT', get(dcatTurtleHandler), anyType),
  route('/sitemap.xml', 'Sitemap', get(sitemapHandler), anyType),
  route('/sitemap-:part.xml', 'Sitemap', get(sitemapHandler), anyType),
  route('/robots.txt', 'Robots', get(robotsHandler), anyType),
  route('/feed.atom', 'Feed', get(catalogueFeedHandler), anyType),
  route(`${namespaces}:namespace/feed.atom`, 'Feed', get(namespaceFeedHandler), anyType),
  route(`${datasets}:dataset/feed.atom`, 'Feed', get(datasetFeedHandler), anyType),
  route('/ogc/', 'OGC API', get(ogcLandingHandler), ogc),
  route('/ogc/conformance', 'OGC Conformance', get(ogcConformanceHandler), ogc),
  route('/ogc/api', 'OGC API Definition', get(ogcApiHandler), ogc, { types: ['application/vnd.oai.openapi+json', json, html] }),
  route('/ogc/functions', 'OGC Functions', get(ogcFunctionsHandler), ogc),
  route('/ogc/collections', 'OGC Collections', get(ogcCollectionsHandler), ogc),
  route(ogcCollection, 'OGC Collection', get(ogcCollectionHandler), ogc),
  ...schemaKindNames.map((kind) => route(`${ogcCollection}/${kind}`, 'OGC Schema', get(makeOgcSchemaHandler(kind)), ogc, { types: ['application/schema+json', json, html] })),
  route(`${ogcCollection}/items`, 'OGC Features', get(ogcFeaturesHandler), ogc, { types: ['application/geo+json', json, html] }),
  route(`${ogcCollection}/items/:feature`, 'OGC Feature', get(ogcFeatureHandler), ogc, { types: ['application/geo+json', json, html] }),
  route('/iceberg/v1/config', 'Iceberg Config', get(iceberg.icebergConfigHandler), restCatalog),
  ...restCatalogRoutes('/iceberg/v1/namespaces'),
  ...restCatalogRoutes('/iceberg/v1/:warehouse/namespaces'),
  route(`${iceberg.tablesRoot}:namespace/:dataset/metadata/:file`, 'Iceberg File', get(icebergMetadataFileHandler), restCatalog, anyType),
  route(`${iceberg.tablesRoot}:namespace/:dataset/data/:file`, 'Iceberg File', get(icebergDataFileHandler), restCatalog, anyType),
  route('/stac/', 'STAC', get(stacCatalogHandler), anyType),
  route('/stac/:namespace/', 'STAC', get(stacNamespaceHandler), anyType),
  route('/static/:version/:name', 'Static', get(assetHandler), anyType),
  route('/site_media/*path', 'Media', get(siteMediaHandler), anyType),
  route('/healthz', 'Health', get(aliveHandler)),
  route('/readyz', 'Readiness', get(readyHandler)),
  route('/metrics', 'Metrics', get(metricsHandler), anyType),
  route('/webhooks/git', 'Git Webhook', { POST: gitWebhookHandler }, { withoutSignIn: true, parses: ['*/*'] }),
];
