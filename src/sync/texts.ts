/** Texts of records that are to be written: read one by one if they are few, all at once if they are many. */
import { rm } from 'node:fs/promises';
import { StaleError, ValidationError } from '../catalogue/errors.ts';
import { kindAndRefOfPath, maxRecordSize, recordFormat } from '../catalogue/layout.ts';
import { encodeMetadata, type MetadataMapping, metadataForPeople } from '../catalogue/metadata.ts';
import type { FileEntry, Replica } from '../catalogue/replica.ts';
import { computeChecksum } from '../disk/checksum.ts';
import { parseRecordText } from '../text/parse.ts';
import type { RecordFields } from './field-conflicts.ts';
import type { Side } from './files.ts';
import { LineFile, type LinePosition } from './line-file.ts';

/** Texts of records that are read at the same time. */
export const textsAtOnce = 8;

/** In characters: texts up to this size in all are kept in memory, the others in the file. */
const maxInMemory = 32_000_000;

/** Texts that came with a manifest, in memory and in a temporary file, by checksum. */
export class TextSpool {
  readonly #path: string;
  readonly #lines: LineFile;
  readonly #positions = new Map<string, LinePosition>();
  readonly #texts = new Map<string, string>();
  #size = 0;

  private constructor(path: string, lines: LineFile) {
    this.#path = path;
    this.#lines = lines;
  }

  /** @param path of the file, which is overwritten */
  static async open(path: string): Promise<TextSpool> {
    return new TextSpool(path, await LineFile.open(path, 'w+'));
  }

  /**
   * Keeps the text of an entry.
   * @param isChecked true if the text is known to have the entry's checksum; others are kept only if they have it
   */
  async add({ checksum, text }: FileEntry, isChecked = false): Promise<void> {
    if (text === undefined || this.#positions.has(checksum) || this.#texts.has(checksum)) return;
    if (!isChecked && computeChecksum(text) !== checksum) return;
    this.#size += text.length;
    if (this.#size <= maxInMemory) return void this.#texts.set(checksum, text);
    this.#positions.set(checksum, await this.#lines.append(JSON.stringify(text)));
  }

  async get(checksum: string): Promise<string | null> {
    const text = this.#texts.get(checksum);
    if (text !== undefined) return text;
    const position = this.#positions.get(checksum);
    return position ? JSON.parse(await this.#lines.read(position)) : null;
  }

  /** Closes and removes the file. */
  async close(): Promise<void> {
    await this.#lines.close();
    await rm(this.#path, { force: true });
  }
}

/** Reader of the texts of one side. */
export interface TextReader {
  /** True if all texts came at once. */
  readonly isSpooled: boolean;
  /**
   * @param path on that side
   * @throws StaleError if the record has changed; NotFoundError if there is none
   */
  get(path: string, checksum: string): Promise<string>;
}

export type TextReaders = Readonly<Record<Side, TextReader>>;

/** In characters: texts read lately are cached up to this size in all. */
const maxCached = 4_000_000;

/** A reader that takes texts from the spool, and those that aren't in it from the replica. */
export function makeRecordTextReader(
  replica: Pick<Replica, 'read'>,
  spool?: TextSpool,
  signal?: AbortSignal,
): TextReader {
  const cache = new Map<string, string>();
  let size = 0;
  return {
    isSpooled: spool !== undefined,
    async get(path, checksum) {
      const known = cache.get(checksum) ?? (await spool?.get(checksum));
      if (known !== undefined && known !== null) return known;
      const text = await collectRecordText(await replica.read(path, { checksum, signal }));
      if (computeChecksum(text) !== checksum) throw new StaleError();
      size += text.length;
      if (size > maxCached) {
        cache.clear();
        size = text.length;
      }
      cache.set(checksum, text);
      return text;
    },
  };
}

/**
 * The text of a record, from the bytes of a replica. A byte order mark is part of it, since it is of the checksum.
 * @throws ValidationError if it is longer than any record
 */
export async function collectRecordText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxRecordSize) {
      const message = `The record is larger than the limit of ${maxRecordSize} bytes.`;
      throw new ValidationError({ non_field_errors: [message] });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The fields of a record's text, metadata in their readable form; null if it can't be parsed. */
export function parseRecordFields(path: string, text: string): RecordFields | null {
  const parsed = parseRecordText(text, recordFormat(path));
  if (!('value' in parsed)) return null;
  const fields = parsed.value as RecordFields;
  const { metadata } = fields;
  if (kindAndRefOfPath(path).kind !== 'version' || metadata === undefined) return fields;
  const isMapping = typeof metadata === 'object' && metadata !== null;
  const encoded = isMapping ? encodeMetadata(metadata as MetadataMapping) : metadata;
  return typeof encoded === 'string' ? { ...fields, metadata: metadataForPeople(encoded) } : fields;
}
