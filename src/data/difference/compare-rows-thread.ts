/** Comparing rows as a thread does it (`compare-in-thread.ts`). */
import type { Rename } from '../../catalogue/difference.ts';
import { type FieldErrors, ValidationError } from '../../catalogue/errors.ts';
import { Turns } from '../event-loop.ts';
import { createChunkCache } from '../table/chunk-reader.ts';
import { Table } from '../table/table.ts';
import { type Comparison, compareRows } from './classify-rows.ts';
import { compareTableColumns } from './compare-columns.ts';

/** Bytes of chunks in memory: of each table one row group is read at a time. */
const memory = 1 << 24;

/** A columnar copy, and the SHA-256 of its payload. */
export interface CopyOfRows {
  readonly folder: string;
  readonly checksum: string;
}

/** A comparison as a message: sets of rows are their bitmaps. */
export interface ComparedCopies extends Omit<Comparison, 'removed' | 'changed' | 'added'> {
  readonly removed: Uint32Array;
  readonly changed: Uint32Array;
  readonly added: Uint32Array;
}

/**
 * `compareRows` for the columnar copies in two folders.
 * @returns it, or why the key is invalid
 * @throws Error if there is no usable copy
 */
export async function compareCopies(
  before: CopyOfRows,
  after: CopyOfRows,
  renamed: readonly Rename[],
  key: readonly string[] | undefined,
): Promise<ComparedCopies | { readonly invalid: FieldErrors }> {
  const cache = createChunkCache(memory);
  const [from, to] = [await openCopy(before, cache), await openCopy(after, cache)];
  const { columns, schemas, shared } = compareTableColumns(from.schema, to.schema, renamed);
  try {
    const found = await compareRows({ from, to, schemas, shared, signal: undefined, turns: new Turns() }, columns, key);
    const { removed, changed, added } = found;
    return { ...found, removed: removed.bitmap, changed: changed.bitmap, added: added.bitmap };
  } catch (error) {
    if (error instanceof ValidationError) return { invalid: error.fields };
    throw error;
  }
}

async function openCopy({ folder, checksum }: CopyOfRows, cache: ReturnType<typeof createChunkCache>): Promise<Table> {
  const table = await Table.open(folder, checksum, cache);
  if (!table) throw new Error(`There is no columnar copy in ${folder}.`);
  return table;
}
