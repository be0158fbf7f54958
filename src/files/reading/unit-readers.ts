/**
 * Threads that read units together with the main thread, for the start and for `catalogue check`: parsing takes most of
 * the time, and is shared between the processor's cores. A thread that dies leaves its units unread; the caller reads those itself.
 */
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Unit } from '../../catalogue/layout.ts';
import type { Column } from '../../catalogue/types.ts';
import { moduleBeside } from '../../data/module-beside.ts';
import { threadProgram } from '../../data/worker-pool.ts';
import { inlineAsUsual, inlineLess } from './inlining.ts';
import type { PackedState } from './packed-state.ts';

/** A unit to be read; with the stamps of its files when it was last read, only if they changed. */
export type ReadRequest = readonly [unit: Unit, stamps?: string, payloads?: string];

/** A state as it was read; `unchanged`; or `unread`, if the last state is needed to read it. */
export type ReadReply = PackedState | 'unchanged' | 'unread';

/**
 * The replies to a message, and the columns of the states in them: see `PackedContent`; and the texts of the records that were
 * read, if they are asked for.
 */
export type Replies<Reply> = readonly [replies: readonly Reply[], columns: readonly Column[], texts?: RecordTexts];
export type RecordTexts = readonly (readonly [path: string, text: string])[];

/** What a thread needs to begin. */
export interface ReaderData {
  /** Path of the catalogue folder. */
  readonly root: string;
  /** True if it sends the texts of the records that it reads. */
  readonly sendsTexts: boolean;
  /** URL of the module that reads units, as long as it only compares them. */
  readonly requestReader: string;
}

/** Units that are read together, by a thread or by the main thread. */
export interface Batch<Reply = ReadReply> {
  /** The message to a thread: JSON of a `ReadRequest` for each unit. */
  readonly message: () => string;
  /** Takes a thread's replies, one for each unit. */
  readonly take: (...replies: Replies<Reply>) => void;
  /** Reads the units in the main thread. */
  readonly readHere: () => void;
}

/** Number of units in a batch: few enough that the last batches of all threads end at about the same time. */
export const batchSize = 50;
/** Most threads: more would only wait for the main thread, which takes the states. */
const maxThreads = 3;
/** Batches in a thread, so that it is never idle. */
const maxInThread = 4;
/** Batches that wait for a thread before the main thread reads one itself. */
const maxWaiting = 2;

const unitReaderProgram = './unit-reader-thread';
const requestReader = moduleBeside(import.meta.url, './read-requests');

interface Thread<Reply> {
  readonly worker: Worker;
  /** Called with the reply to each message, in the order in which these were sent. */
  readonly waiting: ((replies: Replies<Reply> | null) => void)[];
}

export class UnitReaders<Reply = ReadReply> {
  readonly #threads: Thread<Reply>[] = [];
  readonly #onRunning: () => void;
  /** Number of threads that haven't replied yet. */
  #starting = 0;
  /** Batches that no thread has got yet. */
  #queue: Batch<Reply>[] = [];
  readonly #inThreads = new Set<Promise<void>>();

  /**
   * @param root path of the catalogue folder
   * @param count of threads; by default, the main thread has a core for itself: it compiles its own code, and needn't unpack what it reads
   * @param program of the threads, relative to this module and without extension
   * @param sendsTexts see `ReaderData`
   * @param onRunning called when all threads have replied for the first time
   */
  constructor(
    root: string,
    count = Math.min(maxThreads, Math.max(1, availableParallelism() - 1)),
    program = unitReaderProgram,
    sendsTexts = false,
    onRunning = () => {},
  ) {
    this.#onRunning = onRunning;
    try {
      for (let i = 0; i < count; i++) this.#startThread({ root, sendsTexts, requestReader }, program);
    } catch {
      // The system refuses another thread: those that started, or the main thread, read everything.
    }
  }

  #startThread(workerData: ReaderData, program: string): void {
    const worker = new Worker(threadProgram(moduleBeside(import.meta.url, program)), { eval: true, workerData });
    const thread: Thread<Reply> = { worker, waiting: [] };
    this.#threads.push(thread);
    this.#starting++;
    worker.once('message', () => {
      if (--this.#starting > 0) return;
      inlineLess();
      this.#onRunning();
    });
    worker.on('message', (text: string) => {
      thread.waiting.shift()?.(JSON.parse(text));
      this.#send();
    });
    const giveUp = () => {
      const at = this.#threads.indexOf(thread);
      if (at >= 0) this.#threads.splice(at, 1);
      for (const reply of thread.waiting.splice(0)) reply(null);
    };
    worker.on('error', giveUp);
    worker.on('exit', giveUp);
  }

  /** Reads a batch: in a thread, or in the main thread if many batches wait. What no thread is there for is left unread. */
  async read(batch: Batch<Reply>): Promise<void> {
    this.#queue.push(batch);
    this.#send();
    if (this.#queue.length > maxWaiting) this.#readHere();
    await nextTurn();
  }

  /** Resolves when all batches were read. */
  async finish(): Promise<void> {
    for (; this.#queue.length > 0; await nextTurn()) this.#readHere();
    await Promise.all(this.#inThreads);
  }

  #readHere(): void {
    const batch = this.#queue.pop();
    if (this.#threads.length > 0) batch?.readHere();
  }

  /** Sends the batches that wait to threads that have room. */
  #send(): void {
    for (const thread of this.#threads)
      while (thread.waiting.length < maxInThread) {
        const batch = this.#queue.shift();
        if (!batch) return;
        const done = new Promise<void>((resolve) => {
          thread.waiting.push((replies) => {
            if (replies) batch.take(...replies);
            resolve();
          });
        });
        this.#inThreads.add(done);
        void done.then(() => this.#inThreads.delete(done));
        thread.worker.postMessage(batch.message());
      }
  }

  async close(): Promise<void> {
    inlineAsUsual();
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}
