/** Predicates compiled to functions of rows. */
import { columnIndex, type Row, type TableSchema, type Value } from '../row.ts';
import { compileExpressionTest } from './compile-expression.ts';
import { type Predicate, referencedColumns, testsGeometries, type ValuePredicate } from './predicate.ts';
import type { SpatialTestCompiler } from './spatial-test.ts';
import { compileValueTest, makeCaseFolder } from './value-test.ts';

export type RowTest = (row: Row) => boolean;

/**
 * Compiles a predicate to a function that returns true for the rows that match.
 *
 * Asynchronous because GEOS (50 ms, 19 MB) is loaded when a predicate first needs it.
 * @throws ValidationError under the parameter's name if a geometry of the predicate is not valid
 * @throws Error if the predicate names a column that isn't in the schema
 */
export async function compilePredicate(predicate: Predicate, schema: TableSchema): Promise<RowTest> {
  const spatial = testsGeometries(predicate) ? await (await import('./spatial-test.ts')).loadSpatialTests() : undefined;
  return compileNode(predicate, false, { schema, spatial, folders: new Map() });
}

interface CompileContext {
  readonly schema: TableSchema;
  readonly spatial: SpatialTestCompiler | undefined;
  /** Case folders of columns, by index. */
  readonly folders: Map<number, (text: string) => string>;
}

/**
 * Three-valued logic by two-valued functions: NOT is pushed down to the leaves, and each leaf is compiled to a test for
 * true or, negated, to a test for false. A null value passes neither.
 */
function compileNode(predicate: Predicate, negated: boolean, context: CompileContext): RowTest {
  switch (predicate.op) {
    case 'and':
    case 'or': {
      const parts = [...predicate.of].sort((a, b) => Number(testsGeometries(a)) - Number(testsGeometries(b)));
      const tests = parts.map((part) => compileNode(part, negated, context));
      return (predicate.op === 'and') === negated ? anyTest(tests) : allTests(tests);
    }
    case 'not':
      return compileNode(predicate.of, !negated, context);
    case 'unknown': {
      const isTrue = compileNode(predicate.of, false, context);
      const isFalse = compileNode(predicate.of, true, context);
      return negated ? (row) => isTrue(row) || isFalse(row) : (row) => !isTrue(row) && !isFalse(row);
    }
    case 'isnull': {
      const isNull = compileNullTest(predicate.column, context.schema);
      return negated ? (row) => !isNull(row) : isNull;
    }
    case 'expression': {
      const test = compileExpressionTest(predicate, context.schema);
      return negated ? (row) => test(row) === false : (row) => test(row) === true;
    }
    case 'spatial':
    case 'relation':
    case 'dwithin':
    case 'bbox': {
      if (!context.spatial) throw new Error('GEOS is not loaded.');
      const test = context.spatial(predicate);
      return negated ? (row) => test(row) === false : (row) => test(row) === true;
    }
    default:
      return compileColumnTest(predicate, negated, context);
  }
}

function compileColumnTest(predicate: ValuePredicate, negated: boolean, { schema, folders }: CompileContext): RowTest {
  const index = columnIndex(predicate.column, schema);
  const fold = folders.get(index) ?? makeCaseFolder();
  folders.set(index, fold);
  const type = schema.columns[index]?.type ?? 'string';
  const test: (value: Value) => boolean = compileValueTest(predicate, type, negated, fold);
  return (row) => test(row.value(index));
}

function compileNullTest(column: string, schema: TableSchema): RowTest {
  if (referencedColumns({ op: 'isnull', column }).geometry && schema.hasGeometry) {
    // A bounding box is cheaper than a geometry. Without a box, the geometry may be null or empty.
    return (row) => row.bbox() === null && row.geometry() === null;
  }
  const index = columnIndex(column, schema);
  return (row) => row.value(index) === null;
}

function allTests(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests;
  if (!first) return () => true;
  if (!second) return first;
  if (tests.length === 2) return (row) => first(row) && second(row);
  return (row) => tests.every((test) => test(row));
}

function anyTest(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests;
  if (!first) return () => false;
  if (!second) return first;
  if (tests.length === 2) return (row) => first(row) || second(row);
  return (row) => tests.some((test) => test(row));
}
