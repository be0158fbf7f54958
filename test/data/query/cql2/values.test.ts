/** Expressions of CQL2: arithmetic, functions, columns beside columns, times and arrays, with nulls that are unknown. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { ValidationError } from '../../../../src/catalogue/errors.ts';
import { compilePredicate } from '../../../../src/data/query/compile.ts';
import { evaluator } from '../../../../src/data/query/compile-expression.ts';
import { conformanceClasses, functionDescriptions } from '../../../../src/data/query/cql2/conformance.ts';
import { parseCql2, readCql2 } from '../../../../src/data/query/cql2/parse.ts';
import { predicateSize, referencedColumns } from '../../../../src/data/query/predicate.ts';
import { printJson, withoutPlaces } from '../../support/cql2.ts';
import { conditions } from '../../support/cql2-conditions.ts';
import { rowOf, schemaOf } from '../../support/rows.ts';

const columns = {
  name: ['string', 'Ångström'],
  ascii: ['string', 'angstrom'],
  low: ['integer', 7],
  high: ['float', 9.5],
  flag: ['boolean', true],
  day: ['date', '2020-05-17'],
  start: ['datetime', '2020-05-17T10:00:00+02:00'],
  end: ['datetime', '2020-05-18T00:00:00Z'],
  opens: ['time', '09:30'],
  closes: ['time', '18:00:00'],
  tags: ['array', ['a', 'b', 2, true, null, [1, 2], '2020-05-17T08:00:00Z']],
  meta: ['object', { a: 1 }],
  none: ['string', null],
  nothing: ['float', null],
  noTags: ['array', null],
  never: ['datetime', null],
} as const;
const schema = schemaOf(Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type])));
const row = rowOf(
  Object.values(columns).map(([, value]) => value),
  { type: 'Point', coordinates: [8.5, 47.4] },
);
const finds = async (text: string) => (await compilePredicate(parseCql2(text, schema), schema))(row);

const yes = [
  // Columns beside columns, values beside values.
  'low < high',
  'high>low',
  'low <> high',
  "ascii < 'b' AND 'b' > ascii",
  'name = name',
  'start < end',
  'day <= start',
  'opens < closes',
  "'10:00' BETWEEN opens AND closes",
  'flag = flag',
  'flag > FALSE AND flag >= TRUE AND FALSE < flag AND flag <= flag AND NOT flag < TRUE AND TRUE > FALSE',
  '8 BETWEEN low AND high',
  'high NOT BETWEEN 0 AND low',
  '1 = 1 AND NOT 1 = 2',
  "'abc' LIKE 'a_c'",
  'low IN (1, high - 2.5)',
  'low IN (low)',
  "DATE('2020-05-17') = day",
  "start = TIMESTAMP('2020-05-17T08:00:00Z')",
  "TIMESTAMP('2020-05-17T08:00:00Z') < TIMESTAMP('2020-05-17T08:00:00.5Z')",
  // Arithmetic: from left to right, by rank.
  'low + 2 * 3 = 13',
  '(low + 2) * 3 = 27',
  '10 - 3 - 2 = 5',
  '2 ^ 3 * 2 = 16',
  '-low = -7 AND - low + 8 = 1',
  '-2 ^ 2 = 4',
  '7 div 2 = 3 AND -7 div 2 = -3 AND 7 / 2 = 3.5',
  'low % 4 = 3',
  'high - low = 2.5',
  'low-1=6',
  '1e3 = 1000 AND .5 = 0.5',
  'low * 2 > high AND low < high * 2',
  // Functions.
  "CASEI(name) = CASEI('ÅNGSTRÖM')",
  "ACCENTI(name) = 'Angstrom'",
  'ACCENTI(CASEI(name)) = ascii',
  "accenti(casei(name)) LIKE ACCENTI(CASEI('ÅNG%'))",
  "ACCENTI(name) IN ('x', ACCENTI('Ångstrøm'))",
  "CASEI('STRAẞE') = CASEI('straße') AND CASEI('ΟΔΟΣ') = CASEI('οδος')",
  "ACCENTI('が') <> 'か'",
  "CASEI(name) < 'z' OR CASEI(name) > 'z'",
  "upper(ascii) = 'ANGSTROM' AND Lower(upper(ascii)) = ascii",
  "length(name) = 8 AND length('😀') = 1 AND '😀a' LIKE '_a' AND NOT '😀a' LIKE '__a' AND 'x😀😀a' LIKE '%_a'",
  `concat(${Array(999).fill('name').join()}) IS NOT NULL`,
  "concat(ascii, '-', 'x') = 'angstrom-x' AND trim(' a ') = 'a'",
  'abs(-low) = 7 AND floor(high) = 9 AND ceil(high) = 10 AND round(high) = 10 AND round(-0.5) = -1 AND sqrt(16) = 4',
  'year(day) = 2020 AND month(start) = 5 AND day("day") = 17',
  "year('2020-01-01') = 2020",
  "year('2023-12-31T23:59:59.9999999Z') = 2023 AND day('1969-12-31T23:59:59.9999Z') = 31",
  "year('9999-12-31T23:59:59.999999Z') = 9999 AND TIMESTAMP('2023-12-31T23:59:59.9999999Z') < DATE('2024-01-01')",
  // Instants and intervals.
  'T_BEFORE(start, end)',
  'T_AFTER(end, start)',
  "T_AFTER(day, DATE('2020-05-16')) AND T_BEFORE(DATE('2020-05-16'), day) AND T_INTERSECTS(DATE('2020-05-17'), day)",
  "T_BEFORE(day, TIMESTAMP('2020-05-17T00:00:01Z')) AND T_EQUALS(start, TIMESTAMP('2020-05-17T08:00:00Z'))",
  "T_AFTER(start, DATE('2020-05-17')) AND T_DISJOINT(DATE('2020-05-17'), start)",
  "T_EQUALS(day, INTERVAL('2020-05-17', '2020-05-17'))",
  "T_EQUALS(start, '2020-05-17T08:00:00Z')",
  "T_INTERSECTS(day, INTERVAL('..', '2020-05-17'))",
  "T_INTERSECTS(INTERVAL(start, end), INTERVAL('2020-05-18', '..'))",
  "T_DISJOINT(INTERVAL(start, end), DATE('2020-05-19'))",
  "T_DURING(INTERVAL(start, end), INTERVAL('2020-05-17T00:00:00Z', '..'))",
  "T_CONTAINS(INTERVAL('..', '..'), INTERVAL(start, end))",
  "T_MEETS(INTERVAL('2020-01-01', day), INTERVAL(day, end))",
  "T_METBY(INTERVAL(day, end), INTERVAL('2020-01-01', day))",
  "T_STARTS(INTERVAL(start, end), INTERVAL(start, '..')) AND T_STARTEDBY(INTERVAL(start, '..'), INTERVAL(start, end))",
  "T_FINISHES(INTERVAL(start, end), INTERVAL('..', end)) AND T_FINISHEDBY(INTERVAL('..', end), INTERVAL(start, end))",
  "T_OVERLAPS(INTERVAL(day, end), INTERVAL(start, '..')) AND T_OVERLAPPEDBY(INTERVAL(start, '..'), INTERVAL(day, end))",
  // Arrays are sets.
  "A_CONTAINS(tags, ('b', 'a', 'a'))",
  'A_CONTAINS(tags, (low - 5, TRUE, ascii)) OR A_CONTAINS(tags, (low - 5, TRUE))',
  "A_CONTAINEDBY(('a'), tags) AND A_CONTAINEDBY((), tags)",
  "A_OVERLAPS(tags, ('z', 'a')) AND NOT A_OVERLAPS(tags, ('z'))",
  "A_EQUALS(('a', 1, 'a'), (1, 'a'))",
  'A_EQUALS(tags, tags)',
  "A_CONTAINS(tags, ((2, 1), TIMESTAMP('2020-05-17T10:00:00+02:00')))",
  "A_OVERLAPS(tags, (none, 'z')) AND A_CONTAINS(tags, (start)) AND A_OVERLAPS((opens), ('09:30'))",
  // IS NULL.
  'none IS NULL AND nothing + 1 IS NULL AND CASEI(none) IS NULL',
  'low + 1 IS NOT NULL AND 5 IS NOT NULL AND geometry IS NOT NULL AND POINT(1 2) IS NOT NULL',
  'low / 0 IS NULL AND 1 / 0 IS NULL AND sqrt(-low) IS NULL',
  "(none = 'a') IS NULL AND (low = 7) IS NOT NULL AND (none = 'a' OR low = 7) IS NOT NULL",
  '(noTags IS NULL) IS NOT NULL',
  'INTERVAL(start, never) IS NULL',
  "S_DWITHIN(geometry, POINT(8.5 47.4), 10 * 2, 'km') AND S_DWITHIN(BBOX(8,47,9,48), geometry, 1)",
];

test('conditions that are true', async () => {
  for (const text of yes) {
    assert.equal(await finds(text), true, text);
    assert.equal(await finds(`NOT (${text})`), false, `NOT (${text})`);
    const json = JSON.stringify(printJson(withoutPlaces(readCql2(text))));
    assert.deepEqual(parseCql2(json, schema), parseCql2(text, schema), json);
  }
});

test('a condition of null is unknown, and neither it nor its opposite is true', async () => {
  for (const text of [
    'nothing < high',
    'high > nothing',
    'nothing = nothing',
    'low + nothing = 7',
    'low = 1 / 0',
    'low BETWEEN nothing AND 10',
    'nothing BETWEEN 1 AND low + 1',
    'low + 1 IN (nothing)',
    "ACCENTI(none) = 'a'",
    "ACCENTI(none) LIKE 'a%'",
    'upper(none) = ascii',
    'T_AFTER(never, end)',
    "T_DISJOINT(INTERVAL(start, never), DATE('2020-05-19'))",
    "A_CONTAINS(noTags, ('a'))",
    "A_OVERLAPS(('a'), noTags)",
    "none = 'a' AND low = 7",
  ]) {
    assert.equal(await finds(text), false, text);
    assert.equal(await finds(`NOT (${text})`), false, `NOT (${text})`);
    assert.equal(await finds(`(${text}) IS NULL`), true, `(${text}) IS NULL`);
  }
  assert.equal(await finds('low + 1 IN (nothing, 8)'), true);
});

test('what a condition reads', () => {
  const read = referencedColumns(parseCql2("low < high AND T_AFTER(INTERVAL(start, end), day) AND name = 'a'", schema));
  assert.deepEqual(read, { columns: ['low', 'high', 'start', 'end', 'day', 'name'], geometry: false });
  assert.equal(referencedColumns(parseCql2('S_TOUCHES(geometry, POINT(1 2))', schema)).geometry, true);
});

test('conditions that say what a lookup says are the same predicates, which are quick', () => {
  for (const [text, op] of [
    ['low + 1 = 8', 'expression'],
    ['low = 1 + 7', 'compare'],
    ['1 + 7 >= low', 'compare'],
    ['low BETWEEN 1 AND 2 * 3', 'between'],
    ['low IN (1, 2 + 3)', 'in'],
    ["name = CASEI('Å')", 'compare'],
    ["CASEI(name) = CASEI('Å')", 'text'],
    ["CASEI(name) LIKE CASEI('Å%')", 'text'],
    ["name LIKE ACCENTI('Å%')", 'text'],
    ["T_AFTER(day, DATE('2020-01-01'))", 'compare'],
    ["T_DISJOINT('2020-01-01T00:00:00Z', start)", 'compare'],
    ["T_AFTER(day, TIMESTAMP('2020-01-01T00:00:00Z'))", 'expression'],
    ['POINT(1 2) IS NULL', 'or'],
    ['S_TOUCHES(BBOX(1,2,3,4), geometry)', 'spatial'],
  ] as const)
    assert.equal(parseCql2(text, schema).op, op, text);
});

test('long lists, many conditions and deep nesting are refused, in text and in JSON', () => {
  const list = (count: number) => Array.from({ length: count }, (_, n) => n);
  const deep = (levels: number): object =>
    levels === 0 ? { property: 'low' } : { op: '+', args: [deep(levels - 1), 1] };
  for (const [filter, message] of [
    [`low + 1 IN (${list(1001).join()})`, /too many values/],
    [`A_CONTAINS(tags, (${list(1001).join()}))`, /too many values/],
    [JSON.stringify({ op: 'in', args: [{ property: 'low' }, list(1001)] }), /too many values/],
    [
      list(51)
        .map(() => 'low < high')
        .join(' OR '),
      /too many conditions/,
    ],
    [
      list(51)
        .map(() => 'T_AFTER(start, end)')
        .join(' OR '),
      /too many conditions/,
    ],
    [JSON.stringify({ op: 'or', args: list(51).map(() => ({ op: 'isNull', args: [true] })) }), /too many conditions/],
    [`${'('.repeat(9)}low${')'.repeat(9)} = 1`, /nested too deeply/],
    [`A_CONTAINS(tags, ${'('.repeat(100)}${')'.repeat(100)})`, /nested too deeply/],
    [`${'-('.repeat(20_000)}low`, /nested too deeply/],
    [`low = ${'abs('.repeat(9)}1${')'.repeat(9)}`, /nested too deeply/],
    [JSON.stringify({ op: '=', args: [deep(40), 1] }), /nested too deeply/],
    [`${'{"op":"not","args":['.repeat(50_000)}true${']}'.repeat(50_000)}`, /nested too deeply/],
    [`${'['.repeat(50_000)}`, /Expected a column or a value/],
  ] as const)
    assert.throws(
      () => parseCql2(filter, schema),
      (error) => error instanceof ValidationError && message.test(JSON.stringify(error.fields)),
      filter.slice(0, 40),
    );
  parseCql2(`low + 1 IN (${list(999).join()})`, schema);
  assert.equal(predicateSize(parseCql2(`low + 1 IN (${list(10).join()})`, schema)).values, 12);
});

test('the functions and classes that are declared are those of the standard', async () => {
  for (const one of conformanceClasses)
    assert.match(one, /^http:\/\/www\.opengis\.net\/spec\/cql2\/1\.0\/conf\/[a-z0-9-]+$/);
  const predicates = readFileSync(new URL('../../../fixtures/cql2/ats-predicates.tsv', import.meta.url), 'utf8');
  const classes = new Set(
    predicates
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')[0]),
  );
  for (const name of classes)
    assert.ok(
      conformanceClasses.some((one) => one.endsWith(`/conf/${name}`)),
      name,
    );
  for (const { name, args, returns } of functionDescriptions) {
    const types = new Set([...args.flatMap(({ type }) => type), ...returns]);
    assert.deepEqual(
      [...types].filter((type) => !['string', 'number', 'datetime', 'geometry', 'boolean'].includes(type)),
      [],
    );
    assert.throws(
      () => parseCql2(`${name}('a', 'b', 'c', 'd', 'e') = 1`, schema),
      (error: Error) => !/no function/.test(JSON.stringify(error)),
    );
  }
});

test('what is not refused can be evaluated: no row fails, and a condition and its opposite are not both true', async () => {
  const rows = [row, rowOf(Object.values(columns).map(() => null)), rowOf([], { type: 'Point', coordinates: [1, 1] })];
  let evaluated = 0;
  const names = fc.constantFrom(...Object.keys(columns), 'geometry');
  await fc.assert(
    fc.asyncProperty(conditions(names), async (tree) => {
      const json = JSON.stringify(printJson(tree));
      try {
        const finds = await compilePredicate(parseCql2(json, schema), schema);
        const findsOpposite = await compilePredicate({ op: 'not', of: parseCql2(json, schema) }, schema);
        for (const one of rows) assert.ok(!(finds(one) && findsOpposite(one)), json);
        evaluated++;
      } catch (error) {
        assert.ok(error instanceof ValidationError, `${json}: ${error}`);
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(evaluated > 100, String(evaluated));
});

test('no JSON makes the reader throw anything but ValidationError', () => {
  const part = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.record(
        {
          op: fc.oneof(
            fc.constantFrom('and', 'not', '=', 'in', 'like', 's_within', 't_during', 'a_equals', 'abs', '__proto__'),
            fc.jsonValue(),
          ),
          args: fc.oneof(fc.array(tie('value'), { maxLength: 3 }), fc.jsonValue({ maxDepth: 1 })),
          property: fc.oneof(fc.constantFrom('low', 'tags', 'geometry', '__proto__'), fc.jsonValue({ maxDepth: 1 })),
          date: fc.jsonValue({ maxDepth: 1 }),
          interval: fc.oneof(fc.array(tie('value'), { maxLength: 3 }), fc.jsonValue({ maxDepth: 1 })),
          bbox: fc.array(fc.oneof(fc.double(), fc.string())),
          type: fc.constantFrom('Point', 'Polygon', 'GeometryCollection', 'Feature', 5),
          coordinates: fc.jsonValue({ maxDepth: 3 }),
        },
        { requiredKeys: [] },
      ),
    ),
  })).value;
  fc.assert(
    fc.property(part, (value) => {
      try {
        parseCql2(`{"op":"not","args":[${JSON.stringify(value)}]}`, schema);
      } catch (error) {
        assert.ok(error instanceof ValidationError, String(error));
      }
    }),
    { numRuns: 3000 },
  );
});

test('a text that is joined to itself beyond what a function makes is null', () => {
  const concat = evaluator('concat');
  const long = 'é'.repeat(2 ** 20);
  assert.equal(evaluator('length')([concat(Array(16).fill(long))]), 2 ** 24);
  assert.equal(concat([...Array(16).fill(long), 'a']), null);
});

test('a column may be called like a type of geometry', async () => {
  const places = schemaOf({ point: 'integer', polygon: 'string' });
  const place = rowOf([7, 'a'], { type: 'Point', coordinates: [8.5, 47.4] });
  for (const filter of ['point > 5', "polygon IN ('a') AND point IS NOT NULL", 'point = 7'])
    assert.equal((await compilePredicate(parseCql2(filter, places), places))(place), true, filter);
  for (const geometry of ['POINT (8.5 47.4)', 'point(8.5 47.4)', 'POINT Z (8.5 47.4 1)', 'POINTZ(8.5 47.4 1)'])
    assert.equal(
      (await compilePredicate(parseCql2(`S_INTERSECTS(geometry, ${geometry})`, places), places))(place),
      true,
      geometry,
    );
  assert.equal((await compilePredicate(parseCql2('S_WITHIN(geometry, POLYGON EMPTY)', places), places))(place), false);
});
