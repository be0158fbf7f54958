/**
 * JSON representations of the API: first the fields that the recorded answers have (test/conformance), in their order,
 * then the others. `--json` on the command line prints the same.
 */
import type { TokenInfo } from './accounts.ts';
import type { Difference } from './difference.ts';
import type { NamedField } from './field.ts';
import { apiFieldsOfKind } from './fields.ts';
import { mediaPathInUrl } from './layout.ts';
import { parseDatasetRef } from './parse-ref.ts';
import { formatRef, formatUserReader, type Ref, refOf, usernameOfReader } from './ref.ts';
import type { EntityKind } from './schemas.ts';
import type { TrashEntry } from './trash.ts';
import type { CatalogueFile, Entities, FileDetails, Kind, Version } from './types.ts';
import { apiPath, apiRoot, baseUrlPath, collections, type Links } from './urls.ts';

type Json = Record<string, unknown>;

/** The URL of a resource, or of a path below it. */
export function resourceUrl(links: Links, ref: Ref, below = ''): string {
  return `${links.base}${apiPath(ref)}${below}${links.suffix}`;
}

/**
 * The reference of the entity that a link leads to.
 * @param value of the field: a slug, or `<namespace>/<dataset>`
 * @param within the entity that has the link: a dataset without namespace is in its namespace, a version is one of its
 *   dataset
 */
export function refFromLinkValue(kind: Kind, value: string, within: Readonly<Record<string, unknown>>): Ref {
  switch (kind) {
    case 'dataset':
      return value.includes('/') || within.namespace === undefined
        ? parseDatasetRef(value)
        : { kind, namespace: String(within.namespace), slug: value };
    case 'version': {
      const { namespace, slug } = parseDatasetRef(String(within.dataset));
      return { kind, namespace, dataset: slug, slug: value };
    }
    case 'group': {
      const username = usernameOfReader(value);
      return username === undefined ? { kind, slug: value } : { kind: 'user', slug: username };
    }
    default:
      return { kind, slug: value };
  }
}

/** The value of a link to an entity: the inverse of `refFromLinkValue`. */
export function linkValueOfRef({ otherLink }: Pick<NamedField, 'otherLink'>, ref: Ref): string {
  if (ref.kind === 'user' && otherLink === 'user') return formatUserReader(ref.slug);
  return ref.kind === 'dataset' ? formatRef(ref) : ref.slug;
}

type ApiValue = (entity: Readonly<Record<string, unknown>>, links: Links) => unknown;

/** The function from an entity to the value of a field in the API; undefined if it is the value in the entity. */
function apiValueOf({ name, type, link, below }: NamedField): ApiValue | undefined {
  if (link) {
    const linkUrl: (value: unknown, ...rest: Parameters<ApiValue>) => unknown = (value, entity, links) =>
      value === null ? null : resourceUrl(links, refFromLinkValue(link, String(value), entity));
    return type === 'links'
      ? (entity, links) => (entity[name] as readonly string[]).map((value) => linkUrl(value, entity, links))
      : (entity, links) => linkUrl(entity[name], entity, links);
  }
  switch (type) {
    case 'image':
      return (entity, { base }) => (mediaPathInUrl(String(entity[name])) ? baseUrlPath(base) : '') + entity[name];
    case 'username':
      return ({ slug }) => slug;
    case 'url':
      return (entity, links) => resourceUrl(links, refOf(entity as never), below);
    case 'versions':
      return ({ versions }, links) =>
        (versions as readonly Version[]).map((version) => represent.version(version, links));
    default:
      return undefined;
  }
}

/** Entities whose personal fields are unknown and have their defaults: a server shows them to the user and staff only. */
export const withoutPersonalFields = new WeakSet<object>();

/** Makes the representation of an entity. `withPersonal` is true to include fields that only the user and staff may see. */
type Represent<K extends EntityKind> = (entity: Entities[K], links: Links, withPersonal?: boolean) => Json;

function representation<K extends EntityKind>(kind: K): Represent<K> {
  const fields = apiFieldsOfKind(kind)
    .filter(({ source }) => source !== 'secret')
    .map((field) => ({ ...field, personal: field.personal ?? false, toApi: apiValueOf(field) }));
  return (entity, links, withPersonal = false) => {
    const values = entity as unknown as Readonly<Record<string, unknown>>;
    const object: Json = {};
    const isPersonalShown = withPersonal && !withoutPersonalFields.has(entity);
    for (const { name, personal, sparse, toApi } of fields)
      if ((isPersonalShown || !personal) && !(sparse && Object.keys(values[name] as object).length === 0))
        object[name] = toApi ? toApi(values, links) : values[name];
    return object;
  };
}

/** Functions that represent an entity, keyed by kind. */
export const represent: { readonly [K in EntityKind]: Represent<K> } = {
  namespace: representation('namespace'),
  dataset: representation('dataset'),
  version: representation('version'),
  group: representation('group'),
  user: representation('user'),
  query: representation('query'),
};

export const {
  namespace: representNamespace,
  dataset: representDataset,
  version: representVersion,
  group: representGroup,
  user: representUser,
  query: representQuery,
} = represent;

/** A token, without the token itself. */
export function representToken({ id, user, label, scope, created, expires, lastUsed }: TokenInfo, links: Links): Json {
  const url = `${links.base}${apiRoot}auth/tokens/${id}/${links.suffix}`;
  const owner = resourceUrl(links, { kind: 'user', slug: user });
  return { id, user: owner, label, scope, created, expires, last_used: lastUsed, url };
}

/** An entry of the trash. */
export function representTrashEntry({ id, ref, paths, removed, by }: TrashEntry, links: Links): Json {
  const url = `${links.base}${apiRoot}trash/${id}/${links.suffix}`;
  return { id, kind: ref.kind, name: formatRef(ref), paths, removed, by, url };
}

export function representFile(file: CatalogueFile, links: Links, details: FileDetails): Json {
  return {
    id: file.id,
    path: file.path,
    kind: file.record,
    resource: file.ref && resourceUrl(links, file.ref),
    status: file.status,
    problems: file.problems.map(({ line, column, pointer, message }) => ({ line, column, pointer, message })),
    checksum: details.checksum,
    modified: details.modified,
    commit: details.commit,
  };
}

/** The root of the API, as recorded. */
export function representRoot(links: Links): Json {
  const entry = (name: string, path: string) => ({ url: `${links.base}${path}${links.suffix}`, name });
  return {
    authentication: [entry('login', '/auth/login/'), entry('logout', '/auth/logout/')],
    endpoints: [
      entry('datasets', `${apiRoot}${collections.dataset}/`),
      entry('datasets data versions', `${apiRoot}${collections.version}/`),
      entry('groups', `${apiRoot}${collections.group}/`),
      entry('intrinsecus', `${apiRoot}${collections.file}/`),
      entry('namespaces', `${apiRoot}${collections.namespace}/`),
      entry('token', `${apiRoot}auth/token/obtain/`),
      entry('users', `${apiRoot}${collections.user}/`),
      entry('queries', `${apiRoot}${collections.query}/`),
    ],
  };
}

/** JSON as in Django REST Framework: compact, not ASCII-escaped, except for U+2028 and U+2029. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (c) => (c === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** A difference without its rows. */
export function representDifferenceWithoutRows(difference: Difference, links: Links) {
  const { from, to, columns, key, counts, renames } = difference;
  const ends = { from: resourceUrl(links, refOf(from)), to: resourceUrl(links, refOf(to)) };
  return { ...ends, columns, ...(renames?.length && { renames }), key, counts };
}

/** Minimum length of a chunk, so that the cost per chunk is negligible. */
const minChunkLength = 1 << 16;

/**
 * A difference as a document, in chunks: one JSON object whose last member is `rows`; or NDJSON whose first line has all
 * other members. Rows are read on demand.
 * @param maxRows maximum number of rows
 */
export async function* serializeDifference(
  difference: Difference,
  links: Links,
  format: 'json' | 'ndjson',
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void, undefined> {
  const head = toJson(representDifferenceWithoutRows(difference, links));
  const isLines = format === 'ndjson';
  let text = isLines ? `${head}\n` : `${head.slice(0, -1)},"rows":[`;
  let separator = '';
  let rowCount = 0;
  for await (const row of maxRows > 0 ? difference.rows() : []) {
    text += isLines ? `${toJson(row)}\n` : separator + toJson(row);
    separator = ',\n';
    if (++rowCount >= maxRows) break;
    if (text.length < minChunkLength) continue;
    yield text;
    text = '';
  }
  yield isLines ? text : `${text}]}`;
}
