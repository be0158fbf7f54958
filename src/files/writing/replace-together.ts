/**
 * Records that are replaced together: their new texts are written aside, synced at the same time, and then get the names of
 * the old ones; the folders are synced at the same time, too. Each record is the old or the new one after a crash.
 */
import { close, closeSync, fchmodSync, lstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openReplaced, temporaryPathBeside } from '../../disk/durable.ts';
import { toUnavailableError } from '../../disk/not-writable.ts';
import { giveToOwner } from '../../disk/owner.ts';
import { betweenSyncRounds } from '../../disk/sync-rounds.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import type { Action } from './action.ts';
import type { PlannedStep } from './plan.ts';
import { syncTogether } from './sync-together.ts';
import type { WriteContext } from './write-context.ts';

type Replacement = Extract<Action, { readonly do: 'replace' }>;

/**
 * Replaces the records of steps that replace one record each, if there are several.
 * @param signal aborted if a lock is lost
 * @returns true for each step that is done, or its error; nothing for those that have to be performed alone, which finds the
 *   reason why they failed
 */
export async function replaceRecordsOfSteps(
  root: string,
  steps: readonly PlannedStep[],
  context: WriteContext,
  signal: AbortSignal,
): Promise<ReadonlyMap<PlannedStep, true | Error>> {
  const outcomes = new Map<PlannedStep, true | Error>();
  const replacements = steps.flatMap((step) => {
    const [action, ...others] = step.actions;
    return action?.do === 'replace' && others.length === 0 ? [{ step, action }] : [];
  });
  if (replacements.length < 2) return outcomes;
  /** Temporary files that exist, and of them those that have their whole text on disk. */
  const asides = new Map<string, (typeof replacements)[number]>();
  const synced = new Set<string>();
  const pause = makeRegularPause();
  try {
    for (const one of replacements) {
      const temporary = temporaryPathBeside(join(root, one.action.path));
      asides.set(temporary, one);
      if (writeAside(root, temporary, one.action)) synced.add(temporary);
      await pause();
    }
    await syncTogether(root, [...synced], (temporary) => synced.delete(temporary), { areNew: true });
    const renamed: (typeof replacements)[number][] = [];
    for (const [temporary, one] of asides) {
      await betweenSyncRounds();
      if (signal.aborted || !synced.has(temporary) || !giveName(root, temporary, one.action)) continue;
      asides.delete(temporary);
      renamed.push(one);
      await pause();
    }
    const folderOf = ({ action }: (typeof replacements)[number]) => dirname(join(root, action.path));
    for (const { step } of renamed) outcomes.set(step, true);
    await syncTogether(root, [...new Set(renamed.map(folderOf))], (folder, error) => {
      for (const one of renamed.filter((other) => folderOf(other) === folder))
        outcomes.set(one.step, toUnavailableError(error, one.action.path) as Error);
    });
  } finally {
    for (const temporary of asides.keys()) await rm(temporary, { force: true }).catch(() => {});
  }
  for (const { step, action } of replacements) if (outcomes.get(step) === true) context.wrote(action.path, action.text);
  return outcomes;
}

/** Writes the new text beside the old one. @returns false if it can't */
function writeAside(root: string, temporary: string, { path, text }: Replacement): boolean {
  try {
    const replaced = lstatSync(join(root, path));
    const descriptor = openSync(temporary, 'wx');
    try {
      writeFileSync(descriptor, text);
      giveToOwner(descriptor, replaced);
      fchmodSync(descriptor, replaced.mode & 0o7777);
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Puts the new text in the place of the old one, right after the old one is compared with what was read: what an editor saves
 * in between would be lost.
 * @returns false if it can't, or another program has changed the old one
 */
function giveName(root: string, temporary: string, { path, file }: Replacement): boolean {
  const target = join(root, path);
  let replaced: number | null = null;
  try {
    replaced = openReplaced(target);
    file.assertUnchanged();
    renameSync(temporary, target);
    return true;
  } catch {
    return false;
  } finally {
    if (replaced !== null) close(replaced, () => {});
  }
}
