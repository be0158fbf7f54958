/** Facts about the rows of a table that features need: their ids, and if all of them have a geometry. */
import { Turns } from '../event-loop.ts';
import type { Row } from '../row.ts';
import type { TableRow } from './row-cursor.ts';
import type { Table } from './table.ts';

/**
 * Ids that name one row each in the path of an address: those of the payload if every row has one and they are different
 * texts, else the numbers of the rows, from 1.
 */
export interface FeatureIds {
  /** Id of a row of the table. */
  idOf(row: Row): string | number;
  /** Number of the row with an id, from 0; undefined if there is none. */
  rowOf(id: string): Promise<number | undefined>;
}

const known = new WeakMap<Table, Promise<FeatureIds>>();

/** The ids of a table; found out once for as long as the table is open. 8 bytes a row if the payload has them. */
export function featureIdsOf(table: Table): Promise<FeatureIds> {
  let ids = known.get(table);
  if (!ids) {
    ids = readIds(table);
    ids.catch(() => known.delete(table));
    known.set(table, ids);
  }
  return ids;
}

async function readIds(table: Table): Promise<FeatureIds> {
  return (await indexPayloadIds(table)) ?? rowNumbers(table.rowCount);
}

const rowNumbers = (rowCount: number): FeatureIds => ({
  idOf: (row) => (row as TableRow).index + 1,
  async rowOf(id) {
    const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : 0;
    return number >= 1 && number <= rowCount ? number - 1 : undefined;
  },
});

/** Ids that some client, proxy or file system would change in a path. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const unsafe = /[/\\\0-\x1f\x7f]|^\.{1,2}$|^\s|\s$|^$/;
const maxLength = 200;

/** The ids of the payload; undefined if a row has none, or one that isn't of use, or two rows have the same. */
async function indexPayloadIds(table: Table): Promise<FeatureIds | undefined> {
  // A hash of 53 bits for each row. Two texts of the same hash are so improbable that they count as equal.
  const hashes = new Float64Array(table.rowCount);
  const seen = new NumberSet(table.rowCount);
  const turns = new Turns();
  for await (const group of table.scanRowGroups({ columns: [], needsGeometry: false })) {
    for (const row of group) {
      const id = row.id();
      const text = id === undefined ? '' : String(id);
      if (text.length > maxLength || unsafe.test(text) || !text.isWellFormed()) return undefined;
      const hash = hashOf(text);
      if (!seen.add(hash)) return undefined;
      hashes[row.index] = hash;
      if (turns.isOverAfterItem()) await turns.next();
    }
  }
  return {
    idOf: (row) => row.id() as string | number,
    async rowOf(id) {
      const index = hashes.indexOf(hashOf(id));
      if (index < 0) return undefined;
      return String((await table.row(index, { columns: [], needsGeometry: false })).id()) === id ? index : undefined;
    },
  };
}

/** A set of up to so many positive numbers, in an array: it needs no more than 32 bytes for each. */
class NumberSet {
  readonly #slots: Float64Array;

  constructor(size: number) {
    this.#slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
  }

  /** @returns false if the set has the number already */
  add(number: number): boolean {
    const slots = this.#slots;
    for (let at = number % slots.length; ; at = (at + 1) % slots.length) {
      if (slots[at] === number) return false;
      if (slots[at] !== 0) continue;
      slots[at] = number;
      return true;
    }
  }
}

/** 53 bits of a hash of a text (cyrb53): quick, and spread well enough that a million texts seldom meet. */
function hashOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0) || 1;
}

const nullGeometries = new WeakMap<Table, Promise<boolean>>();

/** True if a row of the table has no geometry; found out once for as long as the table is open. */
export function hasNullGeometries(table: Table): Promise<boolean> {
  let result = nullGeometries.get(table);
  if (!result) {
    result = findNullGeometry(table);
    result.catch(() => nullGeometries.delete(table));
    nullGeometries.set(table, result);
  }
  return result;
}

async function findNullGeometry(table: Table): Promise<boolean> {
  if (!table.schema.hasGeometry) return false;
  const turns = new Turns();
  for await (const group of table.scanRowGroups({ columns: [] }))
    for (const row of group) {
      if (row.bbox() === null && row.geometry() === null) return true;
      if (turns.isOverAfterItem()) await turns.next();
    }
  return false;
}
