/** Where the datasets of a namespace, and those with a keyword, stand in a sorted list: found once for a list, which is kept with its snapshot. */
import { foldCaseAndAccents } from './fold.ts';
import type { Dataset, Entity } from './types.ts';

interface Positions {
  readonly ofNamespaces: ReadonlyMap<string, readonly number[]>;
  /** Keyed by keyword without case and accents. */
  readonly ofKeywords: ReadonlyMap<string, readonly number[]>;
}

const known = new WeakMap<readonly Entity[], Positions>();

/** The datasets of a namespace, in the order of a list of all. */
export const datasetsOfNamespace = (all: readonly Entity[], namespace: string): readonly Entity[] =>
  itemsAt(all, positionsIn(all).ofNamespaces.get(namespace) ?? []);

/** The datasets with any of the keywords, in the order of a list of all. */
export function datasetsWithKeyword(all: readonly Entity[], keywords: readonly string[]): readonly Entity[] {
  const { ofKeywords } = positionsIn(all);
  const found = [...new Set(keywords.map(foldCaseAndAccents))].flatMap((keyword) => ofKeywords.get(keyword) ?? []);
  return itemsAt(
    all,
    [...new Set(found)].sort((a, b) => a - b),
  );
}

const itemsAt = (all: readonly Entity[], positions: readonly number[]): readonly Entity[] =>
  positions.map((position) => all[position] as Entity);

function positionsIn(all: readonly Entity[]): Positions {
  const found = known.get(all);
  if (found) return found;
  const ofNamespaces = new Map<string, number[]>();
  const ofKeywords = new Map<string, number[]>();
  for (const [position, { namespace, keywords }] of (all as readonly Dataset[]).entries()) {
    add(ofNamespaces, namespace, position);
    for (const keyword of new Set(keywords.map(foldCaseAndAccents))) add(ofKeywords, keyword, position);
  }
  const positions = { ofNamespaces, ofKeywords };
  known.set(all, positions);
  return positions;
}

function add(lists: Map<string, number[]>, key: string, position: number): void {
  const list = lists.get(key);
  if (list) list.push(position);
  else lists.set(key, [position]);
}
