/**
 * Aggregates as query parameters: `_group_by=kind,year` and `_aggregate=count,sum(height),mean(height) AS average`.
 *
 * A function is written as in SQL, in upper or lower case; a column whose name has commas or quotes is in double quotes.
 * `count` and `count(*)` count rows, `count(column)` values that are not null. A column of the result has the name of the
 * function with its column, `sum(height)`, or the one after AS; `count` is called `count`.
 */

import { didYouMean } from '../../catalogue/closest.ts';
import { excerpt } from '../../catalogue/errors.ts';
import { type AggregateFunction, aggregateFunctions } from '../../catalogue/row-parameters.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { ParameterError } from '../errors.ts';
import type { QueryLimits } from '../limits.ts';
import { columnHint, columnType, findColumn, type TableColumn, type TableSchema } from '../row.ts';
import { Scanner } from '../scanner.ts';
import { splitList } from './parameter-values.ts';

/** One aggregate: a function of the values of a column in each group of rows. */
export interface Aggregate {
  readonly function: AggregateFunction;
  /** Null to count rows; may be the geometry. */
  readonly column: string | null;
  /** Its column in the result. */
  readonly result: TableColumn;
}

/** Groups of rows, and what is computed of each. */
export interface Aggregation {
  /** Names of columns; without any, all rows are one group. */
  readonly groupBy: readonly string[];
  readonly aggregates: readonly Aggregate[];
  /** The columns of the result: those of the groups, then the aggregates. */
  readonly schema: TableSchema;
}

const functionNames = Object.keys(aggregateFunctions) as AggregateFunction[];
const countRows: Aggregate = { function: 'count', column: null, result: { name: 'count', type: 'integer' } };

/** Parses the columns of groups. @throws ParameterError */
export function parseGroupBy(text: string, schema: TableSchema): readonly string[] {
  const names = splitList(text).map((name) => {
    const column = findColumn(name, schema);
    if (!column) throw new ParameterError(`Unknown column "${excerpt(name)}".${columnHint(name, schema)}`);
    if (!aggregateFunctions.min.includes(column.type)) {
      const hint = column.type === 'geometry' ? ' Group by another column, or filter by place with _bbox.' : '';
      throw new ParameterError(`Rows can't be grouped by column "${excerpt(name)}" of type ${column.type}.${hint}`);
    }
    return column.name;
  });
  return [...new Set(names)];
}

/** Parses a list of aggregates. @throws ParameterError with the position */
export function parseAggregates(text: string, schema: TableSchema): readonly Aggregate[] {
  const scanner = new Scanner(text);
  const aggregates = [];
  do aggregates.push(parseAggregate(scanner, schema));
  while (scanner.accept(','));
  if (scanner.peek() !== '') scanner.fail(`Expected a comma, AS or the end but found ${scanner.describeNext()}`);
  return aggregates;
}

const namePattern = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
const quotedPattern = /"(?:[^"]|"")*"/y;

function parseAggregate(scanner: Scanner, schema: TableSchema): Aggregate {
  scanner.skipBlanks();
  const { at } = scanner;
  const word = scanner.match(namePattern);
  if (word === undefined)
    scanner.fail(`Expected a function such as count or sum(column) but found ${scanner.describeNext()}`);
  const name = functionNames.find((one) => one === word.toLowerCase());
  if (!name) scanner.fail(`Unknown function "${excerpt(word)}"`, at, functionHint(word, schema));
  const argument = scanner.accept('(') ? parseArgument(scanner) : '';
  if (argument === '' || argument === '*') {
    if (name !== 'count')
      scanner.fail(`"${name}" needs a column`, at, ` Write ${name}(column), with the name of a column.`);
    return { ...countRows, result: { ...countRows.result, name: parseAlias(scanner) ?? 'count' } };
  }
  const column = findArgument(argument, name, at, scanner, schema);
  const result = { name: parseAlias(scanner) ?? `${name}(${column.name})`, type: resultType(name, column.type) };
  return { function: name, column: column.name, result };
}

/** ` Did you mean "sum"?`, or which functions there are. */
function functionHint(word: string, schema: TableSchema): string {
  const near = didYouMean(word, functionNames);
  if (near) return near;
  const column = columnType(word, schema);
  if (column) return ` It is a column: write a function of it, such as ${functionsOf(column).at(-1)}(${word}).`;
  return ` There are ${functionNames.join(', ')}.`;
}

/** Consumes the argument of a function and the closing parenthesis. @returns '' if it is empty, and * for all rows */
function parseArgument(scanner: Scanner): string {
  const quoted = scanner.match(quotedPattern);
  // Names with parentheses needn't be quoted: sum(Value (US$))
  const argument = quoted ?? scanner.match(/(?:[^()",]|\([^()]*\))*/y) ?? '';
  scanner.expect(')');
  return quoted ? quoted.slice(1, -1).replaceAll('""', '"') : argument.trim();
}

/** Consumes AS and a name; undefined if there is none. */
function parseAlias(scanner: Scanner): string | undefined {
  if (scanner.match(/as(?=[\s"])/iy) === undefined) return undefined;
  const quoted = scanner.match(quotedPattern);
  const alias = quoted ? quoted.slice(1, -1).replaceAll('""', '"') : (scanner.match(/[^,"]+/y) ?? '').trim();
  if (alias === '') scanner.fail(`Expected a name after AS but found ${scanner.describeNext()}`);
  return alias;
}

function findArgument(argument: string, name: AggregateFunction, at: number, scanner: Scanner, schema: TableSchema) {
  const column = findColumn(argument, schema);
  if (!column) {
    if (/^distinct\s/i.test(argument))
      scanner.fail('DISTINCT is not supported', at, ' Group by the column: there is a row for each of its values.');
    scanner.fail(`Unknown column "${excerpt(argument)}"`, at, columnHint(argument, schema));
  }
  const types: readonly ColumnType[] = aggregateFunctions[name];
  if (!types.includes(column.type)) {
    const hint = ` It takes ${functionsOf(column.type).join(', ')}.`;
    scanner.fail(`"${name}" doesn't fit column "${excerpt(argument)}" of type ${column.type}`, at, hint);
  }
  return column as TableColumn;
}

const functionsOf = (type: ColumnType): readonly AggregateFunction[] =>
  functionNames.filter((name) => (aggregateFunctions[name] as readonly ColumnType[]).includes(type));

function resultType(name: AggregateFunction, type: TableColumn['type']): TableColumn['type'] {
  if (name === 'count') return 'integer';
  return name === 'mean' || name === 'avg' || name === 'median' ? 'float' : type;
}

/**
 * The aggregation of columns of groups and aggregates.
 * @param groupBy absent: all rows are one group
 * @param aggregates absent: rows are counted
 * @throws ParameterError if two columns of the result have the same name, or there are too many
 */
export function makeAggregation(
  groupBy: readonly string[] = [],
  aggregates: readonly Aggregate[] = [countRows],
  schema: TableSchema,
  limits: QueryLimits,
): Aggregation {
  if (groupBy.length + aggregates.length > limits.aggregates)
    throw new ParameterError(`There are more than ${limits.aggregates} columns and aggregates.`);
  const distinct = new Map<string, Aggregate>();
  for (const aggregate of aggregates) {
    const { name } = aggregate.result;
    const other = distinct.get(name);
    const isSame = other && other.function === aggregate.function && other.column === aggregate.column;
    if ((other && !isSame) || groupBy.includes(name)) {
      throw new ParameterError(
        `Two columns of the result are called "${excerpt(name)}". Name one of them with AS: ${formatCall(aggregate)} AS …`,
      );
    }
    distinct.set(name, aggregate);
  }
  const all = [...distinct.values()];
  const grouping = groupBy.map((name) => ({ name, type: columnType(name, schema) }) as TableColumn);
  const { otherNames } = schema;
  const columns = [...grouping, ...all.map(({ result }) => result)];
  return { groupBy, aggregates: all, schema: { hasGeometry: false, columns, ...(otherNames && { otherNames }) } };
}

const formatCall = ({ function: name, column }: Aggregate) =>
  excerpt(column === null ? name : `${name}(${/[",]/.test(column) ? `"${column.replaceAll('"', '""')}"` : column})`);

/**
 * The column of a result that a name means: its own name, a former name of a column, or a call of a function.
 * @param schema columns of the table
 */
export function findResultColumn(
  name: string,
  { aggregates, schema: result }: Aggregation,
  schema: TableSchema,
): Pick<TableColumn, 'name' | 'type'> | undefined {
  const column = findColumn(name, result) as TableColumn | undefined;
  if (column) return column;
  try {
    const [call] = parseAggregates(name, { ...schema, suggestions: { left: 0 } });
    return aggregates.find((one) => one.function === call?.function && one.column === call.column)?.result;
  } catch (error) {
    if (error instanceof ParameterError) return undefined;
    throw error;
  }
}
