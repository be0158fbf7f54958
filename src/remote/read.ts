/**
 * From the objects of the API back to what they represent: the other half of `represent.ts`. A field without a default has
 * to be there; others have their defaults if a service lacks them. Fields that the API doesn't show (former names, the
 * place of a payload) have theirs always.
 */
import type { Diagnostic } from '../catalogue/diagnostic.ts';
import { UnreachableError } from '../catalogue/errors.ts';
import type { ChangedRecord } from '../catalogue/feed.ts';
import type { Field, NamedField } from '../catalogue/field.ts';
import { fieldsOf } from '../catalogue/fields.ts';
import { type Ref, type Refs, refOf } from '../catalogue/ref.ts';
import { linkValueOfRef } from '../catalogue/represent.ts';
import type { EntityKind } from '../catalogue/schemas.ts';
import type { CatalogueFile, Commit, Entities, FileDetails, Kind } from '../catalogue/types.ts';
import { parseApiPath } from '../catalogue/urls.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The entity of a kind that an object represents. @throws UnreachableError if it represents none */
export const read: { readonly [K in Kind]: (object: Json) => Entities[K] } = {
  namespace: reader('namespace'),
  dataset: reader('dataset'),
  version: reader('version'),
  group: reader('group'),
  user: reader('user'),
  query: reader('query'),
  file: readFile,
};

/** The function that reads the objects of a kind. */
function reader<K extends EntityKind>(kind: K): (object: Json) => Entities[K] {
  const fields = fieldsOf(kind).filter(({ source }) => source !== 'address' && source !== 'secret');
  return (object) => {
    const entity: Record<string, unknown> = { kind };
    for (const field of fields) {
      const { name, source, type, internal } = field;
      if (internal) entity[name] = field.default;
      else if (source !== 'path') entity[name] = values[type](object[name], field);
      else if (type !== 'link') entity.slug = values[type](object[name], field);
      else Object.assign(entity, placeIn(linked(object[name], field)));
    }
    return Object.freeze(entity) as unknown as Entities[K];
  };
}

/** The parts of a reference that say what an entity lies in. */
const placeIn = (ref: Ref) =>
  ref.kind === 'dataset' ? { namespace: ref.namespace, dataset: ref.slug } : { namespace: ref.slug };

/** From the values of the API to those of an entity, by the type of the field. */
const values: Readonly<Record<Field['type'], (value: unknown, field: NamedField) => unknown>> = {
  text,
  // A server behind a proxy puts the path of its base URL in front.
  image: (value, field) => String(text(value, field)).replace(/^\/(?!\/)[^?#]*?(?=\/site_media\/)/, ''),
  datetime: text,
  slug: text,
  username: text,
  password: text,
  secret: text,
  url: text,
  choice,
  boolean: (value) => value === true,
  integer: (value, field) => (Number.isInteger(value) ? value : absent(field)),
  numbers: (value, field) => (Array.isArray(value) ? value.map(Number) : absent(field)),
  list: (value) => listOf(value).map(String),
  links: (value, field) =>
    listOf(value).flatMap((url) => {
      const ref = refFromUrl(url);
      return ref && (ref.kind === field.link || ref.kind === field.otherLink) ? [linkValueOfRef(field, ref)] : [];
    }),
  link: (value, field) =>
    value === null && field.default === null ? null : linkValueOfRef(field, linked(value, field)),
  json: (value, field) => (typeof value === 'object' && value !== null ? value : absent(field)),
  object: (value, field) => (typeof value === 'object' && value !== null ? value : absent(field)),
  reading: (value, field) => (typeof value === 'object' && value !== null ? value : absent(field)),
  columns: (value) => listOf(value).map((column) => readColumn(requireObject(column))),
  versions: (value) => listOf(value).map((version) => read.version(requireObject(version))),
};

const columnFields = fieldsOf('column');
const readColumn = (object: Json) =>
  Object.fromEntries(columnFields.map((field) => [field.name, values[field.type](object[field.name], field)]));

/** The default of a field that the object lacks. @throws UnreachableError if it has none */
function absent(field: NamedField): unknown {
  if (field.default === undefined) throw unexpectedResponseFieldError(field.name);
  return field.default;
}

function text(value: unknown, field: NamedField): unknown {
  return typeof value === 'string' ? value : absent(field);
}

function choice(value: unknown, field: NamedField): unknown {
  if (typeof value !== 'string') return absent(field);
  return field.schema.enum?.includes(value) ? value : (field.fallback ?? absent(field));
}

function readFile(object: Json): CatalogueFile {
  const path = textIn(object, 'path');
  return Object.freeze({
    kind: 'file',
    id: wholeIn(object, 'id'),
    path,
    record: textIn(object, 'kind') as CatalogueFile['record'],
    ref: object.resource === null ? null : refFromUrl(object.resource),
    status: object.status === 'invalid' ? 'invalid' : 'ok',
    problems: listOf(object.problems).map((problem): Diagnostic => {
      const { line, column, pointer, message } = requireObject(problem);
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

/** The details of a file of the catalogue. */
export function parseFileDetails(object: Json): FileDetails {
  const { checksum, modified, commit } = object;
  return {
    checksum: String(checksum),
    modified: String(modified),
    commit: commit ? parseCommit(requireObject(commit)) : null,
  };
}

export function parseChangedRecord(object: Json): ChangedRecord {
  const ref = changedRef(object.url);
  if (ref === null) throw unexpectedResponseFieldError('url');
  // An older server lists no removed records.
  const removed = object.removed === true;
  return { ref, datetime: textIn(object, 'datetime'), removed, movedTo: changedRef(object.moved_to) };
}

function changedRef(url: unknown): ChangedRecord['ref'] | null {
  const ref = typeof url === 'string' ? refFromUrl(url) : null;
  const isInFeed =
    ref?.kind === 'namespace' || ref?.kind === 'dataset' || ref?.kind === 'version' || ref?.kind === 'query';
  return isInFeed ? ref : null;
}

export function parseCommit(object: Json): Commit {
  const { id, author, datetime, message } = object;
  return { id: String(id), author: String(author), datetime: String(datetime), message: String(message) };
}

/** The kind is the same wherever it is read. */
export function refOfEntity<K extends Exclude<Kind, 'file'>>(entity: Entities[K]): Refs[K] {
  return refOf(entity) as Refs[K];
}

/** The error for a value that no catalogue sends. */
export function unexpectedResponseFieldError(field: string): UnreachableError {
  return new UnreachableError(
    `This is no catalogue that this program understands: "${field}" isn't what it should be. Check the address.`,
  );
}

/** An object within an object. */
export function requireObject(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw unexpectedResponseFieldError('results');
  return value as Json;
}

function textIn(object: Json, field: string): string {
  const value = object[field];
  if (typeof value !== 'string') throw unexpectedResponseFieldError(field);
  return value;
}

function wholeIn(object: Json, field: string): number {
  const value = object[field];
  if (!Number.isInteger(value)) throw unexpectedResponseFieldError(field);
  return value as number;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The reference that an address of the API stands for, whatever address the server thinks it has itself. */
export function refFromUrl(url: unknown): Ref | null {
  if (typeof url !== 'string') return null;
  const path = /\/api\/v1\/[^?#]*/.exec(url)?.[0] ?? '';
  try {
    const ref = parseApiPath(decodeURIComponent(path));
    return ref === 'other' ? null : ref;
  } catch {
    return null;
  }
}

function linked(url: unknown, { name, link }: NamedField): Ref {
  const ref = refFromUrl(url);
  if (ref?.kind !== link) throw unexpectedResponseFieldError(name);
  return ref as Ref;
}
