/** The entries of a collection that are kept, added and removed by an edit, so that it touches only what changed. */
import type { Collection, Entry } from './tree.ts';
import { isMapping, type Value } from './yaml-writer.ts';

/** An entry that stays, with its old and new value. */
export interface KeptEntry {
  readonly entry: Entry;
  readonly before: Value;
  readonly after: Value;
}

/** An entry to be written. */
export interface AddedEntry {
  readonly key: string | null;
  readonly value: Value;
}

export type AddedEntries = ReadonlyMap<Entry | null, readonly AddedEntry[]>;

export interface EntryDiff {
  /** At least one, in the order of the text. */
  readonly kept: readonly [KeptEntry, ...KeptEntry[]];
  /** Keyed by the entry that they follow; null at the start of the collection. */
  readonly added: AddedEntries;
  readonly removed: readonly Entry[];
}

/**
 * Compares a collection's old and new value; null if no entry stays, so that the collection is to be rewritten.
 * @param order of the keys, for the places of new ones
 */
export function diffCollectionEntries(
  node: Collection,
  before: Value,
  after: Value,
  order?: readonly string[],
): EntryDiff | null {
  if (node.kind === 'mapping' && isMapping(before) && isMapping(after))
    return diffMapping(node, before, after, order ?? Object.keys(after));
  if (node.kind === 'list' && Array.isArray(before) && Array.isArray(after)) return diffList(node, before, after);
  return null;
}

type Mapping = Readonly<Record<string, Value>>;

function diffMapping(node: Collection, before: Mapping, after: Mapping, order: readonly string[]): EntryDiff | null {
  const kept: KeptEntry[] = [];
  // For each key, the old entry behind which the next new key goes: of a kept key its own, of a new key the same as its own.
  const positions = new Map<string, Entry | null>();
  for (const entry of node.entries) {
    const key = entry.key ?? '';
    if (!Object.hasOwn(before, key)) return null;
    if (!Object.hasOwn(after, key)) continue;
    kept.push({ entry, before: before[key] as Value, after: after[key] as Value });
    positions.set(key, entry);
  }
  const added = new Map<Entry | null, AddedEntry[]>();
  const add = (previous: Entry | null, key: string) => addBehind(added, previous, { key, value: after[key] as Value });
  const ordered = new Set(order);
  const unordered = Object.keys(after).filter((key) => !ordered.has(key));
  let previous: Entry | null = null;
  for (const key of order) {
    if (!Object.hasOwn(after, key)) continue;
    if (!positions.has(key)) {
      add(previous, key);
      positions.set(key, previous);
    }
    previous = positions.get(key) ?? null;
  }
  const last = kept.at(-1)?.entry ?? null;
  for (const key of unordered) if (!positions.has(key)) add(last, key);
  return diffOf(node, kept, added);
}

function diffList(node: Collection, before: readonly Value[], after: readonly Value[]): EntryDiff | null {
  if (node.entries.length !== before.length) return null;
  const partner = new Map(alignItems(before, after).map(([from, to]) => [to, from]));
  const kept: KeptEntry[] = [];
  const added = new Map<Entry | null, AddedEntry[]>();
  let previous: Entry | null = null;
  for (const [index, value] of after.entries()) {
    const from = partner.get(index);
    const entry: Entry | undefined = from === undefined ? undefined : node.entries[from];
    if (from === undefined || entry === undefined) addBehind(added, previous, { key: null, value });
    else {
      kept.push({ entry, before: before[from] as Value, after: value });
      previous = entry;
    }
  }
  return diffOf(node, kept, added);
}

function addBehind(added: Map<Entry | null, AddedEntry[]>, previous: Entry | null, entry: AddedEntry): void {
  const known = added.get(previous);
  if (known) known.push(entry);
  else added.set(previous, [entry]);
}

function diffOf(node: Collection, kept: readonly KeptEntry[], added: AddedEntries): EntryDiff | null {
  const [first, ...rest] = kept;
  if (first === undefined) return null;
  const stays = new Set(kept.map(({ entry }) => entry));
  return { kept: [first, ...rest], added, removed: node.entries.filter((entry) => !stays.has(entry)) };
}

/** Longer lists are compared from both ends only: the exact comparison takes the square of the length. */
const maxExact = 2000;

/** Pairs of indexes of items that are the same thing in both lists, in order. */
function alignItems(before: readonly Value[], after: readonly Value[]): [number, number][] {
  const a = before.map(identity);
  const b = after.map(identity);
  const pairs: [number, number][] = [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) pairs.push([start, start++]);
  let tail = 0;
  while (a.length - tail > start && b.length - tail > start && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle =
    a.length - tail - start > maxExact || b.length - tail - start > maxExact
      ? []
      : commonSubsequence(a.slice(start, a.length - tail), b.slice(start, b.length - tail));
  pairs.push(...middle.map(([from, to]): [number, number] => [from + start, to + start]));
  for (let back = tail; back > 0; back--) pairs.push([a.length - back, b.length - back]);
  return fillGaps(pairs, a.length, b.length);
}

/** The identity of an item: its name if it has one, else its value. */
function identity(item: Value): string {
  const name = isMapping(item) ? item.name : undefined;
  return name === undefined ? JSON.stringify(item) : `name ${JSON.stringify(name)}`;
}

function commonSubsequence(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  return pairs;
}

/** Pairs up the rest: where as many items were removed as added, each was changed (a column renamed, say). */
function fillGaps(pairs: readonly [number, number][], lengthA: number, lengthB: number): [number, number][] {
  const filled: [number, number][] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...pairs, [lengthA, lengthB] as const]) {
    if (nextA - a === nextB - b) while (a < nextA) filled.push([a++, b++]);
    if (nextA < lengthA || nextB < lengthB) filled.push([nextA, nextB]);
    [a, b] = [nextA + 1, nextB + 1];
  }
  return filled;
}
