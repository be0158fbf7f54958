/** The trash of a catalogue folder, with the permissions of a viewer. */
import { lstat, readFile } from 'node:fs/promises';
import { resolveAlias } from '../../catalogue/aliases.ts';
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { entitiesWithIds } from '../../catalogue/entities-by-id.ts';
import { ConflictError, NotFoundError, NotPermittedError } from '../../catalogue/errors.ts';
import {
  type RecordRef,
  recordFolderOrFile,
  recordFormat,
  recordPaths,
  scopeToReread,
  siblingsFolder,
  unitKey,
  unitOfRecord,
} from '../../catalogue/layout.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import { mayWrite } from '../../catalogue/permissions.ts';
import { type DatasetRef, datasetRefOf, formatRef, type NamespaceRef, refOf } from '../../catalogue/ref.ts';
import { containingRecordRef } from '../../catalogue/rules.ts';
import type { Trash, TrashEntry } from '../../catalogue/trash.ts';
import { errorCode } from '../../disk/durable.ts';
import { parseRecordText } from '../../text/parse.ts';
import type { Access } from '../catalogue-files.ts';
import { restorationCommitMessage } from '../git/commit-messages.ts';
import { planRestoredReferenceWrites } from '../records/membership.ts';
import { planWriteAfterRestoration } from '../records/restored-record.ts';
import { planColumnWritesForNewestVersion } from '../records/version-columns.ts';
import { commitSingleStep } from '../transaction.ts';
import { type Change, lockNamesOfWriteChange } from './change.ts';
import { deleteTrashEntry, emptyTrash, findTrashEntry, listTrash, trashEntryPaths, trashPath } from './trash.ts';

export class FileTrash implements Trash {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async list(): Promise<readonly TrashEntry[]> {
    if (!this.#access.viewer.staff) throw new NotPermittedError();
    return listTrash(this.#access.files.root);
  }

  async restore(id: string, { dryRun }: { readonly dryRun?: boolean | undefined } = {}): Promise<TrashEntry> {
    const entry = await this.#entry(id);
    const { root } = this.#access.files;
    const { ref, presentPath } = await presentPlaceOf(entry, this.#access.files);
    const paths = await trashEntryPaths(root, entry);
    if (paths.length === 0) throw new NotFoundError();
    // A person may have edited the entry's file.
    if (!paths.every((path) => scopeToReread(path) && !path.split('/').includes('..')))
      throw new ConflictError(`The entry ${id} names a path outside of the catalogue.`);
    // The record is restored last: without it, the other files have no meaning.
    const changes = await Promise.all(
      paths.toReversed().map(async (formerPath): Promise<Change> => {
        const path = presentPath(formerPath);
        const from = trashPath(root, id, formerPath);
        const [{ size }, record] = await Promise.all([lstat(from), readRecord(ref, path, from)]).catch(throwNotFound);
        return { do: 'restore', path, ref, from, size, record };
      }),
    );
    const record = changes.map((change) => change.do === 'restore' && change.record).find(Boolean);
    if (record && ref.kind !== 'version')
      changes.push(await planWriteAfterRestoration(this.#access.files, ref, record.path, entry.names ?? {}));
    if (ref.kind === 'version')
      changes.push(...planColumnWritesForNewestVersion(this.#access.files, datasetRefOf(ref)));
    if (ref.kind === 'group' || ref.kind === 'user')
      changes.push(...(await planRestoredReferenceWrites(this.#access.files, ref, entry.referencedBy ?? [])));
    const edits = changes.filter((change) => change.do === 'edit');
    const locks = [unitKey(unitOfRecord(ref)), siblingsFolder(ref), ...edits.flatMap(lockNamesOfWriteChange)];
    const refusal = (found: readonly Diagnostic[]) => restoreRefusal(ref, found);
    const message = () => restorationCommitMessage(ref);
    // Records that it names may have been removed since: `check` reports them.
    const options = { dryRun, message, refusal, allowMissingReferences: true };
    await commitSingleStep(this.#access, { locks, changes }, options);
    if (!dryRun) await deleteTrashEntry(root, id);
    return { ...entry, ref, paths: entry.paths.map(presentPath) };
  }

  async remove(id: string): Promise<void> {
    await deleteTrashEntry(this.#access.files.root, (await this.#entry(id)).id);
  }

  /** Deletes entries permanently that a user has just made, who may have removed the record so. */
  async removeOwn(ids: Iterable<string>): Promise<void> {
    for (const id of ids) await deleteTrashEntry(this.#access.files.root, id);
  }

  async empty(before?: Date): Promise<readonly TrashEntry[]> {
    this.#assertMayWrite();
    return emptyTrash(this.#access.files.root, before);
  }

  /** The entry with an id. @throws NotFoundError */
  async #entry(id: string): Promise<TrashEntry> {
    this.#assertMayWrite();
    const entry = await findTrashEntry(this.#access.files.root, id);
    if (!entry) throw new NotFoundError();
    return entry;
  }

  /** Checks that the viewer is staff: the trash belongs to no namespace. */
  #assertMayWrite(): void {
    if (!mayWrite(this.#access.viewer, undefined)) throw new NotPermittedError();
  }
}

/** @throws NotFoundError for a file that another request has restored or deleted meanwhile */
function throwNotFound(error: unknown): never {
  throw errorCode(error) === 'ENOENT' ? new NotFoundError() : error;
}

/**
 * The place of a removed record now. If the namespace or the dataset that it was in was renamed or moved since, it is in
 * that one: the same dataset, under its present name.
 * @returns its reference, and a function from paths of its files to the present ones
 */
async function presentPlaceOf({ ref, container: id }: TrashEntry, files: Access['files']) {
  const container = containingRecordRef(ref);
  const moved = container ? await otherPlaceOf(container, id, files) : undefined;
  const folder = container ? recordFolderOrFile(container, '') : '';
  const presentPath = (path: string) =>
    moved && path.startsWith(`${folder}/`)
      ? recordFolderOrFile(moved as RecordRef, '') + path.slice(folder.length)
      : path;
  if (moved?.kind === 'namespace' && ref.kind === 'dataset')
    return { ref: { ...ref, namespace: moved.slug }, presentPath };
  if (moved?.kind === 'dataset' && ref.kind === 'version')
    return { ref: { ...ref, namespace: moved.namespace, dataset: moved.slug }, presentPath };
  return { ref, presentPath };
}

/**
 * The present reference of a namespace or dataset that was renamed or moved; undefined if it wasn't, or is nowhere.
 * @param id of it, if that is known: another one may have its former name
 */
async function otherPlaceOf(container: NamespaceRef | DatasetRef, id: number | undefined, files: Access['files']) {
  await files.ensureRead([container]);
  const named = findEntity(files.snapshot, container);
  if (named && (id === undefined || named.id === id)) return undefined;
  // Ids and former names are only known once everything is read.
  await files.load();
  const [same] = id === undefined ? [] : entitiesWithIds(files.snapshot, container.kind, new Set([id]));
  if (same) return refOf(same);
  if (!named) return resolveAlias(files.snapshot, container);
  const removed = await findRemoved(container.kind, id as number, files.root);
  if (!removed) return undefined;
  const name = formatRef(container);
  throw new ConflictError(
    `It was in another ${container.kind} than the present ${name}. That one is in the trash, too: entry ${removed.id}, ` +
      `${formatRef(removed.ref)}. Restore that entry first. If its name is taken, rename or move the present ${name} before.`,
  );
}

/** The entry in the trash of the record with an id; undefined if no entry has it. */
async function findRemoved(kind: RecordRef['kind'], id: number, root: string): Promise<TrashEntry | undefined> {
  for (const entry of await listTrash(root)) {
    if (entry.ref.kind !== kind) continue;
    for (const path of recordPaths(entry.ref)) {
      const text = await readFile(trashPath(root, entry.id, path), 'utf8').catch(() => null);
      const parsed = text === null ? null : parseRecordText(text, recordFormat(path));
      if (parsed && 'value' in parsed && (parsed.value as { id?: unknown } | null)?.id === id) return entry;
    }
  }
  return undefined;
}

/** The file of a record in the trash. @param path where it is restored to: the record's file, or its folder */
async function readRecord(ref: RecordRef, path: string, from: string) {
  for (const one of recordPaths(ref)) {
    if (one !== path && !one.startsWith(`${path}/`)) continue;
    const text = await readFile(from + one.slice(path.length), 'utf8').catch(() => null);
    if (text !== null) return { path: one, text };
  }
  return undefined;
}

/** The error of an entry that can't be restored. */
function restoreRefusal(ref: RecordRef, diagnostics: readonly Diagnostic[]): Error {
  const name = `${ref.kind} ${formatRef(ref)}`;
  const container = containingRecordRef(ref);
  if (container && diagnostics.some(({ code }) => code === 'container'))
    return new ConflictError(
      `The ${name} can't be restored: there is no ${container.kind} ${formatRef(container)}. Restore or add it first.`,
    );
  const [found] = diagnostics;
  const remedy =
    found?.code === 'id' ? 'Remove the other one, or change its id in its file' : 'Rename or remove the other one';
  return new ConflictError(`The ${name} can't be restored. ${found?.message} ${remedy} first.`);
}
