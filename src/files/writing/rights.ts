/** Permissions for changes: owners may write in their namespaces, users their own record, staff everything. */
import { isJsonEqual } from '../../catalogue/changes.ts';
import { ConflictError, excerpt, NotPermittedError } from '../../catalogue/errors.ts';
import { payloadFolder, type RecordRef, recordPaths, versionsFolder } from '../../catalogue/layout.ts';
import { mediaTypeOf } from '../../catalogue/media-types.ts';
import {
  assertMayAddAlias,
  isUserOrStaff,
  mayWrite,
  owningNamespace,
  ownUserFields,
} from '../../catalogue/permissions.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { isTemporaryFile } from '../../disk/durable.ts';
import type { Access } from '../catalogue-files.ts';
import { imagesIn, isMediaHidden, isNamedByChecksum } from '../shown-images.ts';
import { existsInTree } from '../tree/file-tree.ts';
import { type Change, refAtUntrustedPath } from './change.ts';

/**
 * Checks that the viewer may make a change, by its path only; `assertRecordContentsPermitted` checks the contents.
 * @throws NotPermittedError, whether the record exists or not; ValidationError if the path is invalid
 */
export function assertChangePermitted(access: Access, change: Change): void {
  if (change.do === 'add') assertMayAdd(access, change.path);
  else if (change.do === 'restore') assertMayWriteInNamespace(access, undefined);
  else if (change.do !== 'edit' || !(change.isConsequence || isOwnRecord(access, refAtUntrustedPath(change.path))))
    assertMayChange(access, change);
}

function assertMayChange(access: Access, change: Exclude<Change, { do: 'add' | 'restore' }>): void {
  const goal = change.do === 'move' ? refAtUntrustedPath(change.to) : null;
  if (goal?.kind === 'dataset') assertMayWriteInNamespace(access, goal.namespace);
  const ref = refAtUntrustedPath(change.path);
  // The namespace of a new query is that of its dataset, which is known only from its text.
  const isNew = (change.do === 'write' || change.do === 'create') && isNewQuery(access, ref);
  if (!isNew || !mayWriteSomewhere(access))
    assertMayWriteInNamespace(access, owningNamespace(ref, access.files.snapshot));
}

/**
 * Checks that the viewer may give a record these contents.
 * @param before contents of the record so far; null if it is new
 * @param renamed namespaces that the same step has renamed before: former slugs by present ones
 */
export function assertRecordContentsPermitted(
  access: Access,
  ref: RecordRef,
  record: RecordValue,
  before: RecordValue | null,
  renamed: ReadonlyMap<string, string> = new Map(),
): void {
  const { viewer, visible, files } = access;
  if (viewer.staff && !viewer.readOnly) return;
  if (ref.kind === 'query') {
    const [namespace = ''] = String(record.dataset).split('/');
    assertMayWriteInNamespace(access, renamed.get(namespace) ?? namespace);
  }
  if (ref.kind === 'user') {
    const changed = [...new Set([...Object.keys(record), ...Object.keys(before ?? {})])].filter(
      (key) => !isJsonEqual(record[key], before?.[key]),
    );
    if (!changed.every((key) => ownUserFields.includes(key))) throw new NotPermittedError();
  }
  assertMayShowImages(access, record, before);
  const known = aliasesIn(before);
  for (const alias of aliasesIn(record))
    if (!known.includes(alias)) assertMayAddAlias(viewer, ref, alias, files.snapshot, visible());
}

/**
 * An image is served to those who see a record that shows it: a record of one's own must not open an image of somebody
 * else's. Uploads have names that tell the bytes, and nobody can guess: who knows one may show it.
 * @throws ConflictError
 */
function assertMayShowImages({ files, visible }: Access, record: RecordValue, before: RecordValue | null): void {
  const known = imagesInRecord(before);
  for (const path of imagesInRecord(record))
    if (!known.includes(path) && !isNamedByChecksum(path) && isMediaHidden(path, files.snapshot, visible()))
      throw new ConflictError(`The image ${excerpt(path)} is not available: add it under another name.`);
}

/** Images that any text of a record names. */
function imagesInRecord(record: unknown): readonly string[] {
  if (typeof record === 'string') return imagesIn(record);
  return typeof record === 'object' && record !== null ? Object.values(record).flatMap(imagesInRecord) : [];
}

/** @throws NotPermittedError unless the viewer may write in the namespace; without one, unless the viewer is staff */
function assertMayWriteInNamespace({ viewer, visible }: Access, namespace: string | undefined): void {
  if (!mayWrite(viewer, visible().folders.get(namespace ?? ''))) throw new NotPermittedError();
}

/**
 * Checks that the viewer may remove a record for good: staff may do so, and owners with a dataset that has neither versions
 * nor data. Broken versions count, and payloads without a version.
 * @throws NotPermittedError
 */
export function assertMayRemovePermanently({ viewer, files }: Access, ref: RecordRef): void {
  const hasFiles = (folder: string) => files.store.tree.names(folder).some(({ name }) => !isTemporaryFile(name));
  const isEmpty =
    ref.kind === 'dataset' && ![versionsFolder, payloadFolder].some((of) => hasFiles(of(ref.namespace, ref.slug)));
  if (!viewer.staff && !isEmpty) throw new NotPermittedError('Only staff may remove it permanently.');
}

/** Owners of any namespace may add images, but no SVG, which may contain scripts. */
function assertMayAdd(access: Access, path: string): void {
  const info = parseUntrustedCataloguePath(path);
  const isImage = info?.kind === 'media' && /^image\/(?!svg)/.test(mediaTypeOf(path));
  if (isImage && mayWriteSomewhere(access)) return;
  assertMayWriteInNamespace(access, info?.kind === 'payload' ? info.dataset.namespace : undefined);
}

function mayWriteSomewhere({ viewer, visible }: Access): boolean {
  return [...visible().folders.values()].some((folder) => mayWrite(viewer, folder));
}

const isOwnRecord = ({ viewer }: Access, ref: RecordRef) =>
  ref.kind === 'user' && !viewer.readOnly && isUserOrStaff(viewer, ref.slug);

const isNewQuery = ({ files }: Access, ref: RecordRef) =>
  ref.kind === 'query' &&
  !files.snapshot.queries.has(ref.slug) &&
  !recordPaths(ref).some((path) => existsInTree(files.store.tree, path));

function aliasesIn(record: RecordValue | null): readonly string[] {
  const { aliases } = Object(record);
  return Array.isArray(aliases) ? aliases.map(String) : [];
}
