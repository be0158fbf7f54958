/** Groups of rows: as a plain implementation computes them, and as SQL defines them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ValidationError } from '../../../src/catalogue/errors.ts';
import { defaultQueryLimits } from '../../../src/data/limits.ts';
import { aggregateRows } from '../../../src/data/query/aggregate-rows.ts';
import { compilePredicate } from '../../../src/data/query/compile.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import type { TableSchema, Value } from '../../../src/data/row.ts';
import type { Table } from '../../../src/data/table/table.ts';
import { collection, ingestPayload, point } from '../support/payloads.ts';
import { rowOf } from '../support/rows.ts';

type Plain = Readonly<Record<string, Value>>;

const limits = { pageSize: 100, maxPageSize: 1000, timeout: 60_000 };

/** The groups as plain objects. */
async function aggregate(table: Table, query: string, more = defaultQueryLimits): Promise<Plain[]> {
  const parsed = parseDataQuery([...new URLSearchParams(query)], table.schema);
  assert.ok(parsed.aggregation);
  const { columns } = parsed.aggregation.schema;
  const found = await aggregateRows(table, parsed, parsed.aggregation, limits, more);
  assert.ok(found);
  const rows: Plain[] = [];
  for await (const row of found.rows) rows.push(Object.fromEntries(columns.map(({ name }, i) => [name, row.value(i)])));
  return rows;
}

/** The first value of each column that a group has, as a comparable key: instants for datetimes. */
const keyOf = (value: Value, type: string): Value => {
  if (value === null || typeof value !== 'string') return value;
  if (type === 'datetime') return Date.parse(value);
  return type === 'time' ? Date.parse(`2000-01-01T${value}Z`) : value;
};

const compare = (a: Value, b: Value) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1);

/** The same by arrays and sorting, one function at a time. */
function aggregatePlainly(
  rows: readonly Plain[],
  groupBy: readonly string[],
  calls: readonly string[],
  schema: TableSchema,
) {
  const typeOf = (name: string) => schema.columns.find((column) => column.name === name)?.type ?? '';
  const groups = new Map<string, Plain[]>();
  if (groupBy.length === 0) groups.set('[]', []);
  for (const row of rows) {
    const key = JSON.stringify(groupBy.map((name) => keyOf(row[name] ?? null, typeOf(name))));
    const members = groups.get(key);
    if (members) members.push(row);
    else groups.set(key, [row]);
  }
  const result = [...groups.values()].map((members): Plain => {
    const first = members[0] ?? {};
    const aggregates = calls.map((call) => {
      const [, name = '', column = ''] = /^(\w+)(?:\((.*)\))?$/.exec(call) ?? [];
      if (column === '') return [call, members.length];
      const values = members.map((row) => row[column] ?? null).filter((value) => value !== null);
      return [call, plainAggregate(name, values, typeOf(column))];
    });
    return {
      ...Object.fromEntries(groupBy.map((name) => [name, first[name] ?? null])),
      ...Object.fromEntries(aggregates),
    };
  });
  return result.sort((a, b) => {
    for (const name of groupBy) {
      const order = compare(keyOf(a[name] ?? null, typeOf(name)), keyOf(b[name] ?? null, typeOf(name)));
      if (order !== 0) return order;
    }
    return 0;
  });
}

function plainAggregate(name: string, values: readonly Value[], type: string): Value {
  if (name === 'count') return values.length;
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => compare(keyOf(a, type), keyOf(b, type)));
  if (name === 'min') return sorted[0] as Value;
  if (name === 'max') return sorted.at(-1) as Value;
  const numbers = sorted as number[];
  if (name === 'median') {
    const [low, high] = [numbers[(numbers.length - 1) >> 1] as number, numbers[numbers.length >> 1] as number];
    return (low + high) / 2;
  }
  if (type === 'integer') {
    const sum = numbers.reduce((total, number) => total + BigInt(number), 0n);
    if (name === 'mean') return Number(sum) / numbers.length;
    return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
  }
  const sum = numbers.reduce((total, number) => total + number, 0);
  return name === 'mean' ? sum / numbers.length : sum;
}

/** Rows whose sums differ in the last digits only are the same; of equal instants, any may be the least. */
function assertSame(found: readonly Plain[], expected: readonly Plain[], what: string): void {
  const rounded = (rows: readonly Plain[]) =>
    rows.map((row) =>
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'number' ? Number(value.toPrecision(11)) + 0 : value,
      ]),
    );
  assert.deepEqual(rounded(found), rounded(expected), what);
}

const orNull = <T>(of: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: of }, fc.constant(null));
const columns = {
  kind: orNull(fc.constantFrom('oak', 'elm', '', 'Übel', 'a, "b"')),
  day: orNull(fc.constantFrom('2024-02-29', '2020-01-01', '1999-12-31')),
  at: orNull(fc.constantFrom('2024-01-01T10:00:00Z', '2024-01-01T09:00:00Z', '2023-01-01T12:00:00.5Z')),
  time: orNull(fc.constantFrom('10:00:00', '09:30:00', '23:59:59')),
  open: orNull(fc.boolean()),
  year: orNull(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(70_000, -70_000))),
  big: orNull(fc.maxSafeInteger()),
  height: orNull(fc.double({ min: 0.001, max: 1000, noNaN: true, noDefaultInfinity: true })),
};
type Name = keyof typeof columns;
const names = Object.keys(columns) as Name[];
/** A row that makes each column's type the same in all runs. */
const typical = {
  ...{ kind: 'oak', day: '2020-01-01', at: '2024-01-01T10:00:00Z', time: '10:00:00', open: true },
  ...{ year: 1, big: 1, height: 0.5 },
};
const calls = [
  'count',
  ...names.map((name) => `count(${name})`),
  ...names.flatMap((name) => [`min(${name})`, `max(${name})`]),
  ...['year', 'big', 'height'].flatMap((name) => [`sum(${name})`, `mean(${name})`, `median(${name})`]),
];
const filters = [
  ['', () => true],
  ['&height__gt=500', (row: Plain) => row.height !== null && (row.height as number) > 500],
  ['&kind__isnull=true', (row: Plain) => row.kind === null],
  ['&year__gt=100000', () => false],
] as const;

test('are those of a plain implementation', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record(columns), { maxLength: 60 }),
      fc.shuffledSubarray(names, { maxLength: 3 }),
      fc.shuffledSubarray(calls, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...filters),
      async (random, groupBy, wanted, [filter, passes]) => {
        const rows = [typical, ...random];
        const { table } = await ingestPayload(rows.map((row) => JSON.stringify(row)).join('\n'), 'a.ndjson');
        const list = groupBy.length ? `_group_by=${groupBy.join()}&` : '';
        const query = `${list}_aggregate=${wanted.join()}${filter}`;
        const expected = aggregatePlainly(rows.filter(passes), groupBy, wanted, table.schema);
        assertSame(await aggregate(table, query), expected, query);
      },
    ),
    { numRuns: 150 },
  );
});

const many = Array.from({ length: 40_000 }, (_, n) =>
  point(
    { n, text: `t${n % 20_000}`, kind: `k${n % 5}`, half: n % 3 === 0 ? null : n / 2 },
    n % 4 === 0 ? [(n % 360) - 180, (n % 170) - 85] : [10, 50],
  ),
);

test('of many row groups: with and without filters and boxes, more texts than a dictionary holds, medians of many', async () => {
  const { table } = await ingestPayload(collection(...many), 'a.geojson');
  const rows = many.map(({ properties, geometry }) => ({ values: properties as Plain, geometry }));
  for (const [groupBy, wanted, filter] of [
    ['kind', 'count,sum(n),min(half),max(text),mean(half),median(half),median(n)', ''],
    ['kind', 'count,sum(half),median(n)', 'n__lt=9000&half__isnull=false'],
    ['', 'count,median(n),median(half),min(text)', ''],
    ['', 'count,sum(n)', '_bbox=0,0,20,60'],
    ['kind', 'count,sum(n)', '_bbox=-180,-90,180,90'],
    ['text', 'count,sum(n)', 'n__gte=100'],
    ['n', 'sum(half)', ''],
    ['half,kind', 'count', 'kind=k1'],
  ] as const) {
    const query = [groupBy && `_group_by=${groupBy}`, `_aggregate=${wanted}`, filter].filter(Boolean).join('&');
    const { predicate } = parseDataQuery([...new URLSearchParams(filter)], table.schema);
    const passes = await compilePredicate(predicate, table.schema);
    const passing = rows.filter(({ values, geometry }) => passes(rowOf(Object.values(values), geometry as never)));
    const expected = aggregatePlainly(
      passing.map(({ values }) => values),
      groupBy ? groupBy.split(',') : [],
      wanted.split(','),
      table.schema,
    );
    assertSame(await aggregate(table, query), expected, query);
  }
});

const csv = (text: string) => ingestPayload(text, 'a.csv').then(({ table }) => table);

test('nulls are a group of their own, which comes last; aggregates leave them out', async () => {
  const table = await csv('kind,height\nb,1\n,2\na,\n,4\na,\nb,3\n');
  assert.deepEqual(
    await aggregate(
      table,
      '_group_by=kind&_aggregate=count,count(height),sum(height),min(height),mean(height),median(height)',
    ),
    [
      {
        kind: 'a',
        count: 2,
        'count(height)': 0,
        'sum(height)': null,
        'min(height)': null,
        'mean(height)': null,
        'median(height)': null,
      },
      {
        kind: 'b',
        count: 2,
        'count(height)': 2,
        'sum(height)': 4,
        'min(height)': 1,
        'mean(height)': 2,
        'median(height)': 2,
      },
      {
        kind: null,
        count: 2,
        'count(height)': 2,
        'sum(height)': 6,
        'min(height)': 2,
        'mean(height)': 3,
        'median(height)': 3,
      },
    ],
  );
});

test('without rows, there is one group if none were asked for, and else none', async () => {
  const table = await csv('kind,height\nb,1\n');
  assert.deepEqual(await aggregate(table, '_aggregate=count,sum(height),max(kind)&height=2'), [
    { count: 0, 'sum(height)': null, 'max(kind)': null },
  ]);
  assert.deepEqual(await aggregate(table, '_group_by=kind&height=2'), []);
  assert.deepEqual(await aggregate(table, '_group_by=kind'), [{ kind: 'b', count: 1 }]);
});

test('names of columns: calls as they were written, in lower case, or the name after AS', async () => {
  const table = await csv('kind,Value (US$),"a,b"\nx,1,2\nx,3,4\n');
  const query = new URLSearchParams({
    _aggregate: 'COUNT(*) as n, Sum(Value (US$)), AVG("a,b") AS "Mean, b", count, max( kind )',
  });
  assert.deepEqual(await aggregate(table, String(query)), [
    { n: 2, 'sum(Value (US$))': 4, 'Mean, b': 3, count: 2, 'max(kind)': 'x' },
  ]);
  assert.deepEqual(await aggregate(table, '_aggregate=count,count(*),sum("a,b"),sum("a,b")'), [
    { count: 2, 'sum(a,b)': 6 },
  ]);
});

test('order: of any column of the result, by its name or its call; then by the columns of groups', async () => {
  const table = await csv('kind,height\na,1\nb,5\nb,1\nc,6\nd,\n');
  const kinds = async (ordering: string) =>
    (await aggregate(table, `_group_by=kind&_aggregate=count,sum(height) AS total&_ordering=${ordering}`))
      .map(({ kind }) => kind)
      .join('');
  assert.equal(await kinds('-kind'), 'dcba');
  assert.equal(await kinds('-count'), 'bacd');
  assert.equal(await kinds('-total'), 'bcad');
  assert.equal(await kinds('SUM(height),-kind'), 'acbd');
  assert.equal(await kinds('count(*)'), 'acdb');
});

test('datetimes are grouped and compared as instants, and shown as they were first written', async () => {
  const table = await csv('at,n\n2024-01-01T12:00:00+02:00,1\n2024-01-01T10:00:00Z,2\n2024-01-01T09:30:00-02:00,3\n');
  assert.deepEqual(await aggregate(table, '_group_by=at'), [
    { at: '2024-01-01T12:00:00+02:00', count: 2 },
    { at: '2024-01-01T09:30:00-02:00', count: 1 },
  ]);
  assert.deepEqual(await aggregate(table, '_aggregate=max(at)'), [{ 'max(at)': '2024-01-01T09:30:00-02:00' }]);
});

test('sums: decimals are rounded once, whole numbers are exact, what is not finite stays so', async () => {
  const decimals = await csv(`x\n${'0.1\n'.repeat(10)}`);
  assert.deepEqual(await aggregate(decimals, '_aggregate=sum(x),mean(x)'), [{ 'sum(x)': 1, 'mean(x)': 0.1 }]);
  const cancelled = await csv('x\n1e100\n1\n-1e100\n');
  assert.deepEqual(await aggregate(cancelled, '_aggregate=sum(x)'), [{ 'sum(x)': 1 }]);
  const max = Number.MAX_SAFE_INTEGER;
  const large = await csv(`k,x\na,${max}\na,${max}\na,1\nb,${max}\nb,2\nb,-2\nc,-${max}\nc,-1\n`);
  assert.deepEqual(await aggregate(large, '_group_by=k&_aggregate=sum(x),mean(x)&_ordering=sum(x)'), [
    { k: 'c', 'sum(x)': '-9007199254740992', 'mean(x)': -4503599627370496 },
    { k: 'b', 'sum(x)': max, 'mean(x)': max / 3 },
    { k: 'a', 'sum(x)': '18014398509481983', 'mean(x)': 18014398509481984 / 3 },
  ]);
  const infinite = await csv('k,x\na,inf\na,1.5\nb,inf\nb,-inf\nc,nan\nc,2\n');
  const [a, b, c] = await aggregate(infinite, '_group_by=k&_aggregate=sum(x),max(x),count(x)');
  assert.deepEqual([a?.['sum(x)'], a?.['max(x)']], [Infinity, Infinity]);
  assert.equal(b?.['sum(x)'], null);
  const ordered = await aggregate(infinite, '_group_by=k&_aggregate=sum(x)&_ordering=sum(x)');
  assert.deepEqual(
    ordered.map(({ k }) => k),
    ['c', 'a', 'b'],
  );
  assert.deepEqual(c, { k: 'c', 'sum(x)': 2, 'max(x)': 2, 'count(x)': 1 });
  const zeros = await csv('x,y\n-0,-0.0\n0,1.5\n');
  assert.deepEqual(await aggregate(zeros, '_group_by=x'), [{ x: 0, count: 2 }]);
});

test('geometries are counted, and nothing else', async () => {
  const { table } = await ingestPayload(
    collection(point({ a: 1 }), { type: 'Feature', properties: { a: 1 }, geometry: null }, point({ a: 2 })),
    'a.geojson',
  );
  assert.deepEqual(await aggregate(table, '_aggregate=count(geometry),count'), [{ 'count(geometry)': 2, count: 3 }]);
  assert.deepEqual(await aggregate(table, '_group_by=a&_aggregate=count(geometry)'), [
    { a: 1, 'count(geometry)': 1 },
    { a: 2, 'count(geometry)': 1 },
  ]);
});

test('too many groups, and medians of too many values, are refused with what to do', async () => {
  const table = await csv(`a,b\n${Array.from({ length: 40 }, (_, i) => `${i % 7},x${i % 5}\n`).join('')}`);
  const refused = async (query: string, message: RegExp, more: Partial<typeof defaultQueryLimits>) =>
    assert.rejects(
      aggregate(table, query, { ...defaultQueryLimits, ...more }),
      (error) => error instanceof ValidationError && message.test(error.message),
    );
  for (const [query, limit] of [
    ['_group_by=a', 6],
    ['_group_by=b', 4],
    ['_group_by=a,b', 34],
  ] as const)
    await refused(query, /_group_by: The rows have more than \d+ groups\. Group by fewer columns/, { groups: limit });
  assert.equal((await aggregate(table, '_group_by=a,b', { ...defaultQueryLimits, groups: 35 })).length, 35);
  await refused('_aggregate=median(a),median(a) AS again', /_aggregate: The medians are of more than 39 values/, {
    medianValues: 39,
  });
  assert.equal((await aggregate(table, '_aggregate=median(a)', { ...defaultQueryLimits, medianValues: 40 })).length, 1);
});

test('groups take no more memory than they may: their values, pairs of them, and the least and greatest texts', async () => {
  const text = 'x'.repeat(900);
  const table = await csv(
    `a,b,c\n${Array.from({ length: 40 }, (_, i) => `${i},${text}${i},${39 - i}${text}\n`).join('')}`,
  );
  for (const [query, memory] of [
    ['_group_by=a', 4000],
    ['_group_by=b', 40_080],
    ['_group_by=a,b', 48_080],
    ['_group_by=a&_aggregate=min(c),max(c)', 84_140],
    ['_group_by=a&_aggregate=min(b),max(a)', 44_080],
    ['_aggregate=max(b),min(b)', 2010],
  ] as const) {
    const within = (groupMemory: number) => aggregate(table, query, { ...defaultQueryLimits, groupMemory });
    await assert.rejects(within(memory - 100), /_group_by: The groups take too much memory\. Group by fewer/, query);
    await within(memory);
  }
});
