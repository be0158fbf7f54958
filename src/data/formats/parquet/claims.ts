/**
 * The claims of a Parquet file (rows, values, sizes, runs), compared with its bytes before they are decoded. Honest files may
 * claim much by few bytes: a run of nulls, or of one value, has four bytes however long it is. So there are limits for a page,
 * and for all values by the size of the file.
 */
import type { FileHandle } from 'node:fs/promises';
import type { CompressionCodec, FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { PayloadError } from '../../errors.ts';
import { freeInflation, maxColumns, maxDepth, maxInflation } from '../../limits.ts';
import {
  assertPageFits,
  type Leaf,
  lengthsInDictionary,
  type PageHeader,
  parseParquetPageHeader,
  usesDictionary,
} from './pages.ts';
import { ThriftReader, type ThriftStruct } from './thrift.ts';
import { isText, isWkb } from './values.ts';

/** A file may have this many values (rows times columns), however small it is … */
const freeValues = 5_000_000;

/** … and this many more for each of its bytes. */
const valuesPerByte = 1_000;

/**
 * Values in a dictionary with more bytes than this count as often as they occur, and WKB in any case: each row has a copy.
 * Rows share texts: only longer ones count.
 */
const longValue = 1024;
const longText = 32 * 1024;

/** Most bytes of such values in a file, as often as they occur, unless the file itself may inflate to more. */
const maxRepeatedBytes = 4 * 1024 ** 3;

/** Most bytes of a page header: those of text columns hold a smallest and a greatest value. */
const maxHeaderBytes = 1 << 20;

/** Sums of what has been claimed so far. */
interface Totals {
  values: number;
  uncompressed: number;
  /** Bytes of long values that are in a dictionary, as often as they occur. */
  repeated: number;
}

/** Compares the claims of one file, row group by row group. */
export class ClaimChecker {
  readonly #file: FileHandle;
  readonly #size: number;
  readonly #leaves: ReadonlyMap<string, Leaf>;
  readonly #totals: Totals = { values: 0, uncompressed: 0, repeated: 0 };

  /** @throws PayloadError if the schema is inconsistent, or the row groups claim more rows than the file can have */
  constructor(file: FileHandle, size: number, { schema, row_groups, num_rows }: FileMetaData) {
    this.#file = file;
    this.#size = size;
    this.#leaves = leavesOf(schema);
    let rows = 0n;
    for (const group of row_groups) {
      if (group.num_rows < 0n) throw invalid(`a row group claims ${group.num_rows} rows`);
      rows += group.num_rows;
    }
    if (rows !== num_rows) throw invalid(`the file claims ${num_rows} rows, and its row groups ${rows}`);
    if (Number(rows) * Math.max(1, this.#leaves.size) > this.#maxValues) throw this.#tooManyValues();
  }

  get #maxValues(): number {
    return freeValues + valuesPerByte * this.#size;
  }

  #tooManyValues(): PayloadError {
    return invalid(`it claims more than ${this.#maxValues} values, too many for a file of ${this.#size} bytes`);
  }

  /**
   * @returns the decompressed bytes of the row group's pages
   * @throws PayloadError if its pages don't hold what they claim, or claim too much
   */
  async checkGroup(group: RowGroup): Promise<number> {
    const before = this.#totals.uncompressed;
    const columns = new Set<string>();
    let bytes = 0;
    for (const chunk of group.columns) {
      const meta = chunk.meta_data;
      if (!meta) throw invalid('a column has no metadata');
      const path = meta.path_in_schema.join('.');
      const key = keyOf(meta.path_in_schema);
      const leaf = this.#leaves.get(key);
      if (!leaf || columns.has(key)) throw invalid(`a row group has the column "${path.slice(0, 200)}" unexpectedly`);
      columns.add(key);
      bytes += Number(meta.total_compressed_size);
      if (meta.total_compressed_size < 0n || bytes > this.#size)
        throw invalid(`a row group claims more bytes than the file has`);
      await this.#checkChunk(group, chunk, leaf, path);
    }
    if (columns.size < this.#leaves.size) throw invalid('a row group lacks a column');
    return this.#totals.uncompressed - before;
  }

  async #checkChunk(group: RowGroup, chunk: RowGroup['columns'][number], leaf: Leaf, path: string): Promise<void> {
    const meta = chunk.meta_data as NonNullable<typeof chunk.meta_data>;
    const starts = new Set<number>();
    const expected = leaf.isFlat ? Number(group.num_rows) : Number(meta.num_values);
    // As hyparquet chooses the first page.
    let offset = Number(meta.dictionary_page_offset || meta.data_page_offset);
    const end = Math.min(this.#size, offset + Number(meta.total_compressed_size));
    if (!(offset >= 0)) throw invalid('a column begins before the file');
    let values = 0;
    let repeated = 0;
    /** Bytes of the values in the dictionary that count, 0 for others; null if none does. */
    let lengths: Float64Array | null = null;
    const addRepeated = (index: number, times: number) => {
      repeated += (lengths?.[index] ?? 0) * times;
    };
    while (values < expected && offset < end - 1) {
      const { header, bytes, next } = await this.#readPage(offset, end);
      this.#addUncompressed(header.uncompressedSize);
      repeated = 0;
      const visit = lengths && usesDictionary(header) ? addRepeated : undefined;
      this.#addUncompressed(assertPageFits(header, bytes, leaf, meta.codec, visit));
      this.#addRepeated(repeated);
      this.#totals.values += header.values;
      if (header.type === 'data' || header.type === 'dataV2') {
        starts.add(offset);
        values += header.values;
      } else if (header.type === 'dictionary') lengths = longLengths(header, bytes, leaf.element, meta.codec);
      if (this.#totals.values > this.#maxValues) throw this.#tooManyValues();
      offset = next;
    }
    const isShort = leaf.isFlat ? values !== expected : values < Number(group.num_rows);
    if (isShort) {
      const column = `"${path.slice(0, 200)}"`;
      throw invalid(`a row group claims ${group.num_rows} rows, and its column ${column} has ${values} values`);
    }
    if (chunk.offset_index_offset && chunk.offset_index_length) {
      const at = { start: Number(chunk.offset_index_offset), length: chunk.offset_index_length };
      await this.#checkOffsetIndex(at, starts);
    }
  }

  #addUncompressed(bytes: number): void {
    this.#totals.uncompressed += bytes;
    if (this.#totals.uncompressed > freeInflation + maxInflation * this.#size)
      throw invalid(`it inflates to more than ${maxInflation} times its size`);
  }

  #addRepeated(bytes: number): void {
    this.#totals.repeated += bytes;
    const most = Math.max(maxRepeatedBytes, freeInflation + maxInflation * this.#size);
    if (this.#totals.repeated > most)
      throw invalid(`the values of its dictionaries occur so often that they have more than ${most} bytes`);
  }

  /** The offset index may only name pages that were checked. */
  async #checkOffsetIndex(at: { start: number; length: number }, starts: ReadonlySet<number>): Promise<void> {
    const index = new ThriftReader(await this.#read(at.start, at.length)).readStruct();
    const locations = index.get(1);
    for (const location of Array.isArray(locations) ? (locations as readonly ThriftStruct[]) : []) {
      const [start, size] = [Number(location.get?.(1)), Number(location.get?.(2))];
      if (!starts.has(start) || !(size >= 0) || start + size > this.#size)
        throw invalid('its offset index names a page that is not there');
    }
  }

  async #readPage(offset: number, end: number): Promise<{ header: PageHeader; bytes: Uint8Array; next: number }> {
    let window = Math.min(end - offset, 64 * 1024);
    for (;;) {
      const read = await this.#read(offset, window);
      try {
        const reader = new ThriftReader(read);
        const header = parseParquetPageHeader(reader.readStruct());
        const next = offset + reader.offset + header.compressedSize;
        if (next > this.#size) throw invalid('a page ends behind the file');
        const isRead = reader.offset + header.compressedSize <= read.length;
        const start = reader.offset;
        const bytes = isRead ? read.subarray(start, start + header.compressedSize) : null;
        return { header, bytes: bytes ?? (await this.#read(offset + start, header.compressedSize)), next };
      } catch (error) {
        if (window >= Math.min(end - offset, maxHeaderBytes)) throw error;
        window = Math.min(end - offset, maxHeaderBytes);
      }
    }
  }

  async #read(offset: number, length: number): Promise<Uint8Array> {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.#size)) throw invalid('it names bytes behind its end');
    const buffer = new Uint8Array(length);
    const { bytesRead } = await this.#file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }
}

/** Bytes of the values in a dictionary that count as often as they occur, 0 for others; null if none does. */
function longLengths(
  header: PageHeader,
  bytes: Uint8Array,
  element: SchemaElement,
  codec: CompressionCodec,
): Float64Array | null {
  if (element.type !== 'BYTE_ARRAY' && element.type !== 'FIXED_LEN_BYTE_ARRAY') return null;
  const least = isWkb(element) ? 0 : isText(element) ? longText : longValue;
  if (header.uncompressedSize <= least) return null;
  const lengths = lengthsInDictionary(header, bytes, element, codec).map((length) => (length > least ? length : 0));
  return lengths.some((length) => length > 0) ? lengths : null;
}

/** @throws PayloadError if the footer's own claims don't fit its bytes */
export async function assertFooterFits(file: FileHandle, size: number): Promise<void> {
  if (size < 12) throw invalid('it is too short');
  const tail = Buffer.alloc(8);
  await file.read(tail, 0, 8, size - 8);
  const length = tail.readUInt32LE(0);
  if (tail.toString('latin1', 4) !== 'PAR1') throw invalid('it does not end in PAR1');
  if (length > size - 8) throw invalid(`its footer claims ${length} bytes, and the file has ${size}`);
  const footer = new Uint8Array(length);
  await file.read(footer, 0, length, size - 8 - length);
  new ThriftReader(footer).readStruct();
}

/** A path as a text of its own, whatever its names are: a column `a.b` isn't the member `b` of `a`. */
const keyOf = (path: readonly string[]): string => JSON.stringify(path);

/** The columns of values in a schema, by the keys of their paths. @throws PayloadError if its numbers of children are wrong */
function leavesOf(schema: readonly SchemaElement[]): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  let next = 0;
  const visit = (path: readonly string[], definitionLevels: number, repetitionLevels: number) => {
    const element = schema[next++];
    if (!element || path.length > maxDepth) throw invalid('its schema is broken');
    const isRoot = next === 1;
    const names = isRoot ? [] : [...path, element.name];
    const definitions = definitionLevels + Number(!isRoot && element.repetition_type !== 'REQUIRED');
    const repetitions = repetitionLevels + Number(element.repetition_type === 'REPEATED');
    const children = element.num_children ?? 0;
    if (children < 0 || children > schema.length - next) throw invalid('its schema is broken');
    for (let child = 0; child < children; child++) visit(names, definitions, repetitions);
    if (children > 0 || isRoot) return;
    const isFlat = names.length === 1 && repetitions === 0;
    const name = names.join('.');
    leaves.set(keyOf(names), {
      path: name,
      element,
      definitionLevels: definitions,
      repetitionLevels: repetitions,
      isFlat,
    });
  };
  visit([], 0, 0);
  if (next !== schema.length) throw invalid('its schema is broken');
  if (leaves.size > maxColumns) throw invalid(`it has more than ${maxColumns} columns`);
  return leaves;
}

const invalid = (reason: string) => new PayloadError(`the Parquet can't be read: ${reason}`);
