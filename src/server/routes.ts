/** The URL map: a line a route, in the order of the documentation. */

import type { CreatableKind, WritableKind } from '../catalogue/catalogue.ts';
import { NotAuthenticatedError, NotFoundError } from '../catalogue/errors.ts';
import type { Refs } from '../catalogue/ref.ts';
import { representRoot, toJson } from '../catalogue/represent.ts';
import { type RecordKind, schemas } from '../catalogue/schemas.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { homePage } from '../pages/home.ts';
import { schemaPage } from '../pages/schema.ts';
import { detail, page } from './collections.ts';
import { data, dataTypes, queryData } from './data.ts';
import { difference, differenceTypes } from './difference.ts';
import { changeFiles, putFile, removeFile } from './file-writes.ts';
import { file, fileList, fileListTypes } from './files.ts';
import { history } from './history.ts';
import { showMetrics } from './metrics.ts';
import { download, media } from './payloads.ts';
import type { Ask, Route, Shown } from './route.ts';
import { obtainToken } from './token.ts';
import { createToken, revokeToken, token, tokenList } from './tokens.ts';
import { deleteEntry, emptyTrash, restoreEntry, trashEntry, trashList } from './trash.ts';
import { publish } from './uploads.ts';
import { create, edit, remove } from './writes.ts';

const json = 'application/json';
const html = 'text/html';
const resource = {
  types: [json, html],
  parses: [json, 'application/x-www-form-urlencoded', 'multipart/form-data'],
} as const;

const readOnly = 'GET, HEAD, OPTIONS';
const listed = 'GET, POST, HEAD, OPTIONS';
const written = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS';

const namespaces = `${apiRoot}namespaces`;
const datasets = `${namespaces}/:namespace/datasets`;
const versions = `${datasets}/:dataset/version`;

/** What a collection that may be added to is, besides what it shows. */
const adds = (kind: CreatableKind): Partial<Route> => ({
  other: { POST: create(kind) },
  fields: { kind, method: 'POST' },
});
/** What an entity that may be edited is, besides what it shows. */
const changes = <K extends WritableKind>(kind: K, refFrom: (params: Ask['params']) => Refs[K]): Partial<Route> => ({
  other: { PUT: edit(refFrom, false), PATCH: edit(refFrom, true), DELETE: remove(refFrom) },
  fields: { kind, method: 'PUT' },
});

const slug = (params: Ask['params'], name: string) => params[name] ?? '';
const dataset = (params: Ask['params']) =>
  ({ kind: 'dataset', namespace: slug(params, 'namespace'), slug: slug(params, 'dataset') }) as const;
const version = (params: Ask['params']) =>
  ({
    kind: 'version',
    namespace: slug(params, 'namespace'),
    dataset: slug(params, 'dataset'),
    slug: slug(params, 'version'),
  }) as const;
/** References whose only part is the slug. */
const named = <K extends 'namespace' | 'group' | 'user' | 'query' | 'file'>(kind: K) => {
  return (params: Ask['params']) => ({ kind, slug: slug(params, kind) });
};

function route(path: string, name: string, allow: string, get: Route['get'], more: Partial<Route> = {}): Route {
  return { ...resource, path, name, allow, ...(get && { get }), ...more };
}

const rows = { types: dataTypes, ownFormats: true } as const;
const anything = { types: [json, html, '*/*'] } as const;

export const routes: readonly Route[] = [
  route('/', 'Home', readOnly, home, { types: [html, json] }),
  route(apiRoot, 'Api Version 1', readOnly, root),
  route(`${apiRoot}datasets/`, 'Dataset List', listed, page('dataset', 'Datasets'), adds('dataset')),
  route(`${datasets}/`, 'Dataset List', listed, page('dataset', 'Datasets'), adds('dataset')),
  route(`${datasets}/:dataset/`, 'Dataset Instance', written, detail('dataset', dataset), changes('dataset', dataset)),
  route(`${datasets}/:dataset/data/`, 'Data', readOnly, data, rows),
  route(`${datasets}/:dataset/data.:extension`, 'Data', readOnly, data, rows),
  route(`${datasets}/:dataset/download/`, 'Download', readOnly, download, anything),
  route(`${datasets}/:dataset/history/`, 'History', readOnly, history(dataset)),
  route(`${apiRoot}versions/`, 'Version List', readOnly, page('version', 'Versions')),
  route(`${versions}/`, 'Version List', readOnly, page('version', 'Versions'), {
    allowSignedIn: listed,
    other: { POST: publish },
  }),
  route(`${versions}/:version/`, 'Version Instance', readOnly, detail('version', version), {
    allowSignedIn: 'GET, PATCH, DELETE, HEAD, OPTIONS',
    other: { PATCH: edit(version, true), DELETE: remove(version) },
  }),
  route(`${versions}/:version/data/`, 'Data', readOnly, data, rows),
  route(`${versions}/:version/data.:extension`, 'Data', readOnly, data, rows),
  route(`${versions}/:version/download/`, 'Download', readOnly, download, anything),
  route(`${versions}/:version/diff/`, 'Diff', readOnly, difference, { types: differenceTypes, ownFormats: true }),
  route(`${versions}/:version/history/`, 'History', readOnly, history(version)),
  route(`${namespaces}/`, 'Namespace List', listed, page('namespace', 'Namespaces'), adds('namespace')),
  route(
    `${namespaces}/:namespace/`,
    'Namespace Instance',
    written,
    detail('namespace', named('namespace')),
    changes('namespace', named('namespace')),
  ),
  route(`${namespaces}/:namespace/history/`, 'History', readOnly, history(named('namespace'))),
  route(`${apiRoot}groups/`, 'Group List', readOnly, page('group', 'Groups'), {
    allowSignedIn: listed,
    ...adds('group'),
  }),
  route(`${apiRoot}groups/:group/`, 'Group Instance', readOnly, detail('group', named('group')), {
    allowSignedIn: written,
    ...changes('group', named('group')),
  }),
  route(`${apiRoot}users/`, 'User List', readOnly, page('user', 'Users'), { allowSignedIn: listed, ...adds('user') }),
  route(`${apiRoot}users/me/`, 'User Instance', readOnly, me(detail('user', named('user'))), {
    allowSignedIn: 'GET, PUT, PATCH, HEAD, OPTIONS',
    other: { PUT: me(edit(named('user'), false)), PATCH: me(edit(named('user'), true)) },
  }),
  route(`${apiRoot}users/:user/`, 'User Instance', readOnly, detail('user', named('user')), {
    allowSignedIn: written,
    ...changes('user', named('user')),
  }),
  route(`${apiRoot}queries/`, 'Query List', readOnly, page('query', 'Queries'), {
    allowSignedIn: listed,
    ...adds('query'),
  }),
  route(`${apiRoot}queries/:query/`, 'Query Instance', readOnly, detail('query', named('query')), {
    allowSignedIn: written,
    ...changes('query', named('query')),
  }),
  route(`${apiRoot}queries/:query/data/`, 'Data', readOnly, queryData, rows),
  route(`${apiRoot}queries/:query/data.:extension`, 'Data', readOnly, queryData, rows),
  route(`${apiRoot}intrinsecus/`, 'Intrinsecus List', readOnly, page('file', 'Intrinsecus')),
  route(`${apiRoot}intrinsecus/:file/`, 'Intrinsecus Instance', readOnly, detail('file', named('file'))),
  route(`${apiRoot}files/`, 'File List', readOnly, fileList, {
    allowSignedIn: 'GET, PATCH, HEAD, OPTIONS',
    types: fileListTypes,
    parses: [json],
    other: { PATCH: changeFiles },
  }),
  route(`${apiRoot}files/*path`, 'File Instance', readOnly, file, {
    allowSignedIn: 'GET, PUT, DELETE, HEAD, OPTIONS',
    ...anything,
    parses: ['*/*'],
    other: { PUT: putFile, DELETE: removeFile },
  }),
  route(`${apiRoot}auth/token/obtain/`, 'Obtain Auth Token', 'POST, OPTIONS', undefined, {
    types: [json],
    open: true,
    parses: ['application/x-www-form-urlencoded', 'multipart/form-data', json],
    options: { actions: { POST: credentials() } },
    other: { POST: obtainToken },
  }),
  route(`${apiRoot}auth/tokens/`, 'Token List', readOnly, tokenList, {
    allowSignedIn: listed,
    other: { POST: createToken },
  }),
  route(`${apiRoot}auth/tokens/:token/`, 'Token Instance', 'GET, DELETE, HEAD, OPTIONS', token, {
    other: { DELETE: revokeToken },
  }),
  route(`${apiRoot}trash/`, 'Trash List', readOnly, trashList, {
    allowSignedIn: 'GET, DELETE, HEAD, OPTIONS',
    other: { DELETE: emptyTrash },
  }),
  route(`${apiRoot}trash/:entry/`, 'Trash Instance', readOnly, trashEntry, {
    allowSignedIn: 'GET, DELETE, HEAD, OPTIONS',
    other: { DELETE: deleteEntry },
  }),
  route(`${apiRoot}trash/:entry/restore/`, 'Restore', 'POST, OPTIONS', undefined, { other: { POST: restoreEntry } }),
  // Older clients of the service ask here.
  route('/api/namespaces/:namespace/sources/:dataset/data/', 'Data', readOnly, data, rows),
  route('/schemas/', 'Schemas', readOnly, schemaList),
  route('/schemas/:schema', 'Schema', readOnly, schema, { types: ['application/schema+json', json, html] }),
  route('/site_media/*path', 'Media', readOnly, media, anything),
  route('/healthz', 'Health', readOnly, alive),
  route('/readyz', 'Readiness', readOnly, ready),
  route('/metrics', 'Metrics', readOnly, showMetrics, anything),
];

/** The first page for people; programs are sent to the API. */
async function home({ catalogue, ctx, type }: Ask): Promise<Shown | undefined> {
  if (type === json) {
    ctx.redirect(apiRoot);
    return undefined;
  }
  const { items, count } = await catalogue.list('dataset', {});
  return {
    title: catalogue.settings.title,
    parts: [count, ...items],
    json: () => '{}',
    html: (settings, base) => homePage(settings, base, items, count),
  };
}

async function root({ links }: Ask): Promise<Shown> {
  return { title: 'Api Version 1', parts: [links.base], json: () => toJson(representRoot(links)) };
}

async function schemaList({ links }: Ask): Promise<Shown> {
  const list = Object.values(schemas).map(({ $id, title }) => ({ url: `${links.base}/schemas/${$id}`, title }));
  return { title: 'Schemas', parts: [links.base], json: () => toJson(list) };
}

/** The JSON Schema of a kind of file. */
async function schema({ params, links, type }: Ask): Promise<Shown> {
  const found = (Object.keys(schemas) as RecordKind[]).find((kind) => schemas[kind].$id === params.schema);
  if (!found) throw new NotFoundError();
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schemas[found],
    $id: `${links.base}/schemas/${schemas[found].$id}`,
  };
  return {
    title: schemas[found].title,
    parts: [links.base],
    json: () => toJson(document),
    ...(type === html && { html: (settings, base) => schemaPage(schemas[found], settings, base) }),
  };
}

/** The process answers. */
async function alive(): Promise<Shown> {
  return { title: 'Health', parts: ['ok'], json: () => '{"status":"ok"}' };
}

/** The catalogue can be read: a route isn't reached before that. */
async function ready({ catalogue, health }: Ask): Promise<Shown> {
  const { count } = await catalogue.list('dataset', { pageSize: 1 });
  const said = { status: 'ok', datasets: count, ...health?.() };
  // What is said besides changes by itself.
  return { title: 'Readiness', parts: Object.keys(said).length > 2 ? [] : [count], json: () => toJson(said) };
}

function credentials() {
  const field = (label: string, read_only = false) => ({ type: 'string', required: !read_only, read_only, label });
  return { username: field('Username'), password: field('Password'), token: field('Token', true) };
}

/** The user's own resource for whoever asks. */
function me(work: (ask: Ask) => Promise<Shown | undefined>) {
  return async (ask: Ask): Promise<Shown | undefined> => {
    const { username } = ask.viewer;
    if (username === null) throw new NotAuthenticatedError();
    return work({ ...ask, params: { user: username } });
  };
}
