/**
 * From the objects of the API back to what they represent: the other half of `represent.ts`. The fields that were
 * observed have to be there; those that this project adds have their defaults where another service lacks them. What
 * the API doesn't show (former names, a payload's place) is empty.
 */
import { UnreachableError } from '../catalogue/errors.ts';
import { type Ref, type Refs, refOf } from '../catalogue/ref.ts';
import type {
  CatalogueFile,
  Column,
  ColumnType,
  Commit,
  Dataset,
  Entities,
  FileDetails,
  Group,
  Kind,
  Namespace,
  Query,
  User,
  Version,
  Visibility,
} from '../catalogue/types.ts';
import { columnTypes, type Diagnostic } from '../catalogue/types.ts';
import { refAt } from '../catalogue/urls.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The entity of a kind that an object represents. @throws UnreachableError where it represents none */
export const read: { readonly [K in Kind]: (object: Json) => Entities[K] } = {
  namespace: readNamespace,
  dataset: readDataset,
  version: readVersion,
  group: readGroup,
  user: readUser,
  query: readQuery,
  file: readFile,
};

function readNamespace(object: Json): Namespace {
  return Object.freeze({
    kind: 'namespace',
    slug: text(object, 'slug'),
    id: whole(object, 'id'),
    label: text(object, 'label'),
    description: words(object, 'description'),
    visibility: visibility(object),
    owners: slugs(object, 'owners', 'group'),
    aliases: [],
  });
}

function readDataset(object: Json): Dataset {
  return Object.freeze({
    kind: 'dataset',
    namespace: linked(object, 'namespace', 'namespace').slug,
    slug: text(object, 'slug'),
    id: whole(object, 'id'),
    label: text(object, 'label'),
    description: words(object, 'description'),
    image: words(object, 'image'),
    showcase_image: words(object, 'showcase_image'),
    thumbnail_image: words(object, 'thumbnail_image'),
    keywords: list(object, 'keywords').map(String),
    licence: words(object, 'licence'),
    homepage: words(object, 'homepage'),
    publisher: words(object, 'publisher'),
    contact: words(object, 'contact'),
    visibility: visibility(object),
    columns: list(object, 'columns').map((column) => readColumn(part(column))),
    aliases: [],
    versions: list(object, 'versions').map((version) => readVersion(part(version))),
  });
}

function readColumn(object: Json): Column {
  const type = text(object, 'type') as ColumnType;
  return {
    // A type that this program doesn't know yet is at least some value.
    type: columnTypes.includes(type) ? type : 'object',
    name: text(object, 'name'),
    label: words(object, 'label'),
    description: words(object, 'description'),
    unit: words(object, 'unit'),
  };
}

function readVersion(object: Json): Version {
  const dataset = linked(object, 'dataset', 'dataset');
  return Object.freeze({
    kind: 'version',
    namespace: dataset.namespace,
    dataset: dataset.slug,
    slug: text(object, 'slug'),
    id: whole(object, 'id'),
    label: text(object, 'label'),
    datetime: text(object, 'datetime'),
    checksum: words(object, 'checksum'),
    metadata: words(object, 'metadata'),
    ready: object.ready === true,
    notes: words(object, 'notes'),
    format: words(object, 'format'),
    media_type: words(object, 'media_type'),
    size: number(object, 'size'),
    rows: number(object, 'rows'),
    bbox: Array.isArray(object.bbox) ? object.bbox.map(Number) : null,
    file: '',
    href: '',
  });
}

function readGroup(object: Json): Group {
  return Object.freeze({
    kind: 'group',
    slug: text(object, 'slug'),
    id: whole(object, 'id'),
    label: text(object, 'label'),
    members: slugs(object, 'members', 'user'),
    aliases: [],
  });
}

function readUser(object: Json): User {
  return Object.freeze({
    kind: 'user',
    slug: text(object, 'username'),
    id: whole(object, 'id'),
    name: words(object, 'name'),
    email: words(object, 'email'),
    staff: object.staff === true,
    groups: slugs(object, 'groups', 'group'),
  });
}

function readQuery(object: Json): Query {
  const { namespace, slug } = linked(object, 'dataset', 'dataset');
  const { parameters } = object;
  return Object.freeze({
    kind: 'query',
    slug: text(object, 'slug'),
    id: whole(object, 'id'),
    label: text(object, 'label'),
    description: words(object, 'description'),
    dataset: `${namespace}/${slug}`,
    version: object.version === null ? null : linked(object, 'version', 'version').slug,
    parameters: typeof parameters === 'object' && parameters !== null ? (parameters as Json) : {},
    aliases: [],
  });
}

function readFile(object: Json): CatalogueFile {
  const path = text(object, 'path');
  return Object.freeze({
    kind: 'file',
    id: whole(object, 'id'),
    path,
    record: text(object, 'kind') as CatalogueFile['record'],
    ref: object.resource === null ? null : refIn(object.resource),
    status: object.status === 'invalid' ? 'invalid' : 'ok',
    problems: list(object, 'problems').map((problem): Diagnostic => {
      const { line, column, pointer, message } = part(problem);
      return {
        path,
        line: Number(line),
        column: Number(column),
        pointer: String(pointer),
        message: String(message),
        severity: 'error',
        code: 'unknown',
      };
    }),
  });
}

/** What an entry of the catalogue seen from inside says besides. */
export function readDetails(object: Json): FileDetails {
  const { checksum, modified, commit } = object;
  return { checksum: String(checksum), modified: String(modified), commit: commit ? readCommit(part(commit)) : null };
}

export function readCommit(object: Json): Commit {
  const { id, author, datetime, message } = object;
  return { id: String(id), author: String(author), datetime: String(datetime), message: String(message) };
}

/** The kind is the same wherever it is read. */
export function refOfEntity<K extends Exclude<Kind, 'file'>>(entity: Entities[K]): Refs[K] {
  return refOf(entity) as Refs[K];
}

/** The error for an answer of another kind. */
export function strange(field: string): UnreachableError {
  return new UnreachableError(
    `This is no catalogue that this program understands: "${field}" isn't what it should be. Check the address.`,
  );
}

/** An object within an object. */
export function part(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw strange('results');
  return value as Json;
}

function text(object: Json, field: string): string {
  const value = object[field];
  if (typeof value !== 'string') throw strange(field);
  return value;
}

/** A text that may be missing. */
const words = (object: Json, field: string): string => (typeof object[field] === 'string' ? object[field] : '');

function whole(object: Json, field: string): number {
  const value = object[field];
  if (!Number.isInteger(value)) throw strange(field);
  return value as number;
}

const number = (object: Json, field: string): number | null =>
  typeof object[field] === 'number' ? object[field] : null;

const list = (object: Json, field: string): readonly unknown[] =>
  Array.isArray(object[field]) ? (object[field] as unknown[]) : [];

const visibility = (object: Json): Visibility => (object.visibility === 'private' ? 'private' : 'public');

/** What an address leads to, wherever the server thinks it is itself. */
export function refIn(url: unknown): Ref | null {
  if (typeof url !== 'string') return null;
  const path = /\/api\/v1\/[^?#]*/.exec(url)?.[0] ?? '';
  try {
    const ref = refAt(decodeURIComponent(path));
    return ref === 'other' ? null : ref;
  } catch {
    return null;
  }
}

function linked<K extends Kind>(object: Json, field: string, kind: K): Refs[K] {
  const ref = refIn(object[field]);
  if (ref?.kind !== kind) throw strange(field);
  return ref as Refs[K];
}

const slugs = (object: Json, field: string, kind: 'group' | 'user'): readonly string[] =>
  list(object, field).flatMap((url) => {
    const ref = refIn(url);
    return ref?.kind === kind ? [ref.slug] : [];
  });
