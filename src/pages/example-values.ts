/** Examples of the values of a column whose values are not counted one by one. */
import type { ColumnProfile } from '../catalogue/column-statistics.ts';
import { isolated, type Locale } from './locale.ts';

/**
 * Examples of texts, and whether all texts are known to be different; the types of a geometry.
 * @param most characters of an example; longer ones end in "…"
 */
export function examplesText(
  locale: Locale,
  { type, distinct, examples = [] }: Pick<ColumnProfile, 'type' | 'distinct' | 'examples'>,
  most: number,
): string {
  if (type === 'geometry') return examples.join(', ');
  // Long addresses may begin alike.
  const shown = [...new Set(examples.map((text) => isolated(truncate(text, most))))];
  const list = (examples.length === distinct ? shown : [...shown, '…']).join(', ');
  if (distinct === 1) return list;
  return locale.text(distinct === null ? 'suchAs' : 'allDifferentSuch', { examples: list });
}

function truncate(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}
