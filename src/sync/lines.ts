/** A file of lines that grows at its end, of which each can be found again by its place. */
import { type FileHandle, open } from 'node:fs/promises';

/** Where a line lies in the file, in bytes. */
export interface LinePlace {
  readonly at: number;
  readonly length: number;
}

/** Lines are written when so many bytes of them have come together. */
const portion = 1024 * 1024;
const lineEnd = 0x0a;

export class Lines {
  readonly #file: FileHandle;
  #size: number;
  #waiting: Buffer[] = [];
  #waitingSize = 0;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /**
   * Opens a file, which is made where it isn't there, for its owner only.
   * @param flags `a+` goes on with what is there, `w+` begins anew
   */
  static async open(path: string, flags: 'a+' | 'w+'): Promise<Lines> {
    const file = await open(path, flags, 0o600);
    return new Lines(file, (await file.stat()).size);
  }

  /** Adds a line, which is on its way to the file when it comes back. @returns its place */
  async add(line: string): Promise<LinePlace> {
    const bytes = Buffer.from(`${line}\n`);
    const place = { at: this.#size, length: bytes.length - 1 };
    this.#size += bytes.length;
    this.#waitingSize += bytes.length;
    this.#waiting.push(bytes);
    if (this.#waitingSize >= portion) await this.flush();
    return place;
  }

  /** Hands the lines that wait to the system: from then on they outlive the process. */
  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting.splice(0));
    this.#waitingSize = 0;
    if (bytes.length) await this.#file.appendFile(bytes);
  }

  async read({ at, length }: LinePlace): Promise<string> {
    if (this.#waitingSize) await this.flush();
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(bytes, 0, length, at);
    return bytes.toString('utf8', 0, bytesRead);
  }

  /** All whole lines. What follows the last line's end was torn off in the writing, and is cut away. */
  async *all(): AsyncGenerator<{ readonly line: string; readonly place: LinePlace }, void, undefined> {
    await this.flush();
    const bytes = Buffer.allocUnsafe(portion);
    let rest: Buffer = Buffer.alloc(0);
    let at = 0;
    for (let from = 0; ; ) {
      const { bytesRead } = await this.#file.read(bytes, 0, portion, from);
      if (bytesRead === 0) break;
      from += bytesRead;
      rest = Buffer.concat([rest, bytes.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = rest.indexOf(lineEnd); end >= 0; end = rest.indexOf(lineEnd, start)) {
        yield { line: rest.toString('utf8', start, end), place: { at, length: end - start } };
        at += end + 1 - start;
        start = end + 1;
      }
      rest = rest.subarray(start);
    }
    if (rest.length === 0) return;
    await this.#file.truncate(at);
    this.#size = at;
  }

  /** Makes sure that all of it is on disk. */
  async sync(): Promise<void> {
    await this.flush();
    await this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
