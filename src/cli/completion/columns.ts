/** Columns as words on a command line: alone, and in the filters of `catalogue data`. */
import type { Column } from '../../catalogue/types.ts';
import type { Candidate } from './candidates.ts';

/** @param before what stands before the name in the same word */
export const columnWords = (columns: readonly Column[], before: string): readonly Candidate[] =>
  columns.map((column) => ({ word: before + column.name, description: descriptionOf(column) }));

const descriptionOf = ({ type, unit, label }: Column) => [type, unit && `in ${unit}`, label].filter(Boolean).join(', ');

/**
 * The filters that begin so: `height=`; where it can be that column only, `height__` as well; behind that, its lookups;
 * and behind the `=` of a boolean column, what it can be.
 */
export async function filterWords(columns: readonly Column[], current: string): Promise<readonly Candidate[]> {
  const { lookupsByType } = await import('../../data/query/lookups.ts');
  const plain = (words: readonly string[]) => words.map((word) => ({ word, description: '' }));
  const asked = columns.find(({ name }) => current.startsWith(`${name}__`) || current.startsWith(`${name}=`));
  if (!asked) {
    const near = columns.filter(({ name }) => name.startsWith(current));
    return near.flatMap((column) => {
      const ends = column.type === 'geometry' ? ['__'] : near.length === 1 ? ['=', '__'] : ['='];
      return ends.map((end) => ({ word: column.name + end, description: descriptionOf(column) }));
    });
  }
  const { name, type } = asked;
  if (current.startsWith(`${name}=`)) return type === 'boolean' ? plain([`${name}=true`, `${name}=false`]) : [];
  return plain(lookupsByType[type].filter((lookup) => lookup !== 'exact').map((lookup) => `${name}__${lookup}=`));
}
