import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dateOfInstant,
  dateTimeInMicroseconds,
  parseDateTime,
  parseTimeOfDay,
  timeInMicroseconds,
} from '../../../src/data/date-time.ts';
import { doBboxesIntersect } from '../../../src/data/geometry/bounding-box.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { compilePredicate } from '../../../src/data/query/compile.ts';
import { alwaysTrue, type Predicate, predicateSize, referencedColumns } from '../../../src/data/query/predicate.ts';
import { boxesToSearch } from '../../../src/data/query/search-boxes.ts';
import { compileTextTest } from '../../../src/data/query/value-test.ts';
import type { Row, Value } from '../../../src/data/row.ts';
import { rowOf, schemaOf } from '../support/rows.ts';

const schema = schemaOf({ n: 'float', s: 'string', b: 'boolean', d: 'date', t: 'datetime', c: 'time' });
const matches = async (predicate: Predicate, values: Value[], geometry: Geometry | null = null) =>
  (await compilePredicate(predicate, schema))(rowOf(values, geometry));
const compare = (test: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte', column: string, value: string | number | boolean) =>
  ({ op: 'compare', test, column, value }) as const;
const not = (of: Predicate): Predicate => ({ op: 'not', of });

test('values are compared as their column is typed', async () => {
  assert.equal(await matches(compare('gt', 'n', 9), [10]), true);
  assert.equal(await matches(compare('lt', 's', '9'), [null, '10']), true, 'texts as texts');
  assert.equal(await matches(compare('eq', 'b', false), [null, null, false]), true);
  assert.equal(await matches(compare('gte', 'd', '2020-02-29'), [null, null, null, '2020-03-01']), true);
  const at = (datetime: string) => [null, null, null, null, datetime];
  assert.equal(await matches(compare('eq', 't', '2020-01-01T10:00:00+02:00'), at('2020-01-01T08:00:00Z')), true);
  assert.equal(
    await matches(compare('lt', 't', '2020-01-01T00:00:00.000002Z'), at('2020-01-01T00:00:00.000001Z')),
    true,
  );
  assert.equal(await matches(compare('gte', 't', '2020-01-01'), at('2019-12-31T23:30:00-01:00')), true);
  assert.equal(await matches(compare('ne', 't', '2020-01-01'), at('not a datetime')), false);
  const clock = (time: string) => [null, null, null, null, null, time];
  assert.equal(await matches(compare('eq', 'c', '10:00'), clock('10:00:00.0')), true);
  assert.equal(await matches(compare('lt', 'c', '9:00'), clock('10:00')), false, 'a time that is none');
});

test('lists and ranges', async () => {
  const inList = { op: 'in', column: 'n', values: [1, 2, 3] } as const;
  assert.equal(await matches(inList, [2]), true);
  assert.equal(await matches(inList, [4]), false);
  assert.equal(await matches(not(inList), [4]), true);
  const between = { op: 'between', column: 't', low: '2020-01-01', high: '2020-12-31T23:59:59Z' } as const;
  assert.equal(await matches(between, [null, null, null, null, '2021-01-01T00:30:00+01:00']), true);
  assert.equal(
    await matches({ op: 'in', column: 'c', values: ['10:00'] }, [null, null, null, null, null, '10:00:00']),
    true,
  );
});

test('null is neither true nor false of anything but isnull', async () => {
  const nothing: Value[] = [];
  for (const predicate of [
    compare('eq', 'n', 1),
    compare('ne', 'n', 1),
    { op: 'in', column: 'n', values: [1] },
    { op: 'between', column: 'n', low: 0, high: 1 },
    { op: 'text', test: 'icontains', column: 's', text: '' },
    { op: 'spatial', test: 'intersects', geometry: { type: 'Point', coordinates: [0, 0] } },
    { op: 'spatial', test: 'disjoint', geometry: { type: 'Point', coordinates: [0, 0] } },
    { op: 'bbox', bbox: [0, 0, 1, 1] },
  ] satisfies Predicate[]) {
    assert.equal(await matches(predicate, nothing), false, JSON.stringify(predicate));
    assert.equal(await matches(not(predicate), nothing), false, `NOT ${JSON.stringify(predicate)}`);
  }
  assert.equal(await matches({ op: 'isnull', column: 'n' }, nothing), true);
  assert.equal(await matches({ op: 'isnull', column: 'geometry' }, nothing), true);
  assert.equal(await matches({ op: 'isnull', column: 'geometry' }, nothing, { type: 'Point', coordinates: [] }), false);
  assert.equal(await matches(not({ op: 'isnull', column: 's' }), nothing), false);
  const either: Predicate = { op: 'or', of: [compare('eq', 'n', 1), compare('eq', 's', 'x')] };
  assert.equal(await matches(either, [null, 'x']), true, 'unknown or true is true');
  assert.equal(
    await matches(not({ op: 'and', of: [compare('eq', 'n', 1), compare('eq', 's', 'x')] }), [null, 'y']),
    true,
  );
});

test('nothing in an AND is true, nothing in an OR is false', async () => {
  assert.equal(await matches(alwaysTrue, []), true);
  assert.equal(await matches({ op: 'or', of: [] }, []), false);
  assert.equal(await matches(not({ op: 'or', of: [] }), []), true);
});

test('text tests, with and without case', () => {
  assert.ok(compileTextTest('iexact', 'STRASSE')('straße'));
  assert.ok(compileTextTest('icontains', 'ΟΔΟΣ')('η οδος μας'));
  assert.ok(compileTextTest('istartswith', 'é')('E\u0301cole'));
  assert.ok(!compileTextTest('iexact', 'Ecole')('École'));
  assert.ok(!compileTextTest('contains', 'a')('A'));
  assert.ok(compileTextTest('endswith', 'rich')('Zürich'));
  assert.ok(compileTextTest('iendswith', 'RICH')('Zürich'));
});

test('LIKE: any text, one character, and either taken literally', () => {
  for (const [pattern, text, expected] of [
    ['a%', 'abc', true],
    ['a%', 'ba', false],
    ['%', '', true],
    ['_', '', false],
    ['_', '🐦', true],
    ['a_c', 'abc', true],
    ['a_c', 'abbc', false],
    ['50\\%', '50%', true],
    ['50\\%', '500', false],
    ['a\\_c', 'abc', false],
    ['\\\\', '\\', true],
    ['%b%d%', 'abcde', true],
    ['%b%d', 'abcde', false],
    ['a.c', 'abc', false],
    ['', '', true],
  ] as const) {
    assert.equal(compileTextTest('like', pattern)(text), expected, `${text} LIKE ${pattern}`);
  }
  assert.ok(compileTextTest('ilike', 'ZÜ%')('zürich'));
});

test('LIKE takes no longer than pattern times text', () => {
  const start = performance.now();
  assert.ok(!compileTextTest('like', `${'%a'.repeat(30)}%b`)('a'.repeat(5000)));
  assert.ok(performance.now() - start < 1000);
});

test('datetimes and times of day', () => {
  assert.equal(parseDateTime('1970-01-01'), 0);
  assert.equal(parseDateTime('1970-01-01T01:00:00+01:00'), 0);
  assert.equal(parseDateTime('1970-01-01 00:00'), 0, 'no offset is UTC');
  assert.equal(parseDateTime('1970-01-01T00:00:00.123456Z'), 123 + 456 / 1024);
  assert.equal(parseDateTime('2016-12-31T23:59:60Z'), parseDateTime('2017-01-01T00:00:00Z'), 'a leap second');
  assert.equal(parseDateTime('0099-01-01'), Date.parse('0099-01-01T00:00:00Z'));
  for (const wrong of ['2021-02-29', '2021-04-31', '2021-13-01', '2021-1-1', '20210101', '2021-01-01T24:00', 'x', '']) {
    assert.ok(Number.isNaN(parseDateTime(wrong)), wrong);
  }
  assert.equal(parseTimeOfDay('01:02:03.5'), 3723.5);
  assert.ok(Number.isNaN(parseTimeOfDay('25:00')));
});

test('parseDateTime reads what Date reads', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      assert.equal(parseDateTime(date.toISOString()), date.getTime());
    }),
  );
});

test('digits beyond microseconds are cut: no instant becomes one of the next day', async () => {
  const [last, cut] = ['2023-12-31T23:59:59.999999', '2023-12-31 23:59:59.9999999'];
  assert.equal(parseDateTime(cut), parseDateTime(last));
  const at = (datetime: string) => [null, null, null, null, datetime];
  assert.equal(await matches(compare('lt', 't', '2024-01-01T00:00:00'), at(cut)), true);
  assert.equal(await matches(compare('lte', 't', `${last}Z`), at(cut)), true);
  assert.equal(await matches(compare('eq', 't', cut), at('2024-01-01 00:00:00')), false);
  for (const day of ['9999-12-31', '2300-12-31', '1969-12-31', '1600-12-31', '0000-12-31']) {
    const [instant, next] = [`${day}T23:59:59.99999999`, `${day}T23:59:59.998999`].map(parseDateTime) as [
      number,
      number,
    ];
    assert.equal(dateOfInstant(instant).toISOString(), `${day}T23:59:59.999Z`);
    assert.ok(instant > next, day);
  }
  assert.equal(parseTimeOfDay('23:59:59.9999999'), 86_399.999999);
  assert.equal(await matches(compare('lt', 'c', '23:59:60'), [null, null, null, null, null, '23:59:59.9999999']), true);
});

test('microseconds are exact in each year, and stay in the calendar', () => {
  const min = BigInt(Date.parse('0000-01-01T00:00:00Z')) * 1000n;
  const max = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * 1000n + 999n;
  const textOf = (microseconds: bigint) => {
    const within = (((microseconds % 1000n) + 1000n) % 1000n) as bigint;
    const milliseconds = new Date(Number((microseconds - within) / 1000n)).toISOString();
    return milliseconds.replace('Z', `${String(within).padStart(3, '0')}Z`);
  };
  const moment = fc.bigInt({ min, max });
  fc.assert(
    fc.property(moment, fc.bigInt({ min: 1n, max: 10_000n }), (microseconds, more) => {
      const text = textOf(microseconds);
      assert.equal(dateTimeInMicroseconds(text), microseconds);
      assert.equal(dateOfInstant(parseDateTime(text)).toISOString(), text.replace(/\d{3}Z$/, 'Z'));
      if (microseconds + more > max) return;
      const [instant, later] = [parseDateTime(text), parseDateTime(textOf(microseconds + more))];
      // Where numbers are too few, near instants are equal.
      const isNear = (text < '1692' || text > '2248') && more < 32n;
      assert.ok(isNear ? instant <= later : instant < later, `${text} and ${more} more`);
    }),
  );
  assert.equal(dateTimeInMicroseconds('9999-12-31T23:59:59.9999999'), max);
  assert.equal(dateTimeInMicroseconds('9999-12-31T23:59:59-05:00'), max);
  assert.equal(dateTimeInMicroseconds('0000-01-01T00:00:00+05:00'), min);
  assert.equal(dateTimeInMicroseconds('2021-02-29T00:00:00'), undefined);
  assert.equal(timeInMicroseconds('23:59:59.9999999'), 86_399_999_999n);
  assert.equal(timeInMicroseconds('23:59:60'), 86_399_999_999n);
  assert.equal(timeInMicroseconds('00:00:00.000001'), 1n);
  assert.equal(timeInMicroseconds('24:00'), undefined);
});

test('referencedColumns and predicateSize', () => {
  const predicate: Predicate = {
    op: 'and',
    of: [
      compare('eq', 's', 'x'),
      not({ op: 'or', of: [compare('gt', 'n', 1), { op: 'in', column: 's', values: ['a', 'b'] }] }),
      {
        op: 'spatial',
        test: 'within',
        geometry: {
          type: 'LineString',
          coordinates: [
            [0, 0],
            [1, 1],
            [2, 2],
          ],
        },
      },
    ],
  };
  assert.deepEqual(referencedColumns(predicate), { columns: ['s', 'n'], geometry: true });
  assert.deepEqual(referencedColumns(compare('eq', 'n', 1)), { columns: ['n'], geometry: false });
  assert.deepEqual(referencedColumns({ op: 'isnull', column: 'geometry' }), { columns: [], geometry: true });
  assert.deepEqual(predicateSize(predicate), { predicates: 4, values: 5, vertices: 3 });
});

test('search boxes of a bounding box, of AND, OR and NOT', () => {
  const bbox = (west: number, east: number): Predicate => ({ op: 'bbox', bbox: [west, 0, east, 10] });
  assert.deepEqual(boxesToSearch(bbox(0, 10)), [[0, 0, 10, 10]]);
  assert.deepEqual(boxesToSearch(bbox(170, -170)), [
    [170, 0, 180, 10],
    [-180, 0, -170, 10],
  ]);
  assert.deepEqual(boxesToSearch(bbox(170, 190)), [
    [170, 0, 190, 10],
    [-190, 0, -170, 10],
  ]);
  assert.deepEqual(boxesToSearch({ op: 'and', of: [bbox(0, 90), bbox(5, 6), compare('eq', 'n', 1)] }), [[5, 0, 6, 10]]);
  assert.deepEqual(boxesToSearch({ op: 'or', of: [bbox(0, 1), bbox(5, 6)] })?.length, 2);
  assert.equal(boxesToSearch({ op: 'or', of: [bbox(0, 1), compare('eq', 'n', 1)] }), null);
  assert.equal(boxesToSearch(not(bbox(0, 1))), null);
  assert.deepEqual(boxesToSearch(not(not(bbox(0, 1)))), [[0, 0, 1, 10]]);
  const away: Predicate = { op: 'spatial', test: 'disjoint', geometry: { type: 'Point', coordinates: [1, 2] } };
  assert.equal(boxesToSearch(away), null);
  assert.deepEqual(boxesToSearch(not(away)), [[1, 2, 1, 2]]);
  assert.deepEqual(boxesToSearch({ op: 'or', of: [] }), []);
  assert.equal(boxesToSearch(alwaysTrue), null);
});

/** Three-valued logic written out, to compare with. */
function reference(predicate: Predicate, row: Row): boolean | null {
  switch (predicate.op) {
    case 'and': {
      const parts = predicate.of.map((part) => reference(part, row));
      return parts.includes(false) ? false : parts.includes(null) ? null : true;
    }
    case 'or': {
      const parts = predicate.of.map((part) => reference(part, row));
      return parts.includes(true) ? true : parts.includes(null) ? null : false;
    }
    case 'not': {
      const inner = reference(predicate.of, row);
      return inner === null ? null : !inner;
    }
    case 'isnull':
      return row.value(0) === null;
    case 'compare': {
      const value = row.value(0);
      if (value === null) return null;
      const [a, b] = [value as number, predicate.value as number];
      return { eq: a === b, ne: a !== b, lt: a < b, lte: a <= b, gt: a > b, gte: a >= b }[predicate.test];
    }
    case 'in':
      return row.value(0) === null ? null : predicate.values.includes(row.value(0) as number);
    case 'between': {
      const value = row.value(0) as number | null;
      return value === null ? null : value >= (predicate.low as number) && value <= (predicate.high as number);
    }
    case 'bbox': {
      const bbox = row.bbox();
      return bbox === null ? null : doBboxesIntersect(bbox, predicate.bbox);
    }
    default:
      throw new Error(predicate.op);
  }
}

const number = fc.integer({ min: 0, max: 4 });
const bboxOfPoints = fc
  .tuple(number, number, number, number)
  .map(([x, y, w, h]): Predicate => ({ op: 'bbox', bbox: [x, y, x + w, y + h] }));
const anyPredicate = fc.letrec<{ tree: Predicate }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({
      op: fc.constant('compare' as const),
      test: fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte'),
      column: fc.constant('n'),
      value: number,
    }),
    fc.record({ op: fc.constant('in' as const), column: fc.constant('n'), values: fc.array(number) }),
    fc.record({ op: fc.constant('between' as const), column: fc.constant('n'), low: number, high: number }),
    fc.constant<Predicate>({ op: 'isnull', column: 'n' }),
    bboxOfPoints,
    fc.record({ op: fc.constantFrom('and' as const, 'or' as const), of: fc.array(tie('tree'), { maxLength: 3 }) }),
    fc.record({ op: fc.constant('not' as const), of: tie('tree') }),
  ),
})).tree;
const anyRow = fc
  .record({ n: fc.option(number), point: fc.option(fc.tuple(number, number)) })
  .map(({ n, point }) => rowOf([n], point && { type: 'Point', coordinates: point }));

test('logic of three values, and search boxes that miss no row', async () => {
  await fc.assert(
    fc.asyncProperty(anyPredicate, fc.array(anyRow, { minLength: 1, maxLength: 10 }), async (predicate, rows) => {
      const [plain, negated, twice] = await Promise.all(
        [predicate, not(predicate), not(not(predicate))].map((p) => compilePredicate(p, schema)),
      );
      const bounds = boxesToSearch(predicate);
      for (const row of rows) {
        const expected = reference(predicate, row);
        assert.equal(plain?.(row), expected === true);
        assert.equal(negated?.(row), expected === false);
        assert.equal(twice?.(row), expected === true);
        const bbox = row.bbox();
        if (expected && bounds) assert.ok(bbox && bounds.some((box) => doBboxesIntersect(bbox, box)));
      }
    }),
    { numRuns: 500 },
  );
});
