/** Runs the git program: without prompts, pager or editor, and with a timeout. */
import { GitStarter } from './git-starter.ts';
import type { NewestCommitsRequest } from './newest-commits.ts';
import { type GitStart, startGit } from './start-git.ts';

export { GitError } from './start-git.ts';

export interface GitOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Milliseconds; default 30,000. */
  readonly timeout?: number;
  /** Descriptor of a file that receives git's stdout. */
  readonly stdout?: number;
  /** Kills git. */
  readonly signal?: AbortSignal | undefined;
  /** Files whose newest commits are read from the output; see `GitStart`. */
  readonly newestCommits?: NewestCommitsRequest;
}

/** Variables that a git hook around this process may have set: they name another repository. */
const inheritedVariables = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
];

/**
 * Runs git.
 * @param folder working directory
 * @returns its stdout as text
 * @throws GitError
 */
export async function runGit(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
  return (await runGitForBytes(folder, args, options)).toString();
}

/** Bytes of resident memory above which another process starts git for this one: see `GitStarter`. */
const large = 128 * 1024 ** 2;
const starter = new GitStarter();

/** Runs git. @returns its stdout as bytes @throws GitError */
export function runGitForBytes(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input = '', timeout = 30_000, stdout, signal, newestCommits } = options;
  const ownEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inheritedVariables.includes(name)));
  const quiet = { GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', GIT_PAGER: 'cat', LC_ALL: 'C' };
  const start: GitStart = { folder, args, env: { ...ownEnv, ...quiet, ...options.env }, input, timeout, newestCommits };
  // A descriptor is one of this process.
  const isElsewhere = stdout === undefined && process.memoryUsage.rss() > large;
  return isElsewhere ? starter.run(start, signal) : startGit(start, { stdout, signal });
}
