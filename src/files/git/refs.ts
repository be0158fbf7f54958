/** What people name in git: branches, tags, commits and ranges of them; and which files differ between two. */
import { closest } from '../../catalogue/closest.ts';
import { NotFoundError, UnavailableError } from '../../catalogue/errors.ts';
import { indexEnv } from '../tree/git-tree.ts';
import { GitError, git } from './git.ts';

/** A commit, and what it was called. */
export interface NamedCommit {
  readonly commit: string;
  readonly name: string;
}

/**
 * Does something with git.
 * @throws NotFoundError where the folder is in no repository; UnavailableError with git's words
 */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/not a git repository/.test(error.message))
      throw new NotFoundError('The catalogue is in no git repository. Make one with: git init');
    throw new UnavailableError(`${error.message.replace(/\.$/, '')}.`);
  }
}

/** The commit that a name means; null where git knows none. */
export async function commitAt(root: string, name: string): Promise<string | null> {
  if (name.startsWith('-')) return null;
  try {
    return (await git(root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])).trim() || null;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return null;
    // Of what can't be a name, git says more.
    if (error instanceof GitError && /unknown revision|bad revision|Needed a single/.test(error.message)) return null;
    throw error;
  }
}

/** @throws NotFoundError that says what was probably meant */
export async function namedCommit(root: string, name: string): Promise<NamedCommit> {
  const commit = await commitAt(root, name);
  if (commit !== null) return { commit, name };
  const said = await git(root, ['for-each-ref', '--format=%(refname:short)']);
  const meant = closest(name, said.split('\n').filter(Boolean));
  const hint = meant ? `Did you mean ${meant}?` : 'See: git branch --all';
  throw new NotFoundError(`Git knows no commit ${name}. ${hint}`);
}

/** Where two lines of commits parted; null where they have nothing in common, as in a shallow clone. */
async function mergeBase(root: string, one: string, other: string): Promise<string | null> {
  try {
    return (await git(root, ['merge-base', one, other])).trim() || null;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return null;
    throw error;
  }
}

/**
 * What the branch that is checked out began at.
 * @param name of the branch that it is to be merged into; where absent, that is the branch's upstream (unless that is
 *   the branch itself elsewhere), else the main branch of origin, else main or master; without any of these, HEAD
 * @returns null where there is no commit yet
 * @throws NotFoundError where the name means nothing
 */
export async function branchPoint(root: string, name?: string): Promise<NamedCommit | null> {
  const head = await commitAt(root, 'HEAD');
  if (name === undefined && head === null) return null;
  const target = name === undefined ? await mainLine(root) : await namedCommit(root, name);
  if (target === null) return { commit: head ?? '', name: 'HEAD' };
  const base = head === null ? null : await mergeBase(root, target.commit, head);
  return { commit: base ?? target.commit, name: target.name };
}

async function mainLine(root: string): Promise<NamedCommit | null> {
  const said = (args: readonly string[]) =>
    git(root, args).then(
      (text) => text.trim(),
      () => '',
    );
  const branch = await said(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const upstream = await said(['rev-parse', '--abbrev-ref', '--symbolic-full-name', '@{upstream}']);
  const isItself = upstream.endsWith(`/${branch}`);
  const others = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];
  for (const name of [...(isItself ? [] : [upstream]), ...others, upstream]) {
    const commit = name === '' || name === branch ? null : await commitAt(root, name);
    if (commit) return { commit, name };
  }
  return null;
}

/** Two moments to compare: two commits, or a commit and the working tree (null). */
export interface Range {
  readonly from: NamedCommit;
  readonly to: NamedCommit | null;
}

/**
 * Reads `REF` (compared with the working tree), `REF..REF`, or `REF...REF`, which compares the second with the commit
 * where both parted. A side that is left out is HEAD.
 * @throws NotFoundError
 */
export async function rangeOf(root: string, text: string): Promise<Range> {
  const [, left = '', dots = '', right = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(text) ?? [];
  if (!dots) return { from: await namedCommit(root, text), to: null };
  const [from, to] = [await namedCommit(root, left || 'HEAD'), await namedCommit(root, right || 'HEAD')];
  if (dots === '..') return { from, to };
  const base = await mergeBase(root, from.commit, to.commit);
  if (base === null) throw new NotFoundError(`${from.name} and ${to.name} have no commit in common.`);
  return { from: { commit: base, name: from.name }, to };
}

/** What a commit is compared with: another, the working tree with what git doesn't know yet, or what is staged. */
export type Other = { readonly commit: string } | 'working tree' | { readonly index: string | undefined };

/**
 * The files that differ, by their paths in the folder.
 * @param from null is the state before the first commit
 */
export async function changedPaths(root: string, from: string | null, other: Other): Promise<readonly string[]> {
  const start = from ?? (await git(root, ['hash-object', '-t', 'tree', '--stdin'])).trim();
  const flags = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--relative'];
  const listed = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    (await git(root, args, { env })).split('\0').filter(Boolean);
  if (other === 'working tree') {
    const unknown = ['ls-files', '--others', '--exclude-standard', '-z', '--', '.'];
    return (await Promise.all([listed([...flags, start, '--', '.']), listed(unknown)])).flat();
  }
  if ('commit' in other) return listed([...flags, start, other.commit, '--', '.']);
  return listed([...flags, '--cached', start, '--', '.'], indexEnv(other.index));
}
