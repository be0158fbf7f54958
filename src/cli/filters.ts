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

/** Parameters as a query's record has them: a number as a number, several values of a name as a list. */
export function parametersToRecord(parameters: readonly Parameter[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown[]>();
  for (const [name, value] of parameters) values.set(name, [...(values.get(name) ?? []), plainValue(value)]);
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

/** A number or boolean if it is written back as it was typed, else the text: `007` and `1e3` stay texts. */
function plainValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
