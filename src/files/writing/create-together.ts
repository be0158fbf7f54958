/**
 * New records that are written together: their files are written aside, synced at the same time, and then get their names;
 * each folder is synced once. A disk syncs many files in little more time than one.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFoldersDurably } from '../../disk/durable.ts';
import { toUnavailableError } from '../../disk/not-writable.ts';
import { type Aside, type NewRecord, pathsOfAside, planAsides } from './asides.ts';
import type { PlannedStep } from './plan.ts';
import { isInDatasetFolder, writeNewRecord } from './record-file.ts';
import { syncTogether } from './sync-together.ts';
import { nameAsidesInThread, writeAsidesInThread } from './write-asides.ts';
import type { WriteContext } from './write-context.ts';
import { passTickSince, type WrittenFolders } from './written-folder.ts';

/**
 * Writes the files of new records, and the folders that they need; when it returns, they are on disk. A crash leaves each
 * record whole or missing, and no empty folder of a dataset.
 * @param records a dataset before its versions
 * @param signal aborted if a lock is lost
 * @param folders collects the folders that were written whole
 * @returns errors of the records that were not written; see `writeNewRecord`
 */
export async function writeNewRecordsTogether<Record extends NewRecord>(
  root: string,
  records: readonly Record[],
  signal: AbortSignal,
  folders?: WrittenFolders,
): Promise<ReadonlyMap<Record, Error>> {
  const errors = new Map<Record, Error>();
  const asides = planAsides(root, records);
  const failed = new Set<Aside<Record>>();
  await makeFoldersAbove(asides);
  const isWritten = await writeAsidesInThread(root, asides);
  const writtenAt = Date.now();
  const written = new Map<string, Aside<Record>>();
  for (const [i, aside] of asides.entries())
    if (isWritten[i]) for (const path of pathsOfAside(root, aside)) written.set(path, aside);
    else failed.add(aside);
  await syncTogether(root, [...written.keys()], (path) => failed.add(written.get(path) as Aside<Record>), {
    areNew: true,
  });
  if (folders && asides.some(({ isFolder }) => isFolder)) await passTickSince(writtenAt);
  const ready = asides.filter((aside) => !failed.has(aside));
  const namings = await nameAsidesInThread(root, ready, folders !== undefined, signal);
  const named = ready.filter((_, i) => namings[i]);
  await syncTogether(root, [...new Set(named.map(({ target }) => dirname(target)))], (folder, error) => {
    for (const { target, records } of named.filter(({ target }) => dirname(target) === folder))
      for (const record of records) errors.set(record, toUnavailableError(error, target) as Error);
  });
  for (const naming of namings) if (naming?.stamps) folders?.set(naming.stamps[0]?.[0] ?? '', naming.stamps);
  const isNamed = new Set(named);
  for (const aside of asides) if (!isNamed.has(aside)) await writeOneByOne(root, aside, signal, errors);
  return errors;
}

/** Makes the folders that new folders are made in. One that can't be made is an error of each record in it. */
async function makeFoldersAbove(asides: readonly Aside[]): Promise<void> {
  const parents = new Set(
    asides.flatMap(({ isFolder, target, records: [first] }) =>
      isFolder && first && !isInDatasetFolder(first.path) ? [dirname(target)] : [],
    ),
  );
  for (const parent of parents) if (!existsSync(parent)) await makeFoldersDurably(parent).catch(() => {});
}

/**
 * Writes the records of steps that add one record each, if there are several.
 * @param folders collects the folders that were written whole
 * @returns true for each step that is done, or its error
 */
export async function writeNewRecordsOfSteps(
  root: string,
  steps: readonly PlannedStep[],
  context: WriteContext,
  signal: AbortSignal,
  folders?: WrittenFolders,
): Promise<ReadonlyMap<PlannedStep, true | Error>> {
  const outcomes = new Map<PlannedStep, true | Error>();
  const news = new Map(
    steps.flatMap((step) => {
      const [action, ...others] = step.actions;
      // The credentials of an earlier user are removed first.
      const isNew = action?.do === 'create' && others.length === 0 && action.ref.kind !== 'user';
      return isNew ? [[action, step] as const] : [];
    }),
  );
  if (news.size < 2) return outcomes;
  const errors = await writeNewRecordsTogether(root, [...news.keys()], signal, folders);
  for (const [action, step] of news) {
    const error = errors.get(action);
    if (!error) context.wrote(action.path, action.text);
    outcomes.set(step, error ?? true);
  }
  return outcomes;
}

/**
 * Writes the records of an aside that failed. Alone they are written after all, or the reason is found: the disk is full, or
 * another program has made the file.
 */
async function writeOneByOne<Record extends NewRecord>(
  root: string,
  { temporary, target, records }: Aside<Record>,
  signal: AbortSignal,
  errors: Map<Record, Error>,
): Promise<void> {
  await rm(temporary, { recursive: true, force: true }).catch(() => {});
  let datasetError: Error | undefined;
  for (const record of records) {
    const isInside = dirname(dirname(join(root, record.path))) === target;
    try {
      if (isInside && datasetError) throw datasetError;
      await writeNewRecord(root, record.path, record.text, signal);
    } catch (error) {
      errors.set(record, error as Error);
      if (!isInside) datasetError = error as Error;
    }
  }
}
