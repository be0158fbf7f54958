/** Values of Parquet that DuckDB writes: what JSON doesn't have, and what a double can't hold. */
import '../../support/judged.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import type { SchemaElement } from 'hyparquet';
import { shortNumberOfFloat32 } from '../../../src/data/formats/float32.ts';
import { parquetParsers, parquetToPlainValue } from '../../../src/data/formats/parquet/values.ts';
import { ingestPayload, temporaryFolder, typesOf, valuesOf } from '../support/payloads.ts';

/** Writes the rows of a query as Parquet, and reads them. */
async function throughParquet(query: string) {
  const path = join(temporaryFolder(), 'rows.parquet');
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  await duckdb.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`);
  duckdb.closeSync();
  const { result, table } = await ingestPayload(readFileSync(path), 'rows.parquet');
  return { types: typesOf(result), rows: await valuesOf(table) };
}

test('dates, times and decimals in lists, structs and maps are those of columns', async () => {
  const members = `DATE '2020-01-02' AS d, TIMESTAMP '2020-01-02 03:04:05' AS local, TIMESTAMPTZ '2020-01-02 03:04:05Z' AS utc,
    TIME '03:04:05.5' AS t, 0.35::DECIMAL(9, 2) AS n, 9007199254740993 AS big, NULL::DATE AS none, NULL::DATE[] AS lacking`;
  const { types, rows } = await throughParquet(
    `WITH m AS (SELECT ${members}) SELECT struct_pack(d, local, utc, t, n, big, none, lacking) AS one, [d, NULL] AS list,
      [struct_pack(d, days := [d])] AS structs, MAP {'a': d} AS map, [[d], []] AS nested, [1, 2] AS numbers FROM m
      UNION ALL SELECT NULL, [], NULL, MAP {}, NULL, NULL`,
  );
  assert.deepEqual(types, ['one:object', 'list:array', 'structs:array', 'map:object', 'nested:array', 'numbers:array']);
  const [d, local] = ['2020-01-02', '2020-01-02T03:04:05'];
  const one = {
    d,
    local,
    utc: `${local}Z`,
    t: '03:04:05.5',
    n: 0.35,
    big: '9007199254740993',
    none: null,
    lacking: null,
  };
  assert.deepEqual(rows, [
    [one, [d, null], [{ d, days: [d] }], { a: d }, [[d], []], [1, 2]],
    [null, [], null, {}, null, null],
  ]);
});

test('nanoseconds keep their digits, also before 1970 and in lists', async () => {
  const moments = [
    '2024-01-01 00:00:00.123456789',
    '2023-12-31 23:59:59.999999999',
    '1969-12-31 23:59:59.999999999',
    '1969-12-31 23:59:59.000001',
    '2024-01-01 00:00:00',
  ];
  const { types, rows } = await throughParquet(
    moments.map((at) => `SELECT TIMESTAMP_NS '${at}' AS at, [TIMESTAMP_NS '${at}', NULL] AS list`).join(' UNION ALL '),
  );
  assert.deepEqual(types, ['at:datetime', 'list:array']);
  const expected = moments.map((at) => at.replace(' ', 'T'));
  assert.deepEqual(
    rows,
    expected.map((at) => [at, [at, null]]),
  );
});

test('decimals keep their digits: whole ones like integers, others as in CSV', async () => {
  const columns = (whole: string, money: string, key: string) =>
    `SELECT ${whole}::DECIMAL(38, 0) AS whole, ${whole}::DECIMAL(18, 0) AS id, ${money}::DECIMAL(38, 2) AS money,
      ${key}::DECIMAL(9, 1) AS small`;
  const large = await throughParquet(
    `${columns('12345678901234567', "'12345678901234567890.12'", '-0.3')} UNION ALL ${columns('-7', '-0.05', 'NULL')}`,
  );
  assert.deepEqual(large.types, ['whole:string', 'id:string', 'money:string', 'small:float']);
  assert.deepEqual(large.rows, [
    ['12345678901234567', '12345678901234567', '12345678901234567890.12', -0.3],
    ['-7', '-7', '-0.05', null],
  ]);
  const small = await throughParquet(columns('9007199254740991', "'12345678901.25'", '0.3'));
  assert.deepEqual(small.types, ['whole:integer', 'id:integer', 'money:float', 'small:float']);
  assert.deepEqual(small.rows, [[9_007_199_254_740_991, 9_007_199_254_740_991, 12_345_678_901.25, 0.3]]);
});

test('bytes are the text if they are one, else base64: none is lost', async () => {
  const bytes = String.raw`(encode('Zürich' || chr(10))), ('\xFF\x00'::BLOB), ('\x00\x01'::BLOB), (''::BLOB)`;
  const { rows } = await throughParquet(`SELECT b, [b] AS list FROM (VALUES ${bytes}) AS t(b)`);
  const texts = ['Zürich\n', '/wA=', 'AAE=', ''];
  assert.deepEqual(
    rows,
    texts.map((text) => [text, [text]]),
  );
});

test('a date or time beyond the calendar refuses the file, and never ends the process', async () => {
  const refused = (value: string, message: RegExp) =>
    assert.rejects(throughParquet(`SELECT NULL AS a UNION ALL SELECT ${value}`), { name: 'PayloadError', message });
  await refused("'infinity'::TIMESTAMP", /^row 2: column "a": the date is beyond the years -271821 to 275760$/);
  await refused("['infinity'::TIMESTAMP]", /^row 2: column "a": the date is beyond/);
  await refused("'infinity'::DATE", /the date is beyond/);
});

test('a byte order mark at the beginning of a text is a character of it', async () => {
  const { rows } = await throughParquet(`SELECT chr(65279) || 'bom' AS s, [chr(65279), 'x'] AS list`);
  assert.deepEqual(rows, [['\ufeffbom', ['\ufeff', 'x']]]);
});

test('numbers of 32 bits have the digits that stand for them', async () => {
  const { types, rows } = await throughParquet(
    `SELECT 0.1::FLOAT AS x, [12.3::FLOAT, NULL] AS list, {'y': 1.1::FLOAT} AS one, 0.1::DOUBLE AS double
      UNION ALL SELECT 'nan'::FLOAT, [16777217::FLOAT], NULL, 0.10000000149011612`,
  );
  assert.deepEqual(types, ['x:float', 'list:array', 'one:object', 'double:float']);
  assert.deepEqual(rows, [
    [0.1, [12.3, null], { y: 1.1 }, 0.1],
    [null, [16_777_216], null, 0.10000000149011612],
  ]);
});

test('a number of 32 bits is the shortest, from six digits on, that has the same bits', () => {
  const byDigits = (value: number) =>
    [6, 7, 8, 9].map((digits) => Number(value.toPrecision(digits))).find((short) => Math.fround(short) === value);
  const float = fc.float({ noNaN: true, noDefaultInfinity: true });
  const usual = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map(Math.fround);
  fc.assert(
    fc.property(fc.oneof(float, usual), (value) => {
      const short = shortNumberOfFloat32(value);
      assert.equal(Math.fround(short), value);
      assert.equal(String(short).length <= String(byDigits(value)).length, true, `${value}: ${short}`);
    }),
    { numRuns: 20_000 },
  );
  for (const value of [-0, 0, Infinity, -Infinity, Number.NaN])
    assert.ok(Object.is(shortNumberOfFloat32(value), value));
});

/** Small files that pyarrow 25.0.1 has written. */
const fromArrow = {
  lz4: `UEFSMRUEFRAVEkwVBBUAEgAAgAEAAAACAAAAFQAVEhUULBUEFRAVBhUGHAAAAJACAAAABAEBAwIVBBUAFQJMFQAVABIAAAAVABUOFRAsFQQVEBUGFQYcAAAA
    cAIAAAAEAAAVBBk8NQAYBnNjaGVtYRUEABUCJQIYAWElHkysEwgRAAAAFQwlAhgBYyUATBwAAAAWBBkcGSwmABwVAhk1AAYQGRgBYRUOFgQWZBZoJjYmCCks
    FQQVABUCABUAFRAVAgA8KQYZJgAEAAAAJgAcFQwZNQAGEBkYAWMVDhYEFlAWVCaOASZwKSwVBBUAFQIAFQAVEBUCADwWABkGGSYEAAAAABa0ARYEJggWvAEA
    KCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI1LjAuMRksHAAAHAAAANcAAABQQVIx`,
  nestedV1: `UEFSMRUAFSQVJCwVCBUAFQYVBhwAAAACAAAACAAEAAAAAwwEAAEAAAAVBBlcNQAYBnNjaGVtYRUCADUCGAFhFQIVBkw8AAAANQQYBGxpc3QVAgA1AhgHZWxl
    bWVudBUCABUCJQIYAWQlHkysEwgRAAAAFggZHBkcJgAcFQIZJQYAGUgBYQRsaXN0B2VsZW1lbnQBZBUAFggWShZKJghJHBUAFQAVAgA8KSYIABlWAgICAAIA
    AAAWShYIJggWSgAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGRwcAAAAvgAAAFBBUjE=`,
  nestedV2: `UEFSMRUGFRQVFFwVCBUCFQgVABUIFQQSHAAAAAgAAwwEAAEAAAAVBBlcNQAYBnNjaGVtYRUCADUCGAFhFQIVBkw8AAAANQQYBGxpc3QVAgA1AhgHZWxlbWVu
    dBUCABUCJQIYAWQlHkysEwgRAAAAFggZHBkcJgAcFQIZJQYAGUgBYQRsaXN0B2VsZW1lbnQBZBUAFggWRBZEJghJHBUAFQAVAgA8KSYIABlWAgICAAIAAAAW
    RBYIJggWRAAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGRwcAAAAvgAAAFBBUjE=`,
};
const arrowFile = (name: keyof typeof fromArrow) => Buffer.from(fromArrow[name], 'base64');

test('a column of nulls in LZ4 has a dictionary of nothing', async () => {
  const { table } = await ingestPayload(arrowFile('lz4'), 'rows.parquet');
  assert.deepEqual(await valuesOf(table), [
    [1, null],
    [2, null],
  ]);
});

test('a column whose name is the path of a member of another one is read', async () => {
  const read = await throughParquet(
    `SELECT 1 AS "a.b", struct_pack(b := 2, "c.d" := 3) AS a, struct_pack(d := 4) AS "a.c"`,
  );
  assert.deepEqual(read, {
    types: ['a.b:integer', 'a:object', 'a.c:object'],
    rows: [[1, { b: 2, 'c.d': 3 }, { d: 4 }]],
  });
});

test('empty lists of structs are read from pages of version 1, and refused with the remedy from those of version 2', async () => {
  const { table } = await ingestPayload(arrowFile('nestedV1'), 'rows.parquet');
  assert.deepEqual(await valuesOf(table), [[[{ d: 1 }]], [[]], [null], [[null]]]);
  await assert.rejects(
    ingestPayload(arrowFile('nestedV2'), 'rows.parquet'),
    /the column "a\.list\.element\.d" has pages of version 2 with a wrong number of nulls\. Write the file with pages of version 1/,
  );
});

test('intervals are durations of ISO 8601, also in lists and structs', async () => {
  const intervals = ['0 days', '2 days', '14 months', '1 month 2 days 3500 milliseconds', '26 hours 4 minutes', '1 ms'];
  const { types, rows } = await throughParquet(
    `${intervals.map((text, i) => `SELECT ${i} AS i, INTERVAL '${text}' AS iv`).join(' UNION ALL ')}
      UNION ALL SELECT 9, NULL ORDER BY i`,
  );
  assert.deepEqual(types, ['i:integer', 'iv:string']);
  assert.deepEqual(
    rows.map(([, interval]) => interval),
    ['P0D', 'P2D', 'P1Y2M', 'P1M2DT3.5S', 'PT26H4M', 'PT0.001S', null],
  );
  const nested = await throughParquet("SELECT [INTERVAL '1 day', NULL] AS list, {'a': INTERVAL '1 month'} AS one");
  assert.deepEqual(nested.rows, [[['P1D', null], { a: 'P1M' }]]);
});

test('timestamps of 96 bits and times of day keep their nanoseconds', () => {
  const plainOf = (value: unknown, element: Partial<SchemaElement>) =>
    parquetToPlainValue(value, { element: { name: 'at', ...element }, children: [], count: 1, path: ['at'] });
  const parse = (nanos: bigint) => parquetParsers.timestampFromNanoseconds?.(nanos);
  assert.equal(plainOf(parse(1_000_000_001n), { type: 'INT96' }), '1970-01-01T00:00:01.000000001');
  assert.equal(plainOf(parse(-1n), { type: 'INT96' }), '1969-12-31T23:59:59.999999999');
  const time = { type: 'TIME', unit: 'NANOS', isAdjustedToUTC: false } as const;
  assert.equal(plainOf(3_600_000_000_120n, { type: 'INT64', logical_type: time }), '01:00:00.00000012');
});
