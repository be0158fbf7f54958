/**
 * Worker threads that read units, for the start: parsing takes most of its time, and is shared between the processor's
 * cores. A thread that dies leaves its units unread; the caller reads those itself.
 */
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Unit } from '../../catalogue/layout.ts';
import type { Column } from '../../catalogue/types.ts';
import { threadProgram } from '../../data/worker-pool.ts';
import type { PackedState } from './packed-state.ts';

/** A unit to be read; with the stamps of its files when it was last read, only if they changed. */
export type ReadRequest = readonly [unit: Unit, stamps?: string, payloads?: string];

/** A state as it was read; `unchanged`; or `unread`, if the last state is needed to read it. */
export type ReadReply = PackedState | 'unchanged' | 'unread';

/** The replies to a message, and the columns of the states in them: see `PackedContent`. */
export type Replies<Reply> = readonly [replies: readonly Reply[], columns: readonly Column[]];

/** Number of units in a message. */
export const batchSize = 200;
/** Most threads: more would only wait for the main thread, which takes the states. */
export const maxThreads = (): number => Math.min(4, availableParallelism());
/** Messages that wait in a thread, so that it is never idle. */
const maxWaiting = 3;

const extension = extname(fileURLToPath(import.meta.url));
const unitReaderProgram = './unit-reader-thread';

/** URL of a thread's program beside this module. */
const urlOfProgram = (name: string): string => new URL(`${name}${extension}`, import.meta.url).href;

interface Thread<Reply> {
  readonly worker: Worker;
  /** Calls with the reply to each message, in the order in which these were sent. */
  readonly waiting: ((replies: Replies<Reply> | null) => void)[];
}

export class UnitReaders<Reply = ReadReply> {
  readonly #threads: Thread<Reply>[] = [];
  /** Resolves when a thread has room for another message. */
  #onRoom: (() => void) | undefined;

  /**
   * @param root path of the catalogue folder
   * @param program of the threads, relative to this module and without extension
   */
  constructor(root: string, count = maxThreads(), program = unitReaderProgram) {
    try {
      for (let i = 0; i < count; i++) this.#startThread(root, program);
    } catch {
      // The system refuses another thread: those that started, or the main thread, read everything.
    }
  }

  #startThread(root: string, program: string): void {
    const worker = new Worker(threadProgram(urlOfProgram(program)), { eval: true, workerData: root });
    const thread: Thread<Reply> = { worker, waiting: [] };
    this.#threads.push(thread);
    worker.on('message', (text: string) => {
      thread.waiting.shift()?.(JSON.parse(text));
      this.#onRoom?.();
    });
    const giveUp = () => {
      const at = this.#threads.indexOf(thread);
      if (at >= 0) this.#threads.splice(at, 1);
      for (const reply of thread.waiting.splice(0)) reply(null);
      this.#onRoom?.();
    };
    worker.on('error', giveUp);
    worker.on('exit', giveUp);
  }

  /**
   * Sends units to a thread, as soon as one has room.
   * @param requests may be JSON already
   * @param onRead called with a reply for each unit; never if the thread dies
   * @returns when they are sent, and a promise of the reply
   */
  async read(
    requests: readonly ReadRequest[] | string,
    onRead: (...replies: Replies<Reply>) => void,
  ): Promise<{ readonly done: Promise<void> }> {
    for (;;) {
      const [thread] = [...this.#threads].sort((a, b) => a.waiting.length - b.waiting.length);
      if (!thread) return { done: Promise.resolve() };
      if (thread.waiting.length < maxWaiting) {
        const done = new Promise<void>((resolve) => {
          thread.waiting.push((replies) => {
            if (replies) onRead(...replies);
            resolve();
          });
        });
        thread.worker.postMessage(typeof requests === 'string' ? requests : JSON.stringify(requests));
        return { done };
      }
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}
