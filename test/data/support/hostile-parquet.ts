/** Parquet files of a few bytes that claim what they don't have, written by hand: no writer would make them. */
import { gzipSync } from 'node:zlib';

type Field = readonly [id: number, type: 'i32' | 'i64' | 'bytes' | 'list' | 'struct', value: unknown];

const varint = (value: number | bigint): Buffer => {
  const bytes: number[] = [];
  for (let left = BigInt(value); ; left >>= 7n) {
    if (left < 0x80n) return Buffer.from([...bytes, Number(left)]);
    bytes.push(Number(left & 0x7fn) | 0x80);
  }
};
const zigzag = (value: number | bigint) => varint(BigInt(value) >= 0n ? BigInt(value) * 2n : BigInt(value) * -2n - 1n);

/** A struct in Thrift's compact protocol. A list is of structs, unless its items are numbers (i32) or texts. */
export function thrift(...fields: readonly Field[]): Buffer {
  let last = 0;
  const parts = fields.map(([id, type, value]) => {
    const head = ((id - last) << 4) | { i32: 5, i64: 6, bytes: 8, list: 9, struct: 12 }[type];
    last = id;
    return Buffer.concat([Buffer.from([head]), encode(type, value)]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

function encode(type: Field[1], value: unknown): Buffer {
  if (type === 'struct') return value as Buffer;
  if (type === 'bytes')
    return Buffer.concat([varint(Buffer.byteLength(value as string)), Buffer.from(value as string)]);
  if (type !== 'list') return zigzag(value as number);
  const items = value as readonly unknown[];
  const [code, item] =
    typeof items[0] === 'number'
      ? [5, 'i32' as const]
      : typeof items[0] === 'string'
        ? [8, 'bytes' as const]
        : [12, 'struct' as const];
  const head =
    items.length < 15
      ? Buffer.from([(items.length << 4) | code])
      : Buffer.concat([Buffer.from([0xf0 | code]), varint(items.length)]);
  return Buffer.concat([head, ...items.map((one) => encode(item, one))]);
}

/** A run of one value, `width` bytes, in the hybrid of runs and packed values. */
export const run = (count: number, value: number, width = 1) =>
  Buffer.concat([varint(count * 2), Buffer.from([value, 0, 0, 0]).subarray(0, width)]);

export const withLength = (bytes: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

interface Claims {
  readonly values: number;
  /** PLAIN by default; 8 is RLE_DICTIONARY, 7 DELTA_BYTE_ARRAY. */
  readonly encoding?: number;
  readonly uncompressed?: number;
}

export const page = (body: Buffer, { values, encoding = 0, uncompressed = body.length }: Claims) =>
  Buffer.concat([
    thrift(
      [1, 'i32', 0],
      [2, 'i32', uncompressed],
      [3, 'i32', body.length],
      [5, 'struct', thrift([1, 'i32', values], [2, 'i32', encoding], [3, 'i32', 3], [4, 'i32', 3])],
    ),
    body,
  ]);

export const pageV2 = (body: Buffer, { values, encoding = 0 }: Claims, levelBytes: number) =>
  Buffer.concat([
    thrift(
      [1, 'i32', 3],
      [2, 'i32', body.length],
      [3, 'i32', body.length],
      [
        8,
        'struct',
        thrift(
          [1, 'i32', values],
          [2, 'i32', values],
          [3, 'i32', values],
          [4, 'i32', encoding],
          [5, 'i32', levelBytes],
          [6, 'i32', 0],
        ),
      ],
    ),
    body,
  ]);

export const dictionary = (body: Buffer, values: number) =>
  Buffer.concat([
    thrift(
      [1, 'i32', 2],
      [2, 'i32', body.length],
      [3, 'i32', body.length],
      [7, 'struct', thrift([1, 'i32', values], [2, 'i32', 0])],
    ),
    body,
  ]);

interface FileOptions {
  /** Rows of the only row group, or of each. */
  readonly rows: number;
  readonly groups?: number;
  /** Rows of the whole file; by default the sum. */
  readonly fileRows?: number;
  /** Code of the compression: 1 is SNAPPY, 2 GZIP, 6 ZSTD. */
  readonly codec?: number;
  /** Number of bytes in front of the data page: a dictionary. */
  readonly dictionaryBytes?: number;
  readonly offsetIndex?: readonly [offset: number, length: number];
  /** Code of the type: 1 is INT32, 6 BYTE_ARRAY, 7 FIXED_LEN_BYTE_ARRAY. */
  readonly type?: number;
  /** Bytes of each value of type 7. */
  readonly valueBytes?: number;
}

/** A file with one nullable column `a`, of whole numbers by default. All row groups have the same pages. */
export function parquetFile(pages: Buffer, options: FileOptions): Buffer {
  const { rows, groups = 1, fileRows = rows * groups, codec = 0, dictionaryBytes = 0, offsetIndex, type = 1 } = options;
  const { valueBytes } = options;
  const fixed = valueBytes === undefined ? [] : [[2, 'i32', valueBytes] as const];
  const column = thrift(
    [1, 'i32', type],
    [2, 'list', [0, 3]],
    [3, 'list', ['a']],
    [4, 'i32', codec],
    [5, 'i64', rows],
    [6, 'i64', pages.length],
    [7, 'i64', pages.length],
    [9, 'i64', 4 + dictionaryBytes],
    ...(dictionaryBytes ? [[11, 'i64', 4] as const] : []),
  );
  const chunk = thrift(
    [2, 'i64', 4],
    [3, 'struct', column],
    ...(offsetIndex ? [[4, 'i64', offsetIndex[0]] as const, [5, 'i32', offsetIndex[1]] as const] : []),
  );
  const group = thrift([1, 'list', [chunk]], [2, 'i64', pages.length], [3, 'i64', rows]);
  const footer = thrift(
    [1, 'i32', 1],
    [
      2,
      'list',
      [
        thrift([4, 'bytes', 'schema'], [5, 'i32', 1]),
        thrift([1, 'i32', type], ...fixed, [3, 'i32', 1], [4, 'bytes', 'a']),
      ],
    ],
    [3, 'i64', fileRows],
    [4, 'list', Array.from({ length: groups }, () => group)],
  );
  return wrap(pages, footer);
}

/** Pages and a footer as a file. */
export function wrap(pages: Buffer, footer: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), pages, footer, length, Buffer.from('PAR1')]);
}

const number = Buffer.from([7, 0, 0, 0]);
const nulls = (count: number) => withLength(run(count, 0));
const present = (count: number) => withLength(run(count, 1));

/** Page of three rows that are honest. */
export const threeRows = page(Buffer.concat([present(3), number, number, number]), { values: 3 });

function withDictionary(indexes: Buffer, values: number, value = number, type = 1): Buffer {
  const head = dictionary(value, 1);
  const body = Buffer.concat([present(values), Buffer.from([1]), indexes]);
  const rows = values;
  return parquetFile(Buffer.concat([head, page(body, { values, encoding: 8 })]), {
    rows,
    dictionaryBytes: head.length,
    type,
  });
}

/** A file whose 5,000 rows have the first value of a dictionary, which has 1 MB. */
function withLongValue(data: Buffer, value: Buffer, options: Partial<FileOptions> & { values?: number } = {}): Buffer {
  const { values = 1, ...others } = options;
  const head = dictionary(value, values);
  return parquetFile(Buffer.concat([head, data]), { rows: 5_000, dictionaryBytes: head.length, type: 6, ...others });
}

const megabyte = Buffer.alloc(1 << 20, 'x');
const repeated = { values: 5_000, encoding: 8 };
const firstIndexes = page(Buffer.concat([present(5_000), Buffer.from([1]), run(5_000, 0)]), repeated);
const occursTooOften = /the values of its dictionaries occur so often that they have more than 4294967296 bytes/;

/** A page of DELTA_BYTE_ARRAY: each text has one character more than the one before, with which it begins. */
export function growingTexts(values: number): Buffer {
  const lengths = (first: number, step: number) => {
    const block = Buffer.concat([zigzag(step), Buffer.alloc(4)]);
    const blocks = Array.from({ length: Math.ceil((values - 1) / 128) }, () => block);
    return Buffer.concat([varint(128), varint(4), varint(values), zigzag(first), ...blocks]);
  };
  const body = Buffer.concat([present(values), lengths(0, 1), lengths(1, 0), Buffer.alloc(values, 'x')]);
  return page(body, { values, encoding: 7 });
}

function compressed(codec: number, body: Buffer, uncompressed: number): Buffer {
  return parquetFile(page(body, { values: 3, uncompressed }), { rows: 3, codec });
}

/** A frame of Zstandard with `blocks` blocks of one byte, repeated 128 kB each. */
function zstdBomb(blocks: number): Buffer {
  const size = 128 * 1024;
  const block = (isLast: boolean) => {
    const head = (size << 3) | (1 << 1) | Number(isLast);
    return Buffer.from([head & 0xff, (head >> 8) & 0xff, head >> 16, 0]);
  };
  const all = Array.from({ length: blocks }, (_, index) => block(index === blocks - 1));
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]), ...all]);
}

const listBomb = () =>
  Buffer.concat([
    Buffer.from([0x19]),
    ...Array.from({ length: 16 }, () => Buffer.concat([Buffer.from([0xf9]), varint(30_000_000)])),
  ]);

function withHiddenPage(): Buffer {
  const hidden = page(nulls(4_000_000), { values: 4_000_000 });
  const index = thrift([
    1,
    'list',
    [thrift([1, 'i64', 4 + threeRows.length], [2, 'i32', hidden.length], [3, 'i64', 0])],
  ]);
  const pages = Buffer.concat([threeRows, hidden, index]);
  return parquetFile(pages, { rows: 3, offsetIndex: [4 + threeRows.length + hidden.length, index.length] });
}

/** The files, each with the reason why it is refused. */
export const hostileFiles: Readonly<Record<string, readonly [file: () => Buffer, reason: RegExp]>> = {
  'a page of 20 million nulls': [
    () => parquetFile(page(nulls(20_000_000), { values: 20_000_000 }), { rows: 20_000_000 }),
    /claims more than \d+ values, too many for a file of \d+ bytes/,
  ],
  'a page of 200 million nulls': [
    () => parquetFile(page(nulls(200_000_000), { values: 200_000_000 }), { rows: 200_000_000 }),
    /too many for a file of/,
  ],
  'a page of another number of rows than its row group': [
    () => parquetFile(page(nulls(200_000_000), { values: 200_000_000 }), { rows: 3 }),
    /a page claims 200000000 values; the limit is/,
  ],
  'a page of version 2 of 200 million rows': [
    () => parquetFile(pageV2(run(200_000_000, 0), { values: 200_000_000 }, 5), { rows: 3 }),
    /a page claims 200000000 nulls/,
  ],
  'a billion rows in the footer, three in the page': [
    () => parquetFile(threeRows, { rows: 1_000_000_000 }),
    /too many for a file of/,
  ],
  'a million rows in the row group, three in the page': [
    () => parquetFile(threeRows, { rows: 1_000_000 }),
    /claims 1000000 rows, and its column "a" has 3 values/,
  ],
  'another number of rows in the footer than in the row groups': [
    () => parquetFile(threeRows, { rows: 3, fileRows: 2_000_000_000 }),
    /the file claims 2000000000 rows, and its row groups 3/,
  ],
  'a million rows in each of 1,000 row groups, all in one page': [
    () => parquetFile(page(nulls(1_000_000), { values: 1_000_000 }), { rows: 1_000_000, groups: 1_000 }),
    /too many for a file of/,
  ],
  'a dictionary of two billion values in four bytes': [
    () => {
      const head = dictionary(number, 2 ** 31 - 1);
      return parquetFile(Buffer.concat([head, threeRows]), { rows: 3, dictionaryBytes: head.length });
    },
    /a page claims 2147483647 values/,
  ],
  'a dictionary of a million values in four bytes': [
    () => {
      const head = dictionary(number, 1_000_000);
      return parquetFile(Buffer.concat([head, threeRows]), { rows: 3, dictionaryBytes: head.length });
    },
    /a dictionary claims 1000000 values in 4 bytes/,
  ],
  'a run of 200 million indexes of a dictionary': [
    () => withDictionary(run(200_000_000, 0), 3),
    /a page has 3 values, and a run in it claims 200000000/,
  ],
  'a text of 1 MB in a dictionary that occurs 5,000 times': [
    () => withDictionary(run(5_000, 0), 5_000, withLength(Buffer.alloc(1 << 20, 'x')), 6),
    occursTooOften,
  ],
  'such a text beside many short ones': [
    () => {
      const short = Array.from({ length: 2_000 }, () => withLength(Buffer.from('x')));
      return withLongValue(firstIndexes, Buffer.concat([withLength(megabyte), ...short]), { values: 2_001 });
    },
    occursTooOften,
  ],
  'such bytes of a fixed length': [
    () => withLongValue(firstIndexes, megabyte, { type: 7, valueBytes: megabyte.length }),
    occursTooOften,
  ],
  'such a text, by indexes without bits': [
    () => withLongValue(page(Buffer.concat([present(5_000), Buffer.from([0])]), repeated), withLength(megabyte)),
    occursTooOften,
  ],
  'such a text, in a page of version 2 that claims to have nulls only': [
    () => {
      const levels = run(5_000, 1);
      const body = Buffer.concat([levels, Buffer.from([1]), run(5_000, 0)]);
      return withLongValue(pageV2(body, repeated, levels.length), withLength(megabyte));
    },
    occursTooOften,
  ],
  'texts of which each begins with the one before': [
    () => parquetFile(growingTexts(40_000), { rows: 40_000, type: 6 }),
    /inflates to more than 250 times its size/,
  ],
  'a run of 200 million levels': [
    () => parquetFile(page(nulls(200_000_000), { values: 3 }), { rows: 3 }),
    /a run in it claims 200000000/,
  ],
  'a run of levels behind those of version 2': [
    () => parquetFile(pageV2(run(200_000_000, 0), { values: 3 }, 0), { rows: 3 }),
    /a run in it claims 200000000/,
  ],
  'a page of 2 GB in a few bytes of GZIP': [
    () => compressed(2, gzipSync(Buffer.alloc(100)), 2 ** 31 - 1),
    /a page claims 2147483647 bytes/,
  ],
  'a page of 400 MB in a few bytes of SNAPPY': [
    () => compressed(1, Buffer.from([3, 8, 1, 2, 3]), 400_000_000),
    /inflates to more than 250 times its size/,
  ],
  'a page of Zstandard that inflates to more than it claims': [
    () => compressed(6, zstdBomb(20_000), 16),
    /can't be read/,
  ],
  'lists in lists of 30 million items in the footer': [() => wrap(threeRows, listBomb()), /a list of 30000000 items/],
  'an offset index to a page that no column has': [withHiddenPage, /names a page that is not there/],
};
