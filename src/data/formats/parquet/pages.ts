/** Pages of Parquet (parquet.thrift, `PageHeader`): their headers, and the values, sizes and runs that they claim. */
import { decompress as decompressZstd } from 'fzstd';
import type { CompressionCodec, Compressors, SchemaElement } from 'hyparquet';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { compressors as libraryCompressors } from 'hyparquet-compressors';
import { PayloadError } from '../../errors.ts';
import type { ThriftStruct, ThriftValue } from './thrift.ts';

/** Most values of a page: they are decoded together. Writers make pages of 1 MB, or some 20,000 rows. */
const maxPageValues = 1 << 22;

/** Most bytes of a page, decompressed. */
const maxPageBytes = 512 * 1024 * 1024;

const { LZ4, LZ4_RAW } = libraryCompressors as Required<Compressors>;

/**
 * The library's, except that Zstandard gets an output of the size that was checked; by itself it takes the data's word. And its LZ4
 * can't read a block of nothing, which a dictionary has in a column of nulls.
 */
export const compressors: Compressors = {
  ...libraryCompressors,
  LZ4: (input, length) => (length === 0 ? new Uint8Array(0) : LZ4(input, length)),
  LZ4_RAW: (input, length) => (length === 0 ? new Uint8Array(0) : LZ4_RAW(input, length)),
  ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
};

/** A column of values, as the schema declares it. */
export interface Leaf {
  /** Its name behind those of the groups around it, joined by dots. */
  readonly path: string;
  readonly element: SchemaElement;
  /** Greatest definition level and repetition level. */
  readonly definitionLevels: number;
  readonly repetitionLevels: number;
  /** True if it has one value a row. */
  readonly isFlat: boolean;
}

export interface PageHeader {
  readonly type: 'data' | 'dataV2' | 'dictionary' | 'other';
  /** Sizes in bytes. */
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  /** Number of values, nulls included. */
  readonly values: number;
  /** Version 2 only. */
  readonly nulls: number;
  readonly encoding: number;
  /** Version 2 only: bytes of the levels, which are not compressed. */
  readonly repetitionBytes: number;
  readonly definitionBytes: number;
  readonly isCompressed: boolean;
}

/** Codes of encodings (parquet.thrift, `Encoding`) with runs, and of one with shared beginnings. */
const encodings = { plainDictionary: 2, rle: 3, rleDictionary: 8, deltaByteArray: 7 };

/** True for a page whose values are indexes of a dictionary. */
export const usesDictionary = ({ encoding }: PageHeader): boolean =>
  encoding === encodings.plainDictionary || encoding === encodings.rleDictionary;

/** @throws PayloadError if a number is missing, negative or too large */
export function parseParquetPageHeader(header: ThriftStruct): PageHeader {
  const code = header.get(1);
  const type = code === 0 ? 'data' : code === 3 ? 'dataV2' : code === 2 ? 'dictionary' : 'other';
  const details = asStruct(header.get({ data: 5, dataV2: 8, dictionary: 7, other: 6 }[type]));
  const isV2 = type === 'dataV2';
  const nulls = isV2 ? asCount(details.get(2), 'nulls', maxPageValues) : 0;
  if (isV2) asCount(details.get(3), 'rows', maxPageValues);
  return {
    type,
    uncompressedSize: asCount(header.get(2), 'bytes', maxPageBytes),
    compressedSize: asCount(header.get(3), 'bytes', maxPageBytes),
    values: type === 'other' ? 0 : asCount(details.get(1), 'values', maxPageValues),
    nulls,
    encoding: Number(details.get(isV2 ? 4 : 2)),
    definitionBytes: isV2 ? asCount(details.get(5), 'bytes', maxPageBytes) : 0,
    repetitionBytes: isV2 ? asCount(details.get(6), 'bytes', maxPageBytes) : 0,
    isCompressed: !isV2 || details.get(7) !== false,
  };
}

/** Receives a value of a page, and how often it occurs there. */
type Visit = (value: number, times: number) => void;

/**
 * Compares the claims of a page with its bytes.
 * @param bytes of the page, without its header
 * @param visit receives the indexes of a page that uses a dictionary; nulls have none
 * @returns bytes that its values have beyond those of the page, since they share their beginnings
 * @throws PayloadError
 */
export function assertPageFits(
  header: PageHeader,
  bytes: Uint8Array,
  leaf: Leaf,
  codec: CompressionCodec,
  visit?: Visit,
): number {
  const { type, values } = header;
  if (type === 'other') return 0;
  if (type === 'dictionary') {
    // Plain values: of booleans eight a byte, of texts each with four bytes of length.
    const { type: valueType, type_length = 0 } = leaf.element;
    const least = valueType === 'BOOLEAN' ? 1 / 8 : valueType === 'FIXED_LEN_BYTE_ARRAY' ? Math.max(1, type_length) : 4;
    if (values * least > header.uncompressedSize)
      throw invalid(`a dictionary claims ${values} values in ${header.uncompressedSize} bytes`);
    return 0;
  }
  const hasRuns = [encodings.plainDictionary, encodings.rle, encodings.rleDictionary].includes(header.encoding);
  const isDelta = header.encoding === encodings.deltaByteArray;
  if (!hasRuns && !isDelta && leaf.definitionLevels === 0 && leaf.repetitionLevels === 0) return 0;
  const levels = header.repetitionBytes + header.definitionBytes;
  if (levels > bytes.length) throw invalid(`a page claims ${levels} bytes of levels, and has ${bytes.length}`);
  const packed = bytes.subarray(levels);
  const size = header.uncompressedSize - levels;
  const needsBody = hasRuns || isDelta || type === 'data';
  const page = needsBody && header.isCompressed ? decompressPage(packed, size, codec) : packed;
  let rest: Uint8Array = page;
  // Values that aren't null; what the header of version 2 says need not be true.
  let present = leaf.definitionLevels > 0 ? 0 : values;
  const countPresent = (level: number, times: number) => {
    if (level === leaf.definitionLevels) present += times;
  };
  const isNestedV2 = type === 'dataV2' && leaf.repetitionLevels > 0;
  const visitLevel = visit || isDelta || isNestedV2 ? countPresent : undefined;
  if (header.type === 'data') {
    if (leaf.repetitionLevels > 0) rest = checkRunsWithLength(rest, bitWidth(leaf.repetitionLevels), values);
    if (leaf.definitionLevels > 0)
      rest = checkRunsWithLength(rest, bitWidth(leaf.definitionLevels), values, visitLevel);
  } else {
    if (leaf.repetitionLevels > 0) checkRuns(bytes, bitWidth(leaf.repetitionLevels), values);
    if (leaf.definitionLevels > 0)
      checkRuns(bytes.subarray(header.repetitionBytes), bitWidth(leaf.definitionLevels), values, visitLevel);
  }
  // Arrow doesn't count the empty and missing lists around a struct, and hyparquet believes the header.
  if (isNestedV2 && present !== values - header.nulls)
    throw invalid(
      `the column "${leaf.path.slice(0, 200)}" has pages of version 2 with a wrong number of nulls. ` +
        'Write the file with pages of version 1; in pyarrow: data_page_version="1.0"',
    );
  if (isDelta) return bytesOfBeginnings(rest, type === 'data' ? present : values - header.nulls);
  if (!hasRuns) return 0;
  const isBooleans = type === 'data' ? leaf.element.type === 'BOOLEAN' : header.encoding === encodings.rle;
  if (isBooleans) checkRunsWithLength(rest, 1, values);
  else {
    const width = rest[0] ?? 0;
    checkRuns(rest.subarray(1), width, values, width > 0 ? visit : undefined, present);
    // Indexes without bits are 0, and a page of version 1 needs no runs of them.
    if (width === 0) visit?.(0, present);
  }
  return 0;
}

/** Bytes of what the values of DELTA_BYTE_ARRAY share with those before them: the page begins with their lengths. */
function bytesOfBeginnings(bytes: Uint8Array, count: number): number {
  if (count <= 0) return 0;
  const lengths = new Int32Array(count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  deltaBinaryUnpack({ view, offset: 0 }, count, lengths);
  return lengths.reduce((sum, length) => sum + Math.max(0, length), 0);
}

/**
 * Bytes of each value in a dictionary of byte arrays, which are plain: each behind the four bytes of its length, unless the
 * column has values of one length.
 */
export function lengthsInDictionary(
  { values, uncompressedSize }: PageHeader,
  bytes: Uint8Array,
  { type, type_length = 0 }: SchemaElement,
  codec: CompressionCodec,
): Float64Array {
  const lengths = new Float64Array(values);
  if (type === 'FIXED_LEN_BYTE_ARRAY') return lengths.fill(type_length);
  const page = decompressPage(bytes, uncompressedSize, codec);
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  for (let i = 0, at = 0; i < values && at + 4 <= page.length; i++) {
    const length = view.getUint32(at, true);
    lengths[i] = length;
    at += 4 + length;
  }
  return lengths;
}

/** Bits of the values from 0 to this one. */
const bitWidth = (value: number) => 32 - Math.clz32(value);

function decompressPage(bytes: Uint8Array, size: number, codec: CompressionCodec): Uint8Array {
  if (codec === 'UNCOMPRESSED' || size <= 0) return bytes;
  const decompress = compressors[codec];
  if (!decompress) throw invalid(`the compression ${codec} is not supported`);
  return decompress(bytes, size);
}

/** Checks runs behind the four bytes of their length. @returns the bytes after them */
function checkRunsWithLength(bytes: Uint8Array, width: number, values: number, visit?: Visit): Uint8Array {
  const length = bytes.length < 4 ? -1 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length < 0 || length > bytes.length - 4) throw invalid('the runs of a page end behind it');
  checkRuns(bytes.subarray(4), width, values, visit);
  return bytes.subarray(4 + length);
}

/**
 * Checks that no run of equal values is longer than the page: hyparquet writes it as long as it claims to be, and reads runs
 * until it has all values. Runs of packed values end with the bytes.
 * @param width bits of a value
 * @param visit receives the first `visited` values
 */
function checkRuns(bytes: Uint8Array, width: number, values: number, visit?: Visit, visited = values): void {
  let seen = 0;
  for (let at = 0; seen < values && at < bytes.length; ) {
    let head = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      head |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const isPacked = (head & 1) === 1;
    const count = isPacked ? (head >> 1) * 8 : head >>> 1;
    const most = !isPacked ? values - seen : width === 0 ? values + 7 : Number.POSITIVE_INFINITY;
    if (count < 0 || count > most) throw invalid(`a page has ${values} values, and a run in it claims ${count}`);
    const size = isPacked ? Math.ceil((count * width) / 8) : Math.ceil(width / 8);
    const left = Math.min(count, visited - seen);
    if (visit && left > 0) {
      const run = bytes.subarray(at, at + size);
      if (isPacked) visitPacked(run, width, left, visit);
      else
        visit(
          run.reduce((sum, byte, i) => sum | (byte << (8 * i)), 0),
          left,
        );
    }
    at += size;
    seen += count;
  }
}

/** Most bits of a value in a packed run. An index has fewer: a dictionary has at most as many values as a page. */
const maxPackedBits = 24;

/** Visits values of `width` bits each, the lowest bits first. */
function visitPacked(bytes: Uint8Array, width: number, count: number, visit: Visit): void {
  if (width > maxPackedBits) throw invalid(`a page has values of ${width} bits`);
  const mask = (1 << width) - 1;
  for (let i = 0, bit = 0; i < count; i++, bit += width) {
    const at = bit >> 3;
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    const high = (bytes[at + 2] ?? 0) | ((bytes[at + 3] ?? 0) << 8);
    visit(((low | (high << 16)) >>> (bit & 7)) & mask, 1);
  }
}

function asStruct(value: ThriftValue | undefined): ThriftStruct {
  return value instanceof Map ? value : new Map();
}

function asCount(value: ThriftValue | undefined, noun: string, most: number): number {
  const count = typeof value === 'number' ? value : -1;
  if (count < 0) throw invalid(`a page has no number of ${noun}`);
  if (count > most) throw invalid(`a page claims ${count} ${noun}; the limit is ${most}. Write it in smaller pages`);
  return count;
}

const invalid = (reason: string) => new PayloadError(`the Parquet can't be read: ${reason}`);
