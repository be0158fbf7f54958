/** Dictionary encoding of the texts of a row group: each distinct text once, and a code for each row. */
import { randomInt } from 'node:crypto';
import { type Utf8Texts, Utf8TextsBuilder } from '../formats/utf8-texts.ts';

/** Rows before it is decided whether enough texts repeat. */
const sampleRows = 1024;
const maxEntries = 0x10000;

/** Of this process alone: nobody can choose texts whose hashes are the same. */
const hashSeed = randomInt(0x1_0000_0000 - 1);
const hashFactor = randomInt(0x8000_0000 - 1) | 1;

/** True if too few texts repeat. @param entries number of distinct texts in the rows before */
const isUseless = (entries: number, row: number): boolean =>
  entries >= maxEntries || (row >= sampleRows && entries > row * 0.6);

/** The entries and codes; the texts themselves without codes if too few repeat. */
export function encodeDictionary(texts: readonly (string | null)[]): {
  entries: readonly (string | null)[];
  codes: Uint16Array | null;
} {
  const codeOf = new Map<string | null, number>();
  const codes = new Uint16Array(texts.length);
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row] as string | null;
    let code = codeOf.get(text);
    if (code === undefined) {
      code = codeOf.size;
      if (isUseless(code, row)) return { entries: texts, codes: null };
      codeOf.set(text, code);
    }
    codes[row] = code;
  }
  return { entries: [...codeOf.keys()], codes };
}

/** As `encodeDictionary`, for texts in UTF-8. */
export function encodeUtf8Dictionary(texts: Utf8Texts): { entries: Utf8Texts; codes: Uint16Array | null } {
  const { bytes, forms, ends } = texts;
  const rows = texts.length;
  const codes = new Uint16Array(rows);
  /** Row of the first text of each entry. */
  const firstRows: number[] = [];
  /** Codes + 1 by hash, with the next free place for those of the same hash. */
  let table = new Uint32Array(2048);
  const hashes: number[] = [];
  let start = 0;
  for (let row = 0; row < rows; row++) {
    const end = ends[row] as number;
    let hash = forms[row] === 0 ? 1 : hashSeed;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), hashFactor);
    hash ^= hash >>> 13;
    let place = hash & (table.length - 1);
    let code = (table[place] as number) - 1;
    while (code !== -1 && !(hashes[code] === hash && areEqual(texts, firstRows[code] as number, row))) {
      place = (place + 1) & (table.length - 1);
      code = (table[place] as number) - 1;
    }
    if (code === -1) {
      code = firstRows.length;
      if (isUseless(code, row)) return { entries: texts, codes: null };
      firstRows.push(row);
      hashes.push(hash);
      table[place] = code + 1;
      if (2 * firstRows.length > table.length) table = enlarge(table, hashes);
    }
    codes[row] = code;
    start = end;
  }
  const entries = new Utf8TextsBuilder(firstRows.length);
  firstRows.forEach((row, entry) => {
    if (forms[row] !== 0) entries.add(entry, bytes, texts.startOf(row), ends[row] as number, forms[row] as number);
  });
  return { entries: entries.take(firstRows.length), codes };
}

function areEqual(texts: Utf8Texts, a: number, b: number): boolean {
  const { bytes, forms, ends } = texts;
  const [startA, startB] = [texts.startOf(a), texts.startOf(b)];
  const length = (ends[a] as number) - startA;
  if ((ends[b] as number) - startB !== length || (forms[a] === 0) !== (forms[b] === 0)) return false;
  for (let i = 0; i < length; i++) if (bytes[startA + i] !== bytes[startB + i]) return false;
  return true;
}

function enlarge(table: Uint32Array, hashes: readonly number[]): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * table.length);
  hashes.forEach((hash, code) => {
    let place = hash & (larger.length - 1);
    while (larger[place] !== 0) place = (place + 1) & (larger.length - 1);
    larger[place] = code + 1;
  });
  return larger;
}
