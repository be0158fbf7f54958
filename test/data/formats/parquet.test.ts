import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { RowsInput, WriteOptions } from '../../../src/data/formats/types.ts';
import { writeRows } from '../../../src/data/formats/write-rows.ts';
import { WorkerPool } from '../../../src/data/worker-pool.ts';
import { anyCharacter } from '../../support/characters.ts';
import { ingestPayload, valuesOf } from '../support/payloads.ts';
import { awkwardTexts, bytesOf, geometries, point, table, type Written } from '../support/written.ts';

interface File {
  rows: Record<string, unknown>[];
  metadata: FileMetaData;
  geo:
    | {
        version: string;
        primary_column: string;
        columns: Record<string, { geometry_types: string[]; bbox?: number[] }>;
      }
    | undefined;
}

async function readBack(input: RowsInput, rowGroupRows?: number): Promise<File> {
  const bytes = await bytesOf(writeRows('parquet', input, { rowGroupRows }));
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const geo = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value;
  const rows = await parquetReadObjects({ file });
  return { rows, metadata, geo: geo === undefined ? undefined : JSON.parse(geo) };
}

const values = {
  integer: 1,
  float: 0.5,
  string: 'é "x"',
  boolean: true,
  date: '2020-02-29',
  datetime: '2020-01-01T12:00:00.123456+02:00',
  time: '10:00',
  object: { a: [1, { b: null }] },
  array: [1, 'x', []],
};
const types = {
  integer: 'integer',
  float: 'float',
  string: 'string',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  time: 'time',
  object: 'object',
  array: 'array',
} as const;
const nothing = Object.fromEntries(Object.keys(types).map((name) => [name, null]));

describe('parquet', () => {
  test('has a type for each type of column, and nulls', async () => {
    const { rows, metadata } = await readBack(table(types, [{ values }, { values: nothing }], { hasGeometry: false }));
    assert.deepEqual(rows[0], {
      ...values,
      integer: 1n,
      date: new Date('2020-02-29'),
      datetime: new Date('2020-01-01T10:00:00.123Z'),
      time: 36_000_000_000n,
    });
    assert.deepEqual(rows[1], nothing);
    assert.deepEqual(
      metadata.schema.slice(1).map(({ type, logical_type }) => [type, logical_type?.type]),
      [
        ['INT64', undefined],
        ['DOUBLE', undefined],
        ['BYTE_ARRAY', 'STRING'],
        ['BOOLEAN', undefined],
        ['INT32', 'DATE'],
        ['INT64', 'TIMESTAMP'],
        ['INT64', 'TIME'],
        ['BYTE_ARRAY', 'JSON'],
        ['BYTE_ARRAY', 'JSON'],
      ],
    );
  });

  test('keeps integers beyond 2^53, and refuses those beyond 64 bits', async () => {
    const column = (...integers: (string | number)[]) =>
      readBack(
        table(
          { n: 'integer' },
          integers.map((n) => ({ values: { n } })),
          { hasGeometry: false },
        ),
      );
    const { rows } = await column('9223372036854775807', '-9223372036854775808', -(2 ** 53) + 1);
    assert.deepEqual(
      rows.map(({ n }) => n),
      [2n ** 63n - 1n, -(2n ** 63n), -(2n ** 53n) + 1n],
    );
    for (const wrong of ['9223372036854775808', 1.5, 'x', 2 ** 53])
      await assert.rejects(column(wrong), /column n is no integer/);
  });

  test('keeps dates and times of all centuries, to the microsecond', async () => {
    const rows = [
      { values: { d: '0001-01-01', t: '0050-06-07T08:09:10.5Z', c: '23:59:59.999999' } },
      { values: { d: '9999-12-31', t: '9999-12-31T23:59:60Z', c: '00:00' } },
      { values: { d: '1969-12-31', t: '1969-12-31 23:59:59.999999Z', c: '00:00:00.000001' } },
    ];
    const read = await readBack(table({ d: 'date', t: 'datetime', c: 'time' }, rows, { hasGeometry: false }));
    assert.deepEqual(
      read.rows.map(({ d }) => (d as Date).toISOString().slice(0, 10)),
      rows.map((row) => row.values.d),
    );
    const [first, second] = read.rows.map(({ t }) => t as Date);
    assert.equal(first?.toISOString(), '0050-06-07T08:09:10.500Z');
    assert.equal(second?.getTime(), Date.UTC(10_000, 0, 1) - 1, 'a leap second doesn’t leave the calendar');
    assert.deepEqual(
      read.rows.map(({ c }) => c),
      [86_399_999_999n, 0n, 1n],
    );
  });

  test('has local times where none has an offset, and instants where one has', async () => {
    const adjusted = async (...times: string[]) => {
      const rows = times.map((t) => ({ values: { t } }));
      const { metadata } = await readBack(table({ t: 'datetime' }, rows, { hasGeometry: false }));
      const type = metadata.schema[1]?.logical_type;
      return type?.type === 'TIMESTAMP' && type.isAdjustedToUTC;
    };
    assert.equal(await adjusted('2020-01-01T10:00:00', '2020-01-01'), false);
    assert.equal(await adjusted('2020-01-01T10:00:00Z'), true);
    assert.equal(await adjusted('2020-01-01T10:00:00', '2020-01-01T10:00:00-05:00'), true);
  });

  test('refuses a value that its column cannot hold', async () => {
    const broken = { string: 1, float: '1', boolean: 'true', date: '2020-02-30', datetime: 'now', time: '25:00' };
    for (const [type, value] of Object.entries(broken)) {
      const input = table({ x: type as keyof typeof broken }, [{ values: { x: value } }], { hasGeometry: false });
      await assert.rejects(readBack(input), new RegExp(`column x is no ${type}`));
    }
  });

  test('has datetimes and times to the microsecond, cut and not rounded, within the calendar', async () => {
    const moments = [
      ['9999-12-31T23:59:59.999999', '9999-12-31T23:59:59.999999'],
      ['9999-12-31T23:59:59.9999999', '9999-12-31T23:59:59.999999'],
      ['9999-12-31 23:59:60', '9999-12-31T23:59:59.999999'],
      ['2023-12-31 23:59:59.9999999', '2023-12-31T23:59:59.999999'],
      ['2300-01-01T00:00:00.000001', '2300-01-01T00:00:00.000001'],
      ['1600-01-01T00:00:00.000001', '1600-01-01T00:00:00.000001'],
      ['1969-12-31T23:59:59.9999999', '1969-12-31T23:59:59.999999'],
      ['0001-01-01T00:00:00', '0001-01-01T00:00:00'],
    ] as const;
    const [time, cut] = ['23:59:59.9999999', '23:59:59.999999'];
    const written = moments.map(([at]) => ({ values: { at, time } }));
    const bytes = await bytesOf(writeRows('parquet', table({ at: 'datetime', time: 'time' }, written)));
    const { table: read } = await ingestPayload(Buffer.from(bytes), 'rows.parquet');
    assert.deepEqual(
      await valuesOf(read),
      moments.map(([, at]) => [at, cut]),
    );
  });

  test('has the same bytes when threads encode its columns, or fail to', async (t) => {
    const workers = new WorkerPool();
    t.after(() => workers.close());
    const run = t.mock.method(workers, 'run');
    const rows = Array.from({ length: 2000 }, (_, i): Written => {
      const geometry = i % 7 === 0 ? null : point(i / 100, 52);
      return { geometry, values: i % 5 === 0 ? nothing : { ...values, integer: i, string: `${i % 3} é` } };
    });
    const write = (options: WriteOptions) => bytesOf(writeRows('parquet', table(types, rows), options));
    const expected = await write({ rowGroupRows: 900 });
    assert.deepEqual(await write({ rowGroupRows: 900, workers }), expected);
    // Two row groups; the last 200 rows aren't worth a thread.
    assert.equal(run.mock.callCount(), 2 * (Object.keys(types).length + 1));
    rows.push({ values: { integer: 1.5 } });
    await assert.rejects(write({ workers }), { name: 'TypeError', message: '1.5 in column integer is no integer.' });
    rows.pop();
    await workers.close();
    assert.deepEqual(await write({ rowGroupRows: 900, workers }), expected);
  });

  test('has geometries as GeoParquet', async () => {
    const filled = geometries.filter((geometry) => geometry.type !== 'Point' || geometry.coordinates.length > 0);
    const all: Written[] = [...filled.map((geometry) => ({ geometry, values: {} })), { geometry: null, values: {} }];
    const { rows, geo } = await readBack(table({}, all));
    assert.deepEqual(
      rows.map(({ geometry }) => geometry),
      [...filled, null],
    );
    assert.deepEqual(geo, {
      version: '1.1.0',
      primary_column: 'geometry',
      columns: {
        geometry: {
          encoding: 'WKB',
          geometry_types: [
            'GeometryCollection',
            'LineString',
            'MultiLineString',
            'MultiPoint',
            'MultiPolygon',
            'Point',
            'Point Z',
            'Polygon Z',
          ],
          bbox: [-179.1234567, -2.25, 1, 10, 80, 12.5],
        },
      },
    });
  });

  test('has no box where there is no position, and no geo where there is no geometry', async () => {
    const empty = await readBack(table({ a: 'string' }, [{ geometry: null, values: { a: 'x' } }]));
    assert.deepEqual(empty.geo?.columns, { geometry: { encoding: 'WKB', geometry_types: [] } });
    assert.deepEqual(empty.rows, [{ geometry: null, a: 'x' }]);
    const without = await readBack(
      table({ a: 'string' }, [{ geometry: point(1, 2), values: { a: 'x' } }], { fields: ['a'] }),
    );
    assert.equal(without.geo, undefined);
    assert.deepEqual(without.rows, [{ a: 'x' }]);
  });

  test('leaves a column that is called geometry its name', async () => {
    const { rows, geo } = await readBack(
      table({ geometry: 'string' }, [{ geometry: point(1, 2), values: { geometry: 'cubic' } }]),
    );
    assert.deepEqual(rows, [{ geometry_1: point(1, 2), geometry: 'cubic' }]);
    assert.equal(geo?.primary_column, 'geometry_1');
  });

  test('may be empty', async () => {
    const { rows, metadata } = await readBack(table(types, []));
    assert.deepEqual([rows.length, Number(metadata.num_rows), metadata.schema.length], [0, 0, 11]);
  });

  test('is cut into row groups, by rows and by bytes', async () => {
    const many = Array.from({ length: 25 }, (_, n) => ({ geometry: point(n, -n), values: { n } }));
    const { rows, metadata, geo } = await readBack(table({ n: 'integer' }, many), 10);
    assert.deepEqual(
      metadata.row_groups.map(({ num_rows }) => Number(num_rows)),
      [10, 10, 5],
    );
    assert.deepEqual(
      rows.map(({ n }) => Number(n)),
      many.map(({ values }) => values.n),
    );
    assert.deepEqual(geo?.columns.geometry?.bbox, [0, -24, 24, 0]);
    const large = Array.from({ length: 5 }, (_, n) => ({ values: { s: String(n).repeat(9_000_000) } }));
    const groups = (await readBack(table({ s: 'string' }, large, { hasGeometry: false }))).metadata.row_groups;
    assert.deepEqual(
      groups.map(({ num_rows }) => Number(num_rows)),
      [2, 2, 1],
    );
  });

  test('reads back what was written, whatever it was', async () => {
    const orNull = <T>(value: fc.Arbitrary<T>) => fc.oneof(fc.constant(null), value);
    const row = fc.record({
      geometry: fc.constantFrom(null, point(1, 2), ...geometries.slice(3)),
      values: fc.record({
        integer: orNull(fc.integer()),
        float: orNull(fc.double({ noNaN: true })),
        string: orNull(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...awkwardTexts))),
        boolean: orNull(fc.boolean()),
      }),
    });
    const { integer, float, string, boolean } = types;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), async (some, group) => {
        const { rows } = await readBack(table({ integer, float, string, boolean }, some), group);
        const expected = some.map(({ geometry, values }) => ({
          geometry,
          ...values,
          integer: values.integer === null ? null : BigInt(values.integer),
        }));
        assert.deepEqual(rows, expected);
      }),
    );
  });
});
