/**
 * The predicates of the standard's annex A and all of their kind, on its data: each column with each operator, both ways
 * round, and their combinations. What they must find is computed here from the values, by other code than the server's; the
 * counts that the annex gives (test/fixtures/cql2) are checked against it, too.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Value } from '../../../../src/data/row.ts';
import { type Answer, type Case, check, givenCounts, givenTexts, type Properties } from '../../support/annex-a.ts';

// Operands: a text and its value.
type Operand = readonly [text: string, value: (properties: Properties) => Value];
const column = (name: string): Operand => [name === 'date' ? '"date"' : name, (properties) => properties[name] ?? null];
const literal = (text: string, value: Value): Operand => [text, () => value];
const moment = "TIMESTAMP('2022-04-16T10:13:19Z')";

const operators: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '<': (a, b) => (a as number) < (b as number),
  '<=': (a, b) => (a as number) <= (b as number),
  '>': (a, b) => (a as number) > (b as number),
  '>=': (a, b) => (a as number) >= (b as number),
};
const known = (values: readonly Value[], compute: () => boolean): Answer =>
  values.some((value) => value === null) ? null : compute();

const comparisons = (a: Operand, b: Operand): readonly Case[] =>
  Object.entries(operators).map(([sign, compare]) => ({
    text: `${a[0]}${sign}${b[0]}`,
    answer: (row) => known([a[1](row), b[1](row)], () => compare(a[1](row), b[1](row))),
  }));
const nulls = ([text, value]: Operand): readonly Case[] => [
  { text: `${text} IS NULL`, answer: (row) => value(row) === null },
  { text: `${text} IS NOT NULL`, answer: (row) => value(row) !== null },
];
/** A predicate, and the one with NOT in it. */
const withOpposite = (before: string, after: string, answer: Case['answer']): readonly Case[] => [
  { text: `${before} ${after}`, answer },
  { text: `${before} NOT ${after}`, answer: (...feature) => not(answer(...feature)) },
];
const not = (answer: Answer): Answer => (answer === null ? null : !answer);

const pairs: readonly (readonly [Operand, Operand])[] = [
  [column('name'), literal("'København'", 'København')],
  [column('pop_other'), literal('1038288', 1038288)],
  [column('date'), literal("DATE('2022-04-16')", '2022-04-16')],
  [column('start'), literal(moment, '2022-04-16T10:13:19Z')],
  [column('boolean'), literal('true', true)],
  [column('boolean'), literal('false', false)],
];
const basic = [...pairs.flatMap(([a, b]) => comparisons(a, b)), ...pairs.flatMap(([a]) => nulls(a))];

test('each column is compared with a value and with another column, both ways round', async () => {
  const both = [
    [column('name'), column('nameascii')],
    [column('pop_min'), column('pop_max')],
    [column('start'), column('end')],
  ] as const;
  const cases = [...basic, ...[...pairs, ...both].flatMap(([a, b]) => [...comparisons(b, a), ...comparisons(a, b)])];
  for (const one of cases) await check('places', one);
  for (const [a, b] of [
    [column('NAME'), literal("'Luxembourg'", 'Luxembourg')],
    [column('POP_EST'), literal('37589262', 37589262)],
  ] as const)
    for (const one of [...comparisons(a, b), ...comparisons(b, a), ...nulls(a)]) await check('countries', one);
});

/** The filter of the annex's table of combinations, and that of its tests with random ones. */
const combine = ([p1, p2, p3, p4]: readonly [Case, Case, Case, Case]): readonly Case[] => {
  const and = (a: Answer, b: Answer): Answer =>
    a === false || b === false ? false : a === null || b === null ? null : true;
  const or = (a: Answer, b: Answer): Answer => not(and(not(a), not(b)));
  const of = (a: Case, feature: Parameters<Case['answer']>) => a.answer(...feature);
  return [
    {
      text: `(NOT (${p2.text}) AND ${p1.text}) OR (${p3.text} and ${p4.text}) or not (${p1.text} OR ${p4.text})`,
      answer: (...x) =>
        or(or(and(not(of(p2, x)), of(p1, x)), and(of(p3, x), of(p4, x))), not(or(of(p1, x), of(p4, x)))),
    },
    {
      text: `((NOT ${p1.text} AND ${p2.text}) OR (${p3.text} and NOT ${p4.text}) or not (${p1.text} AND ${p4.text}))`,
      answer: (...x) =>
        or(or(and(not(of(p1, x)), of(p2, x)), and(of(p3, x), not(of(p4, x)))), not(and(of(p1, x), of(p4, x)))),
    },
  ];
};

test('combinations: each pair of predicates in each pair of places', async () => {
  // An orthogonal array of strength 2 over a prime number of levels: 4 columns, prime² rows.
  const levels = 53;
  assert.ok(basic.length <= levels, `${basic.length} predicates`);
  const predicate = (n: number) => basic[(n % levels) % basic.length] as Case;
  for (let a = 0; a < levels; a++)
    for (let b = 0; b < levels; b++) {
      const [first] = combine([predicate(a), predicate(b), predicate(a + b), predicate(a + 2 * b)]);
      await check('places', first as Case);
    }
  // Those of the annex's table, of which the counts are given.
  const pattern = /^\(NOT \((.*?)\) AND (.*?)\) OR \((.*?) and (.*?)\) or not \(\2 OR \4\)$/;
  for (const text of givenTexts()) {
    const [, p2, p1, p3, p4] = pattern.exec(text) ?? [];
    const found = [p1, p2, p3, p4].map((one) => basic.find((known) => known.text === one));
    if (p1) await check('places', combine(found as [Case, Case, Case, Case])[0] as Case);
  }
  for (let n = 0; n < basic.length; n++)
    await check('places', combine([predicate(n), predicate(3 * n), predicate(5 * n + 1), predicate(7 * n)])[1] as Case);
});

test('LIKE, BETWEEN, IN, CASEI, ACCENTI and arithmetic, and their opposites', async () => {
  const name = (row: Properties) => row.name as string;
  const fold = (text: string) => text.toLowerCase();
  const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ø', 'o');
  const between = (low: number, high: number) => (row: Properties) =>
    known([row.pop_other ?? null], () => (row.pop_other as number) >= low && (row.pop_other as number) <= high);
  const among =
    (column: string, ...values: Value[]) =>
    (row: Properties) =>
      known([row[column] ?? null], () => values.includes(row[column] as Value));
  const cities = ['Kiev', 'kobenhavn', 'Berlin', 'athens', 'foo'];
  const numbers = [1038288, 1611692, 3013258, 3013257, 3013259];
  const folded = cities.map((city) => `casei('${city}')`).join(',');
  const others = cities.with(1, 'chișinău');
  const accented = others.map((city) => `accenti(casei('${city}'))`).join(', ');
  const cases: readonly Case[] = [
    ...withOpposite('name', "LIKE 'B_r%'", (row) => /^B.r/u.test(name(row))),
    ...withOpposite("'København'", "LIKE 'K_benhavn'", () => true),
    ...["LIKE casei('b_r%')", "LIKE casei('B_r%')", "LIKE casei('B_R%')"].flatMap((after) =>
      withOpposite('CASEI(name)', after, (row) => /^b.r/iu.test(name(row))),
    ),
    ...withOpposite('ACCENTI(CASEI(name))', "LIKE accenti(casei('Chiș%'))", (row) =>
      /^chis/.test(plain(fold(name(row)))),
    ),
    ...withOpposite('pop_other', 'between 1000000 and 3000000', between(1e6, 3e6)),
    ...withOpposite('pop_other', 'between 4000000/4 and (3*(900000+100000))', between(1e6, 3e6)),
    ...withOpposite('pop_other', 'between pop_min and pop_max', (row) =>
      between(row.pop_min as number, row.pop_max as number)(row),
    ),
    ...withOpposite('name', `IN ('${cities.join("','")}')`, among('name', ...cities)),
    ...withOpposite('CASEI(name)', `IN (${folded})`, (row) => cities.some((city) => fold(city) === fold(name(row)))),
    ...withOpposite('ACCENTI(CASEI(name))', `IN (${accented})`, (row) =>
      others.some((city) => plain(fold(city)) === plain(fold(name(row)))),
    ),
    ...withOpposite('pop_other', `in (${numbers})`, among('pop_other', ...numbers)),
    ...withOpposite(
      'pop_other',
      'in (1000000+38288,1000000+600000+11692,3*1000000+13258,3*1000000+13257,30*100000+13259)',
      among('pop_other', ...numbers),
    ),
    ...withOpposite(
      '"date"',
      "in (DATE('2021-04-16'),DATE('2022-04-16'),DATE('2022-04-18'))",
      among('date', '2021-04-16', '2022-04-16', '2022-04-18'),
    ),
    ...withOpposite('start', `in (${moment})`, among('start', '2022-04-16T10:13:19Z')),
    ...withOpposite('boolean', 'in (false)', among('boolean', false)),
    ...['Kiev', 'KIEV', 'københavn', 'KØBENHAVN', 'Chișinău', 'chisinau', 'CHIȘINĂU'].flatMap((city): Case[] => [
      { text: `CASEI(name)=casei('${city}')`, answer: (row) => fold(name(row)) === fold(city) },
      { text: `ACCENTI(name)=accenti('${city}')`, answer: (row) => plain(name(row)) === plain(city) },
      {
        text: `ACCENTI(CASEI(name))=accenti(casei('${city}'))`,
        answer: (row) => plain(fold(name(row))) === plain(fold(city)),
      },
    ]),
    ...(
      [
        ['1038290-2*2^0', 1038288],
        ['1038290-21 div 10', 1038288],
        ['1038200+8*11', 1038288],
        ['1038290-2^1', 1038288],
        ['1038290-5%3', 1038288],
        ['2076576/2', 1038288],
      ] as const
    ).flatMap(([text, value]) => comparisons(column('pop_other'), literal(text, value))),
  ];
  for (const one of cases) await check('places', one);
});

describe('functions of time', () => {
  type Span = readonly [start: number, end: number];
  const at = (text: string) => Date.parse(text);
  const span = (start: string, end: string): readonly [string, () => Span] => [
    `interval('${start}','${end}')`,
    () => [start === '..' ? Number.NEGATIVE_INFINITY : at(start), end === '..' ? Number.POSITIVE_INFINITY : at(end)],
  ];
  const relations: Readonly<Record<string, (a: Span, b: Span) => boolean>> = {
    T_AFTER: ([start], [, end]) => start > end,
    T_BEFORE: ([, end], [start]) => end < start,
    T_DISJOINT: (a, b) => a[0] > b[1] || a[1] < b[0],
    T_EQUALS: (a, b) => a[0] === b[0] && a[1] === b[1],
    T_INTERSECTS: (a, b) => a[0] <= b[1] && a[1] >= b[0],
    T_CONTAINS: (a, b) => a[0] < b[0] && a[1] > b[1],
    T_DURING: (a, b) => a[0] > b[0] && a[1] < b[1],
    T_FINISHES: (a, b) => a[0] > b[0] && a[1] === b[1],
    T_FINISHEDBY: (a, b) => a[0] < b[0] && a[1] === b[1],
    T_MEETS: (a, b) => a[1] === b[0],
    T_METBY: (a, b) => a[0] === b[1],
    T_OVERLAPPEDBY: (a, b) => a[0] > b[0] && a[0] < b[1] && a[1] > b[1],
    T_OVERLAPS: (a, b) => a[0] < b[0] && a[1] > b[0] && a[1] < b[1],
    T_STARTEDBY: (a, b) => a[0] === b[0] && a[1] > b[1],
    T_STARTS: (a, b) => a[0] === b[0] && a[1] < b[1],
  };
  const inColumns =
    (...[start, end]: [string, string?]) =>
    (row: Properties): Span | null => {
      const [from, to] = [row[start], row[end ?? start]];
      return typeof from === 'string' && typeof to === 'string' ? [at(from), at(to)] : null;
    };
  type Times = readonly [text: string, value: (row: Properties) => Span | null];
  const both = (names: readonly string[], a: Times, b: Times): readonly Case[] =>
    [[a, b] as const, [b, a] as const].flatMap(([left, right]) =>
      names.map((name) => ({
        text: `${name}(${left[0]},${right[0]})`,
        answer: (row: Properties) => {
          const [x, y] = [left[1](row), right[1](row)];
          return x && y ? (relations[name] as (a: Span, b: Span) => boolean)(x, y) : null;
        },
      })),
    );
  const names = Object.keys(relations);

  test('of dates and times with others and with intervals', async () => {
    const date: Times = ['"date"', inColumns('date')];
    const start: Times = ['start', inColumns('start')];
    const instant = (text: string, time: string): Times => [text, () => [at(time), at(time)]];
    const cases = [
      ...both(names.slice(0, 5), date, instant("date('2022-04-16')", '2022-04-16')),
      ...both(names.slice(0, 5), date, span('2022-01-01', '2022-12-31')),
      ...both(names.slice(0, 5), date, span('2022-04-16', '2022-04-16')),
      ...both(names.slice(0, 5), start, instant(moment, '2022-04-16T10:13:19Z')),
      ...both(names.slice(0, 5), start, span('2022-01-01T00:00:00Z', '2022-12-31T23:59:59Z')),
    ];
    for (const one of cases) await check('places', one);
  });

  test('of intervals with others, with open ends, and each relation at least once true', async () => {
    const columns: Times = ['interval(start,end)', inColumns('start', 'end')];
    const ends = ['..', '2020-04-16T10:13:19Z', '2021-04-16T10:15:59Z', '2022-01-01T00:00:00Z', '2022-04-16T10:13:19Z'];
    const late = ['2022-07-01T00:00:00Z', '2023-01-01T00:00:00Z'];
    const more = [
      '2022-04-16T10:15:09Z',
      '2022-04-16T10:15:10Z',
      '2022-04-16T10:16:06Z',
      '2022-12-16T10:14:53Z',
      '2022-12-31T23:59:59Z',
      '2023-04-16T10:15:10Z',
      '..',
    ];
    const found = new Map<string, number>();
    for (const from of [...ends, ...late])
      for (const to of [...ends.slice(1), ...more].filter((to) => to === '..' || from === '..' || from < to))
        for (const one of both(names, columns, span(from, to))) {
          const name = one.text.split('(')[0] as string;
          found.set(name, (found.get(name) ?? 0) + (await check('places', one)));
        }
    for (const name of names) assert.ok((found.get(name) ?? 0) > 0, name);
  });
});

test('the counts that the annex gives are those computed here', () => {
  const isCompared = (name: string) => /^(basic-cql2|temporal|arithmetic|case-|accent-|advanced-|property)/.test(name);
  const { known, unknown } = givenCounts((name) => isCompared(name), /\bS_/i);
  assert.ok(known > 100, `${known} are known`);
  assert.deepEqual(unknown, []);
});
