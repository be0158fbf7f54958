/** Commits by name (branch, tag, abbreviated id), ranges of commits, and the files that differ between two states. */
import { closestWord } from '../../catalogue/closest.ts';
import { excerpt, NotFoundError, UnavailableError, UnusableCatalogueError } from '../../catalogue/errors.ts';
import { gitIndexEnvironment } from '../tree/git-tree.ts';
import { GitError, runGit } from './git.ts';

/** A commit, with the name by which it was requested. */
export interface NamedCommit {
  readonly commit: string;
  readonly name: string;
}

/**
 * Runs work, and turns a GitError into an error of the catalogue.
 * @throws NotFoundError if the folder is in no repository; UnavailableError with git's message
 */
export async function translateGitErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/not a git repository/.test(error.message))
      throw new NotFoundError('The catalogue is not in a git repository. Make one with: git init');
    throw new UnavailableError(`${error.message.replace(/\.$/, '')}.`);
  }
}

/** Id of the commit with a name; null if there is none. */
export async function findCommit(root: string, name: string): Promise<string | null> {
  if (name.startsWith('-')) return null;
  try {
    return (await runGit(root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])).trim() || null;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return null;
    // Git has other messages for a text that can't be a name.
    if (error instanceof GitError && /unknown revision|bad revision|Needed a single/.test(error.message)) return null;
    throw error;
  }
}

/** Id of the commit that is checked out; null if there is none, the folder is in no repository, or git fails. */
export const headCommitId = (root: string): Promise<string | null> => findCommit(root, 'HEAD').catch(() => null);

/** Id of a tree without files. */
export const emptyTreeId = async (root: string): Promise<string> =>
  (await runGit(root, ['hash-object', '-t', 'tree', '--stdin'])).trim();

/** The commit with a name. @throws NotFoundError that suggests a similar name */
export async function getCommit(root: string, name: string): Promise<NamedCommit> {
  const commit = await findCommit(root, name);
  if (commit !== null) return { commit, name };
  const output = await runGit(root, ['for-each-ref', '--format=%(refname:short)']);
  const similar = closestWord(name, output.split('\n').filter(Boolean));
  const hint = similar ? `Did you mean ${similar}?` : 'See: git branch --all';
  throw new NotFoundError(`Git has no commit ${excerpt(name)}. ${hint}`);
}

/** Newest common ancestor of two commits; null if they have none, as in a shallow clone. */
async function mergeBase(root: string, a: string, b: string): Promise<string | null> {
  try {
    return (await runGit(root, ['merge-base', a, b])).trim() || null;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return null;
    throw error;
  }
}

/** True if a commit is the other one, or in its history. @throws GitError */
export async function isAncestor(root: string, commit: string, of: string): Promise<boolean> {
  try {
    await runGit(root, ['merge-base', '--is-ancestor', commit, of]);
    return true;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return false;
    throw error;
  }
}

/**
 * The commit at which the current branch began.
 * @param name of the branch that it will be merged into; default: its upstream (unless that has the same name), else the
 *   main branch of origin, else main or master, else HEAD
 * @returns null if there is no commit yet
 * @throws NotFoundError if there is no such branch
 */
export async function branchPoint(root: string, name?: string): Promise<NamedCommit | null> {
  const head = await findCommit(root, 'HEAD');
  if (name === undefined && head === null) return null;
  const target = name === undefined ? await mergeTarget(root) : await getCommit(root, name);
  if (target === null) return { commit: head ?? '', name: 'HEAD' };
  const base = head === null ? null : await mergeBase(root, target.commit, head);
  return { commit: base ?? target.commit, name: target.name };
}

async function mergeTarget(root: string): Promise<NamedCommit | null> {
  const outputOf = (args: readonly string[]) =>
    runGit(root, args).then(
      (text) => text.trim(),
      () => '',
    );
  const branch = await outputOf(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const upstream = await outputOf(['rev-parse', '--abbrev-ref', '--symbolic-full-name', '@{upstream}']);
  const isItself = upstream.endsWith(`/${branch}`);
  const others = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];
  for (const name of [...(isItself ? [] : [upstream]), ...others, upstream]) {
    const commit = name === '' || name === branch ? null : await findCommit(root, name);
    if (commit) return { commit, name };
  }
  return null;
}

/** Two states to compare; `to` is null for the working tree. */
export interface CommitRange {
  readonly from: NamedCommit;
  readonly to: NamedCommit | null;
}

/**
 * Parses `REF` (compared with the working tree), `REF..REF`, or `REF...REF`, which compares the second with the merge
 * base of both. A side that is left out is HEAD.
 * @throws NotFoundError
 */
export async function parseCommitRange(root: string, text: string): Promise<CommitRange> {
  const [, left = '', dots = '', right = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(text) ?? [];
  if (!dots) return { from: await getCommit(root, text), to: null };
  const [from, to] = [await getCommit(root, left || 'HEAD'), await getCommit(root, right || 'HEAD')];
  if (dots === '..') return { from, to };
  const base = await mergeBase(root, from.commit, to.commit);
  if (base === null) throw new NotFoundError(`${from.name} and ${to.name} have no commit in common.`);
  return { from: { commit: base, name: from.name }, to };
}

/** State to compare a commit with: another commit, the working tree with untracked files, or an index (default: git's). */
export type DiffTarget = { readonly commit: string } | 'working tree' | { readonly index: string | undefined };

/**
 * Paths of the files that differ, relative to the catalogue folder.
 * @param from null for the state before the first commit
 */
export async function pathsChangedInGit(
  root: string,
  from: string | null,
  target: DiffTarget,
): Promise<readonly string[]> {
  const start = from ?? (await emptyTreeId(root));
  const flags = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--relative'];
  const listed = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    (await runGit(root, args, { env })).split('\0').filter(Boolean);
  if (target === 'working tree') {
    const untracked = ['ls-files', '--others', '--exclude-standard', '-z', '--', '.'];
    return (await Promise.all([listed([...flags, start, '--', '.']), listed(untracked)])).flat();
  }
  if ('commit' in target) return listed([...flags, start, target.commit, '--', '.']);
  return listed([...flags, '--cached', start, '--', '.'], gitIndexEnvironment(target.index));
}

/** A branch of a remote, and the commit that is checked out. */
export interface FollowedBranch {
  readonly remote: string;
  readonly branch: string;
  readonly commit: string;
}

/**
 * The branch that is checked out, at its remote or the one that is asked for.
 * @throws UnusableCatalogueError, NotFoundError, GitError
 */
export async function findFollowedBranch(root: string, asked: string | undefined): Promise<FollowedBranch> {
  const outputOf = async (...args: string[]) => (await runGit(root, args)).trim();
  const orNothing = (...args: string[]) => outputOf(...args).catch(() => '');
  await outputOf('rev-parse', '--git-dir');
  const branch = await orNothing('symbolic-ref', '--quiet', '--short', 'HEAD');
  if (branch === '') throw new UnusableCatalogueError('No branch is checked out. Check one out: git checkout main');
  const commit = await orNothing('rev-parse', '--verify', '--quiet', 'HEAD');
  if (commit === '') throw new UnusableCatalogueError(`The branch ${branch} has no commit yet. Fetch one: git pull`);
  const remotes = (await outputOf('remote')).split('\n').filter(Boolean);
  if (remotes.length === 0)
    throw new UnusableCatalogueError('The git repository has no remote. Add it: git remote add origin <url>');
  const remote = asked ?? ((await orNothing('config', `branch.${branch}.remote`)) || 'origin');
  if (!remotes.includes(remote))
    throw new NotFoundError(`There is no git remote ${remote}. The remotes are: ${remotes.join(', ')}`);
  return { remote, branch, commit };
}
