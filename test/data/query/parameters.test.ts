import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValidationError } from '../../../src/catalogue/errors.ts';
import { defaultQueryLimits } from '../../../src/data/limits.ts';
import { compilePredicate } from '../../../src/data/query/compile.ts';
import { parseFeatureQuery } from '../../../src/data/query/feature-query.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import { alwaysTrue } from '../../../src/data/query/predicate.ts';
import { boxesToSearch } from '../../../src/data/query/search-boxes.ts';
import { rowOf, schemaOf } from '../support/rows.ts';
import { cpuTime } from '../support/turns.ts';

const schema = schemaOf({ name: 'string', height: 'float', 'a,b': 'string', tags: 'array', '-minus': 'integer' });
const parse = (query: string, of = schema) => parseDataQuery([...new URLSearchParams(query)], of);
const fields = (query: string, of = schema) => {
  try {
    parse(query, of);
  } catch (error) {
    assert.ok(error instanceof ValidationError, String(error));
    return error.fields;
  }
  assert.fail(`${query} was taken`);
};

test('no parameters', () => {
  assert.equal(parse('_limit=3').predicate, alwaysTrue, 'the same object: whoever asks needs no test of rows');
  assert.deepEqual(parse(''), {
    format: undefined,
    predicate: alwaysTrue,
    fields: undefined,
    aggregation: undefined,
    ordering: [],
    limit: undefined,
    offset: undefined,
    page: undefined,
    pageSize: undefined,
    csv: { bom: false, separator: ',', excel: false },
  });
});

test('reserved parameters, with the underscore and without', () => {
  assert.equal(parse('_format=CSV').format, 'csv');
  assert.equal(parse('format=ndjson').format, 'ndjson');
  assert.deepEqual(parse('_fields=name,"a,b",geometry,name').fields, ['name', 'a,b', 'geometry']);
  assert.deepEqual(parse('_ordering=-height,name,-minus,--minus').ordering, [
    { column: 'height', descending: true },
    { column: 'name', descending: false },
    { column: '-minus', descending: false },
    { column: '-minus', descending: true },
  ]);
  assert.deepEqual(parse('_ordering=-"a,b","name", -"-minus"').ordering, [
    { column: 'a,b', descending: true },
    { column: 'name', descending: false },
    { column: '-minus', descending: true },
  ]);
  assert.deepEqual([parse('_limit=0').limit, parse('limit=5&offset=10').offset], [0, 10]);
  assert.deepEqual([parse('_page=last').page, parse('page=2&page_size=7').pageSize], ['last', 7]);
  assert.deepEqual(parse('_bom=1&_sep=;&_excel=true').csv, { bom: true, separator: ';', excel: true });
  assert.equal(parse('_sep=tab').csv.separator, '\t');
  assert.deepEqual(parse('bbox=170,0,-170,10').predicate, { op: 'bbox', bbox: [170, 0, -170, 10] });
  assert.equal(boxesToSearch(parse('_bbox=170,0,-170,10&filter=height>5').predicate)?.length, 2);
});

test('filters are joined by AND, repeated ones too; of the rest the last counts', async () => {
  const { predicate, limit } = parse(
    'height__gt=1&height__gt=5&name=a&_filter=height<9&_filter=height<>7&_limit=1&limit=2',
  );
  const matches = await compilePredicate(predicate, schema);
  assert.equal(limit, 2);
  assert.deepEqual(
    [3, 6, 7, 9].map((height) => matches(rowOf(['a', height]))),
    [false, true, false, false],
  );
  assert.equal(matches(rowOf(['b', 6])), false);
});

test('a column goes before an unprefixed parameter, and a reserved one before a column', async () => {
  const odd = schemaOf({ limit: 'integer', _limit: 'integer', _mine: 'string', format: 'string' });
  const query = parse('limit=3&_limit=4&_limit__exact=5&_mine=x&format=A4&_format=csv', odd);
  assert.deepEqual([query.limit, query.format], [4, 'csv']);
  const matches = await compilePredicate(query.predicate, odd);
  assert.equal(matches(rowOf([3, 5, 'x', 'A4'])), true);
  assert.equal(matches(rowOf([3, 6, 'x', 'A4'])), false);
});

test('all errors are reported at once, each under its parameter', () => {
  assert.deepEqual(fields('heigth=5&_format=geojsn&_limt=3&height=tall&_limit=-1&_filter=heigth>5&name=ok'), {
    heigth: ['Unknown column "heigth". Did you mean "height"?'],
    _format: ['Unknown format "geojsn". Did you mean "geojson"?'],
    _limt: ['Unknown parameter "_limt". Did you mean "_limit"?'],
    height: ['"tall" is not a number.'],
    _limit: ['"-1" is not a whole number of at least 0.'],
    _filter: ['Unknown column "heigth" at character 1. Did you mean "height"?'],
  });
  assert.deepEqual(fields('_limit=99999999999999999999'), {
    _limit: ['"99999999999999999999" is not a whole number of at least 0 and at most 9007199254740991.'],
  });
  assert.deepEqual(fields('filter=heigth>5'), {
    filter: ['Unknown column "heigth" at character 1. Did you mean "height"?'],
  });
  assert.deepEqual(Object.keys(fields('height=a&height=b')), ['height']);
  assert.equal(fields('height=a&height=b').height?.length, 2);
});

test('never silently ignored', () => {
  assert.match(String(fields('_format=xml')._format), /There are geojson, json, objects,/);
  assert.match(String(fields('fields=name').fields), /Did you mean "_fields"\?/);
  assert.match(String(fields('formt=csv').formt), /Did you mean "format"\?/);
  assert.match(
    String(fields('_fields=nam').non_field_errors ?? fields('_fields=nam')._fields),
    /Did you mean "name"\?/,
  );
  assert.match(String(fields('_ordering=-hight')._ordering), /Did you mean "height"\?/);
  assert.match(String(fields('_ordering=geometry')._ordering), /no order/);
  assert.match(String(fields('_ordering=tags')._ordering), /no order/);
  assert.match(String(fields('_limit=')._limit), /whole number/);
  assert.match(String(fields('_page=0')._page), /at least 1/);
  assert.match(String(fields('_page=1e3')._page), /whole number/);
  assert.match(String(fields('_sep=x')._sep), /separator/);
  assert.match(String(fields('_bom=perhaps')._bom), /true nor false/);
  assert.match(String(fields('_bbox=1,2,3')._bbox), /4 numbers/);
  assert.match(String(fields('_bbox=1,2,3,4', schemaOf({}, false))._bbox), /no geometry/);
  assert.match(String(fields('_page=1&_limit=3').non_field_errors), /not for both/);
  assert.ok(Object.hasOwn(fields('__proto__=1&constructor=2'), '__proto__'));
  assert.match(String(fields('=1')['']), /Unknown column ""/);
});

test('limits', () => {
  const limits = { ...defaultQueryLimits };
  const pairs = (count: number, name: string, value = '1'): [string, string][] =>
    Array.from({ length: count }, () => [name, value]);
  const refused = (all: [string, string][], message: RegExp, length = 0) =>
    assert.throws(
      () => parseDataQuery(all, schema, limits, length),
      (error) => error instanceof ValidationError && message.test(error.message),
    );
  refused([], /longer than 8192 bytes/, 8193);
  parseDataQuery(pairs(50, 'height__gt'), schema, limits, 8192);
  refused(pairs(51, 'height__gt'), /more than 50 conditions/);
  refused(pairs(10_000, 'zzz'), /too many/);
  refused(pairs(1, 'height__in', Array.from({ length: 1001 }, (_, i) => i).join(',')), /more than 1000 values/);
  refused(
    [
      ...pairs(1, 'height__in', Array.from({ length: 600 }, (_, i) => i).join(',')),
      ...pairs(1, 'height__in', Array.from({ length: 600 }, (_, i) => i).join(',')),
    ],
    /more than 1000 values/,
  );
  const line = `LINESTRING(${Array.from({ length: 6000 }, (_, i) => `${i % 90} 1`).join(',')})`;
  refused(pairs(2, 'geometry__intersects', line), /more than 10000 vertices/);
  refused(pairs(1, 'geometry__intersects', `LINESTRING(${'1 1,'.repeat(1_000_000)}2 2)`), /too many positions/);
  refused(pairs(1, '_filter', `${'('.repeat(4000)}height=1${')'.repeat(4000)}`), /nested too deeply/);
  refused(pairs(1, '_filter', `${'NOT '.repeat(2000)}height=1`), /nested too deeply/);
  refused(pairs(1, '_filter', Array.from({ length: 51 }, () => 'height=1').join(' OR ')), /too many conditions/);
});

test('aggregates: what is wrong, where, and the nearest right name', () => {
  for (const [query, parameter, message] of [
    ['_aggregate=summ(height)', '_aggregate', /Unknown function "summ" at character 1\. Did you mean "sum"\?/],
    ['_aggregate=count,sum(heigth)', '_aggregate', /Unknown column "heigth" at character 7\. Did you mean "height"\?/],
    ['_aggregate=stddev(height)', '_aggregate', /There are count, sum, min, max, mean, avg, median\./],
    ['_aggregate=height', '_aggregate', /It is a column: write a function of it, such as median\(height\)\./],
    ['_aggregate=sum', '_aggregate', /"sum" needs a column/],
    ['_aggregate=sum(*)', '_aggregate', /"sum" needs a column/],
    [
      '_aggregate=sum(name)',
      '_aggregate',
      /"sum" doesn't fit column "name" of type string .* It takes count, min, max\./,
    ],
    ['_aggregate=max(tags)', '_aggregate', /of type array .* It takes count\./],
    ['_aggregate=mean(geometry)', '_aggregate', /of type geometry .* It takes count\./],
    ['_aggregate=count(distinct name)', '_aggregate', /DISTINCT is not supported .* Group by the column/],
    ['_aggregate=sum(height', '_aggregate', /Expected "\)" but found the end/],
    ['_aggregate=sum(height) total', '_aggregate', /Expected a comma, AS or the end but found "total"/],
    ['_aggregate=sum(height) AS', '_aggregate', /Expected a comma, AS or the end|Expected a name after AS/],
    ['_aggregate=', '_aggregate', /Expected a function such as count or sum\(column\) but found the end/],
    ['_aggregate=count,', '_aggregate', /Expected a function/],
    ['_aggregate=sum(height) AS n,count AS n', '_aggregate', /Two columns of the result are called "n"/],
    ['_group_by=name&_aggregate=count AS name', '_aggregate', /Two columns of the result are called "name"/],
    ['_group_by=nam', '_group_by', /Unknown column "nam"\. Did you mean "name"\?/],
    ['_group_by=', '_group_by', /Unknown column ""/],
    ['_group_by=geometry', '_group_by', /filter by place with _bbox/],
    ['_group_by=tags', '_group_by', /can't be grouped by column "tags" of type array/],
    ['_groupby=name', '_groupby', /Did you mean "_group_by"\?/],
    ['_agregate=count', '_agregate', /Did you mean "_aggregate"\?/],
    ['group_by=name', 'group_by', /Did you mean "_group_by"\?/],
    ['aggregate=count', 'aggregate', /Did you mean "_aggregate"\?/],
    ['_group_by=name&_fields=name', '_fields', /leave out _fields/],
    ['_group_by=name&_ordering=height', '_ordering', /Unknown column "height"\. Groups have name, count\./],
    ['_group_by=name&_ordering=-coutn', '_ordering', /Did you mean "count"\?/],
    [`_aggregate=${Array.from({ length: 51 }, (_, i) => `count AS c${i}`)}`, '_aggregate', /more than 50 columns/],
  ] as const)
    assert.match(String(fields(query)[parameter]), message, query);
  const both = fields('_aggregate=sum(x)&_group_by=nam&_limit=x');
  assert.deepEqual(Object.keys(both).sort(), ['_aggregate', '_group_by', '_limit']);
  assert.equal(parse('_limit=3').aggregation, undefined);
});

test('groups are ordered by functions and names with commas', () => {
  const ordering = (text: string) =>
    parse(`_group_by="a,b"&_aggregate=count,sum(height) AS "h, in all",max("a,b")&_ordering=${text}`).ordering;
  assert.deepEqual(ordering('-max("a,b"),"a,b",-"h, in all"'), [
    { column: 'max(a,b)', descending: true },
    { column: 'a,b', descending: false },
    { column: 'h, in all', descending: true },
  ]);
  assert.deepEqual(ordering('max( "a,b" ) , -count'), [
    { column: 'max(a,b)', descending: false },
    { column: 'count', descending: true },
  ]);
  assert.match(String(fields('_ordering="name')._ordering), /has to end with a quote/);
  assert.match(String(fields('_ordering=-"nam,e"')._ordering), /Unknown column/);
});

test('rows are ordered by few columns', () => {
  const orderingOf = (count: number) =>
    parseDataQuery([['_ordering', `${'height,'.repeat(count - 1)}name`]], schema).ordering;
  assert.equal(orderingOf(20).length, 20);
  assert.throws(
    () => orderingOf(1000),
    (error: ValidationError) => /by 20 columns at most, not by 1000/.test(String(error.fields._ordering)),
  );
});

test('aggregates of columns by a former name have the present one', () => {
  const renamed = { ...schema, otherNames: new Map([['tallness', ['height']]]) };
  const { aggregation, ordering } = parse(
    '_group_by=tallness&_aggregate=max(tallness)&_ordering=tallness,-max(tallness)',
    renamed,
  );
  assert.deepEqual(
    aggregation?.schema.columns.map(({ name, type }) => `${name}:${type}`),
    ['height:float', 'max(height):float'],
  );
  assert.deepEqual(ordering, [
    { column: 'height', descending: false },
    { column: 'max(height)', descending: true },
  ]);
});

/** Ten thousand columns with names of 90 letters, as the questions of a survey have them. */
const wide = schemaOf(
  Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`q${n}_`.padEnd(90, 'how often do you use this service '), 'integer']),
  ),
);

test('wrong parameters of a wide table cost little: three of them have suggestions', () => {
  const [name = ''] = wide.columns.map((column) => column.name);
  const wrong = Array.from({ length: 60 }, (_, n) => `${name.slice(0, -1)}${String.fromCharCode(0x410 + n)}`);
  const query = new URLSearchParams(wrong.map((each): [string, string] => [each, '1'])).toString();
  let found: Readonly<Record<string, readonly string[]>> = {};
  const milliseconds = cpuTime(() => {
    found = fields(query, wide);
  });
  const messages = Object.values(found).flat();
  assert.equal(messages.length, 60);
  assert.equal(messages[0], `Unknown column "${wrong[0]}". Did you mean "${name}"?`);
  assert.deepEqual(
    messages.map((message) => message.includes('Did you mean')),
    messages.map((_, n) => n < 3),
  );
  assert.ok(milliseconds < 1500, `${milliseconds} ms`);
  const sortby = wrong.map((each): [string, string] => ['sortby', each]);
  for (const pairs of [[...new URLSearchParams(query)], sortby]) {
    const features = () => parseFeatureQuery(pairs, { schema: wide, hasNullGeometries: false });
    const others = cpuTime(() => assert.throws(features, ValidationError));
    assert.ok(others < 1500, `${others} ms`);
  }
});

test('a parameter of underscores costs little on a wide table', () => {
  const milliseconds = cpuTime(() => {
    const [message] = Object.values(fields(`${'_'.repeat(7900)}=1`, wide)).flat();
    assert.match(String(message), /^Unknown parameter/);
  });
  assert.ok(milliseconds < 300, `${milliseconds} ms`);
});
