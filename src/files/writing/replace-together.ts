/**
 * Records that are replaced together: their new texts are written aside, synced at the same time, and then get the names of
 * the old ones; the folders are synced at the same time, too. Each record is the old or the new one after a crash.
 */
import { closeSync, fchmodSync, lstatSync, openSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forEachConcurrent } from '../../catalogue/concurrency.ts';
import { temporaryPathBeside, toUnavailableError } from '../../disk/durable.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import type { Action } from './action.ts';
import type { PlannedStep } from './plan.ts';
import { syncTogether } from './sync-together.ts';
import type { WriteContext } from './write-context.ts';

type Replacement = Extract<Action, { readonly do: 'replace' }>;

/** Number of files that get their names at the same time: a file system may wait until the blocks of the old one are free. */
const renamesAtOnce = 16;

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
  const asides = new Map<string, (typeof replacements)[number]>();
  const pause = makeRegularPause();
  try {
    for (const one of replacements) {
      const temporary = temporaryPathBeside(join(root, one.action.path));
      asides.set(temporary, one);
      if (!writeAside(root, temporary, one.action)) asides.delete(temporary);
      await pause();
    }
    await syncTogether(root, [...asides.keys()], (temporary) => asides.delete(temporary));
    const renamed: (typeof replacements)[number][] = [];
    await forEachConcurrent([...asides], renamesAtOnce, async ([temporary, one]) => {
      if (signal.aborted || !(await giveName(root, temporary, one.action))) return;
      asides.delete(temporary);
      renamed.push(one);
    });
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
    const { mode } = lstatSync(join(root, path));
    const descriptor = openSync(temporary, 'wx');
    try {
      writeFileSync(descriptor, text);
      fchmodSync(descriptor, mode & 0o7777);
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch {
    return false;
  }
}

/** Puts the new text in the place of the old one. @returns false if it can't, or another program has changed the old one */
async function giveName(root: string, temporary: string, { path, file }: Replacement): Promise<boolean> {
  try {
    file.assertUnchanged();
    await rename(temporary, join(root, path));
    return true;
  } catch {
    return false;
  }
}
