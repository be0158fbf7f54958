/**
 * The spatial index of a GeoPackage (extension `gpkg_rtree_index`, annex F.3): an R*Tree of SQLite, which is written here as the
 * three tables that it consists of, since our SQLite has no R*Tree of its own. Rows are packed into nodes along a Hilbert curve, a
 * million at a time, so that memory is bounded.
 */
import type { Database } from 'node-sqlite3-wasm';
import type { Turns } from '../../event-loop.ts';
import { roundDown, roundUp } from '../../table/spatial-index.ts';
import { sortAlongHilbertCurve } from './hilbert.ts';
import { quoteName, quoteText } from './schema.ts';

/** Rows that are packed at once. */
const defaultRunLength = 2 ** 20;
/** Cells of a node of two dimensions, and its bytes, as SQLite has them for pages of 4096 bytes: a head, and an id and four floats each. */
const cellsOfNode = 51;
const nodeBytes = 4 + 24 * cellsOfNode;
const rootNode = 1;
/** Pairs of numbers that one statement inserts. */
const pairsAtOnce = 256;

/** Boxes with their ids: rows, or nodes of one level. */
class Entries {
  readonly ids: number[] = [];
  /** West, south, east, north. */
  boxes = new Float32Array(4 * 1024);

  get count(): number {
    return this.ids.length;
  }

  /** @param box in 32-bit floats already, or rounded outwards here */
  add(id: number, [west, south, east, north]: readonly [number, number, number, number]): void {
    const at = 4 * this.ids.length;
    if (at === this.boxes.length) {
      const longer = new Float32Array(2 * at);
      longer.set(this.boxes);
      this.boxes = longer;
    }
    this.boxes[at] = roundDown(west);
    this.boxes[at + 1] = roundDown(south);
    this.boxes[at + 2] = roundUp(east);
    this.boxes[at + 3] = roundUp(north);
    this.ids.push(id);
  }
}

export interface IndexedColumn {
  readonly table: string;
  readonly id: string;
  readonly geometry: string;
}

export class SpatialIndexWriter {
  readonly #database: Database;
  readonly #column: IndexedColumn;
  readonly #name: string;
  readonly #turns: Turns;
  readonly #runLength: number;
  readonly #insertNode: ReturnType<Database['prepare']>;
  #rows = new Entries();
  readonly #leaves = new Entries();
  #lastNode = rootNode;

  constructor(database: Database, column: IndexedColumn, turns: Turns, runLength = defaultRunLength) {
    this.#database = database;
    this.#column = column;
    this.#name = `rtree_${column.table}_${column.geometry}`;
    this.#turns = turns;
    this.#runLength = runLength;
    database.exec(`
CREATE TABLE ${this.#part('rowid')} (rowid INTEGER PRIMARY KEY, nodeno);
CREATE TABLE ${this.#part('node')} (nodeno INTEGER PRIMARY KEY, data);
CREATE TABLE ${this.#part('parent')} (nodeno INTEGER PRIMARY KEY, parentnode);`);
    this.#insertNode = database.prepare(`INSERT INTO ${this.#part('node')} VALUES (?, ?)`);
  }

  /** True if `packRows` should be called before more rows are added. */
  get isFull(): boolean {
    return this.#rows.count >= this.#runLength;
  }

  add(id: number, box: readonly [number, number, number, number]): void {
    this.#rows.add(id, box);
  }

  /** Packs the rows so far into leaves. */
  async packRows(): Promise<void> {
    await this.#pack(this.#rows, 'rowid', this.#leaves);
    this.#rows = new Entries();
  }

  /** Writes the rest of the tree, and declares it. */
  async finish(): Promise<void> {
    let [level, depth] = [this.#leaves, 1];
    if (level.count === 0 && this.#rows.count <= cellsOfNode) [level, depth] = [this.#rows, 0];
    else if (this.#rows.count > 0) await this.packRows();
    for (; level.count > cellsOfNode; depth++) {
      const above = new Entries();
      await this.#pack(level, 'parent', above);
      level = above;
    }
    const order = Uint32Array.from(level.ids.keys());
    this.#insertNode.run([rootNode, nodeOf(level, order, depth)]);
    this.#insertPairs(depth === 0 ? 'rowid' : 'parent', level.ids, () => rootNode);
    this.#insertNode.finalize();
    this.#declare();
  }

  /** Packs entries into nodes, which become entries of the level above. */
  async #pack(entries: Entries, kind: 'rowid' | 'parent', above: Entries): Promise<void> {
    const order = await sortAlongHilbertCurve(entries.boxes, entries.count, this.#turns);
    const nodes = new Uint32Array(entries.count);
    for (let start = 0; start < order.length; start += cellsOfNode) {
      const cells = order.subarray(start, start + cellsOfNode);
      const node = ++this.#lastNode;
      this.#insertNode.run([node, nodeOf(entries, cells, 0)]);
      for (const at of cells) nodes[at] = node;
      above.add(node, boxAround(entries, cells));
      if (this.#turns.isOver) await this.#turns.next();
    }
    for (let start = 0; start < entries.count; start += pairsAtOnce) {
      const ids = entries.ids.slice(start, start + pairsAtOnce);
      this.#insertPairs(kind, ids, (i) => nodes[start + i] as number);
      if (this.#turns.isOver) await this.#turns.next();
    }
  }

  #insertPairs(kind: 'rowid' | 'parent', ids: readonly number[], nodeAt: (i: number) => number): void {
    if (ids.length === 0) return;
    const values = ids.map((id, i) => `(${id},${nodeAt(i)})`);
    this.#database.exec(`INSERT INTO ${this.#part(kind)} VALUES ${values.join()}`);
  }

  #part(kind: 'rowid' | 'node' | 'parent'): string {
    return quoteName(`${this.#name}_${kind}`);
  }

  /** Declares the virtual table, by its line of the schema, and what keeps it right when others edit the file. */
  #declare(): void {
    const { table, geometry } = this.#column;
    const name = this.#name;
    const sql = `CREATE VIRTUAL TABLE ${quoteName(name)} USING rtree(id, minx, maxx, miny, maxy)`;
    this.#database.exec(triggers(this.#column, name));
    this.#database.exec(`
CREATE TABLE gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL,
  scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));
INSERT INTO gpkg_extensions VALUES (${quoteText(table)}, ${quoteText(geometry)}, 'gpkg_rtree_index',
  'http://www.geopackage.org/spec121/#extension_rtree', 'write-only');
PRAGMA writable_schema = ON;
INSERT INTO sqlite_master VALUES ('table', ${quoteText(name)}, ${quoteText(name)}, 0, ${quoteText(sql)});
PRAGMA writable_schema = OFF;`);
  }
}

/** The smallest box around boxes. */
function boxAround({ boxes }: Entries, cells: Uint32Array): [number, number, number, number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const cell of cells) {
    box[0] = Math.min(box[0], boxes[4 * cell] as number);
    box[1] = Math.min(box[1], boxes[4 * cell + 1] as number);
    box[2] = Math.max(box[2], boxes[4 * cell + 2] as number);
    box[3] = Math.max(box[3], boxes[4 * cell + 3] as number);
  }
  return box;
}

/** A node as SQLite stores it (ext/rtree/rtree.c), big-endian: depth (of the root), number of cells, and the cells. */
function nodeOf({ ids, boxes }: Entries, cells: Uint32Array, depth: number): Buffer {
  const node = Buffer.alloc(nodeBytes);
  const view = new DataView(node.buffer, node.byteOffset, nodeBytes);
  view.setUint16(0, depth);
  view.setUint16(2, cells.length);
  let at = 4;
  for (const cell of cells) {
    const id = ids[cell] as number;
    view.setUint32(at, Math.floor(id / 2 ** 32));
    view.setUint32(at + 4, id % 2 ** 32);
    view.setFloat32(at + 8, boxes[4 * cell] as number);
    view.setFloat32(at + 12, boxes[4 * cell + 2] as number);
    view.setFloat32(at + 16, boxes[4 * cell + 1] as number);
    view.setFloat32(at + 20, boxes[4 * cell + 3] as number);
    at += 24;
  }
  return node;
}

/** The triggers of version 1.3, which use functions of those who edit the file. */
function triggers({ table, id, geometry }: IndexedColumn, name: string): string {
  const [index, key, shape] = [quoteName(name), quoteName(id), quoteName(geometry)];
  const values = ['MinX', 'MaxX', 'MinY', 'MaxY'].map((side) => `ST_${side}(NEW.${shape})`).join(', ');
  const put = `INSERT OR REPLACE INTO ${index} VALUES (NEW.${key}, ${values});`;
  const remove = `DELETE FROM ${index} WHERE id = OLD.${key};`;
  const isShown = `(NEW.${shape} NOTNULL AND NOT ST_IsEmpty(NEW.${shape}))`;
  const isHidden = `(NEW.${shape} ISNULL OR ST_IsEmpty(NEW.${shape}))`;
  const trigger = (kind: string, event: string, condition: string, body: string) =>
    `CREATE TRIGGER ${quoteName(`${name}_${kind}`)} AFTER ${event} ON ${quoteName(table)} WHEN ${condition} BEGIN ${body} END;`;
  const [same, changed] = [`OLD.${key} = NEW.${key}`, `OLD.${key} != NEW.${key}`];
  return [
    trigger('insert', 'INSERT', isShown, put),
    trigger('update1', `UPDATE OF ${shape}`, `${same} AND ${isShown}`, put),
    trigger('update2', `UPDATE OF ${shape}`, `${same} AND ${isHidden}`, remove),
    trigger('update3', 'UPDATE', `${changed} AND ${isShown}`, `${remove} ${put}`),
    trigger(
      'update4',
      'UPDATE',
      `${changed} AND ${isHidden}`,
      `DELETE FROM ${index} WHERE id IN (OLD.${key}, NEW.${key});`,
    ),
    trigger('delete', 'DELETE', `OLD.${shape} NOTNULL`, remove),
  ].join('\n');
}
