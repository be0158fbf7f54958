/** Conditions that the files have to meet for a change. */

import { isDeepStrictEqual } from 'node:util';
import type { WritableKind } from '../../catalogue/catalogue.ts';
import { isOfBrokenRecord } from '../../catalogue/diagnostic.ts';
import { ConflictError, NotFoundError, StaleError, ValidationError } from '../../catalogue/errors.ts';
import {
  datasetsFolder,
  maxRecordSize,
  payloadPath,
  type RecordRef,
  recordFolderOrFile,
  recordFolders,
  recordPaths,
  recordPathWithoutExtension,
  type Scope,
  unitOfRecord,
} from '../../catalogue/layout.ts';
import { findEntity, getEntity } from '../../catalogue/lookup.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { formatRef, type Refs } from '../../catalogue/ref.ts';
import type { RecordKind } from '../../catalogue/schemas.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Entities } from '../../catalogue/types.ts';
import { computeChecksum } from '../../disk/checksum.ts';
import { isTemporaryFile } from '../../disk/durable.ts';
import { makePositionFinder, type Parsed, type RecordText } from '../../text/parse.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { runStepsWithoutPause } from '../reading/event-loop.ts';
import { rememberSchemaErrors, validateRecord } from '../reading/validate-record.ts';
import { existsInTree, type FileTree } from '../tree/file-tree.ts';
import { anyVersion, refAtUntrustedPath } from './change.ts';

/**
 * Checks that a record is the one that its writer expects.
 * @param bytes of the record; null if there is none
 * @param ifMatch expected checksum; null if there must be none
 * @param mayFix true if the writer may overwrite a broken record that it has seen
 * @throws StaleError; NotFoundError; ConflictError if it is broken
 */
export function assertRecordUnchanged(
  snapshot: Snapshot,
  { ref, path, bytes }: { readonly ref: RecordRef; readonly path: string; readonly bytes: Buffer | null },
  ifMatch: string | null,
  mayFix: boolean,
): void {
  const checksum = bytes && computeChecksum(bytes);
  if (checksum !== null && !(mayFix && checksum === ifMatch)) assertRecordNotBroken(snapshot, path);
  if (ifMatch === anyVersion) {
    if (checksum === null) throw new NotFoundError(`There is no ${ref.kind} ${formatRef(ref)}.`);
  } else if (checksum !== ifMatch) throw new StaleError();
}

/**
 * Reads the files again, and checks that an entity is the expected one.
 * @param expected the entity that the writer has seen; undefined to accept any
 * @throws StaleError
 */
export function assertEntityUnchanged(
  files: CatalogueFiles,
  ref: RecordRef,
  expected: Entities[WritableKind] | undefined,
): void {
  if (expected === undefined) return;
  // The members of a group are in the users' records.
  const users: readonly Scope[] = ref.kind === 'group' ? [{ folder: `${recordFolders.user}/` }] : [];
  runStepsWithoutPause(files.store.rescan([unitOfRecord(ref), ...users]));
  let now: unknown;
  try {
    now = getEntity(files.snapshot, ref as Refs[WritableKind]);
  } catch {
    throw new StaleError();
  }
  if (!isDeepStrictEqual(now, expected)) throw new StaleError();
}

const findBreakage = ({ diagnostics }: Snapshot, path: string) => diagnostics.get(path)?.find(isOfBrokenRecord);

/** True if a record can't be read, parsed or validated. */
export const isRecordBroken = (snapshot: Snapshot, path: string): boolean => findBreakage(snapshot, path) !== undefined;

/**
 * Checks that a record is not broken: a person may be editing it, and its last valid contents are served.
 * @throws ConflictError with the place of the problem
 */
export function assertRecordNotBroken(snapshot: Snapshot, path: string): void {
  const found = findBreakage(snapshot, path);
  if (found) throw new ConflictError(`${path}:${found.line}:${found.column}: ${found.message}`);
}

/** @throws ConflictError if another file describes the same record */
export function assertOneFilePerRecord(tree: FileTree, ref: RecordRef, path: string): void {
  const other = recordPaths(ref).find((one) => one !== path && existsInTree(tree, one));
  if (other) throw new ConflictError(`${path} and ${other} describe the same record: keep one of them.`);
}

/** @throws ConflictError if a namespace has datasets */
export function assertNamespaceEmpty(tree: FileTree, snapshot: Snapshot, namespace: string): void {
  const folders = tree.names(datasetsFolder(namespace)).filter(({ name }) => !name.startsWith('.'));
  const count = Math.max(folders.length, snapshot.folders.get(namespace)?.datasets.size ?? 0);
  const datasets = count === 1 ? 'a dataset' : `${count} datasets`;
  if (count > 0)
    throw new ConflictError(`The namespace ${namespace} still has ${datasets}. Remove or move them first.`);
}

/** True if a file or folder has the name of a new record. A folder that contains only temporary files does not count. */
export function isPlaceOfRecordTaken(tree: FileTree, ref: RecordRef): boolean {
  const own = recordFolderOrFile(ref, `${recordPaths(ref)[0]}`);
  if (recordPaths(ref).includes(own)) return recordPaths(ref).some((path) => existsInTree(tree, path));
  return tree.names(own).some(({ name }) => !isTemporaryFile(name));
}

/** Path of a version's payload, unless other versions share it; [] if there is none. */
export function ownPayloadPaths(tree: FileTree, snapshot: Snapshot, ref: RecordRef): readonly string[] {
  const version = ref.kind === 'version' ? findEntity<'version'>(snapshot, ref) : undefined;
  if (!version?.file) return [];
  const { namespace, dataset, file } = version;
  const parent = findEntity<'dataset'>(snapshot, { kind: 'dataset', namespace, slug: dataset });
  const isShared = parent?.versions.some((other) => other.slug !== version.slug && other.file === file);
  const path = payloadPath(namespace, dataset, file);
  return !isShared && existsInTree(tree, path) ? [path] : [];
}

/** References of the source and target of a move. @throws ValidationError if their kinds or formats differ */
export function parseMove(path: string, to: string): readonly [RecordRef, RecordRef] {
  const [from, goal] = [refAtUntrustedPath(path), refAtUntrustedPath(to)];
  const extensionOf = (one: string) => one.slice(one.lastIndexOf('.'));
  const isSame = from.kind === goal.kind && extensionOf(path) === extensionOf(to);
  if (!isSame || from.kind === 'version' || from.kind === 'user')
    throw new ValidationError({ to: [`${path} can't be moved to ${to}.`] });
  return [from, goal];
}

/** @throws ValidationError unless two paths are those of one record, with different extensions */
export function assertOtherExtension(path: string, replaced: string): void {
  const [ref, former] = [refAtUntrustedPath(path), refAtUntrustedPath(replaced)];
  if (path === replaced || recordPathWithoutExtension(ref) !== recordPathWithoutExtension(former))
    throw new ValidationError({ replaces: [`${replaced} is not the same record as ${path} with another extension.`] });
}

/**
 * Checks that a text is a valid record.
 * @throws ValidationError with the place of every problem
 */
export function assertRecordTextValid(
  kind: RecordKind,
  path: string,
  { text, format, parsed }: RecordText,
): RecordValue {
  const invalid = (...messages: readonly string[]) => new ValidationError({ non_field_errors: messages });
  const size = Buffer.byteLength(text);
  if (size > maxRecordSize) throw invalid(`The record would have ${size} bytes; the maximum is ${maxRecordSize}.`);
  if (Buffer.from(text).toString() !== text) throw invalid('The text contains half of a character (a lone surrogate).');
  if ('error' in parsed) throw invalid(`${path}:${parsed.error.line}:${parsed.error.column}: ${parsed.error.message}`);
  const checked = validateRecord(kind, parsed.value);
  if ('value' in checked) {
    // It is read again as it is written, and afterwards.
    rememberSchemaErrors(kind, checked.value, []);
    return parsed.value as RecordValue;
  }
  const placeOf = makePositionFinder(text, format);
  throw invalid(
    ...checked.errors.map(({ pointer, message }) => {
      const { line, column } = placeOf(pointer);
      return `${path}:${line}:${column}: ${message}`;
    }),
  );
}

/** Contents of a record; {} if it can't be parsed. */
export const recordValueOrEmpty = (parsed: Parsed): RecordValue =>
  'value' in parsed ? (parsed.value as RecordValue) : {};
