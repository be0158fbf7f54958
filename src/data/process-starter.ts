/**
 * Starts processes from a thread. The system copies the tables of the whole memory for a new process, and whoever starts it waits
 * until it runs: with 400 MB in use 40 to 60 ms, in which a server's main thread answers nobody.
 */
import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { moduleBeside } from './module-beside.ts';
import type { ProcessCommand, ProcessEvent, StartOptions } from './process-starter-thread.ts';
import { threadProgram } from './worker-pool.ts';

const program = moduleBeside(import.meta.url, './process-starter-thread');

/** A process that was started. It emits `ended` once; before that `failed`, with the reason, if it couldn't be started or its thread ended. */
export class StartedProcess extends EventEmitter<{ message: [unknown]; failed: [string]; ended: [] }> {
  readonly #tell: (command: ProcessCommand['command']) => void;
  #state: 'running' | 'ending' | 'ended' = 'running';

  constructor(tell: (command: ProcessCommand['command']) => void) {
    super();
    this.#tell = tell;
    this.once('ended', () => {
      this.#state = 'ended';
    });
  }

  /** False as soon as it has been told to end. */
  get isUsable(): boolean {
    return this.#state === 'running';
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  send(message: unknown): void {
    this.#tell({ send: message });
  }

  /** Ends it at once. */
  kill(): void {
    this.#end({ kill: true });
  }

  /** Closes the channel of messages: the process ends by itself. */
  disconnect(): void {
    this.#end({ disconnect: true });
  }

  #end(command: ProcessCommand['command']): void {
    if (this.hasEnded) return;
    this.#state = 'ending';
    this.#tell(command);
  }
}

export class ProcessStarter {
  readonly #processes = new Map<number, StartedProcess>();
  #thread: Worker | undefined;
  #started = 0;
  #isAwaited = true;

  /** True if this process goes on as long as one of those that it started runs; true at first. */
  set isAwaited(value: boolean) {
    this.#isAwaited = value;
    if (value) this.#thread?.ref();
    else this.#thread?.unref();
  }

  /** Starts a process with a priority below that of this one. */
  start(options: StartOptions): StartedProcess {
    const id = ++this.#started;
    const process = new StartedProcess((command) => this.#tell({ id, command }));
    this.#processes.set(id, process);
    try {
      this.#thread ??= this.#startThread();
      this.#tell({ id, command: { start: options } });
    } catch (error) {
      setImmediate(() => this.#remove(id, (error as Error).message));
    }
    return process;
  }

  #tell(command: ProcessCommand): void {
    this.#thread?.postMessage(command);
  }

  /** @throws Error if the system has none to give */
  #startThread(): Worker {
    const thread = new Worker(threadProgram(program), { eval: true });
    if (!this.#isAwaited) thread.unref();
    thread.on('message', ({ id, event }: ProcessEvent) => {
      if ('message' in event) this.#processes.get(id)?.emit('message', event.message);
      else this.#remove(id, 'failed' in event ? event.failed : undefined);
    });
    // Its processes end with it, since the channels of their messages are closed.
    thread.on('error', () => {});
    thread.once('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const id of [...this.#processes.keys()]) this.#remove(id, 'its thread ended');
    });
    return thread;
  }

  #remove(id: number, failed: string | undefined): void {
    const process = this.#processes.get(id);
    this.#processes.delete(id);
    if (this.#processes.size === 0) {
      void this.#thread?.terminate();
      this.#thread = undefined;
    }
    if (failed !== undefined) process?.emit('failed', failed);
    process?.emit('ended');
  }
}
