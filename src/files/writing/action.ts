/** Actions of a transaction on disk, and how to undo them if a later one of the same step fails. */
import { lstatSync, renameSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConflictError, NotFoundError, StaleError } from '../../catalogue/errors.ts';
import { datasetFolder, type RecordRef } from '../../catalogue/layout.ts';
import { errorCode, flushFolderToDisk, lacksHardLinks, removeTemporaries } from '../../disk/durable.ts';
import { isTargetTaken, moveDurably, moveOrCopyFile } from '../../disk/move.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { asChangedIfGone, ChangedMeanwhileError, type RecordFile, writeNewRecord } from './record-file.ts';
import { type Rewriting, rewriteRecord, writeBack } from './rewrite.ts';
import { makeTrashEntryId, moveToTrash, payloadFolderOf, restorePathFromTrash, type TrashContext } from './trash.ts';
import type { WriteContext } from './write-context.ts';

export type Action =
  | { readonly do: 'create'; readonly ref: RecordRef; readonly path: string; readonly text: string }
  | {
      readonly do: 'replace';
      readonly path: string;
      readonly text: string;
      readonly file: RecordFile;
      readonly before: Buffer;
      readonly ifChanged: 'stale' | 'retry';
    }
  | Rewriting
  | {
      readonly do: 'remove';
      readonly ref: RecordRef;
      readonly paths: readonly string[];
      readonly context: TrashContext;
    }
  | { readonly do: 'move'; readonly from: string; readonly to: string }
  | { readonly do: 'add'; readonly path: string; readonly from: string; readonly replace: boolean }
  | { readonly do: 'restore'; readonly ref: RecordRef; readonly path: string; readonly from: string };

/**
 * Performs the actions of a step in their order. If one fails, those before it are undone.
 * @param signal aborted if a lock is lost
 * @throws ChangedMeanwhileError, ConflictError, UnavailableError
 */
export async function performFileActions(
  files: CatalogueFiles,
  actions: readonly Action[],
  context: WriteContext,
  signal: AbortSignal,
): Promise<void> {
  const undo: Undo[] = [];
  try {
    for (const action of actions) {
      signal.throwIfAborted();
      undo.push(await performAction(files, action, context, signal));
    }
  } catch (error) {
    for (const step of undo.toReversed()) await step().catch(() => {});
    throw error;
  }
  // Only at the end: actions that were undone are not committed.
  for (const action of actions) addToContext(action, context);
}

function addToContext(action: Action, context: WriteContext): void {
  if (action.do === 'create' || action.do === 'replace') context.wrote(action.path, action.text);
  else if (action.do === 'move') context.moved(action.from, action.to);
  else if (action.do === 'rewrite') {
    context.touched(action.from);
    context.wrote(action.path, action.text);
  } else for (const path of action.do === 'remove' ? action.paths : [action.path]) context.touched(path);
}

/** Undoes an action. */
type Undo = () => Promise<unknown>;

/** An action of one kind. */
type ActionTo<D extends Action['do']> = Extract<Action, { readonly do: D }>;

/** Performs one action. @returns a function that undoes it */
async function performAction(
  { root, accounts }: CatalogueFiles,
  action: Action,
  context: WriteContext,
  signal: AbortSignal,
): Promise<Undo> {
  switch (action.do) {
    case 'create':
      // An earlier user of the same name may have left credentials.
      if (action.ref.kind === 'user') await accounts.removeCredentials(action.ref.slug);
      await writeNewRecord(root, action.path, action.text, signal);
      return () => rm(join(root, action.path));
    case 'replace':
      return replaceRecord(root, action);
    case 'rewrite':
      return rewriteRecord(root, action);
    case 'remove':
      return removeRecordFiles(root, accounts, action, context);
    case 'move':
      return moveRecord(root, action);
    case 'add':
      return addFile(root, action);
    case 'restore':
      return restoreRecord(root, accounts, action);
  }
}

async function replaceRecord(
  root: string,
  { path, text, before, file, ifChanged }: ActionTo<'replace'>,
): Promise<Undo> {
  const undo = () => writeBack(root, path, text, before);
  await file.replace(text).catch(async (error) => {
    // The file may have its new name, and its folder could not be synced.
    await undo().catch(() => {});
    throw error instanceof ChangedMeanwhileError && ifChanged === 'stale' ? new StaleError() : error;
  });
  return undo;
}

async function removeRecordFiles(
  root: string,
  accounts: CatalogueFiles['accounts'],
  action: ActionTo<'remove'>,
  context: WriteContext,
): Promise<Undo> {
  const { ref, paths } = action;
  const [path = ''] = paths;
  // First, since a user without credentials is safe, and credentials without a user aren't.
  const restoreCredentials = ref.kind === 'user' ? await accounts.removeCredentials(ref.slug) : async () => {};
  const id = makeTrashEntryId();
  try {
    const restore = await moveToTrash(root, ref, paths, context.by, action.context, id);
    context.trashed.add(id);
    return async () => {
      await restore();
      context.trashed.delete(id);
      await restoreCredentials();
    };
  } catch (error) {
    if (exists(join(root, path))) await restoreCredentials().catch(() => {});
    throw asChangedIfGone(error, path);
  }
}

async function moveRecord(root: string, { from, to }: ActionTo<'move'>): Promise<Undo> {
  await moveDurably(join(root, from), join(root, to)).catch((error) => {
    throw isTargetTaken(error) ? new ConflictError(`${to} exists already.`) : asChangedIfGone(error, from);
  });
  // An upload in progress doesn't find its temporary file again. Nobody else would remove it while its process runs.
  await removeTemporaries(join(root, payloadFolderOf(to)));
  return () => moveDurably(join(root, to), join(root, from), { isUndo: true });
}

async function addFile(root: string, { from, path, replace }: ActionTo<'add'>): Promise<Undo> {
  // In the folder of the temporary file. If the dataset has another name by now, it isn't made again.
  const target = join(root, path);
  const isReplaced = replace && exists(target);
  await (isReplaced ? rename(from, target) : linkOrRename(from, root, path));
  await flushFolderToDisk(dirname(target)).catch(async (error) => {
    // A file that was replaced was damaged, or a pointer: the new one is better than none.
    if (!replace) await rm(target, { force: true });
    throw error;
  });
  // Another attempt needs the temporary file.
  return () => (exists(from) ? rm(target) : rename(target, from));
}

async function restoreRecord(
  root: string,
  accounts: CatalogueFiles['accounts'],
  { ref, from, path }: ActionTo<'restore'>,
): Promise<Undo> {
  // A later user of the same name may have left credentials.
  if (ref.kind === 'user') await accounts.removeCredentials(ref.slug);
  if (ref.kind === 'version' && !exists(join(root, datasetFolder(ref.namespace, ref.dataset))))
    throw new NotFoundError('The dataset was removed or renamed meanwhile.');
  await restorePathFromTrash(from, root, path);
  return () => moveOrCopyFile(join(root, path), from, { isUndo: true });
}

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Links a file to a path in the folder that no file has; on a file system without hard links, renames it. */
async function linkOrRename(from: string, root: string, path: string): Promise<void> {
  const to = join(root, path);
  await link(from, to).catch((error) => {
    if (errorCode(error) === 'EEXIST' || exists(to)) throw new ConflictError(`${path} exists already.`);
    if (!lacksHardLinks(error)) throw error;
    return renameSync(from, to);
  });
}
