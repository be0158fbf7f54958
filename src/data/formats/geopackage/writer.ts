/**
 * The writer of `gpkg`: a GeoPackage with one table of features, or of attributes if there is no geometry. SQLite, compiled to WebAssembly, writes it page by page: 16 MB of pages are in memory, however many rows there are, and up to 40 MB for the spatial index.
 */
import { rm, stat } from 'node:fs/promises';
import type { Database } from 'node-sqlite3-wasm';
import { dateOfInstant, parseDateTime } from '../../date-time.ts';
import { noRoomError, type WriteToOptions } from '../../derived/file-in-the-making.ts';
import { Turns } from '../../event-loop.ts';
import { bboxOfGeometry } from '../../geometry/bounding-box.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { toWkb } from '../../geometry/wkb.ts';
import type { Row, TableColumn, Value } from '../../row.ts';
import { columnsToWrite, columnsWithoutGeometry } from '../selected-columns.ts';
import type { RowsInput } from '../types.ts';
import { prologue, quoteName } from './schema.ts';
import { SpatialIndexWriter } from './spatial-index.ts';

const wgs84 = 4326;
/** Rows between two looks at the size of the file. */
const rowsPerRoomCheck = 8192;

type Cell = null | number | bigint | string | Uint8Array;

/**
 * @param path of a new file
 * @param modified time of the last change that the file names, in RFC 3339
 * @throws what `assertRoom` throws; UnavailableError if the disk becomes full; the signal's reason
 */
export async function writeGeoPackage(
  path: string,
  { input, modified }: { readonly input: RowsInput; readonly modified: string },
  { assertRoom, signal }: WriteToOptions,
): Promise<void> {
  await assertRoom(0);
  // Loaded on demand: it takes some 20 ms.
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(path);
  try {
    database.exec(prologue);
    const turns = new Turns(() => signal.throwIfAborted());
    const table = new TableWriter(database, input, turns);
    for await (const row of eachRow(input.rows)) {
      table.add(row);
      if (turns.isOverAfterItem()) await turns.next();
      if (table.index?.isFull) await table.index.packRows();
      if (table.count % rowsPerRoomCheck !== 0) continue;
      signal.throwIfAborted();
      await assertRoom((await stat(path)).size);
    }
    await table.finish(new Date(modified));
    database.exec('COMMIT');
  } catch (error) {
    throw isDiskError(error) ? noRoomError(error) : error;
  } finally {
    database.close();
    // The folder is the lock of this file system's SQLite.
    await rm(`${path}.lock`, { recursive: true, force: true });
  }
}

/** True for what SQLite says if a write fails: it calls a full disk an I/O error, too. */
const isDiskError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'SQLite3Error' && /disk I\/O error|disk is full/.test(error.message);

async function* eachRow(rows: RowsInput['rows']): AsyncGenerator<Row, void, undefined> {
  if (!('groups' in rows)) yield* rows;
  else for await (const group of rows.groups) yield* group;
}

class TableWriter {
  readonly #database: Database;
  readonly #input: RowsInput;
  readonly #table: string;
  readonly #names: ReturnType<typeof chooseNames>;
  readonly #columns: readonly ((row: Row) => Cell)[];
  readonly #hasGeometry: boolean;
  readonly #insert: ReturnType<Database['prepare']>;
  /** Null if there is no geometry. */
  readonly index: SpatialIndexWriter | null;
  readonly #extent = [Infinity, Infinity, -Infinity, -Infinity];
  count = 0;

  constructor(database: Database, input: RowsInput, turns: Turns) {
    this.#database = database;
    this.#input = input;
    const selected = columnsToWrite(input);
    const columns = columnsWithoutGeometry(selected);
    this.#hasGeometry = selected.length > columns.length;
    this.#names = chooseNames(columns.map(({ name }) => name));
    const { id, geometry, values } = this.#names;
    const definitions = [
      `${quoteName(id)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`,
      ...(this.#hasGeometry ? [`${quoteName(geometry)} ${geometryTypeOf(input)}`] : []),
      ...columns.map(({ type }, i) => `${quoteName(values[i] as string)} ${sqlTypes[type]}`),
    ];
    this.#table = tableNameOf(input.name);
    const name = quoteName(this.#table);
    database.exec(`CREATE TABLE ${name} (${definitions.join(', ')})`);
    this.#insert = database.prepare(`INSERT INTO ${name} VALUES (${definitions.map(() => '?').join(', ')})`);
    this.index = this.#hasGeometry
      ? new SpatialIndexWriter(database, { table: this.#table, id, geometry }, turns)
      : null;
    this.#columns = columns.map(({ index, type }) => {
      const toCell = cellConverters[type] ?? toText;
      return (row: Row) => {
        const value = row.value(index);
        return value === null ? null : toCell(value);
      };
    });
  }

  add(row: Row): void {
    const id = ++this.count;
    const cells: Cell[] = [id];
    if (this.#hasGeometry) {
      const geometry = row.geometry();
      const box = geometry && bboxOfGeometry(geometry);
      cells.push(geometry && geometryBlob(geometry, box));
      if (box) {
        this.#extend(box);
        this.index?.add(id, box);
      }
    }
    for (const cell of this.#columns) cells.push(cell(row));
    this.#insert.run(cells);
  }

  #extend([west, south, east, north]: readonly [number, number, number, number]): void {
    const extent = this.#extent as [number, number, number, number];
    extent[0] = Math.min(extent[0], west);
    extent[1] = Math.min(extent[1], south);
    extent[2] = Math.max(extent[2], east);
    extent[3] = Math.max(extent[3], north);
  }

  /** Describes the table, once its extent is known. */
  async finish(modified: Date): Promise<void> {
    this.#insert.finalize();
    const { geometryKinds = [] } = this.#input;
    const name = this.#table;
    const { geometry } = this.#names;
    const extent = this.#extent.every(Number.isFinite) ? this.#extent : [null, null, null, null];
    this.#database.run('INSERT INTO gpkg_contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', [
      ...[name, this.#hasGeometry ? 'features' : 'attributes', name, '', modified.toISOString()],
      ...[...extent, this.#hasGeometry ? wgs84 : null],
    ]);
    if (!this.index) return;
    // 2: geometries may have a Z.
    const z = geometryKinds.length === 0 || geometryKinds.some((kind) => kind.endsWith(' Z')) ? 2 : 0;
    this.#database.run('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, ?, 0)', [
      ...[name, geometry, geometryTypeOf(this.#input), wgs84, z],
    ]);
    await this.index.finish();
  }
}

/** The name of the table: SQLite and GeoPackage keep some beginnings for their own tables. */
const tableNameOf = (name: string): string => (/^(sqlite|gpkg|rtree)_/i.test(name) ? `_${name}` : name);

/**
 * Names of the columns in SQLite, which takes names that differ in case alone for the same, and ends a statement at U+0000.
 */
function chooseNames(names: readonly string[]): { id: string; geometry: string; values: string[] } {
  const used = new Set<string>();
  const unused = (name: string) => {
    let chosen = name;
    for (let n = 1; used.has(chosen.toLowerCase()); n++) chosen = `${name}_${n}`;
    used.add(chosen.toLowerCase());
    return chosen;
  };
  const values = names.map((name) => unused(name.replaceAll('\0', '\ufffd')));
  return { values, id: unused('fid'), geometry: unused('geometry') };
}

/** The type of all geometries, if they have the same; simple and multiple ones differ. */
function geometryTypeOf({ geometryKinds = [] }: RowsInput): string {
  const kinds = new Set(geometryKinds.map((kind) => kind.replace(/ Z$/, '').toUpperCase()));
  return kinds.size === 1 ? ([...kinds][0] as string) : 'GEOMETRY';
}

/** A geometry as a blob (section 2.1.3): flags, reference system, envelope unless it is a point, and WKB. */
function geometryBlob(geometry: Geometry, box: readonly number[] | null): Uint8Array {
  const wkb = toWkb(geometry);
  const hasEnvelope = box !== null && geometry.type !== 'Point';
  const start = hasEnvelope ? 40 : 8;
  const blob = Buffer.allocUnsafe(start + wkb.length);
  blob.write('GP', 'latin1');
  blob[2] = 0;
  blob[3] = 1 | (hasEnvelope ? 2 : 0) | (box === null ? 16 : 0);
  blob.writeInt32LE(wgs84, 4);
  if (hasEnvelope) for (const [i, at] of [0, 2, 1, 3].entries()) blob.writeDoubleLE(box[at] as number, 8 + 8 * i);
  blob.set(wkb, start);
  return blob;
}

const sqlTypes: Readonly<Record<TableColumn['type'], string>> = {
  integer: 'INTEGER',
  float: 'REAL',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'DATETIME',
  time: 'TEXT',
  string: 'TEXT',
  object: 'TEXT',
  array: 'TEXT',
};

/** A text; SQLite would end it at U+0000. */
const toText = (value: Exclude<Value, null>): Cell =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : JSON.stringify(value);

/** An integer beyond 2^53; beyond 2^63, which is too much for SQLite, its text. */
const integerOrText = (text: string): Cell => {
  const integer = BigInt(text);
  return BigInt.asIntN(64, integer) === integer ? integer : text;
};

/** Conversions of values that aren't texts. */
const cellConverters: Partial<Record<TableColumn['type'], (value: Exclude<Value, null>) => Cell>> = {
  integer: (value) => (typeof value === 'number' ? value : integerOrText(String(value))),
  float: (value) => value as number,
  boolean: (value) => (value ? 1 : 0),
  // SQLite's own form, in UTC, to the millisecond (section 1.1.1.1.3).
  datetime: (value) => {
    const instant = parseDateTime(String(value));
    return Number.isNaN(instant) ? String(value) : dateOfInstant(instant).toISOString();
  },
};
