import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { uniqueColumnNames } from '../../../src/data/ingest/infer-types.ts';
import { ingestPayload, rowsOf, typesOf, valuesOf } from '../support/payloads.ts';
import { cpuTime } from '../support/turns.ts';

/** Column `a` of a CSV with these cells. */
async function csvColumn(...cells: string[]) {
  const { result, table } = await ingestPayload(`a,b\n${cells.map((cell) => `${cell},x\n`).join('')}`, 'a.csv');
  return { type: result.columns[0]?.type, values: (await valuesOf(table)).map(([value]) => value) };
}

/** Column `a` of NDJSON with these values. */
async function jsonColumn(...values: unknown[]) {
  const { result, table } = await ingestPayload(values.map((a) => `${JSON.stringify({ a })}\n`).join(''), 'a.ndjson');
  return { type: result.columns[0]?.type, values: (await valuesOf(table)).map(([value]) => value) };
}

const csv: [string, string[], string, unknown[]][] = [
  ['whole numbers', ['1', '-2', '', ' 3'], 'integer', [1, -2, null, 3]],
  ['numbers', ['1', '2.50', '.5', '1e-3', '-0'], 'float', [1, 2.5, 0.5, 0.001, -0]],
  ['leading zeros', ['01', '2'], 'string', ['01', '2']],
  ['a plus sign, as of a telephone number', ['+49', '49'], 'string', ['+49', '49']],
  ['integers of 64 bits', ['9007199254740993', '1'], 'string', ['9007199254740993', '1']],
  ['the greatest safe integer', ['9007199254740991'], 'integer', [9007199254740991]],
  ['NaN', ['1.5', 'NaN', 'nan'], 'float', [1.5, null, null]],
  ['infinity', ['1.5', 'inf', '-Infinity'], 'float', [1.5, Infinity, -Infinity]],
  ['NaN among names', ['Nan', 'Chiang Mai'], 'string', ['Nan', 'Chiang Mai']],
  ['numbers and text', ['1', '2.50', 'n/a'], 'string', ['1', '2.50', 'n/a']],
  ['true and false', ['true', 'FALSE', ''], 'boolean', [true, false, null]],
  ['true and a number', ['true', '1'], 'string', ['true', '1']],
  ['yes and no', ['yes', 'no'], 'string', ['yes', 'no']],
  ['dates', ['2024-02-29', '1999-12-31'], 'date', ['2024-02-29', '1999-12-31']],
  ['a day that no calendar has', ['2023-02-29', '1999-12-31'], 'string', ['2023-02-29', '1999-12-31']],
  ['months and days alone', ['2023-02', '1999-12'], 'string', ['2023-02', '1999-12']],
  ['instants', ['2024-01-01T10:00:00Z', '2024-01-01 10:00'], 'datetime', ['2024-01-01T10:00:00Z', '2024-01-01 10:00']],
  ['dates and instants', ['2024-01-01T10:00:00Z', '2024-01-01'], 'string', ['2024-01-01T10:00:00Z', '2024-01-01']],
  ['times of day', ['10:00', '23:59:59.5'], 'time', ['10:00', '23:59:59.5']],
  ['durations', ['10:00', '100:00'], 'string', ['10:00', '100:00']],
  ['nothing', ['', ''], 'string', [null, null]],
  ['numbers too large for 64 bits', ['1', '-1e400'], 'string', ['1', '-1e400']],
  ['hexadecimal and grouped numbers', ['0x10', '1,000'.replace(',', ' ')], 'string', ['0x10', '1 000']],
];
for (const [what, cells, type, values] of csv) {
  test(`CSV: ${what}: ${type}`, async () => assert.deepEqual(await csvColumn(...cells), { type, values }));
}

const json: [string, unknown[], string, unknown[]][] = [
  ['whole numbers', [1, null, -2, 3.0], 'integer', [1, null, -2, 3]],
  ['numbers', [1, 2.5], 'float', [1, 2.5]],
  ['numbers in quotes', ['1', '2'], 'string', ['1', '2']],
  ['numbers and text', [1, 'a', true, null, [1], { b: 2 }], 'string', ['1', 'a', 'true', null, '[1]', '{"b":2}']],
  ['booleans', [true, false, null], 'boolean', [true, false, null]],
  ['booleans and numbers', [true, 0], 'string', ['true', '0']],
  ['dates', ['2024-01-01', null], 'date', ['2024-01-01', null]],
  ['the empty text', ['', 'a'], 'string', ['', 'a']],
  ['objects', [{ b: [1, { c: null }] }, null], 'object', [{ b: [1, { c: null }] }, null]],
  ['arrays', [[1, 'a'], []], 'array', [[1, 'a'], []]],
  ['objects and arrays', [{}, []], 'string', ['{}', '[]']],
  ['objects and text that looks so', [{ b: 1 }, '{b'], 'string', ['{"b":1}', '{b']],
];
for (const [what, given, type, values] of json) {
  test(`JSON: ${what}: ${type}`, async () => assert.deepEqual(await jsonColumn(...given), { type, values }));
}

test('unsafe integers keep their digits, in JSON too', async () => {
  const text =
    '{"a":12345678901234567890,"b":{"c":[9007199254740993]},"d":1e300,"e":"9007199254740993","f":0.1234567890123456789}\n';
  const { result, table } = await ingestPayload(text, 'a.ndjson');
  assert.deepEqual(typesOf(result), ['a:string', 'b:object', 'd:float', 'e:string', 'f:float']);
  const [row] = await valuesOf(table);
  assert.deepEqual(row, [
    '12345678901234567890',
    { c: ['9007199254740993'] },
    1e300,
    '9007199254740993',
    Number('0.1234567890123456789'),
  ]);
});

test('unsafe integers keep their digits beside long strings with many escapes', async () => {
  const text = `\\"12345678901234567890\\n\\\\${'\\n'.repeat(12_000_000)}`;
  const { table } = await ingestPayload(`{"s":"${text}","n":NaN,"a":12345678901234567890,"e":"\\\\"}\n`, 'a.ndjson');
  assert.deepEqual(await valuesOf(table), [[JSON.parse(`"${text}"`), null, '12345678901234567890', '\\']]);
});

test('unsafe integers of features in a collection that is an item keep their digits', async () => {
  const feature = (name: string, n: string, id = '1') =>
    `{"type":"Feature","id":${id},"geometry":null,"properties":{"name":{"of":"${name}"},"n":${n},"list":[${n}]}}`;
  const features = [feature('a', '1'), feature('b', '9007199254740993'), feature('c', '2', '9007199254740995')];
  const inner = `{"type":"FeatureCollection","name":"Inner","n":3,"features":[${feature('d', '9007199254740997')}]}`;
  const item = `{"type":"FeatureCollection","name":"Trees","n":0,"features":[${features.join()},${inner}]}`;
  for (const [text, name] of [
    [`${item}\n${item}\n`, 'a.ndjson'],
    [`[${item},${item}]`, 'a.json'],
  ] as const) {
    const { table } = await ingestPayload(text, name);
    const rows = await rowsOf(table);
    const expected = [
      [1, { of: 'a' }, '1', [1]],
      [1, { of: 'b' }, '9007199254740993', ['9007199254740993']],
      ['9007199254740995', { of: 'c' }, '2', [2]],
      [1, { of: 'd' }, '9007199254740997', ['9007199254740997']],
    ];
    assert.deepEqual(
      rows.map(({ id, values }) => [id, ...values]),
      [...expected, ...expected],
    );
  }
});

test('numbers that are too large for 64 bits stay as they are written, in JSON too', async () => {
  const text = '{"a":1e400,"b":{"c":-1E+999},"d":"1e400","e":1e308}\n{"a":2,"b":null,"d":"","e":1e-400}\n';
  const { result, table } = await ingestPayload(text, 'a.ndjson');
  assert.deepEqual(typesOf(result), ['a:string', 'b:object', 'd:string', 'e:float']);
  assert.deepEqual(await valuesOf(table), [
    ['1e400', { c: '-1E+999' }, '1e400', 1e308],
    ['2', null, '', 0],
  ]);
});

test('NaN and infinity, which JSON doesn’t have, are read as Python writes them', async () => {
  const { result, table } = await ingestPayload(
    '{"a":NaN,"b":Infinity,"c":"NaN"}\n{"a":1.5,"b":-Infinity,"c":"Infinity"}\n',
    'a.ndjson',
  );
  assert.deepEqual(typesOf(result), ['a:float', 'b:float', 'c:string']);
  assert.deepEqual(await valuesOf(table), [
    [null, Infinity, 'NaN'],
    [1.5, -Infinity, 'Infinity'],
  ]);
});

test('a column that turns out to be text after thousands of numbers keeps every text', async () => {
  const cells = Array.from({ length: 70_000 }, (_, n) => (n === 69_999 ? 'n/a' : `${n}.50`));
  const { result, table } = await ingestPayload(`a,b\n${cells.map((cell, n) => `${cell},${n}\n`).join('')}`, 'a.csv');
  assert.deepEqual(typesOf(result), ['a:string', 'b:integer']);
  assert.deepEqual(result.statistics[0], {
    name: 'a',
    type: 'string',
    nulls: 0,
    distinct: null,
    min: '0.50',
    max: 'n/a',
  });
  assert.deepEqual(
    (await valuesOf(table)).map(([value]) => value),
    cells,
  );
});

test('statistics: nulls, distinct values up to a bound, minimum and maximum', async () => {
  const rows = Array.from({ length: 3000 }, (_, n) => ({
    n,
    few: n % 3,
    text: `t${n % 7}`,
    none: null,
    maybe: n > 10 ? n : null,
  }));
  const { result } = await ingestPayload(rows.map((row) => JSON.stringify(row)).join('\n'), 'a.jsonl');
  assert.deepEqual(result.statistics, [
    { name: 'n', type: 'integer', nulls: 0, distinct: null, min: 0, max: 2999 },
    { name: 'few', type: 'integer', nulls: 0, distinct: 3, min: 0, max: 2 },
    { name: 'text', type: 'string', nulls: 0, distinct: 7, min: 't0', max: 't6' },
    { name: 'none', type: 'string', nulls: 3000, distinct: 0 },
    { name: 'maybe', type: 'integer', nulls: 11, distinct: null, min: 11, max: 2999 },
  ]);
});

test('the minimum of datetimes is the earliest instant, whatever the offset', async () => {
  const { result } = await ingestPayload('a,b\n2024-01-01T00:00:00+05:00,1\n2023-12-31T20:00:00Z,2\n', 'a.csv');
  assert.equal(result.statistics[0]?.min, '2024-01-01T00:00:00+05:00');
});

test('the minimum of a text column is its least text, though it began with datetimes', async () => {
  const texts = ['2024-01-01T10:00:00+02:00', '2024-01-01T09:00:00Z', '2024-01-01T10:30:00+05:00'];
  for (const [others, min, max] of [
    [[], texts[2], texts[1]],
    [['x'], texts[1], 'x'],
    [['2024-01-01'], '2024-01-01', texts[2]],
  ] as const) {
    const rows = [...texts, ...others];
    for (const { result } of [
      await ingestPayload(`a,b\n${rows.map((text) => `${text},1\n`).join('')}`, 'a.csv'),
      await ingestPayload(rows.map((a) => JSON.stringify({ a })).join('\n'), 'a.jsonl'),
    ])
      assert.deepEqual([result.statistics[0]?.min, result.statistics[0]?.max], [min, max]);
  }
});

test('the type of a column is that of all its values, whatever row groups they stand in', async () => {
  const columns = [
    ['1.234', '1,5', 'float', 1234, 1.5],
    ['-12', '1.234,5', 'float', -12, 1234.5],
    ['0.123', '1,5', 'string', '0.123', '1,5'],
    ['1.5', '1,5', 'string', '1.5', '1,5'],
    ['31.12.2023', '2024-01-01', 'string', '31.12.2023', '2024-01-01'],
    ['31.12.2023', '1.1.2024', 'date', '2023-12-31', '2024-01-01'],
    ['2024-12-31 10:00:00+01', '2024-12-31T10:00:00Z', 'string', '2024-12-31 10:00:00+01', '2024-12-31T10:00:00Z'],
    [' ', '2024-01-01', 'string', ' ', '2024-01-01'],
    [' ', '31.12.2023', 'string', ' ', '31.12.2023'],
    [' ', 'true', 'string', ' ', 'true'],
    [' ', '7', 'integer', null, 7],
  ] as const;
  const lineOf = (place: 0 | 1) => `${columns.map((column) => column[place]).join('\t')}\n`;
  for (const count of [1, 16_000]) {
    const text = `${columns.map((_, i) => `c${i}`).join('\t')}\n${lineOf(0).repeat(count)}${lineOf(1)}`;
    const { result, table } = await ingestPayload(text, 'a.tsv');
    const [first, last] = [await table.row(0), await table.row(count)];
    for (const [i, [lead, end, ...expected]] of columns.entries())
      assert.deepEqual(
        [result.columns[i]?.type, first.value(i), last.value(i)],
        expected,
        `${count} times ${lead}, then ${end}`,
      );
  }
});

test('column names: none is empty, none is repeated, none replaces another', () => {
  assert.deepEqual(uniqueColumnNames(['a', '', 'a', 'a_2', '', 'a']), [
    'a',
    'column_2',
    'a_3',
    'a_2',
    'column_5',
    'a_4',
  ]);
  assert.deepEqual(uniqueColumnNames(['geometry', 'b'], ['geometry']), ['geometry_2', 'b']);
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '', 'a_2', 'a_3', 'column_1', 'geometry')), (names) => {
      const given = uniqueColumnNames(names, ['geometry']);
      assert.equal(new Set(given).size, names.length);
      assert.ok(given.every((name) => name !== '' && name !== 'geometry'));
    }),
  );
});

test('every value of any JSON comes back as it was, or as the text of a mixture', async () => {
  const value = fc.oneof(
    fc.integer(),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.boolean(),
    fc.string(),
    fc.constant(null),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1 }), async (values) => {
      // Integers beyond the safe ones become text: the test above.
      fc.pre(!/(?<![.\d])\d{16,}(?![\d.eE])/.test(JSON.stringify(values)));
      const given = values.map((each) => JSON.parse(JSON.stringify(each)) as unknown);
      const { type, values: found } = await jsonColumn(...given);
      const asText = (each: unknown) => (each === null || typeof each === 'string' ? each : JSON.stringify(each));
      assert.deepEqual(found, type === 'string' ? given.map(asText) : given);
    }),
    { numRuns: 60 },
  );
});

test('ten thousand equal names are made different in no time', () => {
  let names: readonly string[] = [];
  const milliseconds = cpuTime(() => {
    names = uniqueColumnNames([...new Array<string>(9999).fill('x'), 'x_3']);
  });
  assert.deepEqual(names.slice(0, 4), ['x', 'x_2', 'x_4', 'x_5']);
  assert.deepEqual(names.slice(-2), ['x_10000', 'x_3']);
  assert.ok(milliseconds < 1000, `${milliseconds} ms`);
});
