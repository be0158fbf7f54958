/**
 * Starts git from a small process. To start a process, the system copies the tables of the whole memory, and then each page
 * costs a fault when it is written to for the first time: in a server with 600 MB that is some 100 ms in all, in which it
 * answers nobody. A commit starts git twelve times.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GitReply, GitRequest } from './git-process.ts';
import { GitError, type GitStart } from './start-git.ts';

const extension = extname(fileURLToPath(import.meta.url));
const program = fileURLToPath(new URL(`./git-process${extension}`, import.meta.url));
/** From sources, the process loads TypeScript as the tests do. */
const loader = extension === '.ts' ? ['--import', import.meta.resolve('tsx')] : [];

/** Milliseconds after its last run of git in which the process ends. */
const idle = 600_000;

interface WaitingRun {
  readonly resolve: (output: Buffer) => void;
  readonly reject: (error: GitError) => void;
}

/** @throws GitError if the system has no process to give */
function forkProgram(): ChildProcess {
  // A process group of its own, as git's: Ctrl-C interrupts neither.
  const options = { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] as ('ignore' | 'ipc')[] };
  try {
    return fork(program, [], { execArgv: loader, serialization: 'advanced', ...options });
  } catch (error) {
    throw new GitError(`git can't be started: ${(error as Error).message}`, null);
  }
}

/** Runs git in a process of its own, which is started when it is needed, and ends by itself. */
export class GitStarter {
  #process: ChildProcess | undefined;
  #end: NodeJS.Timeout | undefined;
  #asked = 0;
  readonly #waiting = new Map<number, WaitingRun>();

  /** As `startGit`. @param signal kills git */
  async run(start: GitStart, signal?: AbortSignal): Promise<Buffer> {
    const id = ++this.#asked;
    const child = this.#running();
    // If the message can't be sent, the process has ended.
    const kill = () => void child.send({ id, kill: true } satisfies GitRequest, () => {});
    signal?.addEventListener('abort', kill);
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        child.send({ id, start } satisfies GitRequest, (error) => {
          if (error) reject(new GitError(error.message, null));
        });
      });
    } finally {
      signal?.removeEventListener('abort', kill);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0 && this.#process === child) this.#rest(child);
    }
  }

  /** The process, which this one waits for from now on. */
  #running(): ChildProcess {
    clearTimeout(this.#end);
    this.#process ??= this.#start();
    const child = this.#process;
    child.ref();
    child.channel?.ref();
    return child;
  }

  /** Lets this process end before the other one, and the other one after a while. */
  #rest(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    this.#end = setTimeout(() => {
      this.#process = undefined;
      if (child.connected) child.disconnect();
    }, idle).unref();
  }

  #start(): ChildProcess {
    const child = forkProgram();
    const ended = (reason: string) => {
      if (this.#process !== child) return;
      this.#process = undefined;
      for (const { reject } of this.#waiting.values()) reject(new GitError(reason, null));
    };
    child.on('message', (reply: GitReply) => {
      const run = this.#waiting.get(reply.id);
      if ('output' in reply) run?.resolve(reply.output);
      else run?.reject(new GitError(reply.failed, reply.exitCode));
    });
    child.on('error', (error) => ended(`git can't be started: ${error.message}`));
    child.once('exit', () => ended('The process that runs git has ended; try again.'));
    return child;
  }
}
