/**
 * Geometries in the native encodings of GeoParquet (1.1.0, "Native encodings"): a column of x, of y, and of z if there is one,
 * in as many lists as the type of geometry has. They are assembled from the repetition and definition levels, page by page:
 * objects for x and y in nested arrays of a whole row group, which hyparquet would make first, take 200 bytes for a position.
 */
import type { AsyncBuffer, DecodedArray, RowGroup, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { convertWithDictionary, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import type { ColumnDecoder } from 'hyparquet/src/types.js';
import type { Geometry, SimpleGeometry } from '../../geometry/geometry.ts';
import { compressors } from './pages.ts';

/** A column in a native encoding. */
export interface NativeColumn {
  readonly type: SimpleGeometry['type'];
  /** Paths of the columns of numbers: x, y, and z if there is one. */
  readonly leaves: readonly (readonly string[])[];
}

/**
 * The column, if the schema is as the type demands: lists of structs of numbers x and y; else undefined.
 * @param depth number of lists
 */
export function nativeColumnOf(
  column: SchemaTree,
  type: SimpleGeometry['type'],
  depth: number,
): NativeColumn | undefined {
  const isList = ({ element }: SchemaTree) => Number(element.repetition_type === 'REPEATED');
  let struct = column;
  let lists = isList(column);
  while (struct.children.length === 1) {
    struct = struct.children[0] as SchemaTree;
    lists += isList(struct);
  }
  const leafOf = (name: string) =>
    struct.children.find(
      (leaf) => leaf.element.name === name && /^(DOUBLE|FLOAT)$/.test(leaf.element.type ?? '') && isList(leaf) === 0,
    );
  const [x, y, z] = ['x', 'y', 'z'].map(leafOf);
  if (lists !== depth || !x || !y) return undefined;
  return { type, leaves: [x, y, ...(z ? [z] : [])].map(({ path }) => path) };
}

/** Reads the geometries of a row group, in their order. */
export class NativeReader {
  readonly #type: SimpleGeometry['type'];
  readonly #x: LeafCursor;
  readonly #y: LeafCursor;
  readonly #z: LeafCursor | undefined;
  /** The lists that are being filled, by their depth; the coordinates of the geometry are the first. */
  #open: unknown[][] = [];

  private constructor(type: SimpleGeometry['type'], [x, y, z]: readonly LeafCursor[]) {
    this.#type = type;
    this.#x = x as LeafCursor;
    this.#y = y as LeafCursor;
    this.#z = z;
  }

  /** @param schema root of the file's schema */
  static async open(
    file: AsyncBuffer,
    schema: SchemaTree,
    group: RowGroup,
    { type, leaves }: NativeColumn,
  ): Promise<NativeReader> {
    return new NativeReader(type, await Promise.all(leaves.map((path) => openCursor(file, schema, group, path))));
  }

  /** Number of entries in all columns. */
  get entries(): number {
    return this.#x.entries + this.#y.entries + (this.#z?.entries ?? 0);
  }

  /** The geometries of the next rows. @throws Error if there are fewer */
  read(rows: number): (Geometry | null)[] {
    return Array.from({ length: rows }, () => this.#next());
  }

  #next(): Geometry | null {
    const x = this.#x;
    if (!x.hasNext()) throw new Error('a native geometry breaks off');
    const isNull = x.definition < x.levels.column;
    this.#open = [[]];
    let position = this.#addPosition();
    while (x.hasNext() && x.repetition > 0) position = this.#addPosition();
    if (isNull) return null;
    return { type: this.#type, coordinates: x.levels.lists.length === 0 ? position : this.#open[0] } as Geometry;
  }

  /** Adds a position to the lists that are open, and opens those that begin with it. An entry may also be an empty list. */
  #addPosition(): unknown[] {
    const { repetition, definition, levels } = this.#x;
    const { lists } = levels;
    const position = this.#takePosition(repetition);
    for (let list = Math.max(repetition, 1); list <= lists.length; list++) {
      if (definition < (lists[list - 1] as number)) break;
      const item = list === lists.length ? position : [];
      this.#open[list - 1]?.push(item);
      this.#open[list] = item;
    }
    return position;
  }

  /** The next number of each column. A z that is missing or NaN is left out; x and y may be null, which no geometry may have. */
  #takePosition(repetition: number): (number | null)[] {
    if (!this.#y.isNextOf(repetition) || this.#z?.isNextOf(repetition) === false)
      throw new Error('the columns of a native geometry have different lists');
    const [x, y] = [this.#x.take(), this.#y.take()];
    const z = this.#z ? this.#z.take() : null;
    return z === null || Number.isNaN(z) ? [x, y] : [x, y, z];
  }
}

/** Definition levels from which on a part of a column's path is present. */
interface Levels {
  /** The column itself is not null. */
  readonly column: number;
  /** A list has an item, by its depth. */
  readonly lists: readonly number[];
  /** The number is not null. */
  readonly value: number;
}

function levelsOf(path: readonly SchemaTree[]): Levels {
  const lists: number[] = [];
  let [column, value] = [0, 0];
  for (const [index, { element }] of path.entries()) {
    if (element.repetition_type !== 'REQUIRED') value++;
    if (element.repetition_type === 'REPEATED') lists.push(value);
    if (index === 0) column = value;
  }
  return { column, lists, value };
}

/** A page, decoded. */
interface LeafPage {
  /** Number of entries: numbers, nulls and empty lists. */
  readonly count: number;
  /** By entry; empty if all are 0. */
  readonly repetitions: readonly number[];
  /** By entry; empty if all are the greatest one. */
  readonly definitions: readonly number[];
  /** Those that are present. */
  readonly values: DecodedArray;
}

async function openCursor(file: AsyncBuffer, schema: SchemaTree, group: RowGroup, path: readonly string[]) {
  const name = path.join('.');
  // Compared name by name: a column "geometry.x" may stand beside the member "x" of "geometry".
  const isAtPath = (other: readonly string[]) =>
    other.length === path.length && other.every((one, depth) => one === path[depth]);
  const meta = group.columns.find(({ meta_data }) => meta_data && isAtPath(meta_data.path_in_schema))?.meta_data;
  if (!meta) throw new Error(`a row group lacks the column "${name}"`);
  const schemaPath = getTreePath(schema, [...path]);
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
  const bytes = await file.slice(start, Math.min(file.byteLength, start + Number(meta.total_compressed_size)));
  const decoder: ColumnDecoder = {
    pathInSchema: [...path],
    type: meta.type,
    element: (schemaPath.at(-1) as SchemaTree).element,
    schemaPath,
    codec: meta.codec,
    parsers: DEFAULT_PARSERS,
    compressors,
  };
  const entries = Number(meta.num_values);
  return new LeafCursor(levelsOf(schemaPath.slice(1)), readPages(bytes, decoder, entries), entries);
}

/** Entries of a column, one after the other. Levels are those of the next one, if `hasNext` says that there is one. */
class LeafCursor {
  readonly levels: Levels;
  /** Number of entries in all pages. */
  readonly entries: number;
  readonly #pages: Iterator<LeafPage, void>;
  #page: LeafPage = { count: 0, repetitions: [], definitions: [], values: [] };
  #entry = 0;
  #value = 0;

  constructor(levels: Levels, pages: Iterator<LeafPage, void>, entries: number) {
    this.levels = levels;
    this.entries = entries;
    this.#pages = pages;
  }

  hasNext(): boolean {
    while (this.#entry === this.#page.count) {
      const next = this.#pages.next();
      if (next.done) return false;
      this.#page = next.value;
      this.#entry = this.#value = 0;
    }
    return true;
  }

  /** True if the next entry has this repetition level. */
  isNextOf(repetition: number): boolean {
    return this.hasNext() && this.repetition === repetition;
  }

  get repetition(): number {
    return this.#page.repetitions[this.#entry] ?? 0;
  }

  get definition(): number {
    return this.#page.definitions[this.#entry] ?? this.levels.value;
  }

  /** The number of the next entry; null if it has none. */
  take(): number | null {
    const isPresent = this.definition === this.levels.value;
    this.#entry++;
    return isPresent ? (this.#page.values[this.#value++] as number) : null;
  }
}

/** @param entries number of them in the column */
function* readPages(bytes: ArrayBuffer, decoder: ColumnDecoder, entries: number): Generator<LeafPage, void> {
  const reader = { view: new DataView(bytes), offset: 0 };
  let dictionary: DecodedArray | undefined;
  let seen = 0;
  while (seen < entries && reader.offset < bytes.byteLength - 1) {
    const header = parquetHeader(reader);
    const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: words } = header;
    const packed = new Uint8Array(bytes, reader.offset, header.compressed_page_size);
    reader.offset += header.compressed_page_size;
    const unpack = () => decompressPage(packed, header.uncompressed_page_size, decoder.codec, decoder.compressors);
    if (words) {
      const page = unpack();
      const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
      dictionary = readPlain({ view, offset: 0 }, decoder.type, words.num_values, undefined);
    }
    const data = v1 ?? v2;
    if (!data) continue;
    const { definitionLevels, repetitionLevels, dataPage } = v1
      ? readDataPage(unpack(), v1, decoder)
      : readDataPageV2(packed, header, decoder);
    seen += data.num_values;
    yield {
      count: data.num_values,
      repetitions: repetitionLevels,
      definitions: definitionLevels ?? [],
      values: convertWithDictionary(dataPage, dictionary, data.encoding, decoder),
    };
  }
}
