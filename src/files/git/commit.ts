/**
 * One commit of what one write did, and of nothing else. It is made from an index of its own, so that what somebody has
 * staged stays staged; the repository's index learns of it as git itself would tell it, under its lock.
 */
import { access, copyFile, open, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isTemporary } from '../../disk/durable.ts';
import { GitError, git } from './git.ts';

export interface Author {
  readonly name: string;
  readonly email: string;
}

/** What a commit is made of; paths are relative to the catalogue folder, with slashes. */
export interface Change {
  readonly author: Author;
  readonly date: Date;
  readonly message: string;
  /** Files and folders, as they are on disk. */
  readonly places: readonly string[];
  /** Records, as they were written. */
  readonly texts: ReadonlyMap<string, string>;
}

interface Repository {
  /** Its working tree. */
  readonly top: string;
  /** Where the catalogue lies in it: '' or with a slash at the end. */
  readonly prefix: string;
  readonly gitFolder: string;
  readonly index: string;
}

/**
 * Commits a change.
 * @param root the catalogue folder
 * @returns false where there was nothing to commit: git ignores it, or has it already
 * @throws GitError that says why not
 */
export async function commit(root: string, change: Change): Promise<boolean> {
  // Git takes no paths for all of them.
  if (change.places.length === 0 && change.texts.size === 0) return false;
  const repository = await repositoryOf(root);
  for (let left = 6; ; left--)
    try {
      return await underLock(repository, () => commitNow(repository, change));
    } catch (error) {
      // Somebody else commits at the same moment: a person, or another server.
      if (left === 1 || !(error instanceof BusyError || /cannot lock ref/.test((error as Error).message))) throw error;
      await sleep(100 * 2 ** (6 - left) * (0.5 + Math.random()));
    }
}

class BusyError extends GitError {}

async function repositoryOf(root: string): Promise<Repository> {
  const asked = ['--show-toplevel', '--show-prefix', '--absolute-git-dir', '--git-path', 'index'];
  const said = await git(root, ['rev-parse', ...asked]);
  const [top = '', prefix = '', gitFolder = '', index = ''] = said.split('\n');
  return { top, prefix, gitFolder, index: resolve(root, index) };
}

/** In the middle of these, a commit would be a part of something that a person has begun. */
const unfinished = {
  MERGE_HEAD: 'a merge',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisection',
} as const;

async function commitNow({ top, prefix, gitFolder, index }: Repository, change: Change): Promise<boolean> {
  for (const [name, what] of Object.entries(unfinished))
    if (await isThere(join(gitFolder, name))) throw new GitError(`the repository is in the middle of ${what}`, null);
  await git(top, ['symbolic-ref', '--quiet', 'HEAD']).catch(() => {
    throw new GitError('no branch is checked out, and a commit would be lost with the next checkout', null);
  });
  const isBorn = await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD']).then(Boolean, () => false);
  const [ours, theirs] = ['commit', 'index'].map((what) => join(gitFolder, `catalogue-${process.pid}-${what}`)) as [
    string,
    string,
  ];
  const env = { GIT_INDEX_FILE: ours };
  try {
    // A copy of the index knows which files are unchanged, and git needn't read them all.
    await copyIndex(index, ours);
    await git(top, isBorn ? ['read-tree', '-i', '-m', 'HEAD'] : ['read-tree', '--empty'], { env });
    const paths = await stage(top, prefix, change, env);
    if (paths.length === 0 || (isBorn && (await isSame(top, env)))) return false;
    const names = {
      GIT_AUTHOR_NAME: change.author.name,
      GIT_AUTHOR_EMAIL: change.author.email,
      GIT_AUTHOR_DATE: change.date.toISOString(),
      ...(await committer(top)),
    };
    // With its hooks: they are the rules of the repository, and who set them up wants them kept.
    // Of very many changes at once, the message is longer than an argument may be.
    await git(top, ['commit', '--quiet', '--file=-'], { env: { ...env, ...names }, input: change.message });
    await copyIndex(index, theirs);
    const reset = ['--literal-pathspecs', 'reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul'];
    await git(top, reset, { env: { GIT_INDEX_FILE: theirs }, input: paths.map(ended).join('') });
    await rename(theirs, index);
    return true;
  } finally {
    for (const path of [ours, theirs]) for (const end of ['', '.lock']) await rm(path + end, { force: true });
  }
}

/**
 * Puts the change into the commit's index.
 * @returns the paths that it is about, from the top of the repository
 */
async function stage(top: string, prefix: string, change: Change, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const texts = new Map([...change.texts].map(([path, text]) => [prefix + path, text]));
  const places = new Set([...change.places.map((path) => prefix + path), ...texts.keys()]);
  // What git knows below them, and what it might: not what it is told to ignore, nor what other writers are at work on.
  const known = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const said = await git(top, ['--literal-pathspecs', ...known, '--', ...places], { env });
  const paths = said.split('\0').filter((path) => path && !path.endsWith('/') && !isTemporary(basename(path)));
  const onDisk = paths.filter((path) => !texts.has(path));
  const update = ['update-index', '-z', '--add', '--remove', '--replace'];
  await git(top, [...update, '--stdin'], { env, input: onDisk.map(ended).join(''), patience: 600_000 });
  const records: string[] = [];
  for (const path of paths) {
    const input = texts.get(path);
    if (input === undefined) continue;
    const id = await git(top, ['hash-object', '-w', '--stdin', '--path', path], { input });
    records.push(`100644 ${id.trim()}\t${path}`);
  }
  await git(top, ['update-index', '-z', '--index-info'], { env, input: records.map(ended).join('') });
  return paths;
}

const ended = (item: string) => `${item}\0`;

async function isSame(top: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await git(top, ['diff-index', '--cached', '--quiet', 'HEAD', '--'], { env });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return false;
    throw error;
  }
}

/** As git is configured; where it isn't, the catalogue itself. */
async function committer(top: string): Promise<NodeJS.ProcessEnv> {
  const said = await git(top, ['config', '--get-regexp', '^(user|committer)\\.(name|email)$']).catch(() => '');
  const isSet = (what: string) => new RegExp(`^(user|committer)\\.${what} .`, 'm').test(said);
  const { GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL } = process.env;
  return {
    ...(!isSet('name') && !GIT_COMMITTER_NAME && { GIT_COMMITTER_NAME: 'catalogue' }),
    ...(!isSet('email') && !GIT_COMMITTER_EMAIL && { GIT_COMMITTER_EMAIL: 'catalogue@localhost' }),
  };
}

/** Holds the lock of the repository's index, as git does while it commits. */
async function underLock<T>({ index }: Repository, work: () => Promise<T>): Promise<T> {
  const lock = `${index}.lock`;
  const handle = await open(lock, 'wx').catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw new GitError(`${lock} can't be made: ${error.message}`, null);
    throw new BusyError(`another git is at work. If none is, remove ${lock}`, null);
  });
  try {
    await handle.close();
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error) => {
    // A repository without a commit may have none.
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
