/** Positions of values in the texts of records. */
import { LRUCache } from 'lru-cache';
import { recordFormat } from '../../catalogue/layout.ts';
import { makePositionFinder, type TextPosition } from '../../text/parse.ts';

/** Number of records whose syntax trees are kept: a tree takes some ten bytes for each of its text. */
const maxTrees = 8;

/**
 * Finds positions of values in several records. Those of one record are found one after another, or between those of few others: its
 * text is parsed once then.
 * @param textOf text of a record by its path; undefined for a missing one, which then has no position
 */
export function makeRecordPositionFinder(
  textOf: (path: string) => string | undefined,
): (path: string, pointer: string, part?: 'key' | 'value') => TextPosition | undefined {
  const finders = new LRUCache<string, ReturnType<typeof makePositionFinder>>({ max: maxTrees });
  return (path, pointer, part) => {
    let find = finders.get(path);
    if (!find) {
      const text = textOf(path);
      if (text === undefined) return undefined;
      find = makePositionFinder(text, recordFormat(path));
      finders.set(path, find);
    }
    return find(pointer, part);
  };
}
