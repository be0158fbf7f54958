/**
 * From the objects of the API, which have been checked (`answers.ts`), back to what they represent: the other half of
 * `represent.ts`. Fields that a service lacks have their defaults; those that the API doesn't show (former names, the
 * place of a payload) have theirs always.
 */
import type { Diagnostic } from '../catalogue/diagnostic.ts';
import type { ChangedRecord } from '../catalogue/feed.ts';
import type { Field, NamedField } from '../catalogue/field.ts';
import { fieldsOf } from '../catalogue/fields.ts';
import { type Ref, type Refs, refOf } from '../catalogue/ref.ts';
import { linkValueOfRef, withoutPersonalFields } from '../catalogue/represent.ts';
import type { EntityKind } from '../catalogue/schemas.ts';
import type { CatalogueFile, Commit, Entities, FileDetails, Kind } from '../catalogue/types.ts';
import { parseApiPath } from '../catalogue/urls.ts';
import { type Answer, type Json, readableFields } from './answers.ts';
import { unexpectedResponseFieldError } from './shapes.ts';

/** The entity of a kind that an object represents. @throws UnreachableError for a link to something else */
export const read: { readonly [K in Kind]: (object: Answer<K>) => Entities[K] } = {
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
  const internal = fieldsOf(kind).filter((field) => field.internal);
  const fields = readableFields(kind);
  const personal = fields.filter((field) => field.personal);
  return (object) => {
    const entity: Record<string, unknown> = { kind };
    for (const field of internal) entity[field.name] = field.default;
    for (const field of fields) {
      if (field.source !== 'path') entity[field.name] = fieldValue(object, field);
      else if (field.type !== 'link') entity.slug = fieldValue(object, field);
      else Object.assign(entity, placeIn(linked(String(object[field.name]), field)));
    }
    if (personal.some(({ name }) => object[name] === undefined)) withoutPersonalFields.add(entity);
    return Object.freeze(entity) as unknown as Entities[K];
  };
}

/** The parts of a reference that say what an entity lies in. */
const placeIn = (ref: Ref) =>
  ref.kind === 'dataset' ? { namespace: ref.namespace, dataset: ref.slug } : { namespace: ref.slug };

/** From the values of the API to those of an entity, by the type of the field; of a value that is there. */
const values: Readonly<Record<Field['type'], (value: never, field: NamedField) => unknown>> = {
  text: itself,
  // A server behind a proxy puts the path of its base URL in front.
  image: (value: string) => value.replace(/^\/(?!\/)[^?#]*?(?=\/site_media\/)/, ''),
  datetime: itself,
  slug: itself,
  username: itself,
  password: itself,
  secret: itself,
  url: itself,
  choice: (value: string, { schema, fallback, default: absent }) =>
    schema.enum?.includes(value) ? value : (fallback ?? absent),
  boolean: itself,
  integer: itself,
  numbers: itself,
  list: itself,
  links: (urls: readonly string[], field) =>
    urls.flatMap((url) => {
      const ref = refFromUrl(url);
      return ref && (ref.kind === field.link || ref.kind === field.otherLink) ? [linkValueOfRef(field, ref)] : [];
    }),
  link: (url: string, field) => linkValueOfRef(field, linked(url, field)),
  json: itself,
  object: itself,
  reading: withoutNulls,
  columns: (columns: readonly Json[]) => columns.map(readColumn),
  versions: (versions: readonly Json[]) => versions.map(read.version),
};

function itself(value: unknown): unknown {
  return value;
}

function withoutNulls(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}

/** The value of a field, or its default if the object lacks it. */
function fieldValue(object: Json, field: NamedField): unknown {
  const value = object[field.name] ?? null;
  if (value !== null) return values[field.type](value as never, field);
  return field.type === 'boolean' ? false : field.type === 'versions' ? [] : field.default;
}

const columnFields = readableFields('column');
const readColumn = (object: Json) =>
  Object.fromEntries(columnFields.map((field) => [field.name, fieldValue(object, field)]));

function readFile(file: Answer<'file'>): CatalogueFile {
  const { path } = file;
  return Object.freeze({
    kind: 'file',
    id: file.id,
    path,
    record: file.kind as CatalogueFile['record'],
    ref: file.resource ? refFromUrl(file.resource) : null,
    status: file.status === 'invalid' ? 'invalid' : 'ok',
    problems: (file.problems ?? []).map(({ line, column, pointer, message }): Diagnostic => {
      return { path, line, column, pointer: pointer ?? '', message, severity: 'error', code: 'unknown' };
    }),
  });
}

/** The details of a file of the catalogue. */
export function parseFileDetails({ checksum, modified, commit }: Answer<'file'>): FileDetails {
  return { checksum: checksum ?? '', modified: modified ?? '', commit: commit ? parseCommit(commit) : null };
}

export function parseChangedRecord({
  url,
  datetime,
  record_datetime,
  removed,
  moved_to,
}: Answer<'change'>): ChangedRecord {
  const ref = changedRef(url);
  if (ref === null) throw unexpectedResponseFieldError('url');
  // An older server lists no removed records.
  const recordDatetime = record_datetime ?? null;
  return { ref, datetime, recordDatetime, removed: removed ?? false, movedTo: moved_to ? changedRef(moved_to) : null };
}

function changedRef(url: string): ChangedRecord['ref'] | null {
  const ref = refFromUrl(url);
  const isInFeed =
    ref?.kind === 'namespace' || ref?.kind === 'dataset' || ref?.kind === 'version' || ref?.kind === 'query';
  return isInFeed ? ref : null;
}

export const parseCommit = ({ id, author, datetime, message }: Answer<'commit'>): Commit => ({
  ...{ id, author: author ?? '', datetime, message },
});

/** The kind is the same wherever it is read. */
export function refOfEntity<K extends Exclude<Kind, 'file'>>(entity: Entities[K]): Refs[K] {
  return refOf(entity) as Refs[K];
}

/** The reference that an address of the API stands for, whatever address the server thinks it has itself. */
export function refFromUrl(url: string): Ref | null {
  const path = /\/api\/v1\/[^?#]*/.exec(url)?.[0] ?? '';
  try {
    const ref = parseApiPath(decodeURIComponent(path));
    return ref === 'other' ? null : ref;
  } catch {
    return null;
  }
}

function linked(url: string, { name, link }: NamedField): Ref {
  const ref = refFromUrl(url);
  if (ref?.kind !== link) throw unexpectedResponseFieldError(name);
  return ref as Ref;
}
