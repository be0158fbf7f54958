/** Aggregates of rows: their functions, and their parameters of data addresses. */
import type { ColumnType } from './types.ts';

const numbers: readonly ColumnType[] = ['integer', 'float'];
const ordered: readonly ColumnType[] = [...numbers, 'string', 'boolean', 'date', 'datetime', 'time'];

/** The functions, with the types of columns that they take. `avg` is SQL's name of `mean`. */
export const aggregateFunctions = {
  count: [...ordered, 'object', 'array', 'geometry'],
  sum: numbers,
  min: ordered,
  max: ordered,
  mean: numbers,
  avg: numbers,
  median: numbers,
} as const satisfies Readonly<Record<string, readonly ColumnType[]>>;

export type AggregateFunction = keyof typeof aggregateFunctions;

/** Parameters that ask for groups of rows instead of rows. */
export const aggregateParameters = ['_group_by', '_aggregate'] as const;

/** True if the parameters of a data address ask for groups of rows. */
export const haveAggregates = (parameters: readonly (readonly [name: string, value: string])[]): boolean =>
  parameters.some(([name]) => (aggregateParameters as readonly string[]).includes(name));

const names = Object.keys(aggregateFunctions).join('|');
const quotedOrCall = new RegExp(
  `"(?:[^"]|"")*"|(\\b(?:${names})\\s*\\()(\\s*"(?:[^"]|"")*"\\s*|(?:[^()",]|\\([^()]*\\))*)\\)`,
  'giu',
);

/** Replaces the names of columns in calls of functions: `sum(height) AS total`, `-sum(height)`. */
export function replaceColumnNamesInAggregates(text: string, rename: (name: string) => string): string {
  return text.replace(quotedOrCall, (token, start: string | undefined, argument = '') => {
    if (start === undefined) return token;
    const column: string = argument.trim();
    const name = column.startsWith('"') ? column.slice(1, -1).replaceAll('""', '"') : column;
    const to = rename(name);
    return to === name ? token : `${start}${/^[-\w]+$/.test(to) ? to : `"${to.replaceAll('"', '""')}"`})`;
  });
}
