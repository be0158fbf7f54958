/** The hook and the workflow that `init` adds to the git repository of a catalogue. No existing file is overwritten. */
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ConflictError } from '../../catalogue/errors.ts';
import {
  checksCatalogue,
  gitHookLine,
  gitHookScript,
  githubWorkflowText,
  isWorkflowForFolder,
  workflowPath,
} from './git-templates.ts';
import { npmInstallAddress, packageName, thisProgram } from './installation.ts';

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
  /** True if the file exists and is as it should be. */
  readonly exists: boolean;
  /** Sentence on what is left to do; '' if nothing is. */
  readonly advice?: string;
}

interface Place {
  /** Top of the working tree. */
  readonly top: string;
  /** The folder of the hooks; null if it isn't in the repository: other repositories may use it, too. */
  readonly hooks: string | null;
  /** The catalogue's folder relative to the top, with slashes; '.' if they are the same. */
  readonly folder: string;
}

/**
 * Plans what to add; writes nothing.
 * @param folder absolute path of the catalogue; it may not exist yet
 * @throws NotFoundError outside of a repository; ConflictError where another file is in the place: the message says what
 *   to add to it
 */
export async function planGitSetup(folder: string, { hook, ci }: Wanted): Promise<readonly GitPart[]> {
  if (!hook && !ci) return [];
  const place = await placeOf(folder);
  return [...(hook ? [await planHook(place)] : []), ...(ci ? [await planWorkflow(place)] : [])];
}

/** Adds the parts that don't exist yet. */
export async function writeGitSetup(parts: readonly GitPart[]): Promise<void> {
  for (const { path, text, mode, exists } of parts) {
    if (exists) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode, flag: 'wx' });
  }
}

async function placeOf(folder: string): Promise<Place> {
  const { repositoryOf } = await import('../../files/folder.ts');
  const { top, hooks, common } = await repositoryOf(folder);
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  const within = join(realpathSync(existing), relative(existing, folder));
  const isOwn = [top, common].some((home) => hooks === home || hooks.startsWith(home + sep));
  return { top, hooks: isOwn ? hooks : null, folder: relative(top, within).replaceAll(sep, '/') || '.' };
}

async function planHook({ top, hooks, folder }: Place): Promise<GitPart> {
  const advice = `Add this line to its pre-commit, before its end:\n  ${gitHookLine(folder, thisProgram)}`;
  if (hooks === null)
    throw new ConflictError(
      `The folder of the hooks (core.hooksPath) isn't in this repository, so others may use it, too. ${advice}`,
    );
  const path = join(hooks, 'pre-commit');
  const existing = await textAt(path);
  const text = gitHookScript(folder, thisProgram);
  if (existing === null || checksCatalogue(existing, folder))
    return { what: 'hook', path, text, mode: 0o755, exists: existing !== null };
  const name = relative(top, path).replaceAll(sep, '/');
  throw new ConflictError(`${name} exists and was not changed. ${advice}`);
}

async function planWorkflow({ top, folder }: Place): Promise<GitPart> {
  const path = join(top, workflowPath);
  const existing = await textAt(path);
  const named = await namesProgram(top);
  const address = named ? null : await npmInstallAddress();
  const advice =
    named || address !== null
      ? ''
      : `The workflow installs what package.json names. Name the program there: npm install --save-dev ADDRESS, where ` +
        `ADDRESS is that of a git repository or a tarball (npm pack) of ${packageName} that GitHub can reach.`;
  const text = githubWorkflowText(folder, address);
  if (existing === null || isWorkflowForFolder(existing, folder))
    return { what: 'workflow', path, text, mode: 0o644, exists: existing !== null, advice };
  throw new ConflictError(`${workflowPath} exists and was not changed. For a new one, remove it first.`);
}

async function textAt(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** True if the package.json at the top of the repository names this program. */
async function namesProgram(top: string): Promise<boolean> {
  const text = await textAt(join(top, 'package.json'));
  try {
    const { dependencies, devDependencies } = JSON.parse(text ?? '{}');
    return packageName in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}
