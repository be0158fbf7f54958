/** A catalogue in a git repository, for tests: real git, without the settings of whoever runs them. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { CatalogueFolder, type FolderContent, removeFolder, temporaryParent } from './folder.ts';

export interface Repository {
  /** The top of the working tree. */
  readonly top: string;
  /** The catalogue in it. */
  readonly root: string;
  git(...args: string[]): string;
  /** The same without blocking this process. */
  gitAsync(...args: string[]): Promise<void>;
  /** Writes a file of the catalogue. */
  write(path: string, text: string | Uint8Array): void;
  /** Removes a file or folder of the catalogue. */
  remove(path: string): void;
  /** Commits all there is. */
  commit(message?: string): void;
}

/** The environment in which git heeds nobody's settings. */
export const gitEnv: NodeJS.ProcessEnv = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/**
 * Makes a repository with the catalogue committed on main.
 * @param within where the catalogue lies in it; '.' is the top
 */
export async function makeRepository(
  content: FolderContent,
  test: TestContext | { after(work: () => void): void },
  within = 'data',
): Promise<Repository> {
  const top = realpathSync(mkdtempSync(join(temporaryParent(), 'catalogue-git-')));
  test.after(() => removeFolder(top));
  const root = join(top, within);
  const repository = repositoryAt(top, root);
  repository.git('init', '--quiet', '--initial-branch=main');
  new CatalogueFolder(root, { ...content, files: { '.gitignore': '.catalogue/\n', ...content.files } });
  repository.commit('Start');
  return repository;
}

/** A repository that is there: another working tree, or a clone. */
export function repositoryAt(top: string, root: string): Repository {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', top, ...settings, ...args], { encoding: 'utf8', stdio: 'pipe', env: gitEnv });
  return {
    top,
    root,
    git,
    async gitAsync(...args) {
      await promisify(execFile)('git', ['-C', top, ...settings, ...args], { env: gitEnv });
    },
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    remove: (path) => rmSync(join(root, path), { recursive: true }),
    commit(message = 'Change') {
      git('add', '--all');
      git('commit', '--quiet', '--message', message);
    },
  };
}

/** Among them: no collection of garbage behind a command, which removes empty folders of objects while the next command writes into them. */
const settings = [
  'user.name=Test',
  'user.email=test@example.org',
  'commit.gpgsign=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((one) => ['-c', one]);
