/**
 * Search of entities for terms. The folded search texts of many entities are one string, a block, in which a term is found
 * by few calls of `indexOf`. An entity never changes, so that a block is kept for as long as its entities are in a row.
 */
import { columnText, searchText } from './filters.ts';
import { foldCaseAndAccents } from './fold.ts';
import type { Steps } from './steps.ts';
import type { Dataset, Entity, Kind } from './types.ts';

/** Entities in a row, and their folded search texts. */
interface Block {
  readonly items: readonly object[];
  /** Texts that each end with a NUL character, which no term contains. */
  readonly text: string;
  /** Place of each item's text, and the length of all. */
  readonly starts: Uint32Array;
  /** Place of the columns within each item's text. */
  readonly columnStarts: Uint32Array;
}

/** Precedes the columns in an item's text. */
const columnMark = '\u0001';

/** Blocks, keyed by their first item. */
const blocks = new WeakMap<object, Block>();

/** Blocks of lists that were searched. */
const blocksOfLists = new WeakMap<readonly object[], readonly Block[]>();

/** Number of items in a new block: a change of one item folds the texts of so many. */
const blockLength = 256;
/** Number of characters in a block from which no further item is added. */
const maxBlockText = 1 << 16;

/** The terms of a search, split as in Django REST Framework: at white space and commas, also those of East Asia, without NUL characters. */
export function searchTerms(search = ''): readonly string[] {
  const terms = search
    .replaceAll('\0', '')
    .split(/[\s,，、､،]+/)
    .map(foldCaseAndAccents);
  return [...new Set(terms)].filter((term) => term !== '');
}

/**
 * Folds the search texts of items, unless that has been done. Each step folds one block.
 * @param items a list that never changes
 */
export function* foldSearchTexts(kind: Kind, items: readonly object[]): Steps<readonly Block[]> {
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
  while (next < end && joined.length < maxBlockText) joined += `${textWithColumns(kind, items[next++] as object)}\0`;
  const text = foldCaseAndAccents(joined);
  const starts = new Uint32Array(next - start + 1);
  const columnStarts = new Uint32Array(next - start);
  for (let i = 1; i < starts.length; i++) {
    columnStarts[i - 1] = text.indexOf(columnMark, starts[i - 1]);
    starts[i] = text.indexOf('\0', starts[i - 1]) + 1;
  }
  return { items: items.slice(start, next), text, starts, columnStarts };
}

/** The text of an item, and names and labels of its columns behind a mark. */
function textWithColumns(kind: Kind, item: object): string {
  const columns = kind === 'dataset' ? columnText(item as Dataset) : '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they separate texts
  return [searchText[kind](item as never), columns].map((text) => text.replace(/[\0\u0001]/g, ' ')).join(columnMark);
}

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;
/** The beginning of a term in a script without spaces between words. */
const withoutSpaces =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * The next place of a term in a block; -1 if there is none. In names and labels of columns, a term is found at the
 * beginning of a word only, if its script has spaces: there are many, and "n_p" in "return_period" isn't what is looked for.
 */
function placeOfTerm({ text, starts, columnStarts }: Block, term: string, from: number): number {
  if (term >= '\u0e00' && withoutSpaces.test(term)) return text.indexOf(term, from);
  for (let place = text.indexOf(term, from); place >= 0; place = text.indexOf(term, place + 1)) {
    if (!wordCharacter.test(text[place - 1] ?? '')) return place;
    let low = 0;
    let high = columnStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= place) low = middle;
      else high = middle - 1;
    }
    if (place < (columnStarts[low] as number)) return place;
  }
  return -1;
}

/**
 * The items whose search texts contain all terms, in their order.
 * @param items a list that never changes
 * @param terms folded, at least one
 */
export function* findItemsWithTerms<T extends object>(
  kind: Kind,
  items: readonly T[],
  terms: readonly string[],
): Steps<readonly T[]> {
  const found: object[] = [];
  // Long terms are rare: a block without one is done at once.
  const longestFirst = [...terms].sort((a, b) => b.length - a.length);
  for (const block of yield* foldSearchTexts(kind, items)) {
    addItemsWithTerms(block, longestFirst, found);
    yield;
  }
  return found as T[];
}

/** Adds the items of a block that contain all terms. Each term's occurrences are passed once, in the order of the text. */
function addItemsWithTerms(block: Block, terms: readonly string[], found: object[]): void {
  const { items, starts } = block;
  const occurrences = terms.map(() => -1);
  for (let i = 0; i < items.length; ) {
    const start = starts[i] ?? 0;
    let last = start;
    for (let t = 0; t < terms.length; t++) {
      let place = occurrences[t] ?? -1;
      if (place < start) {
        place = placeOfTerm(block, terms[t] ?? '', start);
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
    const block = makeBlock(kind, [item], 0, 1);
    return terms.every((term) => placeOfTerm(block, term, 0) >= 0);
  };

/** Scores of a term by the place where it is found. A label is better than any number of other places. */
const scores = {
  wordOfLabel: 32,
  inLabel: 16,
  slug: 8,
  keyword: 6,
  inKeyword: 4,
  column: 2,
  other: 1,
} as const;
/** Added for a label that is the whole search: such a label is first, always; most of all in the same spelling. */
const exactLabel = { spelling: 3e6, folded: 2e6, terms: 1e6 } as const;

/** Folded texts of an item, by which it is ranked. */
interface RankedTexts {
  readonly label: string;
  readonly title: string;
  /** Terms of the label, in alphabetical order. */
  readonly terms: string;
  readonly slug: string;
  readonly keywords: readonly string[];
}

const rankedTexts = new WeakMap<Entity, RankedTexts>();

function rankedTextsOf(item: Entity): RankedTexts {
  const known = rankedTexts.get(item);
  if (known) return known;
  const { label = '', keywords = [] } = item as { label?: string; keywords?: readonly string[] };
  const texts = {
    label,
    title: foldCaseAndAccents(label),
    terms: [...searchTerms(label)].sort().join(' '),
    slug: 'slug' in item ? item.slug.toLowerCase() : '',
    keywords: keywords.map(foldCaseAndAccents),
  };
  rankedTexts.set(item, texts);
  return texts;
}

/** Makes the score of an item for a search: best are labels, then names, keywords, columns, then descriptions. */
export function makeRelevanceScore(search = ''): (item: Entity) => number {
  const terms = searchTerms(search);
  const spelling = search.trim();
  const whole = foldCaseAndAccents(spelling);
  const sorted = [...terms].sort().join(' ');
  return (item) => {
    const texts = rankedTextsOf(item);
    let score = 0;
    for (const term of terms) score += scoreOfTerm(term, texts, item);
    if (texts.label === spelling) return score + exactLabel.spelling;
    if (texts.title.trim() === whole) return score + exactLabel.folded;
    return texts.terms === sorted ? score + exactLabel.terms : score;
  };
}

function scoreOfTerm(term: string, { title, slug, keywords }: RankedTexts, item: Entity): number {
  const place = title.indexOf(term);
  if (place === 0 || (place > 0 && title.includes(` ${term}`))) return scores.wordOfLabel;
  if (place > 0) return scores.inLabel;
  if (slug.includes(term)) return scores.slug;
  if (keywords.includes(term)) return scores.keyword;
  if (keywords.some((keyword) => keyword.includes(term))) return scores.inKeyword;
  return item.kind === 'dataset' && foldedColumnText(item).includes(term) ? scores.column : scores.other;
}

const foldedColumnTexts = new WeakMap<Dataset, string>();

function foldedColumnText(dataset: Dataset): string {
  const text = foldedColumnTexts.get(dataset) ?? foldCaseAndAccents(columnText(dataset));
  foldedColumnTexts.set(dataset, text);
  return text;
}
