/** The addresses of a site that are exported, and the files that they become: in units, each made of records that change together. */
import { mediaPathInUrl } from '../catalogue/layout.ts';
import { offeredFormats } from '../catalogue/output-formats.ts';
import { mayHaveRows, oldestReadyVersion } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import { schemas } from '../catalogue/schemas.ts';
import type { Dataset, Group, Namespace, Query, Version } from '../catalogue/types.ts';
import { apiPath, apiRoot, collections, columnPath, documentationRoot, downloadFileName } from '../catalogue/urls.ts';
import { documentationPagePath } from '../pages/documentation.tsx';
import { documentationFileNames, documentationPages } from '../server/assets.ts';
import { datasetDocumentNames } from '../server/standards.ts';
import { schemaKinds } from '../standards/ogc/schema.ts';
import { sitemapPartPath } from '../standards/sitemap.ts';

/** An address, and the file that its response is written to. */
export interface ExportedAddress {
  /** With its query string. */
  readonly path: string;
  /** Media type that is asked for. */
  readonly accept: string;
  /** Path of the file, from the folder of the export. */
  readonly file: string;
  /** File of another address of the unit that has the same bytes. */
  readonly sameAs?: string;
  /** True to write the reason, too, if there is nothing: records name the address in any case. */
  readonly withReason?: boolean;
}

const html = 'text/html';
const json = 'application/json';

/** The file of an address, decoded; null if it can't be the name of a file. */
export function fileOfPath(path: string, name = ''): string | null {
  const decoded = decodePath(path);
  if (decoded === null) return null;
  const parts = decoded.slice(1);
  if (path.endsWith('/')) parts.pop();
  const isUnsafe = (part: string) =>
    part === '' || part === '.' || part === '..' || part.includes('\0') || Buffer.byteLength(part) > 200;
  // A slash in the name of a column makes a folder more, as on any host that decodes addresses.
  const folders = parts.flatMap((part) => part.split('/'));
  if (folders.some(isUnsafe)) return null;
  // Such a folder would stand where the index of the folder above is written.
  const isIndex = (part: string) => /^index\.(html|json)(\.gz)?$/i.test(part);
  if ((path.endsWith('/') ? folders : folders.slice(0, -1)).some(isIndex)) return null;
  return [...folders, ...(name ? [name] : [])].join('/');
}

/** The parts of a path; null if a percent sign in it begins no encoded character. */
function decodePath(path: string): string[] | null {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
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

/** A further page of a list, as JSON. The search in the browser shows it to people. */
export const pageOfList = (path: string, page: number) => at(`${path}?page=${page}`, json, `page/${page}/index.json`);

/** A list: its first page for people, and all its pages as JSON. */
function* listAt(path: string, pages: number): Generator<ExportedAddress> {
  yield* folderOf(path);
  for (let page = 2; page <= pages; page++) yield* pageOfList(path, page);
}

/** Rows, maps and the profile below the address of a dataset, a version or a saved query. */
function* rowsBelow(
  path: string,
  { columns, rows }: Pick<Version, 'rows'> & { readonly columns: readonly { readonly type: string }[] },
  hasProfile = true,
): Generator<ExportedAddress> {
  const sidecars = columns.some(({ type }) => type === 'geometry') ? ['csvt', 'prj'] : ['csvt'];
  for (const format of [...offeredFormats(columns, rows), 'json', ...sidecars]) yield* fileAt(`${path}data.${format}`);
  for (const picture of ['map.svg', 'plate.svg']) yield* fileAt(path + picture);
  yield* at(`${path}embed/`, html, 'index.html');
  if (hasProfile) yield* folderOf(`${path}profile/`);
}

function* downloadsOf(
  path: string,
  version: Version | undefined,
  names: readonly string[],
): Generator<ExportedAddress> {
  for (const address of at(`${path}download/`, html, 'index.html')) yield { ...address, withReason: true };
  if (!version || version.href) return;
  const [first, ...others] = names.flatMap((name) => [...fileAt(`${path}download/${encodeURIComponent(name)}`)]);
  if (first) yield first;
  for (const other of others) yield { ...other, sameAs: first?.file ?? '' };
}

/** An address that records always name: its page and JSON, or why there is nothing. */
function* namedFolder(path: string): Generator<ExportedAddress> {
  for (const address of folderOf(path)) yield { ...address, withReason: true };
}

/** @param withRows slugs of the versions that have rows */
export function* datasetAddresses(
  dataset: Dataset,
  pageSize: number,
  withRows: ReadonlySet<string>,
): Generator<ExportedAddress> {
  const path = apiPath(refOf(dataset));
  const newest = dataset.versions.find(({ ready }) => ready);
  yield* folderOf(path);
  for (const name of [...datasetDocumentNames, 'feed.atom']) yield* fileAt(path + name);
  for (const { name } of dataset.columns) yield* folderOf(columnPath(refOf(dataset), name));
  yield* namedFolder(`${path}data/`);
  if (newest && withRows.has(newest.slug)) {
    yield* rowsBelow(path, { columns: dataset.columns, rows: newest.rows });
    yield* fileAt(`${path}plate.png`);
  }
  const names = newest ? [downloadFileName(newest, true), downloadFileName(newest)] : [];
  yield* downloadsOf(path, newest, names);
  const payload = `${path}download/${names[0] ?? ''}`.slice(1);
  const pages = Math.ceil(dataset.versions.length / pageSize);
  yield* listAt(`${path}version/`, pages);
  if (newest) yield* folderOf(`${path}version/latest/`);
  const oldest = oldestReadyVersion(dataset);
  for (const version of dataset.versions) {
    const below = versionAddresses(dataset, version, withRows, version !== oldest);
    yield* version === newest ? withSameBytes(below, apiPath(refOf(version)), path, payload) : below;
  }
  const collection = `/ogc/collections/${dataset.namespace}.${dataset.slug}`;
  if (!newest || !mayHaveRows(newest)) return;
  yield* namedFolder(collection);
  for (const kind of Object.keys(schemaKinds)) yield* namedFolder(`${collection}/${kind}`);
  for (const type of [html, 'application/geo+json'])
    for (const address of at(`${collection}/items`, type, type === html ? 'index.html' : 'index.json'))
      yield { ...address, withReason: true };
}

/**
 * What the newest version has in common with its dataset.
 * @param from path of the version, `to` of the dataset
 * @param payload file of the dataset that has the payload
 */
function* withSameBytes(
  below: Iterable<ExportedAddress>,
  from: string,
  to: string,
  payload: string,
): Generator<ExportedAddress> {
  for (const address of below) {
    const name = address.file.slice(from.length - 1);
    if (/^(data\.\w+|map\.svg|plate\.svg|profile\/index\.json)$/.test(name))
      yield { ...address, sameAs: to.slice(1) + name };
    else if (name === 'index.json') yield { ...address, sameAs: `${to.slice(1)}version/latest/index.json` };
    else if (/^download\/(?!index\.html$)/.test(name)) yield { ...address, sameAs: payload };
    else yield address;
  }
}

/** @param hasBefore true if a version before it is ready, if it is ready itself */
function* versionAddresses(
  dataset: Dataset,
  version: Version,
  withRows: ReadonlySet<string>,
  hasBefore: boolean,
): Generator<ExportedAddress> {
  const path = apiPath(refOf(version));
  yield* folderOf(path);
  yield* namedFolder(`${path}data/`);
  if (withRows.has(version.slug))
    yield* rowsBelow(path, { columns: version.columns ?? dataset.columns, rows: version.rows });
  yield* downloadsOf(path, version, [downloadFileName(version)]);
  if (version.ready && hasBefore) yield* namedFolder(`${path}diff/`);
}

export function* namespaceAddresses(namespace: Namespace): Generator<ExportedAddress> {
  const path = apiPath(refOf(namespace));
  yield* at(`/stac/${namespace.slug}/`, json, 'index.json');
  yield* folderOf(path);
  yield* fileAt(`${path}feed.atom`);
}

export function* groupAddresses(group: Group): Generator<ExportedAddress> {
  yield* folderOf(apiPath(refOf(group)));
}

export function* queryAddresses(query: Query): Generator<ExportedAddress> {
  const path = apiPath(refOf(query));
  yield* folderOf(path);
  yield* namedFolder(`${path}data/`);
  yield* rowsBelow(path, { columns: [{ type: 'geometry' }], rows: null }, false);
}

/** Documents about the catalogue as a whole. @param sitemapParts number of parts of its sitemap; 1 if it isn't divided */
export function* siteAddresses(sitemapParts: number): Generator<ExportedAddress> {
  yield* at('/', html, 'index.html');
  yield { path: apiRoot, accept: json, file: 'index.json' };
  yield* folderOf(apiRoot);
  yield* fileAt(`${apiRoot}${collections.dataset}/map.svg`);
  for (const path of ['data.json', 'catalog.jsonld', 'catalog.ttl', 'feed.atom', 'sitemap.xml'])
    yield* fileAt(`/${path}`);
  if (sitemapParts > 1) for (let part = 1; part <= sitemapParts; part++) yield* fileAt(sitemapPartPath(part));
  for (const path of ['', 'api', 'collections']) yield* folderOf(`/ogc/${path}`);
  yield* at('/stac/', json, 'index.json');
}

/** What depends on the program and the settings alone. */
export function* programAddresses(): Generator<ExportedAddress> {
  // Hosts show them for addresses without a file.
  yield { path: '/404/', accept: html, file: '404.html', withReason: true };
  yield { path: '/404/', accept: json, file: '404.json', withReason: true };
  yield* fileAt(`${apiRoot}openapi.json`);
  yield* fileAt('/robots.txt');
  yield* folderOf('/schemas/');
  for (const { $id } of Object.values(schemas)) yield* at(`/schemas/${$id}`, 'application/schema+json');
  for (const path of ['conformance', 'functions']) yield* folderOf(`/ogc/${path}`);
  yield* documentationAddresses();
}

/** The documentation: its pages, their sources, and the files that they show or link to. */
function* documentationAddresses(): Generator<ExportedAddress> {
  yield* at(`${documentationRoot}openapi/`, html, 'index.html');
  for (const name of documentationPages().keys()) {
    yield* at(documentationPagePath(name), html, 'index.html');
    yield* fileAt(`${documentationRoot}${name}.md`);
  }
  for (const path of documentationFileNames()) yield* fileAt(documentationRoot + path);
}

/** Images that a public dataset or the catalogue's own pages show, at the paths that browsers ask for. */
export function* mediaAddresses(urls: Iterable<string>): Generator<ExportedAddress> {
  const own = [...urls].filter((url) => mediaPathInUrl(url) !== null);
  const paths = new Set(own.map((url) => new URL(url, 'http://localhost').pathname));
  for (const path of paths) if (mediaPathInUrl(path) !== null) yield* fileAt(path);
}
