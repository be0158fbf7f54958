/** Whether a follower may take a fetched commit: a fast-forward with a catalogue, without private files and without errors. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { ConflictError } from '../../catalogue/errors.ts';
import { landmarks, privateFolder } from '../../catalogue/layout.ts';
import { findErrorsOfCommit } from '../checking/check.ts';
import { runGit } from './git.ts';
import { isAncestor, pathsChangedInGit } from './refs.ts';

/**
 * `current`: the newest commit is served. `unreachable`: the remote can't be fetched. `refused`: the newest commit has errors.
 * `diverged`: the local branch has commits that the remote lacks. `blocked`: git can't check out the commit.
 */
export type FollowState = 'starting' | 'current' | 'unreachable' | 'refused' | 'diverged' | 'blocked';

export interface FollowProblem {
  readonly state: FollowState;
  /** What is wrong and what to do, as sentences. */
  readonly message: string;
  /** The commit that is not taken. */
  readonly commit?: string;
  readonly errors?: number;
}

/** Maximum number of errors of a refused commit in the log. */
const maxLogged = 20;

/**
 * The reason not to take a commit; null if it can be taken.
 * @param head the commit that is served
 * @param branch name of the remote branch, such as `origin/main`
 */
export async function findProblemOfCommit(
  root: string,
  head: string,
  newest: string,
  branch: string,
): Promise<FollowProblem | null> {
  if (!(await isAncestor(root, head, newest)))
    return {
      state: 'diverged',
      message: `The folder has commits that ${branch} lacks. Push them, or give them up: git reset --hard ${branch}`,
    };
  const found = await runGit(root, ['ls-tree', '--name-only', newest, '--', ...landmarks]);
  if (found.trim() === '') return refused('The commit has no catalogue in this folder.');
  const ofPrivateFiles = await findChangeOfPrivateFiles(root, head, newest, branch);
  if (ofPrivateFiles) return ofPrivateFiles;
  const ofSubmodule = await findChangeOfSubmodule(root, head, newest, branch);
  if (ofSubmodule) return ofSubmodule;
  const errors = await findErrorsOfCommit(root, head, newest).catch((error) => {
    if (error instanceof ConflictError) return error.message;
    throw error;
  });
  if (typeof errors === 'string') return refused(errors);
  return errors.length === 0 ? null : refused(errorList(errors), errors.length);
}

const refused = (message: string, errors = 1): FollowProblem => ({ state: 'refused', message, errors });

/** True for a path in the private folder, also of a file system that ignores case. */
const isPrivate = (path: string) => path.toLowerCase().split('/')[0] === privateFolder;

/** The problem of a commit that changes files in the private folder: git would replace or delete those of the server. */
async function findChangeOfPrivateFiles(
  root: string,
  head: string,
  newest: string,
  branch: string,
): Promise<FollowProblem | null> {
  const changed = (await pathsChangedInGit(root, head, { commit: newest })).filter(isPrivate);
  if (changed.length === 0) return null;
  const folders = new Set(changed.map((path) => path.split('/')[0] ?? ''));
  const present = await runGit(root, ['ls-tree', '-r', '-z', '--name-only', newest, '--', ...folders]);
  if (present.split('\0').some((path) => changed.includes(path)))
    return refused(
      `The commit has files in ${privateFolder}/, of which each server has its own. ` +
        `Take them out of git there: git rm -r --cached ${privateFolder}`,
    );
  if (!changed.some((path) => existsSync(join(root, path)))) return null;
  const message =
    `The commit takes ${privateFolder}/ out of git, which would delete its files here. ` +
    `Copy the folder, run "git merge --ff-only ${branch}", and put the files back.`;
  return { state: 'blocked', message };
}

/** Mode of a submodule in a tree of git. */
const submodule = '160000';

/** The problem of a commit that changes a submodule: a merge leaves its files as they are, and the server would serve those. */
async function findChangeOfSubmodule(
  root: string,
  head: string,
  newest: string,
  branch: string,
): Promise<FollowProblem | null> {
  const output = await runGit(root, ['diff-tree', '-r', '-z', '--no-renames', '--relative', head, newest, '--', '.']);
  // `:<mode before> <mode after> <id before> <id after> <status>`, then the path.
  const parts = output.split('\0');
  const at = parts.findIndex((part, i) => i % 2 === 0 && part.slice(1).split(' ', 2).includes(submodule));
  if (at === -1) return null;
  const path = parts[at + 1];
  const isRemoved = parts[at]?.split(' ')[1] !== submodule;
  const message =
    `The commit changes the git submodule ${path}, whose files the server does not check out. ` +
    `Run in the folder: git merge --ff-only ${branch} && git submodule update --init` +
    (isRemoved ? `\nThen remove ${path}.` : '');
  return { state: 'blocked', message };
}

function errorList(errors: readonly Diagnostic[]): string {
  const lines = errors
    .slice(0, maxLogged)
    .map(({ path, line, column, message }) => `${path}:${line}:${column}: ${message}`);
  if (errors.length > maxLogged) lines.push(`And ${errors.length - maxLogged} more.`);
  return ['Fix there what "catalogue check" says:', ...lines].join('\n');
}
