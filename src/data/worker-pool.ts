/**
 * Worker threads for work that can't be done in turns: a parser's, a compressor's. A few run at once, and further tasks wait.
 * A task whose caller has left is cancelled: it leaves the queue, or its thread is ended. A thread that dies fails its task
 * and no other; the next task gets a new thread.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { UnavailableError } from '../catalogue/errors.ts';
import { moduleBeside } from './module-beside.ts';
import type { ThreadReply, ThreadTask } from './worker-thread.ts';

export interface WorkerPoolOptions {
  /** Most threads at once. By default one processor core is left to the main thread. */
  readonly size?: number;
  /** Seconds until an idle thread ends. */
  readonly idle?: number;
  /** Most memory for the objects of a thread, in MB. */
  readonly memory?: number;
}

const defaults = { size: Math.max(1, Math.min(4, availableParallelism() - 1)), idle: 30, memory: 512 };

/**
 * Text of a thread's program, which loads a module. From the sources, a thread has to load the compiler of TypeScript itself.
 * @param module its URL
 */
export function threadProgram(module: string): string {
  const load = `import(${JSON.stringify(module)})`;
  if (!module.endsWith('.ts')) return load;
  const compiler = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  return `import(${compiler}).then(({ register }) => { register(); return ${load}; })`;
}

const program = moduleBeside(import.meta.url, './worker-thread');

export interface TaskOptions {
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the task has waited for a thread and begins. */
  readonly onStart?: (() => void) | undefined;
  /** Memory of arguments that is moved to the thread, and not copied: the caller has lost it when the task begins. */
  readonly move?: readonly ArrayBuffer[] | undefined;
}

interface WaitingTask {
  readonly task: ThreadTask;
  readonly options: TaskOptions;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export type AnyFunction = (...args: never[]) => unknown;

export class WorkerPool {
  readonly #options: Required<WorkerPoolOptions>;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #busy = new Set<Worker>();
  readonly #waiting: WaitingTask[] = [];
  #isClosed = false;

  constructor(options: WorkerPoolOptions = {}) {
    this.#options = { ...defaults, ...options };
  }

  /** Number of tasks that run, and that wait. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#busy.size, waiting: this.#waiting.length };
  }

  /**
   * Calls a function of a module in a thread. Arguments and result are copied (structured clone): texts and bytes cost little. A
   * typed array that is returned, by itself or as a member of an object, is moved.
   * @param module URL of the module, which the thread loads
   * @throws the signal's reason; UnavailableError if the thread dies, or the pool is closed; what the function throws, as Error
   */
  run<Module extends Record<Name, AnyFunction>, Name extends string & keyof Module>(
    module: string,
    name: Name,
    args: Parameters<Module[Name]>,
    options: TaskOptions = {},
  ): Promise<Awaited<ReturnType<Module[Name]>>> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#isClosed) return reject(shuttingDown());
      const settle = { resolve: resolve as (result: unknown) => void, reject };
      const waiting: WaitingTask = { task: { module, name, args }, options, ...settle };
      this.#waiting.push(waiting);
      const cancel = () => {
        const at = this.#waiting.indexOf(waiting);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#startNext();
    });
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(shuttingDown());
    for (const timer of this.#idle.values()) clearTimeout(timer);
    const all = [...this.#idle.keys(), ...this.#busy];
    this.#idle.clear();
    await Promise.all(all.map((worker) => worker.terminate()));
  }

  #startNext(): void {
    if (this.#busy.size >= this.#options.size) return;
    // If no thread can be started, the others wait for one that works; without any, they fail, too.
    do {
      const waiting = this.#waiting.shift();
      if (!waiting) return;
      try {
        this.#perform(this.#takeThread(), waiting);
      } catch (error) {
        waiting.reject(new UnavailableError(`The server can't start a thread: ${(error as Error).message}`));
      }
    } while (this.#busy.size === 0);
  }

  #takeThread(): Worker {
    const [worker, timer] = this.#idle.entries().next().value ?? [];
    if (worker) {
      clearTimeout(timer);
      this.#idle.delete(worker);
      worker.ref();
      return worker;
    }
    const { memory } = this.#options;
    const started = new Worker(threadProgram(program), {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: memory },
    });
    // An idle thread that dies is not used again.
    started.on('error', () => this.#forget(started));
    started.on('exit', () => this.#forget(started));
    return started;
  }

  #forget(worker: Worker): void {
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
  }

  #perform(worker: Worker, { task, options, resolve, reject }: WaitingTask): void {
    const { signal, onStart, move } = options;
    this.#busy.add(worker);
    const settle = (finish: () => void, isAlive: boolean) => {
      if (!this.#busy.delete(worker)) return;
      worker.off('message', onMessage).off('error', onDeath).off('exit', onDeath);
      signal?.removeEventListener('abort', onAbort);
      if (isAlive) this.#keep(worker);
      else void worker.terminate();
      finish();
      this.#startNext();
    };
    const onMessage = (reply: ThreadReply) =>
      settle(() => ('error' in reply ? reject(toError(reply.error)) : resolve(reply.result)), true);
    const onDeath = () => settle(() => reject(this.#isClosed ? shuttingDown() : threadDied()), false);
    const onAbort = () => settle(() => reject(signal?.reason), false);
    worker.on('message', onMessage).once('error', onDeath).once('exit', onDeath);
    signal?.addEventListener('abort', onAbort, { once: true });
    onStart?.();
    try {
      worker.postMessage(task, move);
    } catch (error) {
      settle(() => reject(error), true);
    }
  }

  #keep(worker: Worker): void {
    if (this.#isClosed) return void worker.terminate();
    // An idle thread doesn't keep the process running.
    worker.unref();
    const end = () => {
      // It ends some milliseconds later: until then, no task must take it.
      this.#idle.delete(worker);
      void worker.terminate();
    };
    const timer = setTimeout(end, this.#options.idle * 1000);
    this.#idle.set(worker, timer.unref());
  }
}

/** The error for work that comes while the server shuts down. */
export const shuttingDown = (): UnavailableError =>
  new UnavailableError('The server is shutting down. Try again in a moment.');
const threadDied = () =>
  new UnavailableError('A thread of the server ended before it was done. Try again in a moment.');

function toError({ name, message, stack }: { name: string; message: string; stack?: string | undefined }): Error {
  return Object.assign(new Error(message), { name, ...(stack && { stack }) });
}
