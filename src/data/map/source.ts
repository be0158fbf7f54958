/** The rows of a map: a table's layer, the rows that a query selects of it, and the column that colours them. */
import { type Turns, workInRanges } from '../event-loop.ts';
import { columnIndex, detachedCopy, type TableColumn, type Value } from '../row.ts';
import { RowSet } from '../table/row-set.ts';
import type { Table } from '../table/table.ts';
import type { MapLayer } from './layer.ts';
import type { OutlineLayer, ShapeLayer } from './shapes.ts';

/** A column with the values of the selected rows. */
export interface MapColumn {
  readonly name: string;
  readonly type: TableColumn['type'];
  /** By position in the selection. */
  readonly values: readonly Value[] | Float64Array;
  /** Memory in bytes, approximately. */
  readonly bytes: number;
}

export interface MapSource {
  readonly table: Table;
  readonly layer: MapLayer;
  /** The shapes of the layer, with the vertices of these rows at least. @param rows null for all */
  readonly shapes: (layer: OutlineLayer, rows: RowSet | null, turns: Turns) => Promise<ShapeLayer>;
  /** Numbers of the selected rows, in order; null for all rows of the table. */
  readonly rows: Uint32Array | null;
  /** The position of the first of them among all rows that match: `_offset` of the data address. */
  readonly offset: number;
  readonly colour: MapColumn | null;
  /** Further columns that features of tiles carry. */
  readonly attributes?: readonly MapColumn[];
}

/** Number of rows of a map, with and without a geometry. */
export const rowCountOf = ({ rows, layer }: Pick<MapSource, 'rows' | 'layer'>): number => rows?.length ?? layer.rows;

/** The number in the file of the row at a position of the selection. */
export const rowAt = ({ rows }: Pick<MapSource, 'rows'>, position: number): number =>
  rows ? (rows[position] as number) : position;

/**
 * Reads a column: its values by position in the selection. Equal texts are kept once.
 * @param mostTextBytes memory that texts may take
 * @returns null if they take more
 */
export async function readMapColumn(
  table: Table,
  rows: Uint32Array | null,
  name: string,
  turns: Turns,
  mostTextBytes: number,
): Promise<MapColumn | null> {
  const index = columnIndex(name, table.schema);
  const { type = 'string' } = table.schema.columns[index] ?? {};
  const count = rows?.length ?? table.rowCount;
  const isNumber = type === 'integer' || type === 'float';
  let textBytes = 0;
  const values = isNumber ? new Float64Array(count).fill(Number.NaN) : new Array<Value>(count).fill(null);
  const texts = new Map<string, string>();
  const shared = (text: string): string => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    const copy = detachedCopy(text);
    textBytes += 2 * copy.length + bytesOfText;
    texts.set(copy, copy);
    return copy;
  };
  const positions = rows && (await positionsByRow(rows, table.rowCount, turns));
  for await (const group of table.scanRowGroups({ columns: [index], needsGeometry: false, rows: positions?.set })) {
    for (const row of group) {
      const value = row.value(index);
      const kept = typeof value === 'string' ? shared(value) : value;
      if (kept !== null) values[positions?.of[row.index] ?? row.index] = isNumber ? Number(kept) : kept;
      if (textBytes > mostTextBytes) return null;
      if (turns.isOverAfterItem()) await turns.next();
    }
  }
  return { name, type, values, bytes: 8 * count + textBytes };
}

/** Bytes of a text besides its characters. */
const bytesOfText = 24;

async function positionsByRow(
  rows: Uint32Array,
  count: number,
  turns: Turns,
): Promise<{ readonly set: RowSet; readonly of: Uint32Array }> {
  const set = new RowSet(count);
  const of = new Uint32Array(count);
  await workInRanges(rows.length, turns, (start, end) => {
    for (let position = start; position < end; position++) {
      const row = rows[position] as number;
      set.add(row);
      of[row] = position;
    }
  });
  return { set, of };
}
