/**
 * Search of entities for terms. The folded search texts of many entities are one string, a block, in which a term is found
 * by few calls of `indexOf`. An entity never changes, so that a block is kept for as long as its entities are in a row.
 */
import { foldCaseAndAccents, searchText } from './filters.ts';
import type { Entity, Kind } from './types.ts';

/** Entities in a row, and their folded search texts. */
interface Block {
  readonly items: readonly object[];
  /** Texts that each end with a NUL character, which no term contains. */
  readonly text: string;
  /** Place of each item's text, and the length of all. */
  readonly starts: Uint32Array;
}

/** Blocks, keyed by their first item. */
const blocks = new WeakMap<object, Block>();

/** Blocks of lists that were searched. */
const blocksOfLists = new WeakMap<readonly object[], readonly Block[]>();

/** Number of items in a new block: a change of one item folds the texts of so many. */
const blockLength = 256;
/** Number of characters in a block from which no further item is added. */
const maxBlockText = 1 << 16;

/** The terms of a search, split as in Django REST Framework: at white space and commas, without NUL characters. */
export function searchTerms(search = ''): readonly string[] {
  const terms = search
    .replaceAll('\0', '')
    .split(/[\s,]+/)
    .map(foldCaseAndAccents);
  return [...new Set(terms)].filter((term) => term !== '');
}

/**
 * Folds the search texts of items, unless that has been done. Each step folds one block.
 * @param items a list that never changes
 */
export function* foldSearchTexts(kind: Kind, items: readonly object[]): Generator<void, readonly Block[]> {
  const known = blocksOfLists.get(items);
  if (known) return known;
  const found: Block[] = [];
  for (let start = 0; start < items.length; ) {
    let block = blockAt(items, start);
    if (!block) {
      block = makeBlock(kind, items, start, endOfNewBlock(items, start));
      blocks.set(items[start] as object, block);
      yield;
    }
    found.push(block);
    start += block.items.length;
  }
  blocksOfLists.set(items, found);
  return found;
}

/** The block that begins at this place; undefined if there is none of the items that are in a row there. */
function blockAt(items: readonly object[], start: number): Block | undefined {
  const block = blocks.get(items[start] as object);
  return block?.items.every((item, i) => item === items[start + i]) ? block : undefined;
}

/** The end of a new block: the next block, so that a change of few items makes few blocks anew. */
function endOfNewBlock(items: readonly object[], start: number): number {
  const most = Math.min(items.length, start + 2 * blockLength);
  for (let end = start + 1; end < most; end++) if (blockAt(items, end)) return end;
  return items.length < start + 2 * blockLength ? items.length : start + blockLength;
}

function makeBlock(kind: Kind, items: readonly object[], start: number, end: number): Block {
  let joined = '';
  let next = start;
  while (next < end && joined.length < maxBlockText)
    joined += `${searchText[kind](items[next++] as never).replaceAll('\0', ' ')}\0`;
  const text = foldCaseAndAccents(joined);
  const starts = new Uint32Array(next - start + 1);
  for (let i = 1; i < starts.length; i++) starts[i] = text.indexOf('\0', starts[i - 1]) + 1;
  return { items: items.slice(start, next), text, starts };
}

/**
 * The items whose search texts contain all terms, in their order.
 * @param items a list that never changes
 * @param terms folded, at least one
 */
export function findItemsWithTerms<T extends object>(
  kind: Kind,
  items: readonly T[],
  terms: readonly string[],
): readonly T[] {
  const found: object[] = [];
  // Long terms are rare: a block without one is done at once.
  const longestFirst = [...terms].sort((a, b) => b.length - a.length);
  const folding = foldSearchTexts(kind, items);
  let step = folding.next();
  while (!step.done) step = folding.next();
  for (const block of step.value) addItemsWithTerms(block, longestFirst, found);
  return found as T[];
}

/** Adds the items of a block that contain all terms. Each term's occurrences are passed once, in the order of the text. */
function addItemsWithTerms({ items, text, starts }: Block, terms: readonly string[], found: object[]): void {
  const occurrences = terms.map(() => -1);
  for (let i = 0; i < items.length; ) {
    const start = starts[i] ?? 0;
    let last = start;
    for (let t = 0; t < terms.length; t++) {
      let place = occurrences[t] ?? -1;
      if (place < start) {
        place = text.indexOf(terms[t] ?? '', start);
        if (place < 0) return;
        occurrences[t] = place;
      }
      if (place > last) last = place;
    }
    if (last < (starts[i + 1] ?? 0)) found.push(items[i++] as object);
    else while ((starts[i + 1] ?? 0) <= last) i++;
  }
}

/** Makes the test of a few items, whose texts are folded at each search. */
export const makeSearchTest =
  (kind: Kind, terms: readonly string[]) =>
  (item: object): boolean => {
    const text = foldCaseAndAccents(searchText[kind](item as never));
    return terms.every((term) => text.includes(term));
  };

/** Score of an item for the terms of a search: most for labels, that begin with a term; then for names and keywords. */
export function makeRelevanceScore(terms: readonly string[]): (item: Entity) => number {
  return (item) => {
    const { label = '', keywords = [] } = item as { label?: string; keywords?: readonly string[] };
    const title = foldCaseAndAccents(label);
    const names = [...keywords.map(foldCaseAndAccents), 'slug' in item ? item.slug.toLowerCase() : ''];
    const scores = terms.map((term) => {
      if (title === term) return 16;
      if (` ${title}`.includes(` ${term}`)) return 8;
      if (title.includes(term)) return 4;
      return names.some((name) => name.includes(term)) ? 2 : 1;
    });
    return scores.reduce((sum, score) => sum + score, title === terms.join(' ') ? 16 : 0);
  };
}
