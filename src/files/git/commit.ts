/**
 * Git commit of one write. It is made from a separate index, so that changes which a person has staged stay staged and
 * uncommitted. The repository's own index is then updated under git's lock, as `git commit` does.
 */
import { existsSync } from 'node:fs';
import { copyFile, lstat, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, isTemporaryFile } from '../../disk/durable.ts';
import { removeAbandonedLock } from '../../disk/lock.ts';
import { writeLockFile } from '../../disk/lock-file.ts';
import { findCommittedOnDisk } from './commit-turns.ts';
import { GitError, runGit } from './git.ts';
import { removeCommitNote } from './noted-commits.ts';
import type { PendingCommit } from './pending-commit.ts';
import { unfinishedOperations } from './unfinished-operations.ts';

interface GitRepository {
  /** Folder of the working tree. */
  readonly top: string;
  /** Path of the catalogue folder in it: '' or with a slash at the end. */
  readonly prefix: string;
  readonly gitFolder: string;
  readonly index: string;
}

/**
 * Makes a commit.
 * @param root the catalogue folder
 * @param patience milliseconds that it waits for other git processes. A lock that is left behind is never released.
 * @param note path of its note, which is removed, or null
 * @returns false if there is nothing to commit: git ignores the files, or has them already, or later texts of them
 * @throws UnreadyRepositoryError; GitError with the reason
 */
export async function createGitCommit(
  root: string,
  change: PendingCommit,
  patience: number,
  note: string | null = null,
): Promise<boolean> {
  const removeNote = () => (note === null ? undefined : removeCommitNote(note));
  if (change.paths.length === 0 && change.texts.size === 0) {
    // Without paths, git would commit everything.
    await removeNote();
    return false;
  }
  const repository = await findRepository(root);
  for (const end = performance.now() + patience; ; )
    try {
      return await withIndexLock(repository, async () => {
        const isMade = await commitLocked(repository, change, note);
        // Before another server commits, which would take it for one that comes later.
        await removeNote();
        return isMade;
      });
    } catch (error) {
      // A person or another server commits at the same moment.
      const { message } = error as Error;
      const isBusy = error instanceof BusyError || /cannot lock ref/.test(message);
      if (!isBusy) throw error;
      if (performance.now() > end) throw new BusyError(message, null);
      // Often, and not at the same moments as others: who waits longer each time doesn't get its turn beside one who commits all the time.
      await sleep(20 + 80 * Math.random());
    }
}

/** The repository takes no commit at the moment, whatever is in it. */
export class UnreadyRepositoryError extends GitError {}

/** Another git process is running. */
class BusyError extends UnreadyRepositoryError {}

/** Milliseconds after which a lock of a server in another container is taken for that of one that has ended. */
const longestCommit = 15 * 60_000;

async function findRepository(root: string): Promise<GitRepository> {
  const flags = ['--show-toplevel', '--show-prefix', '--absolute-git-dir', '--git-path', 'index'];
  const output = await runGit(root, ['rev-parse', ...flags]);
  const [top = '', prefix = '', gitFolder = '', index = ''] = output.split('\n');
  return { top, prefix, gitFolder, index: resolve(root, index) };
}

/** @throws UnreadyRepositoryError if a person's operation is unfinished: a commit would become part of it */
function assertNoUnfinishedOperation({ gitFolder }: GitRepository): void {
  for (const [name, what] of Object.entries(unfinishedOperations))
    if (existsSync(join(gitFolder, name)))
      throw new UnreadyRepositoryError(`the repository is in the middle of ${what}`, null);
}

async function commitLocked(repository: GitRepository, change: PendingCommit, note: string | null): Promise<boolean> {
  const { top, gitFolder, index } = repository;
  assertNoUnfinishedOperation(repository);
  await runGit(top, ['symbolic-ref', '--quiet', 'HEAD']).catch(() => {
    throw new UnreadyRepositoryError(
      'no branch is checked out, and a commit would be lost with the next checkout',
      null,
    );
  });
  const hasCommits = await runGit(top, ['rev-parse', '--verify', '--quiet', 'HEAD']).then(Boolean, () => false);
  const [commitIndex, newIndex] = ['commit', 'index'].map((what) =>
    join(gitFolder, `catalogue-${process.pid}-${what}`),
  ) as [string, string];
  const env = { GIT_INDEX_FILE: commitIndex };
  try {
    // The copy holds the stamps of unchanged files, so that git does not read them all.
    await copyIndexFile(index, commitIndex);
    await runGit(top, hasCommits ? ['read-tree', '-i', '-m', 'HEAD'] : ['read-tree', '--empty'], { env });
    const paths = await stageChanges(repository, change, note, env);
    if (paths.length === 0) return false;
    const isNew = !(hasCommits && (await hasNoChanges(top, env)));
    if (isNew) await commitIndexed(top, change, env);
    // Also if it was made before: a server that was killed may not have come to this.
    await copyIndexFile(index, newIndex);
    const reset = ['--literal-pathspecs', 'reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul'];
    await runGit(top, reset, { env: { GIT_INDEX_FILE: newIndex }, input: paths.map(nulTerminated).join('') });
    await rename(newIndex, index);
    return isNew;
  } finally {
    for (const path of [commitIndex, newIndex]) for (const end of ['', '.lock']) await rm(path + end, { force: true });
  }
}

async function commitIndexed(top: string, { author, date, message }: PendingCommit, env: NodeJS.ProcessEnv) {
  const names = {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date.toISOString(),
    ...(await committerVariables(top)),
  };
  // Hooks are run: they are the rules of the repository. The message goes to stdin, since an argument has a maximum length.
  const commit = ['-c', 'i18n.commitEncoding=UTF-8', 'commit', '--quiet', '--file=-'];
  await runGit(top, commit, { env: { ...env, ...names }, input: message });
}

/**
 * Stages the changes in the index of the commit.
 * @returns their paths, relative to the working tree
 */
async function stageChanges(
  repository: GitRepository,
  change: PendingCommit,
  note: string | null,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const { top, prefix } = repository;
  const texts = new Map([...change.texts].map(([path, text]) => [prefix + path, text]));
  const places = new Set([...change.paths.map((path) => prefix + path), ...texts.keys()]);
  // Tracked and untracked files; without ignored files and the temporary files and folders of other writers.
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const output = await runGit(top, ['--literal-pathspecs', ...list, '--', ...places], { env });
  const known = output
    .split('\0')
    .filter((path) => path && !path.endsWith('/') && !path.split('/').some(isTemporaryFile));
  const asWritten = await pathsAsWritten(top, texts, known);
  const replaced = known.filter((path) => texts.has(path) && !asWritten.has(path));
  const outdated = await findCommittedOnDisk(repository, note, replaced, env);
  const paths = known.filter((path) => !outdated.has(path));
  const onDisk = paths.filter((path) => !texts.has(path) || asWritten.has(path));
  const update = ['update-index', '-z', '--add', '--remove', '--replace'];
  await runGit(top, [...update, '--stdin'], { env, input: onDisk.map(nulTerminated).join(''), timeout: 600_000 });
  // Git took these from the disk in one process: somebody may have saved one of them in the meantime.
  const staged = await pathsAsWritten(top, texts, asWritten);
  const records: string[] = [];
  for (const path of paths) {
    const input = texts.get(path);
    if (input === undefined || staged.has(path)) continue;
    const id = await runGit(top, ['hash-object', '-w', '--stdin', '--path', path], { input });
    records.push(`100644 ${id.trim()}\t${path}`);
  }
  if (records.length === 0) return paths;
  await runGit(top, ['update-index', '-z', '--index-info'], { env, input: records.map(nulTerminated).join('') });
  return paths;
}

/** The paths whose files have the texts that were written. @param texts by path, relative to the working tree, as all paths */
async function pathsAsWritten(
  top: string,
  texts: ReadonlyMap<string, string>,
  paths: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of paths) {
    const text = texts.get(path);
    if (text === undefined) continue;
    const place = join(top, path);
    const isFile = await lstat(place).then(
      (stats) => stats.isFile(),
      () => false,
    );
    if (isFile && (await readFile(place, 'utf8').catch(() => null)) === text) found.add(path);
  }
  return found;
}

const nulTerminated = (item: string) => `${item}\0`;

async function hasNoChanges(top: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await runGit(top, ['diff-index', '--cached', '--quiet', 'HEAD', '--'], { env });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return false;
    throw error;
  }
}

/** Environment variables for the committer: git's configuration, or `catalogue` if it has none. */
async function committerVariables(top: string): Promise<NodeJS.ProcessEnv> {
  const output = await runGit(top, ['config', '--get-regexp', '^(user|committer)\\.(name|email)$']).catch(() => '');
  const isSet = (key: string) => new RegExp(`^(user|committer)\\.${key} .`, 'm').test(output);
  const { GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL } = process.env;
  return {
    ...(!isSet('name') && !GIT_COMMITTER_NAME && { GIT_COMMITTER_NAME: 'catalogue' }),
    ...(!isSet('email') && !GIT_COMMITTER_EMAIL && { GIT_COMMITTER_EMAIL: 'catalogue@localhost' }),
  };
}

/**
 * Runs work while holding git's lock of the repository's index. During an operation it isn't taken, not even to look: a
 * rebase takes it for each commit, doesn't wait for it, and would stop halfway.
 */
async function withIndexLock<T>(repository: GitRepository, work: () => Promise<T>): Promise<T> {
  const lock = `${repository.index}.lock`;
  assertNoUnfinishedOperation(repository);
  try {
    // Right after the look, so that no operation begins in between.
    writeLockFile(lock);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST')
      throw new GitError(`${lock} can't be created: ${(error as Error).message}`, null);
    await removeAbandonedLock(repository.index, longestCommit);
    throw new BusyError(`another git process is running. If none is, remove ${lock}`, null);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function copyIndexFile(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error) => {
    // A repository without commits may have no index.
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
