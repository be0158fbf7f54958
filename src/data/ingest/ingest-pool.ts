/**
 * Ingesting in separate processes, for servers: a file from outside that takes too much memory or time, or crashes its reader,
 * ends that process, and is refused; everything else goes on. A process stays for the next file, and ends when there is none
 * for a while. Processes get the paths of files, not their bytes: an upload is stored first.
 */
import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { UnavailableError } from '../../catalogue/errors.ts';
import { ExhaustingPayloadError, PayloadError } from '../errors.ts';
import { reasonToRefuseFile } from '../formats/foreign-file.ts';
import { moduleBeside } from '../module-beside.ts';
import { ProcessStarter, type StartedProcess } from '../process-starter.ts';
import { shuttingDown } from '../worker-pool.ts';
import { headBytes, type IngestOptions, type IngestResult, ownerOnly } from './ingest.ts';
import type { IngestJob, IngestReply } from './ingest-process.ts';
import { PayloadStream, peekStream } from './payload-stream.ts';

/** Limits of the processes. */
export interface IngestLimits {
  /** Most resident memory of one, in bytes. */
  readonly memory: number;
  /** Most seconds for a file, and for each MB of it. */
  readonly seconds: number;
  readonly secondsPerMb: number;
  /** Most seconds without a sign of life. */
  readonly silence: number;
  /** Most processes at once; further files wait. */
  readonly processes: number;
  /** Seconds until an idle process ends. */
  readonly idle: number;
}

const gb = 1024 ** 3;

export const defaultIngestLimits: IngestLimits = {
  memory: Math.min(1.5 * gb, (process.constrainedMemory() || totalmem()) * 0.6, totalmem() * 0.6),
  seconds: 60,
  secondsPerMb: 10,
  silence: 60,
  processes: 2,
  idle: 30,
};

/** A process with more resident memory than this after a file isn't used for the next one. */
const maxIdleMemory = 256 * 1024 * 1024;

const program = fileURLToPath(moduleBeside(import.meta.url, './ingest-process'));

/** Processes that ingest. */
export class IngestPool {
  readonly #limits: IngestLimits;
  readonly #starter = new ProcessStarter();
  readonly #idle = new Map<StartedProcess, NodeJS.Timeout>();
  readonly #busy = new Set<StartedProcess>();
  /** Files that wait for a process. */
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #isClosed = false;

  constructor(limits: Partial<IngestLimits> = {}) {
    this.#limits = { ...defaultIngestLimits, ...limits };
  }

  /** As `ingest`, in a process of the pool. @throws also UnavailableError if no process can be started, or the pool is closed */
  readonly ingest = async (source: Readable | string, options: IngestOptions = {}): Promise<IngestResult> => {
    const { onProgress, signal, copyTo, stagingName = `.new-${randomBytes(6).toString('hex')}`, ...others } = options;
    const isStored = typeof source === 'string' && copyTo === undefined;
    const path = isStored ? source : (copyTo ?? join(tmpdir(), `catalogue-${randomBytes(8).toString('hex')}`));
    try {
      if (!isStored) await storePayload(source, path, options);
      const result = await this.#run({ path, options: { ...others, stagingName } }, signal);
      if (isStored) onProgress?.(result.size);
      if (!isStored && copyTo === undefined) await rm(path, { force: true });
      return result;
    } catch (error) {
      if (!isStored && (error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true });
      throw error;
    }
  };

  /** Ends all processes; what they are reading fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    const all = [...this.#idle.keys(), ...this.#busy].filter((child) => !child.hasEnded);
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    const ended = all.map((child) => new Promise((resolve) => child.once('ended', () => resolve(undefined))));
    // The end of an idle process would not be waited for.
    this.#starter.isAwaited = true;
    for (const child of all) child.kill();
    await Promise.all(ended);
  }

  async #run(job: IngestJob, signal: AbortSignal | undefined): Promise<IngestResult> {
    while (this.#isFull && !this.#isClosed && !signal?.aborted) await this.#turn(signal);
    this.#assertOpen();
    // It may have been woken just before it was cancelled: then it is the turn of the next one.
    if (signal?.aborted && !this.#isFull) this.#waiting.shift()?.();
    signal?.throwIfAborted();
    this.#taken++;
    try {
      const { size } = await stat(job.path);
      this.#assertOpen();
      signal?.throwIfAborted();
      return await this.#runOn(this.#takeIdleProcess() ?? this.#start(), job, size, signal);
    } finally {
      this.#taken--;
      this.#waiting.shift()?.();
    }
  }

  get #isFull(): boolean {
    return this.#taken >= this.#limits.processes;
  }

  /** Resolves when a process may be free, or the signal is aborted. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = () => {
        const at = this.#waiting.indexOf(wake);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve();
      };
      this.#waiting.push(wake);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw shuttingDown();
  }

  #takeIdleProcess(): StartedProcess | undefined {
    const [child, timer] = this.#idle.entries().next().value ?? [];
    if (!child) return undefined;
    clearTimeout(timer);
    this.#idle.delete(child);
    return child;
  }

  #start(): StartedProcess {
    const { memory } = this.#limits;
    const heap = Math.max(32, Math.floor((memory * 0.7) / 1024 ** 2));
    // From sources, the process loads TypeScript as the tests do.
    const loader = program.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
    const execArgv = [`--max-old-space-size=${heap}`, ...loader];
    const child = this.#starter.start({ program, args: [String(memory)], execArgv, serialization: 'advanced' });
    child.once('ended', () => {
      clearTimeout(this.#idle.get(child));
      this.#idle.delete(child);
    });
    return child;
  }

  /** Runs a job on a process, which is kept if it can be used again. */
  async #runOn(child: StartedProcess, job: IngestJob, size: number, signal?: AbortSignal): Promise<IngestResult> {
    this.#busy.add(child);
    this.#starter.isAwaited = true;
    try {
      const parts: Part[] = [];
      const reply = await this.#exchange(child, job, size, parts, signal);
      if ('refused' in reply) throw new PayloadError(reply.refused.reason, reply.refused);
      if ('failed' in reply) throw toError(reply.failed);
      if ('result' in reply) {
        if (reply.rss > maxIdleMemory) child.kill();
        return { ...reply.result, ...joinParts(parts) };
      }
      throw new Error('unexpected reply');
    } catch (error) {
      // A process that was killed can't delete what it was writing.
      const { cacheFolder, stagingName } = job.options;
      if (!child.isUsable)
        if (cacheFolder !== undefined && stagingName !== undefined)
          for (const name of [stagingName, `${stagingName}.before`])
            await rm(join(cacheFolder, name), { recursive: true, force: true });
      throw error;
    } finally {
      this.#busy.delete(child);
      this.#keep(child);
    }
  }

  #keep(child: StartedProcess): void {
    // An idle process doesn't keep the server running.
    this.#starter.isAwaited = this.#busy.size > 0;
    if (this.#isClosed) child.kill();
    if (!child.isUsable) return;
    const end = () => {
      this.#idle.delete(child);
      child.disconnect();
    };
    this.#idle.set(child, setTimeout(end, this.#limits.idle * 1000).unref());
  }

  /**
   * Sends a job and waits for the reply.
   * @param parts gets the columns of the result
   * @throws PayloadError if the process ends, or is ended for what it takes
   */
  #exchange(
    child: StartedProcess,
    job: IngestJob,
    size: number,
    parts: Part[],
    signal?: AbortSignal,
  ): Promise<IngestReply> {
    const { seconds, secondsPerMb, silence, memory } = this.#limits;
    const limit = Math.min(seconds + (secondsPerMb * size) / 1e6, 2 ** 31 / 1000 - 1);
    return new Promise((resolve, reject) => {
      let reason: unknown = new ExhaustingPayloadError(
        `reading its rows took more than ${Math.round(memory / 1024 ** 2)} MB of memory, or crashed its reader. ${advice}`,
      );
      const kill = (why: unknown) => {
        reason = why;
        child.kill();
      };
      const killLate = (most: number) =>
        kill(
          new PayloadError(
            `reading its rows took longer than ${Math.ceil(most)} seconds, the limit for its size. ${advice}`,
          ),
        );
      const deadline = setTimeout(() => killLate(limit), limit * 1000);
      const silent = setTimeout(() => killLate(silence), silence * 1000);
      const abort = () => kill(signal?.reason);
      const onMessage = (message: unknown) => {
        const reply = message as IngestReply;
        silent.refresh();
        if ('alive' in reply) return;
        if ('part' in reply) return void parts.push(reply.part);
        settle();
        resolve(reply);
      };
      const onEnd = () => {
        settle();
        reject(this.#isClosed ? shuttingDown() : reason);
      };
      const onFailure = (message: string) => {
        settle();
        reject(new UnavailableError(`The server can't start a process to read the file: ${message}`));
      };
      const settle = () => {
        clearTimeout(deadline);
        clearTimeout(silent);
        signal?.removeEventListener('abort', abort);
        child.off('message', onMessage).off('ended', onEnd).off('failed', onFailure);
      };
      child.on('message', onMessage).once('ended', onEnd).once('failed', onFailure);
      signal?.addEventListener('abort', abort, { once: true });
      child.send(job);
    });
  }
}

type Part = Extract<IngestReply, { readonly part: unknown }>['part'];

const joinParts = (parts: readonly Part[]): Part => ({
  columns: parts.flatMap(({ columns }) => columns),
  statistics: parts.flatMap(({ statistics }) => statistics),
});

const advice = 'Split it into several files, or publish it as a ZIP archive, which is kept without rows';

/** Stores a payload at a path. @throws PayloadError if its first bytes are those of a file that is refused */
async function storePayload(source: Readable | string, path: string, options: IngestOptions): Promise<void> {
  const { copyTo, onProgress, signal } = options;
  const mode = copyTo === undefined ? ownerOnly : undefined;
  const payload = new PayloadStream(source, { copyTo: path, mode, onProgress, signal, isHashed: false });
  const bytes = payload.chunks();
  try {
    const { head, chunks } = await peekStream(bytes, headBytes);
    const foreign = reasonToRefuseFile(head, options);
    if (foreign !== null) throw new PayloadError(foreign);
    for await (const _ of chunks);
  } finally {
    await bytes.return();
  }
}

function toError({ message, stack, code }: { message: string; stack?: string; code?: string }): Error {
  return Object.assign(new Error(message), { ...(stack && { stack }), ...(code && { code }) });
}
