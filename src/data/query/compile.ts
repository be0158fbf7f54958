/** A predicate made into a function of rows. */
import type { Row, TableShape, Value } from '../row.ts';
import { columnsOf, type Predicate, type ValuePredicate } from './predicate.ts';
import type { SpatialJudge } from './spatial-test.ts';
import { valueTest } from './value-test.ts';

export type RowTest = (row: Row) => boolean;

/**
 * Makes a predicate into a function that says whether it is true of a row.
 *
 * Asynchronous because GEOS (50 ms, 19 MB) is loaded the first time that a predicate needs it, and only then.
 * @throws ValidationError under the parameter's name where a geometry of the predicate is not valid
 * @throws Error where the predicate names a column that isn't in the shape: whoever made it had another shape
 */
export async function compile(predicate: Predicate, shape: TableShape): Promise<RowTest> {
  const spatial = needsGeos(predicate) ? await (await import('./spatial-test.ts')).loadSpatial() : undefined;
  return rowTest(predicate, false, { shape, spatial });
}

interface Context {
  readonly shape: TableShape;
  readonly spatial: SpatialJudge | undefined;
}

const needsGeos = (predicate: Predicate): boolean => {
  if (predicate.op === 'not') return needsGeos(predicate.of);
  if (predicate.op === 'and' || predicate.op === 'or') return predicate.of.some(needsGeos);
  return predicate.op === 'spatial' || predicate.op === 'bbox' || predicate.op === 'dwithin';
};

/**
 * Three-valued logic without a third value: NOT is moved inwards until it meets the tests themselves, and each of them
 * knows when it is false as well as when it is true; of null it is neither.
 */
function rowTest(predicate: Predicate, negated: boolean, context: Context): RowTest {
  switch (predicate.op) {
    case 'and':
    case 'or': {
      const parts = [...predicate.of].sort((a, b) => Number(needsGeos(a)) - Number(needsGeos(b)));
      const tests = parts.map((part) => rowTest(part, negated, context));
      return (predicate.op === 'and') === negated ? any(tests) : all(tests);
    }
    case 'not':
      return rowTest(predicate.of, !negated, context);
    case 'isnull': {
      const isNull = nullTest(predicate.column, context.shape);
      return negated ? (row) => !isNull(row) : isNull;
    }
    case 'spatial':
    case 'dwithin':
    case 'bbox': {
      if (!context.spatial) throw new Error('GEOS is not loaded.');
      const judge = context.spatial(predicate);
      return negated ? (row) => judge(row) === false : (row) => judge(row) === true;
    }
    default:
      return columnTest(predicate, negated, context.shape);
  }
}

function columnTest(predicate: ValuePredicate, negated: boolean, shape: TableShape): RowTest {
  const index = columnIndex(predicate.column, shape);
  const test: (value: Value) => boolean = valueTest(predicate, shape.columns[index]?.type ?? 'string', negated);
  return (row) => test(row.value(index));
}

function nullTest(column: string, shape: TableShape): RowTest {
  if (columnsOf({ op: 'isnull', column }).geometry && shape.hasGeometry) {
    // A bounding box is cheaper than a geometry; without one it may still be an empty geometry.
    return (row) => row.bbox() === null && row.geometry() === null;
  }
  const index = columnIndex(column, shape);
  return (row) => row.value(index) === null;
}

function columnIndex(name: string, shape: TableShape): number {
  const index = shape.columns.findIndex((column) => column.name === name);
  if (index < 0) throw new Error(`There is no column "${name}".`);
  return index;
}

function all(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests;
  if (!first) return () => true;
  if (!second) return first;
  if (tests.length === 2) return (row) => first(row) && second(row);
  return (row) => tests.every((test) => test(row));
}

function any(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests;
  if (!first) return () => false;
  if (!second) return first;
  if (tests.length === 2) return (row) => first(row) || second(row);
  return (row) => tests.some((test) => test(row));
}
