/** Compressing in a worker thread (`compress.ts`). */
import { type BrotliOptions, brotliCompressSync, gzipSync, type ZlibOptions } from 'node:zlib';

/** How a body is compressed, by content coding. */
export type CompressOptions =
  | { readonly coding: 'gzip'; readonly options: ZlibOptions }
  | { readonly coding: 'br'; readonly options: BrotliOptions };

/** @returns bytes with memory of their own, which can be moved */
export function compressBytes(body: Uint8Array, { coding, options }: CompressOptions): Uint8Array {
  return new Uint8Array(coding === 'gzip' ? gzipSync(body, options) : brotliCompressSync(body, options));
}
