/** The texts of records that are to be written: read one by one where they are few, all at once where they are many. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { StaleError } from '../catalogue/errors.ts';
import type { FileEntry, Replica } from '../catalogue/replica.ts';
import { type LinePlace, Lines } from './lines.ts';
import { recordText } from './record-text.ts';

/** Texts that came with a manifest, kept aside by their checksums until they are needed. */
export class Spool {
  readonly #path: string;
  readonly #lines: Lines;
  readonly #places = new Map<string, LinePlace>();

  private constructor(path: string, lines: Lines) {
    this.#path = path;
    this.#lines = lines;
  }

  /** @param path of a file that is made anew */
  static async open(path: string): Promise<Spool> {
    return new Spool(path, await Lines.open(path, 'w+'));
  }

  /** Keeps the text of an entry, if it is the one of its checksum. */
  async add({ checksum, text }: FileEntry): Promise<void> {
    if (text === undefined || this.#places.has(checksum) || checksumOf(text) !== checksum) return;
    this.#places.set(checksum, await this.#lines.add(JSON.stringify(text)));
  }

  async get(checksum: string): Promise<string | null> {
    const place = this.#places.get(checksum);
    return place ? JSON.parse(await this.#lines.read(place)) : null;
  }

  async close(): Promise<void> {
    await this.#lines.close();
    await rm(this.#path, { force: true });
  }
}

/** Texts of one side. */
export interface Texts {
  /** Whether they came all at once. */
  readonly isWhole: boolean;
  /**
   * @param path where it lies at that side
   * @throws StaleError where the record is another by now; NotFoundError where there is none
   */
  get(path: string, checksum: string): Promise<string>;
}

/** Texts that were read lately are kept while they have no more characters than that, all in all. */
const mostKept = 4_000_000;

/** The texts of a side, from what came with its manifest and else one by one. */
export function textsOf(depot: Replica, spool?: Spool): Texts {
  const kept = new Map<string, string>();
  let size = 0;
  return {
    isWhole: spool !== undefined,
    async get(path, checksum) {
      const known = kept.get(checksum) ?? (await spool?.get(checksum));
      if (known !== undefined && known !== null) return known;
      const text = await recordText(await depot.read(path, { checksum }));
      if (checksumOf(text) !== checksum) throw new StaleError();
      size += text.length;
      if (size > mostKept) {
        kept.clear();
        size = text.length;
      }
      kept.set(checksum, text);
      return text;
    },
  };
}

export const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex');
