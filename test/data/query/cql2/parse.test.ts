import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ValidationError } from '../../../../src/catalogue/errors.ts';
import { compilePredicate } from '../../../../src/data/query/compile.ts';
import { parseCql2 } from '../../../../src/data/query/cql2/parse.ts';
import { rowOf, schemaOf } from '../../support/rows.ts';

const schema = schemaOf({
  name: 'string',
  height: 'float',
  count: 'integer',
  flag: 'boolean',
  day: 'date',
  when: 'datetime',
  at: 'time',
  'two words': 'string',
  'quo"te': 'string',
  höhe: 'float',
  'eo:cloud.cover': 'float',
  none: 'string',
});
const row = rowOf(
  ["O'Neill 50%", 408.5, 3, true, '2020-05-17', '2020-05-17T10:00:00+02:00', '10:00', 'x', 'y', 1.5, 10, null],
  { type: 'Point', coordinates: [8.54, 47.37] },
);

test('supported CQL2', async () => {
  const yes = [
    'height = 408.5',
    'height <> 1',
    'height < 409 and height<=408.5 AND height > 4e2 And height>=-1',
    '400 < height',
    'height = 1 OR count = 3',
    'height = 1 AND count = 1 OR flag = TRUE',
    'NOT height = 1',
    'NOT (height = 1 OR count = 1)',
    'not not height = 408.5',
    "name = 'O''Neill 50%'",
    "name = 'O\\'Neill 50%'",
    "name LIKE 'O%'",
    "name LIKE '%50\\%'",
    "name LIKE '_''Neill%'",
    "name NOT LIKE 'o%'",
    "CASEI(name) LIKE CASEI('o%')",
    "CASEI(name) = CASEI('O''NEILL 50%')",
    "CASEI(name) IN (CASEI('a'), CASEI('o''neill 50%'))",
    "name IN ('a', 'O''Neill 50%')",
    "name NOT IN ('a')",
    'count IN (1, 2, 3)',
    'height BETWEEN 400 AND 408.5',
    'height NOT BETWEEN 1 AND 2 AND count = 3',
    'none IS NULL',
    'name IS NOT NULL',
    'geometry IS NOT NULL',
    'flag = true',
    'flag <> FALSE',
    "day = DATE('2020-05-17')",
    "day > '2020-01-01'",
    "day BETWEEN DATE('2020-05-01') AND DATE('2020-05-31')",
    "when = TIMESTAMP('2020-05-17T08:00:00Z')",
    "when > DATE('2020-05-17')",
    "at = '10:00:00'",
    '"two words" = \'x\'',
    '"quo""te" = \'y\'',
    'höhe > 1',
    'eo:cloud.cover = 10',
    '"height" = 408.5',
    'TRUE',
    'NOT FALSE',
    'FALSE OR (TRUE AND count = 3)',
    'S_INTERSECTS(geometry, POLYGON((8 47, 9 47, 9 48, 8 48, 8 47)))',
    's_intersects(geometry, point(8.54 47.37))',
    'S_INTERSECTS(BBOX(8, 47, 9, 48), geometry)',
    'S_INTERSECTS(geometry, BBOX(8,47,0,9,48,100))',
    'S_WITHIN(geometry, BBOX(8,47,9,48))',
    'S_CONTAINS(BBOX(8,47,9,48), geometry)',
    'S_CONTAINS(geometry, POINT Z (8.54 47.37 400))',
    'S_DISJOINT(geometry, GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(0 0, 1 1)))',
    "S_DWITHIN(geometry, POINT(8.54 47.36), 1.2, 'km')",
    'S_DWITHIN(geometry, POINT(8.54 47.36), 1200)',
    "NOT S_DWITHIN(geometry, POINT(8.54 47.36), 0.001, 'deg')",
    '  height\n=\t408.5  ',
  ];
  for (const text of yes) {
    assert.equal((await compilePredicate(parseCql2(text, schema), schema))(row), true, text);
    if (!/^(TRUE|.*FALSE)/.test(text)) {
      assert.equal((await compilePredicate(parseCql2(`NOT (${text})`, schema), schema))(row), false, `NOT (${text})`);
    }
  }
  for (const text of [
    "none = 'x'",
    "NOT none = 'x'",
    "none LIKE '%'",
    "NOT (none IN ('x'))",
    "NOT CASEI(none) = 'x'",
  ]) {
    assert.equal((await compilePredicate(parseCql2(text, schema), schema))(row), false, `${text}: unknown`);
  }
});

test('a pattern of LIKE may be long, up to a limit', async () => {
  for (const character of ['_', '.', '🐦', 'ü']) {
    const pattern = character.repeat(9_998 / character.length);
    const matches = await compilePredicate(parseCql2(`name LIKE '%${pattern}%'`, schema), schema);
    assert.equal(matches(rowOf(['Elm'])), false, character);
  }
  assert.throws(
    () => parseCql2(`name LIKE '${'_'.repeat(10_001)}'`, schema),
    /LIKE is too long \(10001 characters; at most 10000\) at character 11\./,
  );
});

test('AND binds closer than OR', () => {
  assert.deepEqual(
    parseCql2('count=1 OR count=2 AND count=3', schema),
    parseCql2('count=1 OR (count=2 AND count=3)', schema),
  );
});

test('errors give the position, and the nearest existing name', () => {
  for (const [text, message] of [
    ['', 'Expected a column or a value but found the end at character 1.'],
    ['heigth > 5', 'Unknown column "heigth" at character 1. Did you mean "height"?'],
    ['"heigth" > 5', 'Unknown column "heigth" at character 1. Did you mean "height"?'],
    ['height >', 'Expected a column or a value but found the end at character 9.'],
    ['height 5', 'Expected an operator after "height" but found "5" at character 8.'],
    ['height == 5', 'Expected a column or a value but found "=" at character 9.'],
    ['height != 5', 'Expected an operator after "height" but found "!" at character 8.'],
    ["name LIK 'a'", 'Expected an operator after "name" but found "LIK" at character 6. Did you mean "LIKE"?'],
    ['height = 5 AN count = 3', 'Expected AND, OR or the end but found "AN" at character 12. Did you mean "AND"?'],
    ['(height = 5', 'Expected ")" but found the end at character 12.'],
    ["name = 'a", 'A text is not closed at character 8.'],
    ["height = 'a'", 'Column "height" of type float can\'t be compared with a at character 10.'],
    ['name = 5', 'Column "name" of type string can\'t be compared with 5 at character 8.'],
    ['count = 2.5', '"2.5" is not an integer at character 9.'],
    ["day = DATE('2020-02-30')", '"2020-02-30" is not a date of the form YYYY-MM-DD at character 7.'],
    [
      'height = name',
      'Column "height" of type float can\'t be compared with column "name" of type string at character 10.',
    ],
    ["1 = 'a'", "A number can't be compared with a text at character 5."],
    ['name > count + 1', 'Column "name" of type string can\'t be compared with a number at character 8.'],
    ["height = 5 + 'a'", '+ takes a number, not a text at character 14.'],
    ['height = 5 +', 'Expected a column or a value but found the end at character 13.'],
    ['height + 5', 'Expected = <> < <= > or >= but found the end at character 11.'],
    [`${Array(1001).fill('height').join('-')} > 0`, 'The filter names columns too often at character 7001.'],
    ['height = (5', 'Expected ")" but found the end at character 12.'],
    ['2^3^4 = 1', 'Expected = <> < <= > or >= but found "^" at character 4.'],
    ['height AND count = 1', 'Expected an operator after "height" but found "AND" at character 8.'],
    ['height = (1, 2)', 'Column "height" of type float can\'t be compared with an array at character 10.'],
    ['height = (count = 3)', 'A condition is not a value at character 11.'],
    ['name = heigth * 2', 'Unknown column "heigth" at character 8. Did you mean "height"?'],
    ['flag < (1 = 1)', 'A condition is not a value at character 9.'],
    ['flag BETWEEN FALSE AND TRUE', 'Column "flag" of type boolean has no order at character 1.'],
    ['S_INTERSECTS(geometry, POINT(90 180))', 'The latitude 180 is not between -90 and 90 at character 24.'],
    [
      'S_DISJOINT(MULTIPOINT(7 49, 90 -90.5), geometry)',
      'The latitude -90.5 is not between -90 and 90 at character 12.',
    ],
    ['S_WITHIN(geometry, BBOX(0,0,10,91))', 'The latitude 91 is not between -90 and 90 at character 20.'],
    ["height LIKE 'a'", 'LIKE doesn\'t fit column "height" of type float at character 1.'],
    ['name LIKE name', "LIKE takes a pattern in '…', also in CASEI or ACCENTI at character 11."],
    ["CASEI(height) = 'a'", 'CASEI takes a text, not column "height" of type float at character 7.'],
    ["CASEI(name, 1) = 'a'", 'CASEI takes 1 argument, not 2 at character 1.'],
    ["uper(name) = 'A'", 'There is no function "uper" at character 1. Did you mean "UPPER"?'],
    ['constructor(1) = 2', 'There is no function "constructor" at character 1.'],
    ["upper(name, 'A') = 'A'", 'UPPER takes 1 argument, not 2 at character 1.'],
    ["concat() = 'A'", 'CONCAT takes at least 1 argument, not 0 at character 1.'],
    ['upper(name)', 'Expected a condition but found a function that gives a text at character 1.'],
    [
      'S_INTERSECT(geometry, POINT(1 2))',
      'There is no function "S_INTERSECT" at character 1. Did you mean "S_INTERSECTS"?',
    ],
    ['S_INTERSECTS(geometry)', 'S_INTERSECTS takes 2 arguments, not 1 at character 1.'],
    [
      'S_INTERSECTS(geometry, BBOX(1,2,3))',
      'A bounding box has 4 numbers, minx,miny,maxx,maxy (or 6, with heights), not 3 at character 24.',
    ],
    ['S_INTERSECTS(height, POINT(1 2))', 'Column "height" holds no geometries at character 14.'],
    ['S_INTERSECTS(geometry, POINT(1, 2))', 'Expected a number but found "," at character 31.'],
    [
      "S_INTERSECTS(geometry, 'POINT(1 2)')",
      'Expected a geometry such as POINT(1 2) or BBOX(…) but found a text at character 24.',
    ],
    ['S_DWITHIN(geometry, geometry, 5)', 'S_DWITHIN compares the geometry of the rows with another at character 1.'],
    [
      "T_AFTER(height, DATE('2020-01-01'))",
      'T_AFTER compares dates, datetimes and intervals, not column "height" of type float at character 9.',
    ],
    [
      "T_DURING(when, INTERVAL('2020-01-01', '..'))",
      'T_DURING compares intervals, INTERVAL(start, end), not column "when" of type datetime at character 10.',
    ],
    ["T_AFTER(when, INTERVAL('2020-01-02', '2020-01-01'))", 'The interval ends before it begins at character 15.'],
    ["T_AFTER(when, INTERVAL('2020-01-02'))", 'INTERVAL takes 2 arguments, its start and its end at character 15.'],
    [
      "T_AFTER(when, INTERVAL('2020-13-02', '..'))",
      '"2020-13-02" is not a date of the form YYYY-MM-DD at character 24.',
    ],
    [
      "A_CONTAINS(name, ('a'))",
      "A_CONTAINS compares arrays, ('a', 'b'), not column \"name\" of type string at character 12.",
    ],
    ['{"op":', 'The filter is not JSON: Unexpected end of JSON input.'],
    ['{"op":"=","args":[{"property":"heigth"},5]}', 'Unknown column "heigth" at args[0]. Did you mean "height"?'],
    [
      '{"op":"not","args":[{"op":"=","args":[{"property":"height"},"a"]}]}',
      'Column "height" of type float can\'t be compared with a at args[0].args[1].',
    ],
    ['{"op":"=","args":[{"property":"height"}]}', '= takes 2 arguments, not 1.'],
    ['{"op":"eq","args":[{"property":"height"},5]}', 'There is no function "eq".'],
    ['{"op":"in","args":[{"property":"height"},5]}', 'IN takes a list of values at args[1].'],
    ['{"op":"isNull","args":[null]}', 'null is not a value; write {"op":"isNull","args":[…]} at args[0].'],
    ['{"args":[]}', 'Expected an object with op, property, date, timestamp, interval, bbox or type.'],
    [
      '{"op":"s_within","args":[{"property":"geometry"},{"type":"Point","coordinates":[1]}]}',
      'A position is two numbers or more, not 1 at args[1].',
    ],
    ['S_INTERSECTS(geometry, POLYGON((0 0,1 0,1 1)))', 'A ring of a polygon ends where it begins.'],
    ["S_DWITHIN(geometry, POINT(1 2), 5, 'mi')", "Expected 'm', 'km' or 'deg' at character 36."],
    ['geometry = POINT(1 2)', 'Column "geometry" is compared by S_INTERSECTS and its kin at character 1.'],
    ['height IS 5', 'Expected NULL but found "5" at character 11.'],
    ['height BETWEEN 1', 'Expected AND between the ends of BETWEEN at character 17.'],
    ['count IN ()', 'Expected a column or a value but found ")" at character 11.'],
  ] as const) {
    assert.throws(
      () => parseCql2(text, schema, 'filter'),
      (error) => {
        assert.ok(error instanceof ValidationError, `${text}: ${error}`);
        assert.deepEqual(error.fields, { filter: [message] }, text);
        return true;
      },
    );
  }
});

test('depth counts parentheses, NOT and collections', () => {
  parseCql2(`${'('.repeat(8)}height = 1${')'.repeat(8)}`, schema);
  for (const text of [
    `${'('.repeat(9)}height = 1${')'.repeat(9)}`,
    `${'NOT '.repeat(9)}height = 1`,
    `${'CASEI('.repeat(9)}name${')'.repeat(9)} = 'a'`,
    `S_INTERSECTS(geometry, ${'GEOMETRYCOLLECTION('.repeat(9)}POINT(1 2)${')'.repeat(9)})`,
  ]) {
    assert.throws(() => parseCql2(text, schema), /nested too deeply/);
  }
});

test('no text makes the parser throw anything but ValidationError', () => {
  const words = fc.constantFrom(
    'height',
    'name',
    '=',
    '<',
    'AND',
    'OR',
    'NOT',
    '(',
    ')',
    "'a'",
    '5',
    'IN',
    'LIKE',
    ',',
    'CASEI',
    'S_INTERSECTS',
    'geometry',
    'POINT',
    'BBOX',
    'IS',
    'NULL',
    '"',
    "'",
    'DATE',
    'TRUE',
    '__proto__',
    'constructor',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words, { maxLength: 15 }).map((all) => all.join(' ')),
      ),
      (text) => {
        try {
          parseCql2(text, schema);
        } catch (error) {
          assert.ok(error instanceof ValidationError, String(error));
        }
      },
    ),
    { numRuns: 3000 },
  );
});
