/** A file of lines: appended at the end, and read again by position. */
import { type FileHandle, open } from 'node:fs/promises';
import { inheritOwner } from '../disk/owner.ts';

/** Offset and length of a line in the file, in bytes. */
export interface LinePosition {
  readonly at: number;
  readonly length: number;
}

/** Size of the write buffer and of reads, in bytes. */
const chunkSize = 1024 * 1024;
const lineEnd = 0x0a;

export class LineFile {
  readonly #file: FileHandle;
  #size: number;
  #buffered: Buffer[] = [];
  #bufferedSize = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /**
   * Opens a file, which is created if it doesn't exist, for its owner only.
   * @param flags `a+` appends, `w+` overwrites
   */
  static async open(path: string, flags: 'a+' | 'w+'): Promise<LineFile> {
    const file = await open(path, flags, 0o600);
    inheritOwner(path);
    return new LineFile(file, (await file.stat()).size);
  }

  /** Appends a line to the write buffer. */
  async append(line: string): Promise<LinePosition> {
    const bytes = Buffer.from(`${line}\n`);
    const position = { at: this.#size, length: bytes.length - 1 };
    this.#size += bytes.length;
    this.#bufferedSize += bytes.length;
    this.#buffered.push(bytes);
    if (this.#bufferedSize >= chunkSize) await this.flush();
    return position;
  }

  /** Writes the buffer to the file: its lines survive a crash of the process, but not yet one of the system. */
  flush(): Promise<void> {
    const bytes = Buffer.concat(this.#buffered.splice(0));
    this.#bufferedSize = 0;
    if (bytes.length) this.#writing = this.#writing.then(() => this.#file.appendFile(bytes));
    return this.#writing;
  }

  async read({ at, length }: LinePosition): Promise<string> {
    // Also if another call is writing the buffer.
    await this.flush();
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(bytes, 0, length, at);
    return bytes.toString('utf8', 0, bytesRead);
  }

  /** All lines. An incomplete line at the end, left by a crash, is cut off. */
  async *readAll(): AsyncGenerator<{ readonly line: string; readonly position: LinePosition }, void, undefined> {
    await this.flush();
    const bytes = Buffer.allocUnsafe(chunkSize);
    let rest: Buffer = Buffer.alloc(0);
    let at = 0;
    for (let from = 0; ; ) {
      const { bytesRead } = await this.#file.read(bytes, 0, chunkSize, from);
      if (bytesRead === 0) break;
      from += bytesRead;
      rest = Buffer.concat([rest, bytes.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = rest.indexOf(lineEnd); end >= 0; end = rest.indexOf(lineEnd, start)) {
        yield { line: rest.toString('utf8', start, end), position: { at, length: end - start } };
        at += end + 1 - start;
        start = end + 1;
      }
      rest = rest.subarray(start);
    }
    if (rest.length === 0) return;
    await this.#file.truncate(at);
    this.#size = at;
  }

  /** Flushes, and syncs the file to disk. */
  async sync(): Promise<void> {
    await this.flush();
    await this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
