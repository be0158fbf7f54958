/** Documents of the Iceberg REST catalog, as far as it is read (`open-api/rest-catalog-open-api.yaml` of Apache Iceberg). */
import type { Steps } from '../catalogue/steps.ts';
import type { Namespace } from '../catalogue/types.ts';
import { metadataFileName, metadataPath, tableMetadata } from './metadata.ts';
import type { Table } from './table.ts';

const namespacePath = '/v1/{prefix}/namespaces/{namespace}';

const endpoints = [
  'GET /v1/{prefix}/namespaces',
  `GET ${namespacePath}`,
  `HEAD ${namespacePath}`,
  `GET ${namespacePath}/tables`,
  `GET ${namespacePath}/tables/{table}`,
  `HEAD ${namespacePath}/tables/{table}`,
];

/** Locations of exports, as clients name them: paths, and URLs of other schemes than HTTP. */
const locationPattern = /^(\/|(?!https?:)[a-z][a-z0-9+.-]*:\/\/)[^\s\p{Cc}]+$/iu;

/**
 * The configuration of clients: the supported operations, and that clients send no reports of their scans. If a client names the
 * location of an export as its warehouse, the location is part of the addresses that it requests from then on.
 */
export function catalogConfig(warehouse: string | null) {
  const prefix = warehouse !== null && locationPattern.test(warehouse) ? prefixOfLocation(warehouse) : undefined;
  return {
    defaults: { 'rest-metrics-reporting-enabled': 'false' },
    overrides: prefix === undefined ? {} : { prefix },
    endpoints,
  };
}

const prefixOfLocation = (location: string): string => Buffer.from(location.replace(/\/+$/, '')).toString('base64url');

/** The location in the addresses of a client; undefined if it is none. */
export function locationOfPrefix(prefix: string): string | undefined {
  const location = Buffer.from(prefix, 'base64url').toString();
  return locationPattern.test(location) && prefixOfLocation(location) === prefix ? location : undefined;
}

/** A part of a list. */
export interface ListPart {
  readonly names: readonly string[];
  /** Null for the last part. */
  readonly nextToken: string | null;
}

/** Most names in a part, unless the client asks for fewer. */
const mostNames = 1000;

/**
 * The part of a list after a token; the whole list without one.
 * @param names in order
 * @param token '' for the first part
 * @param size most names in the part
 */
export function partOfList(names: readonly string[], token: string | undefined, size = mostNames): ListPart {
  if (token === undefined) return { names, nextToken: null };
  const after = Buffer.from(token, 'base64url').toString();
  const rest = names.filter((name) => name > after);
  const part = rest.slice(0, Math.min(size, mostNames));
  const last = part.at(-1);
  const hasMore = last !== undefined && part.length < rest.length;
  return { names: part, nextToken: hasMore ? Buffer.from(last).toString('base64url') : null };
}

export const namespaceList = ({ names, nextToken }: ListPart) => ({
  namespaces: names.map((name) => [name]),
  'next-page-token': nextToken,
});

export const tableList = (namespace: string, { names, nextToken }: ListPart) => ({
  identifiers: names.map((name) => ({ namespace: [namespace], name })),
  'next-page-token': nextToken,
});

/** A namespace, with its description or label as the comment that query engines show. */
export function namespaceDocument(slug: string, namespace: Namespace | undefined) {
  const comment = namespace && (namespace.description || namespace.label);
  return { namespace: [slug], properties: comment ? { comment } : {} };
}

/** A table as clients load it. @param location address of the table */
export function* loadedTable(table: Table, location: string): Steps<object> {
  return {
    'metadata-location': metadataPath(location, metadataFileName(table)),
    metadata: yield* tableMetadata(table, location),
    config: {},
  };
}

/** Names of errors by status, as clients know them. */
const errorNames: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  405: 'UnsupportedOperationException',
  406: 'UnsupportedOperationException',
  429: 'SlowDownException',
  503: 'ServiceUnavailableException',
};

/** The body of an error. @param isOfTable true if a table was asked for, false for a namespace */
export function errorDocument(status: number, message: string, isOfTable: boolean) {
  const missing = isOfTable ? 'NoSuchTableException' : 'NoSuchNamespaceException';
  const type = status === 404 ? missing : (errorNames[status] ?? 'InternalServerError');
  return { error: { message, type, code: status } };
}
