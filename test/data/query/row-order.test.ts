/** The order of rows: the same as by comparing values one by one, and sorted once for all pages of a table. */
import assert from 'node:assert/strict';
import { after, describe, it, mock, test } from 'node:test';
import { UnavailableError } from '../../../src/catalogue/errors.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import { selectRowNumbers } from '../../../src/data/query/select-rows.ts';
import { makeRowSorter } from '../../../src/data/query/sort-in-thread.ts';
import type { Value } from '../../../src/data/row.ts';
import { createChunkCache } from '../../../src/data/table/chunk-reader.ts';
import { Table } from '../../../src/data/table/table.ts';
import { WorkerPool } from '../../../src/data/worker-pool.ts';
import { collection, ingestPayload, point, valuesOf } from '../support/payloads.ts';

const limits = { pageSize: 20, maxPageSize: 1000, timeout: 60_000 };
const select = async (table: Table, query: string) => {
  const found = await selectRowNumbers(table, parseDataQuery([...new URLSearchParams(query)], table.schema), limits);
  return [...(found?.rows ?? [])];
};

/** More than one row group. */
const count = 20_000;
const day = (n: number) => new Date(n * 86_400_000).toISOString().slice(0, 10);
const mixed = (n: number) => (n * 7919) % 1009;
const features = Array.from({ length: count }, (_, n) =>
  point({
    place: n % 3 ? mixed(n) : null,
    height: mixed(n) / 7 - 50,
    kind: n % 11 ? ['oak', 'Ash', 'élm', 'Oak', '😀', 'ｚ'][n % 6] : null,
    name: n % 17 ? `tree ${mixed(n)} of ${n}` : null,
    planted: n % 5 ? day(mixed(n)) : null,
    isOld: n % 7 ? n % 2 === 0 : null,
    nothing: n === 0 ? 'x' : null,
  }),
);
const { table } = await ingestPayload(collection(...features), 'trees.geojson');
const rows = await valuesOf(table);
const names = table.schema.columns.map(({ name }) => name);
const order = (columns: string, isWanted: (values: readonly Value[]) => boolean = () => true) => {
  const keys = columns.split(',').map((text) => {
    const isDescending = text.startsWith('-');
    return { at: names.indexOf(isDescending ? text.slice(1) : text), direction: isDescending ? -1 : 1 };
  });
  const wanted = rows.flatMap((values, row) => (isWanted(values) ? [row] : []));
  return wanted.sort((a, b) => {
    for (const { at, direction } of keys) {
      const [x = null, y = null] = [rows[a]?.[at], rows[b]?.[at]];
      if (x === y) continue;
      if (x === null) return 1;
      if (y === null) return -1;
      return x < y ? -direction : direction;
    }
    return a - b;
  });
};

test('rows come in the order of each column, and missing values last', async () => {
  for (const ordering of [...names, ...names.map((name) => `-${name}`), 'kind,-place', '-isOld,planted,name'])
    assert.deepEqual(await select(table, `_ordering=${ordering}&_limit=${count}`), order(ordering), ordering);
});

test('rows that match come in the same order, whether it is known or not', async () => {
  const isHigh = (values: readonly Value[]) => (values[names.indexOf('height')] as number) > 60;
  const fresh = await ingestPayload(collection(...features), 'trees.geojson');
  for (const ordering of ['-kind', 'name', 'place,-planted'])
    for (const { table: own } of [fresh, { table }]) {
      const found = await select(own, `_ordering=${ordering}&height__gt=60`);
      assert.deepEqual(found, order(ordering, isHigh), ordering);
    }
});

test('columns are read one by one, of the rows that are equal in those before', async () => {
  const fresh = await ingestPayload(collection(...features), 'trees.geojson');
  const scan = mock.method(fresh.table, 'scanRowGroups');
  const isLow = (values: readonly Value[]) => (values[names.indexOf('height')] as number) < 60;
  const wanted = rows.filter(isLow);
  const nameless = wanted.filter((values) => values[names.indexOf('name')] === null);
  const found = await select(fresh.table, 'height__lt=60&_ordering=name,planted,-place');
  assert.deepEqual(found, order('name,planted,-place', isLow));
  const read = scan.mock.calls.map(({ arguments: [options] }) => [options?.columns, options?.rows?.count]);
  assert.deepEqual(read.slice(0, 3), [
    [[names.indexOf('height')], undefined],
    [[names.indexOf('name')], wanted.length],
    [[names.indexOf('planted')], nameless.length],
  ]);
  assert.deepEqual(read[3]?.[0], [names.indexOf('place')]);
  assert.ok((read[3]?.[1] as number) < nameless.length, 'days that several nameless trees have');
});

test('further pages of ordered rows read nothing to sort again', async () => {
  const fresh = await ingestPayload(collection(...features), 'trees.geojson');
  await select(fresh.table, '_ordering=-height&_limit=10');
  const scan = mock.method(fresh.table, 'scanRowGroups');
  for (const offset of [10, 5000])
    assert.deepEqual(
      await select(fresh.table, `_ordering=-height&_limit=10&_offset=${offset}`),
      order('-height').slice(offset, offset + 10),
    );
  assert.equal(scan.mock.callCount(), 0);
});

describe('a thread that sorts', () => {
  const workers = new WorkerPool({ size: 1 });
  after(() => workers.close());
  /** The same rows as a table of their own, whose orders aren't kept yet. */
  const openAgain = async (threads: WorkerPool) => {
    const again = await Table.open(table.folder, table.checksum, createChunkCache(1 << 24), makeRowSorter(threads));
    assert.ok(again);
    return again;
  };

  it('finds the same order, once for all who ask for it at the same time', async () => {
    const again = await openAgain(workers);
    const scan = mock.method(again, 'scanRowGroups');
    const run = mock.method(workers, 'run');
    for (const ordering of ['name', '-place,kind']) {
      const found = await Promise.all([1, 2].map(() => select(again, `_ordering=${ordering}&_limit=${count}`)));
      for (const one of found) assert.deepEqual(one, order(ordering), ordering);
    }
    assert.equal(run.mock.callCount(), 2);
    assert.equal(scan.mock.callCount(), 0);
    run.mock.restore();
  });

  it('works within the limits of a request, and its client pays for it', async () => {
    const query = parseDataQuery([['_ordering', 'name']], table.schema);
    await assert.rejects(
      selectRowNumbers(await openAgain(workers), query, { ...limits, timeout: 0 }),
      UnavailableError,
    );
    let spent = 0;
    const spend = (milliseconds: number) => {
      spent += milliseconds;
    };
    const budget = { assertAvailable: () => {}, spend };
    await selectRowNumbers(await openAgain(workers), query, { ...limits, budget });
    assert.ok(spent > 0);
    assert.deepEqual(workers.load, { running: 0, waiting: 0 });
  });

  it('is not needed: if it dies, the rows are sorted here', async () => {
    const poor = new WorkerPool({ size: 1, memory: 4 });
    assert.deepEqual(await select(await openAgain(poor), '_ordering=height&_limit=50'), order('height').slice(0, 50));
    await poor.close();
  });
});
