/** Where the datasets of a namespace, and those with a keyword, stand in a sorted list: found once for a list, which is kept with its snapshot. */
import { foldCaseAndAccents } from './fold.ts';
import { eachInSteps, SharedSteps, type Steps } from './steps.ts';
import type { Dataset, Entity } from './types.ts';

interface Positions {
  readonly ofNamespaces: ReadonlyMap<string, readonly number[]>;
  /** Keyed by keyword without case and accents. */
  readonly ofKeywords: ReadonlyMap<string, readonly number[]>;
}

const known = new WeakMap<readonly Entity[], SharedSteps<Positions>>();

/** The datasets of a namespace, in the order of a list of all. */
export function* datasetsOfNamespace(all: readonly Entity[], namespace: string): Steps<readonly Entity[]> {
  const { ofNamespaces } = yield* positionsIn(all);
  return itemsAt(all, ofNamespaces.get(namespace) ?? []);
}

/** The datasets with any of the keywords, in the order of a list of all. */
export function* datasetsWithKeyword(all: readonly Entity[], keywords: readonly string[]): Steps<readonly Entity[]> {
  const { ofKeywords } = yield* positionsIn(all);
  const found = [...new Set(keywords.map(foldCaseAndAccents))].flatMap((keyword) => ofKeywords.get(keyword) ?? []);
  return itemsAt(
    all,
    [...new Set(found)].sort((a, b) => a - b),
  );
}

const itemsAt = (all: readonly Entity[], positions: readonly number[]): readonly Entity[] =>
  positions.map((position) => all[position] as Entity);

function positionsIn(all: readonly Entity[]): Steps<Positions> {
  const positions = known.get(all) ?? new SharedSteps(findPositions(all as readonly Dataset[]));
  known.set(all, positions);
  return positions.run();
}

function* findPositions(all: readonly Dataset[]): Steps<Positions> {
  const ofNamespaces = new Map<string, number[]>();
  const ofKeywords = new Map<string, number[]>();
  yield* eachInSteps(all, ({ namespace, keywords }, position) => {
    add(ofNamespaces, namespace, position);
    for (const keyword of new Set(keywords.map(foldCaseAndAccents))) add(ofKeywords, keyword, position);
  });
  return { ofNamespaces, ofKeywords };
}

function add(lists: Map<string, number[]>, key: string, position: number): void {
  const list = lists.get(key);
  if (list) list.push(position);
  else lists.set(key, [position]);
}
