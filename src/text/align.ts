/** Which entries of a collection stay, which go and which come, so that an edit touches only what changed. */
import { isDeepStrictEqual } from 'node:util';
import { isMapping, type Value } from './emit.ts';
import type { Collection, Entry } from './tree.ts';

/** An entry that stays, with its value as it was and as it shall be. */
export interface Kept {
  readonly entry: Entry;
  readonly before: Value;
  readonly after: Value;
}

/** An entry to be written behind another, or before all where that is null. */
export interface Added {
  readonly behind: Entry | null;
  readonly key: string | null;
  readonly value: Value;
}

export interface Plan {
  /** At least one, in the order of the text. */
  readonly kept: readonly [Kept, ...Kept[]];
  readonly added: readonly Added[];
  readonly removed: readonly Entry[];
}

/**
 * What has to happen to a collection; null where nothing of it stays, so that it had better be written anew.
 * @param order of keys, for the places of new ones
 */
export function planFor(node: Collection, before: Value, after: Value, order?: readonly string[]): Plan | null {
  if (node.kind === 'mapping' && isMapping(before) && isMapping(after))
    return planMapping(node, before, after, order ?? Object.keys(after));
  if (node.kind === 'list' && Array.isArray(before) && Array.isArray(after)) return planList(node, before, after);
  return null;
}

type Mapping = Readonly<Record<string, Value>>;

function planMapping(node: Collection, before: Mapping, after: Mapping, order: readonly string[]): Plan | null {
  const kept: Kept[] = [];
  // Behind which entry of the text each present key stands: itself, or that of the new key it follows.
  const place = new Map<string, Entry | null>();
  for (const entry of node.entries) {
    const key = entry.key ?? '';
    if (!Object.hasOwn(before, key)) return null;
    if (!Object.hasOwn(after, key)) continue;
    kept.push({ entry, before: before[key] as Value, after: after[key] as Value });
    place.set(key, entry);
  }
  const added: Added[] = [];
  const unordered = Object.keys(after).filter((key) => !order.includes(key));
  let behind: Entry | null = null;
  for (const key of order) {
    if (!Object.hasOwn(after, key)) continue;
    if (!place.has(key)) {
      added.push({ behind, key, value: after[key] as Value });
      place.set(key, behind);
    }
    behind = place.get(key) ?? null;
  }
  const last = kept.at(-1)?.entry ?? null;
  for (const key of unordered) if (!place.has(key)) added.push({ behind: last, key, value: after[key] as Value });
  return finish(node, kept, added);
}

function planList(node: Collection, before: readonly Value[], after: readonly Value[]): Plan | null {
  if (node.entries.length !== before.length) return null;
  const partner = new Map(align(before, after).map(([from, to]) => [to, from]));
  const kept: Kept[] = [];
  const added: Added[] = [];
  let behind: Entry | null = null;
  for (const [index, value] of after.entries()) {
    const from = partner.get(index);
    const entry: Entry | undefined = from === undefined ? undefined : node.entries[from];
    if (from === undefined || entry === undefined) added.push({ behind, key: null, value });
    else {
      kept.push({ entry, before: before[from] as Value, after: value });
      behind = entry;
    }
  }
  return finish(node, kept, added);
}

function finish(node: Collection, kept: readonly Kept[], added: readonly Added[]): Plan | null {
  const [first, ...rest] = kept;
  if (first === undefined) return null;
  const stays = new Set(kept.map(({ entry }) => entry));
  return { kept: [first, ...rest], added, removed: node.entries.filter((entry) => !stays.has(entry)) };
}

/** Longer lists are compared only from both ends: the exact comparison takes the square of the length. */
const maxExact = 2000;

/** Pairs of indexes of items that are the same thing in both lists, in order. */
function align(before: readonly Value[], after: readonly Value[]): [number, number][] {
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

/** What makes an item itself: its name where it has one, and else its value. */
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

/** Where as many items went as came, each of them was changed (such as a column renamed), not replaced. */
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

/** Whether two values are the same, whatever the order of their keys. */
export const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);
