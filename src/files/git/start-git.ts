/** Starts the git program, and waits until it has ended. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { NewestCommits, type NewestCommitsRequest } from './newest-commits.ts';

/** Git failed or could not be run; the message is git's own. */
export class GitError extends Error {
  /** Exit code; null if git did not exit by itself. */
  readonly exitCode: number | null;
  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** How git is started. */
export interface GitStart {
  /** Working directory. */
  readonly folder: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Text for its stdin. */
  readonly input: string;
  /** Milliseconds until it is killed. */
  readonly timeout: number;
  /** Files whose newest commits are read from the output, which is not kept: the result is JSON, the entries of path and commit. */
  readonly newestCommits?: NewestCommitsRequest | undefined;
}

export interface GitStartOptions {
  /** Descriptor of a file that receives git's stdout. */
  readonly stdout?: number | undefined;
  /** Kills git. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs git as a child of this process. @returns its stdout as bytes @throws GitError */
export function startGit(
  { folder, args, env, input, timeout, newestCommits }: GitStart,
  { stdout, signal }: GitStartOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A process group of its own: so a timeout also kills git's hooks, and Ctrl-C interrupts neither.
    const child = spawn('git', args, {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
    }) as ChildProcessByStdio<Writable, Readable | null, Readable>;
    const out: Buffer[] = [];
    const reader = newestCommits && new NewestCommits(newestCommits);
    const output = () => (reader ? Buffer.from(JSON.stringify(reader.end())) : Buffer.concat(out));
    let stderr = '';
    let hasTimedOut = false;
    const kill = () => {
      killGroup(child.pid);
      child.stdout?.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => {
      hasTimedOut = true;
      kill();
    }, timeout);
    signal?.addEventListener('abort', kill);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!reader) out.push(chunk);
      else if (reader.push(chunk)) {
        resolve(output());
        kill();
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < 2000) stderr += text;
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new GitError(error.code === 'ENOENT' ? "git isn't installed" : error.message, null));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      // A walk that takes too long has found the commits of some files. To begin it again would take as long.
      if (code === 0 || (reader && hasTimedOut)) return resolve(output());
      const message = stderr.trim().split('\n').slice(0, 5).join(' ');
      const reason = hasTimedOut ? `it took longer than ${timeout / 1000} s` : message || `exit code ${code}`;
      reject(new GitError(`git ${subcommandOf(args)}: ${reason}`, code));
    });
    // Git may exit before it has read all of its stdin.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

const subcommandOf = (args: readonly string[]) => args.find((arg) => /^[a-z]/.test(arg) && !arg.includes('=')) ?? '';

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {}
}
