/** Parameters of data addresses: those in records of saved queries, and those of aggregates with their functions. */
import type { Column, ColumnType } from './types.ts';

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

/** Reserved parameters of rows that also work without their underscore, if no column has that name. */
export const unprefixedParameters = ['format', 'page', 'page_size', 'limit', 'offset', 'bbox', 'filter'] as const;

/** Parameters that choose a part of the rows, with and without their underscore. */
export const partParameters: readonly string[] = ['page', 'page_size', 'limit', 'offset'].flatMap((name) => [
  name,
  `_${name}`,
]);

/** Parameters that say in which form rows are written. */
export const formParameters: readonly string[] = ['format', '_format', '_bom', '_excel', '_sep'];

/** Name of the parameter of a box, for data with these columns. */
export const boxParameter = (columns: readonly Pick<Column, 'name'>[]): 'bbox' | '_bbox' =>
  columns.some(({ name }) => name === 'bbox') ? '_bbox' : 'bbox';

/** Names that may be a column's or a parameter's: those of rows, and `width` of maps. */
export const ambiguousNames: readonly string[] = [...unprefixedParameters, 'width'];

/** The parameters with the names of filters that can't be taken for reserved ones: `limit__exact` if there is a column `limit`. */
export function withExactNames(
  parameters: Iterable<readonly [name: string, value: string]>,
  columns: readonly Pick<Column, 'name'>[],
): [name: string, value: string][] {
  const taken = new Set(columns.map(({ name }) => name).filter((name) => ambiguousNames.includes(name)));
  return [...parameters].map(([name, value]) => [taken.has(name) ? `${name}__exact` : name, value]);
}

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

/** Parameters whose value is a list of names of columns, separated by commas. */
export const namesParameters = ['_fields', '_ordering', '_group_by'] as readonly string[];

/** An item of a list: in double quotes if it has commas, quotes or blanks at its ends. One that is quoted already stays. */
const quoteItem = (item: string): string =>
  !/^-?"/.test(item) && /[",]|^\s|\s$/.test(item) ? `"${item.replaceAll('"', '""')}"` : item;

/** The parameters of a query's record, one by one: each value of a filter, and lists of columns as one text. */
export function parametersFromRecord(
  record: Readonly<Record<string, unknown>>,
): readonly (readonly [name: string, value: string])[] {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(record).flatMap(([name, value]) => {
    const values = [value].flat().map(textOf);
    const isNames = namesParameters.includes(name);
    if (!isNames && name !== '_aggregate') return values.map((text) => [name, text] as const);
    return [[name, (isNames && Array.isArray(value) ? values.map(quoteItem) : values).join()] as const];
  });
}

/** The names in a list of columns, without the quotes around them. */
export const namesInList = (list: string): readonly string[] =>
  (list.match(/\s*"(?:[^"]|"")*"|[^,]+/g) ?? []).map((item) => {
    const name = item.trim();
    return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
  });

/** The name of a column in a list: in quotes if it has a comma or a quote. */
export const quotedName = (name: string): string =>
  /[,"]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;

/** True if rows have their geometry: they are no groups, and its column isn't left out. */
export function haveGeometry(
  parameters: readonly (readonly [name: string, value: string])[],
  columns: readonly Pick<Column, 'name' | 'type'>[],
): boolean {
  const fields = parameters.findLast(([name]) => name === '_fields')?.[1];
  const written = fields === undefined ? null : namesInList(fields);
  return (
    !haveAggregates(parameters) &&
    columns.some(({ name, type }) => type === 'geometry' && (written?.includes(name) ?? true))
  );
}
