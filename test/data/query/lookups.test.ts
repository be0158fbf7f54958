import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValidationError } from '../../../src/catalogue/errors.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { compilePredicate } from '../../../src/data/query/compile.ts';
import { lookupsByType, parseLookupPredicate } from '../../../src/data/query/lookups.ts';
import { splitList } from '../../../src/data/query/parameter-values.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import type { Value } from '../../../src/data/row.ts';
import { rowOf, schemaOf } from '../support/rows.ts';

const schema = schemaOf({
  name: 'string',
  height: 'float',
  count: 'integer',
  flag: 'boolean',
  day: 'date',
  when: 'datetime',
  at: 'time',
  extra: 'object',
  a__b: 'integer',
  a: 'integer',
  a__gt: 'integer',
});
const row = rowOf(['Zürich', 408.5, 3, true, '2020-05-17', '2020-05-17T10:00:00+02:00', '10:00', {}, 1, 2, 3], {
  type: 'Point',
  coordinates: [8.54, 47.37],
});
const finds = async (parameter: string, value: string, of = row) =>
  (await compilePredicate(parseLookupPredicate(parameter, value, schema), schema))(of);
const refused = (parameter: string, value: string, message: RegExp) =>
  assert.throws(
    () => parseLookupPredicate(parameter, value, schema),
    (error) => {
      assert.ok(error instanceof ValidationError, String(error));
      assert.deepEqual(Object.keys(error.fields), [parameter]);
      assert.match(error.fields[parameter]?.join(' ') ?? '', message);
      return true;
    },
  );

test('a column is found however the letters of its name are composed, its own name first', async () => {
  const composed = 'größe';
  const decomposed = composed.normalize('NFD');
  const both = schemaOf({
    [composed]: 'integer',
    [decomposed]: 'integer',
    Å: 'integer',
    [`${decomposed}__x`]: 'float',
  });
  const columnOf = (parameter: string, of = both) => {
    const predicate = parseLookupPredicate(parameter, '5', of);
    return 'column' in predicate ? predicate.column : predicate;
  };
  for (const name of [composed, decomposed]) assert.equal(columnOf(`${name}__gte`), name);
  assert.equal(columnOf(`${composed}__x`), `${decomposed}__x`);
  assert.equal(columnOf('A\u030a__lt'), 'Å');
  for (const [inFile, typed] of [
    [composed, decomposed],
    [decomposed, composed],
  ] as const) {
    const one = schemaOf({ [inFile]: 'integer', name: 'string' });
    assert.equal(columnOf(typed, one), inFile);
    const query = parseDataQuery(
      [
        ['_filter', `"${typed}" > 3 AND ${typed} < 9`],
        ['_fields', typed],
        ['_ordering', `-${typed}`],
      ],
      one,
    );
    assert.deepEqual([query.fields, query.ordering], [[inFile], [{ column: inFile, descending: true }]]);
    const groups = parseDataQuery(
      [
        ['_group_by', 'name'],
        ['_aggregate', `max(${typed})`],
      ],
      one,
    );
    assert.equal(groups.aggregation?.aggregates[0]?.column, inFile);
  }
});

test('each lookup on values', async () => {
  for (const [parameter, value, expected] of [
    ['name', 'Zürich', true],
    ['name', 'zürich', false],
    ['name__exact', 'Zürich', true],
    ['name__iexact', 'zÜRICH', true],
    ['name__ne', 'Bern', true],
    ['name__gt', 'Y', true],
    ['name__in', 'Bern, Zürich', true],
    ['name__in', '"Zürich, Bern"', false],
    ['name__range', 'A,a', true],
    ['name__contains', 'ri', true],
    ['name__icontains', 'RI', true],
    ['name__startswith', 'Zü', true],
    ['name__istartswith', 'zü', true],
    ['name__endswith', 'ch', true],
    ['name__iendswith', 'CH', true],
    ['name__isnull', 'false', true],
    ['name__isnull', 'TRUE', false],
    ['height', '408.5', true],
    ['height', '4.085e2', true],
    ['height__gte', ' 408.5 ', true],
    ['height__gt', '408.5', false],
    ['height__lt', '1000', true],
    ['height__lte', '408.4', false],
    ['height__in', '1,408.5', true],
    ['height__range', '400,408.5', true],
    ['count', '3.0', true],
    ['count__gt', '2.5', true],
    ['flag', 'true', true],
    ['flag', '0', false],
    ['flag__ne', 'False', true],
    ['day', '2020-05-17', true],
    ['day__range', '2020-05-01,2020-05-31', true],
    ['when', '2020-05-17T08:00:00Z', true],
    ['when__gte', '2020-05-17', true],
    ['when', '2020-05-17T10:00:00 02:00', true],
    ['at', '10:00:00', true],
    ['extra__isnull', '0', true],
    ['a__b', '1', true],
    ['a__b__lt', '2', true],
    ['a', '2', true],
    ['a__gt', '3', true],
    ['a__gt__gt', '2', true],
  ] as const) {
    assert.equal(await finds(parameter, value), expected, `${parameter}=${value}`);
  }
});

test('each lookup on geometry, in each form', async () => {
  for (const [parameter, value, expected] of [
    ['geometry__intersects', 'POLYGON((8 47,9 47,9 48,8 48,8 47))', true],
    ['geometry__intersects', '8,47,9,48', true],
    ['geometry__intersects', '{"type":"Point","coordinates":[8.54,47.37]}', true],
    ['geometry__intersects', 'Point([8.54,47.30]).buffer(0.0701)', true],
    ['geometry__intersects', 'Point([8.54,47.30]).buffer(0.0699)', false],
    ['geometry__disjoint', 'Point([8.54,47.30]).buffer(0.0699)', true],
    ['geometry__within', '8,47,9,48', true],
    ['geometry__within', 'Point([8.54,47.30]).buffer(0.08)', true],
    ['geometry__contains', 'POINT(8.54 47.37)', true],
    ['geometry__disjoint', '8,47,9,48', false],
    ['geometry__bbox', '8,47,9,48', true],
    ['geometry__bbox', '170,47,8.6,48', true],
    ['geometry__dwithin', 'POINT(8.54 47.36),1200', true],
    ['geometry__dwithin', 'POINT(8.54 47.36),1100m', false],
    ['geometry__dwithin', 'Point([8.54,47.36]), 1.2 km', true],
    ['geometry__dwithin', 'LINESTRING(8 47.36,9 47.36),0.0101deg', true],
    ['geometry__isnull', 'true', false],
  ] as const) {
    assert.equal(await finds(parameter, value), expected, `${parameter}=${value}`);
  }
});

test('a buffer is a distance and no polygon: as exact on the diagonal', async () => {
  const at = (x: number, y: number) => rowOf([], { type: 'Point', coordinates: [x, y] });
  const circle = 'Point([0,0]).buffer(1)';
  for (let degree = 0; degree < 360; degree += 7) {
    const [x, y] = [Math.cos((degree * Math.PI) / 180), Math.sin((degree * Math.PI) / 180)];
    assert.equal(await finds('geometry__intersects', circle, at(x * 0.999999, y * 0.999999)), true, `${degree}`);
    assert.equal(await finds('geometry__within', circle, at(x * 0.999999, y * 0.999999)), true, `${degree}`);
    assert.equal(await finds('geometry__intersects', circle, at(x * 1.000001, y * 1.000001)), false, `${degree}`);
    assert.equal(await finds('geometry__within', circle, at(x * 1.000001, y * 1.000001)), false, `${degree}`);
  }
  const chord: Geometry = {
    type: 'LineString',
    coordinates: [
      [-1, 0],
      [0, 1],
    ],
  };
  assert.equal(await finds('geometry__within', circle, rowOf([], chord)), true);
  assert.equal(await finds('geometry__within', circle, at(1, 0)), false, 'on the rim is not within');
});

test('errors are reported under the parameter, with the nearest existing name', () => {
  refused('heigth', '5', /^Unknown column "heigth"\. Did you mean "height"\?$/);
  refused('heigth__gt', '5', /^Unknown column "heigth"\. Did you mean "height"\?$/);
  refused('xyzzy', '5', /^Unknown column "xyzzy"\.$/);
  refused('height__gtt', '5', /^Unknown lookup "gtt" for column "height"\. Did you mean "height__gt"\?$/);
  refused('height__', '5', /^Unknown lookup ""/);
  refused('name__regex', '.*', /^Unknown lookup "regex" for column "name"\. It takes exact, ne,/);
  refused('height__icontains', '5', /doesn't fit column "height" of type float\. It takes exact/);
  refused('flag__gt', 'true', /doesn't fit column "flag" of type boolean/);
  refused('name__intersects', 'POINT(1 2)', /doesn't fit column "name" of type string/);
  refused('geometry', 'POINT(1 2)', /"exact" doesn't fit column "geometry".*intersects/);
  refused('extra', '{}', /doesn't fit column "extra" of type object/);
  refused('height', 'tall', /^"tall" is not a number\.$/);
  refused('height', '', /not a number/);
  refused('height', '0x10', /not a number/);
  refused('height', 'Infinity', /not a number/);
  refused('count', '2.5', /not an integer/);
  refused('count', '9007199254740993', /not an integer of at most/);
  refused('count__in', '1,,2', /^"" is not a number/);
  refused('flag', 'maybe', /neither true nor false/);
  refused('name__isnull', 'maybe', /neither true nor false/);
  refused('day', '2020-02-30', /YYYY-MM-DD/);
  refused('day', '2020-05-17T00:00:00Z', /YYYY-MM-DD/);
  refused('when', 'yesterday', /YYYY-MM-DDTHH:MM:SSZ/);
  refused('at', '25:00', /HH:MM:SS/);
  refused('height__range', '1', /two values/);
  refused('height__range', '1,2,3', /two values/);
  refused('name__in', '"a,b', /quotes/);
  refused('geometry__intersects', 'POINT(1,2)', /Expected a number but found "," at character 8/);
  refused('geometry__dwithin', 'POINT(1 2)', /<geometry>,<distance>/);
  refused('geometry__dwithin', 'POINT(1 2),5 miles', /<geometry>,<distance>/);
  refused('geometry__dwithin', 'POINT(1 2),-5', /<geometry>,<distance>/);
  refused('geometry__dwithin', 'Point([1,2]).buffer(1),5', /either as \.buffer/);
  refused('geometry__contains', 'Point([1,2]).buffer(1)', /\.buffer/);
  refused('geometry__within', 'LineString([[1,2],[3,4]]).buffer(1)', /of a Point with within/);
  refused('geometry__bbox', 'POINT(1 2)', /Expected a number/);
});

test('a geometry that is not valid is refused when the predicate is compiled', async () => {
  const bowtie = parseLookupPredicate('geometry__within', 'POLYGON((0 0,10 10,0 10,10 0,0 0))', schema);
  await assert.rejects(compilePredicate(bowtie, schema), (error) => {
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(error.fields, { geometry__within: ['The geometry is not valid: Self-intersection at 5 5.'] });
    return true;
  });
});

test('a table without geometry may have a column of that name', async () => {
  const plain = schemaOf({ geometry: 'string' }, false);
  const test = await compilePredicate(parseLookupPredicate('geometry__startswith', 'x', plain), plain);
  assert.equal(test(rowOf(['xy'])), true);
});

test('splitList', () => {
  const cases: [string, string[]][] = [
    ['a,b', ['a', 'b']],
    [' a , b ', ['a', 'b']],
    ['"a,b",c', ['a,b', 'c']],
    ['" a"', [' a']],
    ['"say ""hi"""', ['say "hi"']],
    ['a"b', ['a"b']],
    ['', ['']],
    ['a,', ['a', '']],
    ['""', ['']],
  ];
  for (const [text, expected] of cases) assert.deepEqual(splitList(text), expected, text);
  assert.throws(() => splitList('"a" b'));
});

test('every lookup of every type is understood', async () => {
  const values: Record<string, string> = { isnull: 'true', range: '1,2', bbox: '0,0,1,1', dwithin: 'POINT(1 2),3' };
  const samples: Record<string, Value> = {
    integer: '1',
    float: '1',
    string: 'a',
    boolean: 'true',
    date: '2020-01-01',
    datetime: '2020-01-01',
    time: '10:00',
    geometry: 'POINT(1 2)',
  };
  for (const [type, lookups] of Object.entries(lookupsByType)) {
    const table = type === 'geometry' ? schemaOf({}) : schemaOf({ c: type as 'string' });
    for (const lookup of lookups) {
      const sample = String(samples[type]);
      const value = lookup === 'range' ? `${sample},${sample}` : (values[lookup] ?? sample);
      await compilePredicate(
        parseLookupPredicate(`${type === 'geometry' ? type : 'c'}__${lookup}`, value, table),
        table,
      );
    }
  }
});
