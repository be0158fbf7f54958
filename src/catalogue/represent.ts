/**
 * How things look from outside: the objects of the API, field for field in the observed order, further fields after
 * them. `--json` on the command line prints the same.
 */
import type { TokenInfo } from './accounts.ts';
import { datasetOf, formatRef, type Ref, refOf } from './ref.ts';
import type { TrashEntry } from './trash.ts';
import type {
  CatalogueFile,
  Column,
  Dataset,
  Entities,
  FileDetails,
  Group,
  Kind,
  Namespace,
  Query,
  User,
  Version,
} from './types.ts';
import { apiRoot, collections, type Links, pathOf } from './urls.ts';

type Json = Record<string, unknown>;

/** The address of a resource, or of something below it. */
export function urlOf(links: Links, ref: Ref, below = ''): string {
  return `${links.base}${pathOf(ref)}${below}${links.suffix}`;
}

const namespaceUrl = (links: Links, slug: string) => urlOf(links, { kind: 'namespace', slug });

export function representNamespace(namespace: Namespace, links: Links): Json {
  const { id, label, slug, description, visibility, owners } = namespace;
  return {
    id,
    label,
    slug,
    description,
    url: namespaceUrl(links, slug),
    visibility,
    owners: owners.map((group) => urlOf(links, { kind: 'group', slug: group })),
    datasets: urlOf(links, { kind: 'namespace', slug }, 'datasets/'),
  };
}

export function representDataset(dataset: Dataset, links: Links): Json {
  const ref = refOf(dataset);
  return {
    id: dataset.id,
    label: dataset.label,
    slug: dataset.slug,
    namespace: namespaceUrl(links, dataset.namespace),
    description: dataset.description,
    image: dataset.image,
    showcase_image: dataset.showcase_image,
    thumbnail_image: dataset.thumbnail_image,
    url: urlOf(links, ref),
    versions: dataset.versions.map((version) => representVersion(version, links)),
    data: urlOf(links, ref, 'data/'),
    columns: dataset.columns.map(representColumn),
    download: urlOf(links, ref, 'download/'),
    keywords: dataset.keywords,
    licence: dataset.licence,
    homepage: dataset.homepage,
    publisher: dataset.publisher,
    contact: dataset.contact,
    visibility: dataset.visibility,
  };
}

function representColumn({ type, name, label, description, unit }: Column): Json {
  return { type, name, label, description, unit };
}

export function representVersion(version: Version, links: Links): Json {
  const ref = refOf(version);
  return {
    id: version.id,
    dataset: urlOf(links, datasetOf(version)),
    label: version.label,
    slug: version.slug,
    datetime: version.datetime,
    checksum: version.checksum,
    metadata: version.metadata,
    ready: version.ready,
    url: urlOf(links, ref),
    format: version.format,
    media_type: version.media_type,
    size: version.size,
    rows: version.rows,
    bbox: version.bbox,
    notes: version.notes,
    data: urlOf(links, ref, 'data/'),
    download: urlOf(links, ref, 'download/'),
  };
}

export function representGroup({ id, label, slug, members }: Group, links: Links): Json {
  return {
    id,
    label,
    slug,
    url: urlOf(links, { kind: 'group', slug }),
    members: members.map((username) => urlOf(links, { kind: 'user', slug: username })),
  };
}

/** @param personal whether the asker may see what only the user and staff may: e-mail address and staff flag */
export function representUser(user: User, links: Links, personal = false): Json {
  return {
    id: user.id,
    username: user.slug,
    groups: user.groups.map((slug) => urlOf(links, { kind: 'group', slug })),
    url: urlOf(links, { kind: 'user', slug: user.slug }),
    name: user.name,
    ...(personal && { email: user.email, staff: user.staff }),
  };
}

/** What is known of a token: never the token itself. */
export function representToken({ id, user, label, scope, created, expires, lastUsed }: TokenInfo, links: Links): Json {
  const url = `${links.base}${apiRoot}auth/tokens/${id}/${links.suffix}`;
  const owner = urlOf(links, { kind: 'user', slug: user });
  return { id, user: owner, label, scope, created, expires, last_used: lastUsed, url };
}

/** What is known of something that was removed. */
export function representTrash({ id, ref, paths, removed, by }: TrashEntry, links: Links): Json {
  const url = `${links.base}${apiRoot}trash/${id}/${links.suffix}`;
  return { id, kind: ref.kind, name: formatRef(ref), paths, removed, by, url };
}

export function representQuery(query: Query, links: Links): Json {
  const [namespace = '', dataset = ''] = query.dataset.split('/');
  const ref = { kind: 'query', slug: query.slug } as const;
  return {
    id: query.id,
    label: query.label,
    slug: query.slug,
    description: query.description,
    dataset: urlOf(links, { kind: 'dataset', namespace, slug: dataset }),
    version: query.version === null ? null : urlOf(links, { kind: 'version', namespace, dataset, slug: query.version }),
    parameters: query.parameters,
    url: urlOf(links, ref),
    data: urlOf(links, ref, 'data/'),
  };
}

export function representFile(file: CatalogueFile, links: Links, details: FileDetails): Json {
  return {
    id: file.id,
    path: file.path,
    kind: file.record,
    resource: file.ref && urlOf(links, file.ref),
    status: file.status,
    problems: file.problems.map(({ line, column, pointer, message }) => ({ line, column, pointer, message })),
    checksum: details.checksum,
    modified: details.modified,
    commit: details.commit,
  };
}

/** The representation of every kind that needs nothing but the entity. */
export const represent: { readonly [K in Exclude<Kind, 'file'>]: (entity: Entities[K], links: Links) => Json } = {
  namespace: representNamespace,
  dataset: representDataset,
  version: representVersion,
  group: representGroup,
  user: representUser,
  query: representQuery,
};

/** The root of the API, as observed. */
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

/**
 * JSON as Django REST Framework writes it: compact, not ASCII-escaped, only U+2028 and U+2029 as escapes.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (c) => (c === '\u2028' ? '\\u2028' : '\\u2029'));
}
