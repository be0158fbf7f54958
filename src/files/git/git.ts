/** Asking the git program: never at a prompt, never in a pager, never for ever. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Git refuses, or can't be asked; the message is what it said. */
export class GitError extends Error {
  /** Its exit code; null where it didn't get that far. */
  readonly exitCode: number | null;
  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface GitOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Milliseconds; default 30,000. */
  readonly patience?: number;
  /** Descriptor of a file that takes what it writes on stdout. */
  readonly into?: number;
}

/** What a hook or another git around this process may have set: it is about another repository. */
const foreign = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX'];

/**
 * Runs git to its end.
 * @param folder where it runs
 * @returns what it writes on stdout
 * @throws GitError
 */
export async function git(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
  return (await gitBytes(folder, args, options)).toString();
}

/** The same where what it writes is no text. */
export function gitBytes(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input = '', patience = 30_000, into = 'pipe' } = options;
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.includes(name)));
  const quiet = { GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', GIT_PAGER: 'cat', LC_ALL: 'C' };
  return new Promise((resolve, reject) => {
    // A group of its own: with git, the hooks that it runs can be ended, and Ctrl-C ends neither in the middle.
    const child = spawn('git', args, {
      cwd: folder,
      env: { ...own, ...quiet, ...options.env },
      detached: true,
      stdio: ['pipe', into, 'pipe'],
    }) as ChildProcessByStdio<Writable, Readable | null, Readable>;
    const out: Buffer[] = [];
    let said = '';
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end(child.pid);
      child.stdout?.destroy();
      child.stderr.destroy();
    }, patience);
    child.stdout?.on('data', (chunk) => out.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 2000) said += text;
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new GitError(error.code === 'ENOENT' ? "git isn't installed" : error.message, null));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0) return resolve(Buffer.concat(out));
      const words = said.trim().split('\n').slice(0, 5).join(' ');
      const reason = late ? `it took longer than ${patience / 1000} s` : words || `it ended with ${code}`;
      reject(new GitError(`git ${verbOf(args)}: ${reason}`, code));
    });
    // Git may end without having read what it was told.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

const verbOf = (args: readonly string[]) => args.find((arg) => /^[a-z]/.test(arg) && !arg.includes('=')) ?? '';

function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {}
}
