/**
 * The process that reads files from outside for a server (`ingest-pool.ts`): what a file makes of it ends this process and no
 * other. A thread of it watches its memory and its parent, since a file may keep the event loop busy.
 */
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { PayloadError } from '../errors.ts';
import { type IngestOptions, type IngestResult, ingest } from './ingest.ts';

/** A file to ingest. */
export interface IngestJob {
  readonly path: string;
  /** Without those that are functions. */
  readonly options: IngestOptions;
}

/** Columns of a result, and what is known of each. */
type ColumnsOfResult = Pick<IngestResult, 'columns' | 'statistics'>;

/** Messages to the parent: some columns; the result without them, or an error for the job; a sign of life. */
export type IngestReply =
  | { readonly part: ColumnsOfResult }
  | { readonly result: Omit<IngestResult, keyof ColumnsOfResult>; readonly rss: number }
  | { readonly refused: { readonly reason: string; readonly line?: number; readonly byte?: number } }
  | { readonly failed: { readonly message: string; readonly stack?: string; readonly code?: string } }
  | { readonly alive: true };

/** Columns in a message: the parent takes some 0.3 ms to read it, and one of ten thousand columns would take 20 ms. */
const columnsInMessage = 200;

/** Milliseconds between two signs of life. */
const beat = 5_000;

/**
 * Kills this process when its resident memory exceeds the limit, or 10 s after its parent ended: by then, a job that can be
 * aborted has cleaned up. As a text, since a thread can't load TypeScript.
 */
const watch = `
const { workerData: { memory, parent } } = require('node:worker_threads');
let orphaned = 0;
setInterval(() => {
  orphaned = process.ppid === parent ? 0 : orphaned + 1;
  if (process.memoryUsage.rss() > memory || orphaned > 200) process.kill(process.pid, 'SIGKILL');
}, 50);
`;

const stopping = new AbortController();

function toReply(error: unknown): IngestReply {
  if (error instanceof PayloadError) {
    const { reason, line, byte } = error;
    return { refused: { reason, ...(line !== undefined && { line }), ...(byte !== undefined && { byte }) } };
  }
  const { message, stack, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return { failed: { message, ...(stack && { stack }), ...(typeof code === 'string' && { code }) } };
}

async function answer({ path, options }: IngestJob): Promise<void> {
  const send = (reply: IngestReply) =>
    new Promise<void>((resolve) => {
      if (process.connected && process.send) process.send(reply, () => resolve());
      else resolve();
    });
  const beating = setInterval(() => void send({ alive: true }), beat);
  try {
    const { columns, statistics, ...result } = await ingest(path, { ...options, signal: stopping.signal });
    for (let at = 0; at < Math.max(columns.length, statistics.length); at += columnsInMessage) {
      const end = at + columnsInMessage;
      await send({ part: { columns: columns.slice(at, end), statistics: statistics.slice(at, end) } });
    }
    await send({ result, rss: process.memoryUsage.rss() });
  } catch (error) {
    await send(toReply(error));
  } finally {
    clearInterval(beating);
    if (stopping.signal.aborted) process.exit();
  }
}

function main(): void {
  const memory = Number(process.argv[2]);
  new Worker(watch, { eval: true, execArgv: [], workerData: { memory, parent: process.ppid } }).unref();
  // If the system's memory is short, this process ends before the server does (Linux).
  try {
    writeFileSync('/proc/self/oom_score_adj', '800');
  } catch {}
  // A terminal and service managers signal all processes: the server decides when this one ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  let job: Promise<void> | undefined;
  process.on('disconnect', () => {
    if (!job) process.exit();
    stopping.abort();
  });
  process.on('message', (next: IngestJob) => {
    job = answer(next).then(() => {
      job = undefined;
    });
  });
}

main();
