/** Positions of values in the texts of records. */
import { recordFormat } from '../../catalogue/layout.ts';
import { makePositionFinder, type TextPosition } from '../../text/parse.ts';

/**
 * Finds positions of values in several records, each of which is parsed once.
 * @param textOf text of a record by its path; undefined for a missing one, which then has no position
 */
export function makeRecordPositionFinder(
  textOf: (path: string) => string | undefined,
): (path: string, pointer: string, part?: 'key' | 'value') => TextPosition | undefined {
  const finders = new Map<string, ReturnType<typeof makePositionFinder>>();
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
