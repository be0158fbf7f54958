/**
 * Compressing bodies and documents, on the threads that the system's libraries share with reading files; huge bodies in
 * worker threads, which come after the main thread.
 */
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type Zlib,
} from 'node:zlib';
import { moduleBeside } from '../data/module-beside.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import type { CompressOptions } from './compress-thread.ts';
import type { Coding } from './negotiate.ts';

type Compression = Exclude<Coding, 'identity'>;

const gzipBody = promisify(gzip);
const brotliBody = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress);

/** Length of a body from which a level less takes half of the time, for some 5 % more bytes. */
const largeBody = 64 * 1024;
/**
 * Large bodies that are compressed at the same time, at most: a processor core is left to the main thread, and of the four
 * threads one to files.
 */
const mostAtOnce = Math.max(1, Math.min(3, availableParallelism() - 1));

/** Length of a body for which a thread is started. */
const hugeBody = 512 * 1024;
const threads = new WorkerPool({ size: mostAtOnce });
const tasks = moduleBeside(import.meta.url, './compress-thread');

let running = 0;
/** Bodies that wait, first come, first served. */
const waiting: (() => void)[] = [];

/**
 * Compresses a whole body.
 * @param isOwn true if nothing else has the bytes, and nobody needs them afterwards: they are gone then, if the body was huge
 */
export async function compressBody(body: Buffer, coding: Compression, isOwn = false): Promise<Buffer> {
  if (body.length < largeBody) return compress(body, optionsFor(body, coding));
  if (running < mostAtOnce) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    const options = optionsFor(body, coding);
    return await (body.length < hugeBody ? compress(body, options) : compressInThread(body, options, isOwn));
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const compress = (body: Buffer, { coding, options }: CompressOptions): Promise<Buffer> =>
  coding === 'gzip' ? gzipBody(body, options) : brotliBody(body, options);

/** Compresses a body that is copied, since its bytes may be those that are kept of a dataset; or moved, which makes no garbage here. */
async function compressInThread(body: Buffer, options: CompressOptions, isOwn: boolean): Promise<Buffer> {
  const move = isOwn && body.length === body.buffer.byteLength ? [body.buffer as ArrayBuffer] : [];
  type Tasks = typeof import('./compress-thread.ts');
  const bytes = await threads.run<Tasks, 'compressBytes'>(tasks, 'compressBytes', [body, options], { move });
  return Buffer.from(bytes.buffer);
}

function optionsFor(body: Buffer, coding: Compression): CompressOptions {
  const isLarge = body.length >= largeBody;
  // A large body is handed to a thread once or twice, and not for every 16 kB of the result.
  const chunkSize = Math.max(16 * 1024, Math.min(body.length >> 2, 256 * 1024));
  if (coding === 'gzip') return { coding, options: { level: isLarge ? 4 : 6, chunkSize } };
  const params = { ...quality(isLarge ? 4 : 5), [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return { coding, options: { chunkSize, params } };
}

/** A stream that compresses a page whose length isn't known yet: as a large body. */
export const createCompressor = (coding: Compression): NodeJS.ReadWriteStream & Zlib =>
  coding === 'br' ? createBrotliCompress({ params: quality(4) }) : createGzip({ level: 4 });

/**
 * Bytes of a document that are returned at once. For each such part, the work is handed to a thread and back, which takes
 * the main thread's time if all processor cores are busy; Node's default of 16 kB would be four times as often.
 */
const documentChunk = 64 * 1024;

/** A stream that compresses a document of any length. */
export const createDocumentCompressor = (coding: Compression): NodeJS.ReadWriteStream & Zlib =>
  coding === 'br'
    ? createBrotliCompress({ chunkSize: documentChunk, params: quality(3) })
    : createGzip({ chunkSize: documentChunk, level: 4 });

const quality = (level: number) => ({ [constants.BROTLI_PARAM_QUALITY]: level });
