/** Sentences about the columns of an imported version, compared with the version before. */
import type { ColumnChanges } from '../catalogue/catalogue.ts';
import { isColumnDescribed } from '../catalogue/columns.ts';
import { excerpt } from '../catalogue/errors.ts';

/** Most columns that a sentence names. */
const maxNames = 8;

/** What readers of the data must know: columns that are gone, and those of another type. Added columns are no loss. */
export function sentencesAboutColumns({ dropped, retyped }: Pick<ColumnChanges, 'dropped' | 'retyped'>): string[] {
  const described = dropped.filter(isColumnDescribed).map(({ name }) => name);
  const names = dropped.map(({ name }) => name);
  return [
    ...(names.length ? [`The file lacks ${columnsText(names)} of the version before.`] : []),
    ...(described.length
      ? [`What was written about ${columnsText(described)} is kept, and comes back with the data.`]
      : []),
    ...retyped.map(({ name, from, to }) => `The type of the column "${excerpt(name)}" changed from ${from} to ${to}.`),
  ];
}

function columnsText(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => `"${excerpt(name)}"`);
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `the column${names.length === 1 ? '' : 's'} ${shown.join(', ')}${more}`;
}
