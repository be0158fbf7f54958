/** What a catalogue adds to the repository that it lies in: a hook, and a workflow. Nothing that is there is written over. */
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import { checksCatalogue, hookLine, hookScript } from './git-templates.ts';
import { workflowPath, workflowText } from './workflow-file.ts';

export interface Wanted {
  readonly hook?: boolean | undefined;
  readonly ci?: boolean | undefined;
}

export interface GitPart {
  readonly what: 'hook' | 'workflow';
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  /** Whether it is there as it should be. */
  readonly isThere: boolean;
}

interface Place {
  /** Of the working tree. */
  readonly top: string;
  readonly hooks: string;
  /** The catalogue's folder from the top, with slashes; '.' where they are one. */
  readonly folder: string;
}

/**
 * What is to be added; nothing is, yet.
 * @param folder absolute path of the catalogue, which may be still to come
 * @throws NotFoundError outside of a repository; ConflictError where something else is in the place, which says what to
 *   add to it
 */
export async function planGitParts(folder: string, { hook, ci }: Wanted): Promise<readonly GitPart[]> {
  if (!hook && !ci) return [];
  const place = await placeOf(folder);
  return [...(hook ? [await planHook(place)] : []), ...(ci ? [await planWorkflow(place)] : [])];
}

/** Adds what isn't there. */
export async function addGitParts(parts: readonly GitPart[]): Promise<void> {
  for (const { path, text, mode, isThere } of parts) {
    if (isThere) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode, flag: 'wx' });
  }
}

async function placeOf(folder: string): Promise<Place> {
  const { GitError, git } = await import('../../files/git/git.ts');
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    const top = resolve((await git(existing, ['rev-parse', '--show-toplevel'])).trim());
    const [hooks = '', common = ''] = (await git(top, ['rev-parse', '--git-path', 'hooks', '--git-common-dir']))
      .split('\n')
      .map((path) => resolve(top, path));
    const within = join(realpathSync(existing), relative(existing, folder));
    const place = { top, hooks, folder: relative(top, within).replaceAll(sep, '/') || '.' };
    if ([top, common].some((home) => hooks === home || hooks.startsWith(home + sep))) return place;
    return { ...place, hooks: '' };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (!/not a git repository/.test(error.message)) throw new NotFoundError(`${error.message}.`);
    throw new NotFoundError('A hook or a workflow is part of a git repository, and here is none. Run first: git init');
  }
}

async function planHook({ top, hooks, folder }: Place): Promise<GitPart> {
  const advice = `Add this line to its pre-commit, before its end:\n  ${hookLine(folder)}`;
  if (hooks === '')
    throw new ConflictError(`The hooks of this repository (core.hooksPath) are those of others too. ${advice}`);
  const path = join(hooks, 'pre-commit');
  const there = await textAt(path);
  const text = hookScript(folder);
  if (there === null || checksCatalogue(there, folder))
    return { what: 'hook', path, text, mode: 0o755, isThere: there !== null };
  const name = relative(top, path).replaceAll(sep, '/');
  throw new ConflictError(`There is a hook in ${name}, and it stays as it is. ${advice}`);
}

async function planWorkflow({ top, folder }: Place): Promise<GitPart> {
  const path = join(top, workflowPath);
  const there = await textAt(path);
  const text = workflowText(folder);
  if (there === null || there === text) return { what: 'workflow', path, text, mode: 0o644, isThere: there !== null };
  throw new ConflictError(`There is a ${workflowPath}, and it stays as it is. To have a new one, remove it first.`);
}

async function textAt(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Whether the repository's package.json names the program that the workflow runs. */
export async function namesCatalogue({ path }: GitPart): Promise<boolean> {
  const text = await textAt(join(path, '../../..', 'package.json'));
  try {
    const { dependencies, devDependencies } = JSON.parse(text ?? '{}');
    return 'catalogue' in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}
