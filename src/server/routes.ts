/** The URL map: a line a route, in the order of the documentation. */
import type { CreatableKind, WritableKind } from '../catalogue/catalogue.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { home, listSchemas, root, showSchema } from './about.ts';
import { changes, detail, forMembers, history, ofViewer, page } from './collections.ts';
import { dataTypes, queryData, versionRows } from './data.ts';
import { difference, differenceTypes } from './difference.ts';
import { changeFiles, putFile, removeFile } from './file-writes.ts';
import { fileListTypes, listFiles, showFile } from './files.ts';
import { alive, ready, showMetrics } from './health.ts';
import { download, media } from './payloads.ts';
import type { Handler, Handlers, Route } from './route.ts';
import { createToken, credentialFields, listTokens, obtainToken, revokeToken, showToken } from './tokens.ts';
import { deleteEntry, emptyTrash, listTrash, restoreEntry, showEntry } from './trash.ts';
import { publish } from './uploads.ts';
import { create, edit, remove } from './writes.ts';

const json = 'application/json';
const html = 'text/html';
const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';

/** A route of JSON and pages, unless its parts say otherwise. */
function route(path: string, name: string, handlers: Handlers, ...parts: Partial<Route>[]): Route {
  const usual = { types: [json, html], parses: [json, form, multipart] };
  return Object.assign({ path, name, handlers, ...usual }, ...parts);
}

const get = (GET: Handler): Handlers => ({ GET });
const collection = (kind: CreatableKind): Handlers => ({ GET: page(kind), POST: create(kind) });
const instance = (kind: WritableKind): Handlers => ({
  ...{ GET: detail(kind), PUT: edit(kind, 'all'), PATCH: edit(kind, 'some'), DELETE: remove(kind) },
});
/** Handlers of users, whom not everybody may see. */
const users = ({ GET, ...handlers }: Handlers): Handlers => ({ ...(GET && { GET: forMembers(GET) }), ...handlers });
const me: Handlers = {
  GET: ofViewer(detail('user')),
  PUT: ofViewer(edit('user', 'all')),
  PATCH: ofViewer(edit('user', 'some')),
};

const rows: Partial<Route> = { types: dataTypes, ownFormats: true };
const differences: Partial<Route> = { types: differenceTypes, ownFormats: true };
const anyType: Partial<Route> = { types: [json, html, '*/*'] };
const hidesWrites: Partial<Route> = { hidesWrites: true };
const fields = (kind: WritableKind): Partial<Route> => ({ fields: kind });
const signIn: Partial<Route> = {
  types: [json],
  parses: [form, multipart, json],
  withoutSignIn: true,
  options: { actions: { POST: credentialFields() } },
};

const namespaces = `${apiRoot}namespaces/`;
const datasets = `${namespaces}:namespace/datasets/`;
const versions = `${datasets}:dataset/version/`;
const queries = `${apiRoot}queries/`;
const files = `${apiRoot}files/`;
const tokens = `${apiRoot}auth/tokens/`;
const trash = `${apiRoot}trash/`;

// biome-ignore format: a line a route
export const routes: readonly Route[] = [
  route('/', 'Home', get(home), { types: [html, json] }),
  route(apiRoot, 'Api Version 1', get(root)),
  route(`${apiRoot}datasets/`, 'Dataset List', collection('dataset'), fields('dataset')),
  route(datasets, 'Dataset List', collection('dataset'), fields('dataset')),
  route(`${datasets}:dataset/`, 'Dataset Instance', instance('dataset'), fields('dataset')),
  route(`${datasets}:dataset/data/`, 'Data', get(versionRows), rows),
  route(`${datasets}:dataset/data.:extension`, 'Data', get(versionRows), rows),
  route(`${datasets}:dataset/download/`, 'Download', get(download), anyType),
  route(`${datasets}:dataset/download/:name`, 'Download', get(download), anyType),
  route(`${datasets}:dataset/history/`, 'History', get(history('dataset'))),
  route(`${apiRoot}versions/`, 'Version List', get(page('version'))),
  route(versions, 'Version List', { GET: page('version'), POST: publish }, hidesWrites),
  route(`${versions}:version/`, 'Version Instance', { GET: detail('version'), PATCH: edit('version', 'some'), DELETE: remove('version') }, hidesWrites),
  route(`${versions}:version/data/`, 'Data', get(versionRows), rows),
  route(`${versions}:version/data.:extension`, 'Data', get(versionRows), rows),
  route(`${versions}:version/download/`, 'Download', get(download), anyType),
  route(`${versions}:version/download/:name`, 'Download', get(download), anyType),
  route(`${versions}:version/diff/`, 'Diff', get(difference), differences),
  route(`${versions}:version/history/`, 'History', get(history('version'))),
  route(namespaces, 'Namespace List', collection('namespace'), fields('namespace')),
  route(`${namespaces}:namespace/`, 'Namespace Instance', instance('namespace'), fields('namespace')),
  route(`${namespaces}:namespace/history/`, 'History', get(history('namespace'))),
  route(`${apiRoot}groups/`, 'Group List', collection('group'), fields('group'), hidesWrites),
  route(`${apiRoot}groups/:group/`, 'Group Instance', instance('group'), fields('group'), hidesWrites),
  route(`${apiRoot}users/`, 'User List', users(collection('user')), fields('user'), hidesWrites),
  route(`${apiRoot}users/me/`, 'User Instance', me, hidesWrites),
  route(`${apiRoot}users/:user/`, 'User Instance', users(instance('user')), fields('user'), hidesWrites),
  route(queries, 'Query List', collection('query'), fields('query'), hidesWrites),
  route(`${queries}:query/`, 'Query Instance', instance('query'), fields('query'), hidesWrites),
  route(`${queries}:query/data/`, 'Data', get(queryData), rows),
  route(`${queries}:query/data.:extension`, 'Data', get(queryData), rows),
  route(`${apiRoot}changes/`, 'Changes', get(changes)),
  route(`${apiRoot}intrinsecus/`, 'Intrinsecus List', get(page('file'))),
  route(`${apiRoot}intrinsecus/:file/`, 'Intrinsecus Instance', get(detail('file'))),
  route(files, 'File List', { GET: listFiles, PATCH: changeFiles }, { types: fileListTypes, parses: [json] }, hidesWrites),
  route(`${files}*path`, 'File Instance', { GET: showFile, PUT: putFile, DELETE: removeFile }, anyType, { parses: ['*/*'] }, hidesWrites),
  route(`${apiRoot}auth/token/obtain/`, 'Obtain Auth Token', { POST: obtainToken }, signIn),
  route(tokens, 'Token List', { GET: listTokens, POST: createToken }, hidesWrites),
  route(`${tokens}:token/`, 'Token Instance', { GET: showToken, DELETE: revokeToken }),
  route(trash, 'Trash List', { GET: listTrash, DELETE: emptyTrash }, hidesWrites),
  route(`${trash}:entry/`, 'Trash Instance', { GET: showEntry, DELETE: deleteEntry }, hidesWrites),
  route(`${trash}:entry/restore/`, 'Restore', { POST: restoreEntry }),
  // The address that older clients of the service use.
  route('/api/namespaces/:namespace/sources/:dataset/data/', 'Data', get(versionRows), rows),
  route('/schemas/', 'Schemas', get(listSchemas)),
  route('/schemas/:schema', 'Schema', get(showSchema), { types: ['application/schema+json', json, html] }),
  route('/site_media/*path', 'Media', get(media), anyType),
  route('/healthz', 'Health', get(alive)),
  route('/readyz', 'Readiness', get(ready)),
  route('/metrics', 'Metrics', get(showMetrics), anyType),
];
