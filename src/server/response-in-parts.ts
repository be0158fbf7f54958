/**
 * Responses whose start is sent before the rest is known. Their ETag can't be a hash of the bytes: it is random, and kept beside that
 * of the bytes once all are known.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Zlib } from 'node:zlib';
import { createCompressor } from './compress.ts';
import { encodedEtag } from './etags.ts';
import type { Headers } from './headers.ts';
import type { Coding } from './negotiate.ts';
import { addVariant, type CachedResponse, noteRandomEtag } from './response-cache.ts';

/**
 * True if the response to a request may be sent in parts. HTTP/1.0 has no chunks, so that a response that is cut off looks complete;
 * and a client that has the page may get 304 or 412, which take the whole page.
 */
export const acceptsParts = ({ method, httpVersion, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  httpVersion === '1.1' &&
  headers['if-none-match'] === undefined &&
  headers['if-match'] === undefined;

export class ResponseInParts {
  readonly #response: ServerResponse;
  readonly #coding: Coding;
  readonly #compressor: (NodeJS.ReadWriteStream & Zlib) | null;
  /** Resolves when all is compressed. */
  readonly #compressed: Promise<void>;
  /** The bytes that are sent, in the coding. */
  readonly #sent: Buffer[] = [];
  readonly #etag: string;
  #start = '';

  constructor(response: ServerResponse, coding: Coding) {
    const compressor = coding === 'identity' ? null : createCompressor(coding);
    this.#response = response;
    this.#coding = coding;
    this.#etag = encodedEtag(randomBytes(20).toString('base64url'), coding);
    this.#compressor = compressor;
    this.#compressed = new Promise((resolve, reject) => {
      if (!compressor) return resolve();
      compressor.on('data', (chunk: Buffer) => this.#send(chunk));
      compressor.on('end', resolve);
      compressor.on('error', reject);
    });
    this.#compressed.catch(() => {});
  }

  /** Sends 200, the headers and the start of the text, compressed by itself. */
  async start(headers: Headers, text: string): Promise<void> {
    const compressor = this.#compressor;
    // nginx would wait for more.
    const own: [string, string][] = [
      ['ETag', this.#etag],
      ['X-Accel-Buffering', 'no'],
    ];
    if (compressor) own.push(['Content-Encoding', this.#coding]);
    this.#response.writeHead(200, [...headers, ...own].flat());
    this.#start = text;
    if (!compressor) return this.#send(Buffer.from(text));
    compressor.write(text);
    await Promise.race([new Promise<void>((resolve) => compressor.flush(() => resolve())), this.#compressed]);
  }

  /**
   * Sends the rest, and adds the variant that was sent to the response for the cache.
   * @param text all of it, the start too
   * @throws Error if the text doesn't begin with what was sent
   */
  async finish(text: string, whole: CachedResponse): Promise<void> {
    if (!text.startsWith(this.#start)) throw new Error('The page doesn’t begin with the head that was sent.');
    const rest = text.slice(this.#start.length);
    if (this.#compressor) this.#compressor.end(rest);
    else this.#send(Buffer.from(rest));
    await this.#compressed;
    noteRandomEtag(this.#etag, addVariant(whole, this.#coding, Buffer.concat(this.#sent)).etag);
    if (!this.#response.destroyed) this.#response.end();
  }

  /** Cuts the connection: the client sees that the response isn't complete. */
  abort(): void {
    (this.#compressor as (Zlib & { destroy(): void }) | null)?.destroy();
    this.#response.destroy();
  }

  #send(bytes: Buffer): void {
    this.#sent.push(bytes);
    if (!this.#response.destroyed) this.#response.write(bytes);
  }
}
