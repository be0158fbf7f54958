/** Parameters of data addresses: those in records of saved queries, and those of aggregates with their functions. */
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

/** Parameters whose value is a list, separated by commas. */
const listParameters = ['_fields', '_ordering', ...aggregateParameters] as readonly string[];

/** The parameters of a query's record, one by one: each value of a filter, and lists of columns as one text. */
export function parametersFromRecord(
  record: Readonly<Record<string, unknown>>,
): readonly (readonly [name: string, value: string])[] {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(record).flatMap(([name, value]) => {
    const values = [value].flat().map(textOf);
    return (listParameters.includes(name) ? [values.join()] : values).map((text) => [name, text] as const);
  });
}
