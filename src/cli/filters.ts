/** Filters of rows, as people type them: `height__gte=10`. */
import { excerpt } from '../catalogue/errors.ts';
import { UsageError } from './errors.ts';

export type Parameter = readonly [name: string, value: string];

/**
 * Reads filters, each `column=value` or `column__lookup=value`.
 * @throws UsageError
 */
export function parseFilterWords(words: readonly (string | undefined)[]): readonly Parameter[] {
  return words.map((word = '') => {
    const at = word.indexOf('=');
    if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
    throw new UsageError(
      `"${excerpt(word)}" is not a filter. Write column=value or column__lookup=value, as in height__gte=10`,
    );
  });
}
