/** Descriptions of operations, from which the OpenAPI document is made (OpenAPI 3.1.1, section 4.8). */
import type { Method, Route } from '../route.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly description: string;
  readonly required?: true;
  readonly schema: JsonSchema;
  readonly style?: string;
  readonly explode?: boolean;
  readonly example?: unknown;
}

/** Schemas and examples of bodies, by media type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

/** A response that isn't an error. */
export interface Answer {
  readonly description: string;
  /** A page for people is added if the route has one. */
  readonly content?: Content;
  readonly headers?: readonly HeaderName[];
}

/** A method of a route. The errors that every operation of its method may have are added. */
export interface Operation {
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Content;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses of errors besides those that are usual for the method. */
  readonly refusals?: readonly number[];
  /** True if it needs no credentials although it writes. */
  readonly isOpen?: boolean;
  /** True if it needs credentials although it reads. */
  readonly needsUser?: boolean;
}

/** The operation of a route; a function if it depends on the address. */
export type Described = Operation | ((route: Pick<Route, 'path' | 'types'>) => Operation);
export type Operations = Readonly<Record<string, { readonly [M in Method]?: Described } | null>>;

/** Groups of operations, in the order of the document. */
export const tags = {
  Catalogue: 'The catalogue as a whole.',
  Datasets: 'Datasets, in namespaces or all together.',
  Versions: 'Versions of datasets, each with a payload that never changes.',
  Rows: 'Rows of payloads, filtered, ordered, grouped and written in many formats.',
  Maps: 'Pictures and vector tiles of rows.',
  Namespaces: 'Namespaces, in which datasets have their names.',
  Queries: 'Saved questions about the rows of a dataset.',
  People: 'Users and groups.',
  Credentials: 'Tokens, and the pages to sign in and out.',
  Changes: 'What changed in the catalogue, and the files that it is made of.',
  Trash: 'Removed records, for staff.',
  Standards: 'The catalogue in the standards of the field.',
  Operation: 'For those who run the server.',
} as const;
export type Tag = keyof typeof tags;

/** Headers of responses. */
export const headers = {
  ETag: 'Validator, for If-None-Match and If-Match; strong unless it begins with `W/` (RFC 9110, section 8.8.3).',
  Link: 'Pages beside this one, other formats, the licence (RFC 8288).',
  Location: 'Address of what was created, or its new address.',
  'Retry-After': 'Seconds to wait.',
  'WWW-Authenticate': 'The scheme of credentials.',
  'X-Total-Count': 'Number of rows that match, if a part of them is sent, and of maps.',
  'X-Feature-Count': 'Number of features that are drawn.',
  'Content-Disposition': 'Name of the file.',
  'Repr-Digest': 'SHA-256 of the bytes (RFC 9530).',
  'Accept-Ranges': '`bytes`: parts of it can be asked for.',
  'Content-Range': 'The part that is sent.',
  Allow: 'The methods of the address.',
} as const;
export type HeaderName = keyof typeof headers;

/** A reference to a schema of the document. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** A body of JSON. */
export const jsonContent = (schema: JsonSchema, example?: unknown): Content => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** Bytes of a media type. */
export const bytesContent = (...types: readonly string[]): Content =>
  Object.fromEntries(types.map((type) => [type, { schema: {} }]));

/** Text of a media type. @param description of a line, or of the whole */
export const textContent = (type: string, description?: string): Content => ({
  [type]: { schema: { type: 'string', ...(description !== undefined && { description }) } },
});

export const queryParameter = (
  name: string,
  description: string,
  schema: JsonSchema = { type: 'string' },
): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

/** An object with these members, all required but those whose names end in `?`. */
export function objectSchema(members: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema {
  const names = Object.keys(members);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]])),
  };
}

export const text: JsonSchema = { type: 'string' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const flag: JsonSchema = { type: 'boolean' };
/** Bytes in a request. */
export const binary: JsonSchema = { type: 'string', format: 'binary' };
export const address: JsonSchema = { type: 'string', format: 'uri' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };
export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
/** The schema of a value that may be null. */
export const orNull = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' && !schema.enum
    ? { ...schema, type: [schema.type, 'null'] }
    : { oneOf: [schema, { type: 'null' }] };
