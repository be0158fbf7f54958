/** The addresses of a site that are exported, and the files that they become: in units, each made of records that change together. */
import type { Page } from '../catalogue/catalogue.ts';
import { mediaPathInUrl } from '../catalogue/layout.ts';
import { readyVersionBefore } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import { schemas } from '../catalogue/schemas.ts';
import type { Dataset, Group, Namespace, Query, Version } from '../catalogue/types.ts';
import { apiPath, apiRoot, collections, columnPath, downloadFileName } from '../catalogue/urls.ts';
import { outputFormats } from '../data/formats/output-formats.ts';
import { datasetDocumentNames } from '../server/standards.ts';
import { schemaKinds } from '../standards/ogc/schema.ts';

/** An address, and the file that its response is written to. */
export interface ExportedAddress {
  /** With its query string. */
  readonly path: string;
  /** Media type that is asked for. */
  readonly accept: string;
  /** Path of the file, from the folder of the export. */
  readonly file: string;
}

const html = 'text/html';
const json = 'application/json';

/** The file of an address, decoded; null if it can't be the name of a file. */
export function fileOfPath(path: string, name = ''): string | null {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  if (path.endsWith('/')) parts.pop();
  const isUnsafe = (part: string) =>
    part === '' || part === '.' || part === '..' || part.includes('\0') || Buffer.byteLength(part) > 200;
  // A slash in the name of a column makes a folder more, as on any host that decodes addresses.
  const folders = parts.flatMap((part) => part.split('/'));
  if (folders.some(isUnsafe)) return null;
  return [...folders, ...(name ? [name] : [])].join('/');
}

function* at(path: string, accept: string, name = ''): Generator<ExportedAddress> {
  const file = fileOfPath(path.replace(/\?.*$/s, ''), name);
  if (file !== null) yield { path, accept, file };
}

/** A resource that is a folder: its page and its JSON. */
export function* folderOf(path: string): Generator<ExportedAddress> {
  yield* at(path, html, 'index.html');
  yield* at(path, json, 'index.json');
}

const fileAt = (path: string) => at(path, '*/*');

/** A list: its first page for people, and all its pages as JSON. The search in the browser shows the further ones. */
export function* listAt(path: string, { pages }: Page<unknown>): Generator<ExportedAddress> {
  yield* folderOf(path);
  for (let page = 2; page <= pages; page++) yield* at(`${path}?page=${page}`, json, `page/${page}/index.json`);
}

/** Rows, maps and the profile below the address of a dataset, a version or a saved query. */
function* rowsBelow(path: string, hasProfile = true): Generator<ExportedAddress> {
  yield* folderOf(`${path}data/`);
  for (const format of Object.keys(outputFormats)) yield* fileAt(`${path}data.${format}`);
  for (const picture of ['map.svg', 'plate.svg']) yield* fileAt(path + picture);
  yield* at(`${path}embed/`, html, 'index.html');
  if (hasProfile) yield* folderOf(`${path}profile/`);
}

function* downloadsOf(path: string, version: Version, names: readonly string[]): Generator<ExportedAddress> {
  if (version.href) return;
  yield* at(`${path}download/`, html, 'index.html');
  for (const name of names) yield* fileAt(`${path}download/${encodeURIComponent(name)}`);
}

/** True if a version has rows that are served. */
const hasRows = ({ ready, rows, href }: Version): boolean => ready && rows !== null && !href;

export function* datasetAddresses(dataset: Dataset, pageSize: number): Generator<ExportedAddress> {
  const path = apiPath(refOf(dataset));
  const newest = dataset.versions.find(({ ready }) => ready);
  yield* folderOf(path);
  for (const name of [...datasetDocumentNames, 'feed.atom']) yield* fileAt(path + name);
  for (const { name } of dataset.columns) yield* folderOf(columnPath(refOf(dataset), name));
  if (newest) {
    if (hasRows(newest)) yield* rowsBelow(path);
    yield* downloadsOf(path, newest, [downloadFileName(newest, true), downloadFileName(newest)]);
  }
  const pages = Math.ceil(dataset.versions.length / pageSize);
  yield* listAt(`${path}version/`, { pages } as Page<unknown>);
  for (const version of dataset.versions) yield* versionAddresses(dataset, version);
  const collection = `/ogc/collections/${dataset.namespace}.${dataset.slug}`;
  if (!newest || !hasRows(newest)) return;
  yield* folderOf(collection);
  for (const kind of Object.keys(schemaKinds)) yield* folderOf(`${collection}/${kind}`);
  yield* folderOf(`${collection}/items`);
}

function* versionAddresses(dataset: Dataset, version: Version): Generator<ExportedAddress> {
  const path = apiPath(refOf(version));
  yield* folderOf(path);
  if (!version.ready) return;
  if (hasRows(version)) yield* rowsBelow(path);
  yield* downloadsOf(path, version, [downloadFileName(version)]);
  if (readyVersionBefore(dataset, version.slug)) yield* folderOf(`${path}diff/`);
}

export function* namespaceAddresses(namespace: Namespace, pages: number): Generator<ExportedAddress> {
  const path = apiPath(refOf(namespace));
  yield* folderOf(path);
  yield* listAt(`${path}datasets/`, { pages } as Page<unknown>);
  yield* fileAt(`${path}feed.atom`);
}

export function* groupAddresses(group: Group): Generator<ExportedAddress> {
  yield* folderOf(apiPath(refOf(group)));
}

export function* queryAddresses(query: Query): Generator<ExportedAddress> {
  const path = apiPath(refOf(query));
  yield* folderOf(path);
  yield* rowsBelow(path, false);
}

/** Documents about the catalogue as a whole. */
export function* siteAddresses(): Generator<ExportedAddress> {
  yield* at('/', html, 'index.html');
  yield { path: apiRoot, accept: json, file: 'index.json' };
  yield* folderOf(apiRoot);
  yield* fileAt(`${apiRoot}openapi.json`);
  yield* fileAt(`${apiRoot}${collections.dataset}/map.svg`);
  yield* folderOf('/schemas/');
  for (const { $id } of Object.values(schemas)) yield* at(`/schemas/${$id}`, 'application/schema+json');
  yield* folderOf('/docs/openapi/');
  for (const path of ['data.json', 'catalog.jsonld', 'catalog.ttl', 'robots.txt', 'feed.atom', 'sitemap.xml'])
    yield* fileAt(`/${path}`);
  for (const path of ['', 'conformance', 'api', 'functions', 'collections']) yield* folderOf(`/ogc/${path}`);
  yield* at('/stac/', json, 'index.json');
}

/** Images that a public dataset or the catalogue's own pages show. */
export function* mediaAddresses(urls: Iterable<string>): Generator<ExportedAddress> {
  for (const url of new Set(urls)) if (mediaPathInUrl(url)) yield* fileAt(url);
}
