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
  const undo: (() => Promise<unknown>)[] = [];
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

/** Performs one action. @returns a function that undoes it */
async function performAction(
  { root, accounts }: CatalogueFiles,
  action: Action,
  context: WriteContext,
  signal: AbortSignal,
): Promise<() => Promise<unknown>> {
  switch (action.do) {
    case 'create': {
      // An earlier user of the same name may have left credentials.
      if (action.ref.kind === 'user') await accounts.removeCredentials(action.ref.slug);
      await writeNewRecord(root, action.path, action.text, signal);
      return () => rm(join(root, action.path));
    }
    case 'replace': {
      const undo = () => writeBack(root, action.path, action.text, action.before);
      await action.file.replace(action.text).catch(async (error) => {
        // The file may have its new name, and its folder could not be synced.
        await undo().catch(() => {});
        throw error instanceof ChangedMeanwhileError && action.ifChanged === 'stale' ? new StaleError() : error;
      });
      return undo;
    }
    case 'rewrite':
      return rewriteRecord(root, action);
    case 'remove': {
      const { ref, paths } = action;
      // First, since a user without credentials is safe, and credentials without a user aren't.
      const putBack = ref.kind === 'user' ? await accounts.removeCredentials(ref.slug) : async () => {};
      const id = makeTrashEntryId();
      try {
        const restore = await moveToTrash(root, ref, paths, context.by, action.context, id);
        context.trashed.add(id);
        return async () => {
          await restore();
          context.trashed.delete(id);
          await putBack();
        };
      } catch (error) {
        if (exists(join(root, paths[0] ?? ''))) await putBack().catch(() => {});
        throw asChangedIfGone(error, paths[0] ?? '');
      }
    }
    case 'move':
      await moveDurably(join(root, action.from), join(root, action.to)).catch((error) => {
        throw isTargetTaken(error)
          ? new ConflictError(`${action.to} exists already.`)
          : asChangedIfGone(error, action.from);
      });
      // An upload in progress doesn't find its temporary file again. Nobody else would remove it while its process runs.
      await removeTemporaries(join(root, payloadFolderOf(action.to)));
      return () => moveDurably(join(root, action.to), join(root, action.from), { isUndo: true });
    case 'add': {
      // In the folder of the temporary file. If the dataset has another name by now, it isn't made again.
      const target = join(root, action.path);
      const isReplaced = action.replace && exists(target);
      await (isReplaced ? rename(action.from, target) : linkOrRename(action.from, root, action.path));
      await flushFolderToDisk(dirname(target)).catch(async (error) => {
        // A file that was replaced was damaged, or a pointer: the new one is better than none.
        if (!action.replace) await rm(target, { force: true });
        throw error;
      });
      // Another attempt needs the temporary file.
      return () => (exists(action.from) ? rm(target) : rename(target, action.from));
    }
    case 'restore': {
      const { ref } = action;
      // A later user of the same name may have left credentials.
      if (ref.kind === 'user') await accounts.removeCredentials(ref.slug);
      if (ref.kind === 'version' && !exists(join(root, datasetFolder(ref.namespace, ref.dataset))))
        throw new NotFoundError('The dataset was removed or renamed meanwhile.');
      await restorePathFromTrash(action.from, root, action.path);
      return () => moveOrCopyFile(join(root, action.path), action.from, { isUndo: true });
    }
  }
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
