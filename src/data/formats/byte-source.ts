/** Bytes that arrive in chunks, taken in pieces of known length. */
import { PayloadError } from '../errors.ts';
import { maxItemBytes } from '../limits.ts';

export class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Bytes that can be taken without waiting. */
  get available(): number {
    return this.#buffer.length - this.#at;
  }

  /**
   * Waits until so many bytes can be taken.
   * @returns false if there are fewer
   * @throws PayloadError for more than `maxItemBytes`
   */
  async wait(length: number): Promise<boolean> {
    if (length > maxItemBytes) throw new PayloadError(`a feature of more than ${maxItemBytes} bytes`);
    if (this.available >= length) return true;
    const parts = [this.#buffer.subarray(this.#at)];
    let have = this.available;
    while (have < length) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      parts.push(value);
      have += value.length;
    }
    this.#buffer = Buffer.concat(parts);
    this.#at = 0;
    return have >= length;
  }

  /** Takes bytes that are available. They are valid until the next call of `wait`. */
  take(length: number): Buffer {
    const bytes = this.#buffer.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  /** Takes bytes. @throws PayloadError if the file breaks off */
  async takeWhole(length: number, file: string): Promise<Buffer> {
    if (!(await this.wait(length))) throw new PayloadError(`${file} breaks off`);
    return this.take(length);
  }

  /** Skips bytes. @returns false if there are fewer */
  async skip(length: number): Promise<boolean> {
    for (let rest = length; rest > 0; ) {
      if (!(await this.wait(1))) return false;
      const part = Math.min(rest, this.available);
      this.#at += part;
      rest -= part;
    }
    return true;
  }

  /** Ends the reading before the last byte. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
