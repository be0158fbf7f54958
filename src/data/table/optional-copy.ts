/** A columnar copy that is left out if it can't be written: it is a cache, and a payload is worth more than it. */
import { isSystemError } from '../errors.ts';
import { ColumnarWriter } from './columnar-copy.ts';

/** What ingesting needs of a copy. */
export type CopyWriter = Pick<ColumnarWriter, 'writeRowGroup' | 'abort'> & {
  /** @returns the finished copy's folder; null if it is left out */
  finish(...args: Parameters<ColumnarWriter['finish']>): Promise<string | null>;
};

export class OptionalCopy implements CopyWriter {
  #writer: ColumnarWriter | null = null;
  #error: NodeJS.ErrnoException | null = null;

  /** As `ColumnarWriter.create`. */
  static async create(...args: Parameters<typeof ColumnarWriter.create>): Promise<OptionalCopy> {
    const copy = new OptionalCopy();
    await copy.#try(async () => {
      copy.#writer = await ColumnarWriter.create(...args);
    });
    return copy;
  }

  /** Code of the error for which the copy is left out; null if it isn't. */
  get failure(): string | null {
    return this.#error && (this.#error.code ?? this.#error.message);
  }

  async writeRowGroup(...args: Parameters<ColumnarWriter['writeRowGroup']>): Promise<void> {
    await this.#try((writer) => writer.writeRowGroup(...args));
  }

  async finish(...args: Parameters<ColumnarWriter['finish']>): Promise<string | null> {
    return (await this.#try((writer) => writer.finish(...args))) ?? null;
  }

  async abort(): Promise<void> {
    await this.#writer?.abort();
  }

  /** Works on the copy, unless it is left out. After an error of the file system it is, and makes room on a full disk. */
  async #try<T>(work: (writer: ColumnarWriter) => Promise<T>): Promise<T | undefined> {
    if (this.#error) return undefined;
    try {
      return await work(this.#writer as ColumnarWriter);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#error = error;
      await this.#writer?.abort().catch(() => undefined);
      return undefined;
    }
  }
}
