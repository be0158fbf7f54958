/** Sorting in turns, and LIKE by literals: the same results as by the plain ways. Long work that leaves room for other work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { VersionProfile } from '../../../src/catalogue/column-statistics.ts';
import { sortIndexesWithoutBlocking, Turns } from '../../../src/data/event-loop.ts';
import { makeLegend } from '../../../src/data/map/colour-classes.ts';
import { nthSmallest } from '../../../src/data/query/nth-number.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import { profileMatching } from '../../../src/data/query/profile-matching.ts';
import { selectRowNumbers } from '../../../src/data/query/select-rows.ts';
import { sortRows } from '../../../src/data/query/sort-rows.ts';
import { compileTextTest } from '../../../src/data/query/value-test.ts';
import { tableOfRows } from '../../../src/data/table/memory-table.ts';
import { buildSpatialIndex, roundDown, roundUp, SpatialIndex } from '../../../src/data/table/spatial-index.ts';
import type { RowTable, ScannedRows } from '../../../src/data/table/table.ts';
import { assertTurnsAreShort, cpuTime } from '../support/turns.ts';

test('numbers are sorted as by Array.prototype.sort, runs and all', async () => {
  for (const count of [0, 1, 2, 4095, 4096, 4097, 8193, 30_000]) {
    const keys = Array.from({ length: count }, (_, i) => (i * 7919) % 101);
    const compare = (a: number, b: number) => (keys[a] as number) - (keys[b] as number) || a - b;
    const expected = Array.from({ length: count }, (_, i) => i).sort(compare);
    assert.deepEqual([...(await sortIndexesWithoutBlocking(count, new Turns(), compare))], expected);
  }
});

/** LIKE, slow and plain: a backslash takes the character behind it as it is. */
function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern;
  const others = rest.join('');
  const [character = '', ...remaining] = text;
  const behind = remaining.join('');
  if (pattern === '') return text === '';
  if (first === '%') return isLike(text, others) || (text !== '' && isLike(behind, pattern));
  if (first === '_') return text !== '' && isLike(behind, others);
  const literal = first === '\\' && rest.length > 0 ? rest.shift() : first;
  return character === literal && isLike(behind, rest.join(''));
}

test('LIKE is what CQL2 defines, with and without _', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '%', '_', '\\'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '%', '%', '\\'), maxLength: 7 });
  // Characters that mean something in a regular expression, and two UTF-16 code units.
  const special = fc.string({ unit: fc.constantFrom('%', '_', 'a', '.', '$', '^', '|', '🐦', '\n'), maxLength: 7 });
  for (const patterns of [pattern, text, special])
    fc.assert(
      fc.property(patterns === special ? special : text, patterns, (value, like) => {
        assert.equal(compileTextTest('like', like)(value), isLike(value, like), JSON.stringify([value, like]));
      }),
      { numRuns: 2000 },
    );
});

/** A table of one column, of texts that repeat: each row group has others. */
function tableOfTexts(groups: number, textsOfGroup: number): RowTable {
  const groupRows = 2 * textsOfGroup;
  const textOf = (n: number) => `street ${(n * 7919) % (groups * textsOfGroup)}`;
  async function* scanRowGroups() {
    for (let group = 0; group < groups; group++) {
      const chunk = {
        kind: 'texts',
        codes: Uint32Array.from({ length: groupRows }, (_, row) => row % textsOfGroup),
        entryCount: textsOfGroup,
        entry: (n: number) => textOf(group * textsOfGroup + n),
      };
      yield { start: group * groupRows, groupRows, chunk: () => chunk } as unknown as ScannedRows;
    }
  }
  const schema = { hasGeometry: false, columns: [{ name: 'street', type: 'string' }] } as const;
  return { schema, rowCount: groups * groupRows, scanRowGroups } as unknown as RowTable;
}

test('a search for many characters, of which any will do, takes no time', () => {
  const text = 'The quick brown fox. '.repeat(50_000);
  for (const pattern of [`%${'_'.repeat(9000)}~%`, `%${'_%'.repeat(4500)}~`])
    assert.ok(cpuTime(() => assert.ok(!compileTextTest('like', pattern)(text))) < 500, pattern.slice(0, 4));
});

test('rows of which each takes milliseconds are tested in turns of few', async () => {
  const rows = Array.from({ length: 60 }, (_, n) => ({ text: `${n} `.repeat(4000) }));
  const table = tableOfRows({ hasGeometry: false, columns: [{ name: 'text', type: 'string' }] }, rows);
  const filter = `LENGTH(CONCAT(${Array(400).fill('text').join(',')})) = 0`;
  const query = parseDataQuery([['_filter', filter]], table.schema);
  await assertTurnsAreShort(async () => {
    const found = await selectRowNumbers(table, query, { pageSize: 1, maxPageSize: 1, timeout: 60_000 });
    assert.equal(found?.window.matched, 0);
  });
});

test('texts that repeat are put in order in turns', async () => {
  const table = tableOfTexts(50, 4000);
  let order: Uint32Array = new Uint32Array();
  await assertTurnsAreShort(async () => {
    order = await sortRows(table, [{ column: 'street', descending: false }], new Turns());
  });
  const textOfRow = (row: number) => `street ${((Math.floor(row / 8000) * 4000 + (row % 4000)) * 7919) % 200_000}`;
  for (let at = 1; at < order.length; at++) {
    const [before, now] = [order[at - 1] as number, order[at] as number];
    const [a, b] = [textOfRow(before), textOfRow(now)];
    if (!(a < b || (a === b && before < now))) assert.fail(`${a} (${before}) is before ${b} (${now})`);
  }
});

test('the median of equal numbers is found without sorting them', async () => {
  const numbers = new Float64Array(4_000_000).fill(0.5);
  await assertTurnsAreShort(async () => assert.equal(await nthSmallest(numbers, 2_000_000, new Turns()), 0.5));
});

test('the numbers of millions of rows are selected in turns', async () => {
  const table = { schema: { hasGeometry: false, columns: [] }, rowCount: 4_000_000 } as unknown as RowTable;
  const query = parseDataQuery([['_offset', '7']], table.schema);
  const limits = { pageSize: 20, maxPageSize: 1000, timeout: 60_000 };
  let rows: Uint32Array | null | undefined;
  await assertTurnsAreShort(async () => {
    rows = (await selectRowNumbers(table, query, limits))?.rows;
  });
  assert.deepEqual([rows?.length, rows?.[0], rows?.at(-1)], [3_999_993, 7, 3_999_999]);
});

test('rows that are found in the order of the file are not sorted for their profile', async (t) => {
  const { mock } = t.mock.method(Object.getPrototypeOf(Uint32Array.prototype), 'sort');
  const schema = { hasGeometry: false, columns: [] };
  const table = { schema, rowCount: 9, scanRowGroups: async function* () {} } as unknown as RowTable;
  const query = parseDataQuery([['_offset', '7']], schema);
  const limits = { pageSize: 20, maxPageSize: 1000, timeout: 60_000 };
  const profile = { columns: [] } as unknown as VersionProfile;
  assert.deepEqual(await profileMatching(table, profile, query, limits), { rows: 2, columns: [] });
  assert.equal(mock.callCount(), 0);
});

test('legends of millions of values are made in turns', async () => {
  const texts = Array.from({ length: 2_000_000 }, (_, n) => `kind ${n % 1000}`);
  const numbers = Float64Array.from(texts, (_, n) => (n * 7919) % 100_003);
  for (const values of [texts, numbers]) {
    await assertTurnsAreShort(() => makeLegend({ name: 'n', type: 'string', values }, new Turns()));
  }
});

test('the rows in a box are found in turns, and the same as one by one', async () => {
  const rows = 300_000;
  const boxes = new Float64Array(4 * rows);
  for (let row = 0; row < rows; row++) {
    const [x, y] = [((row * 7919) % 36_007) / 100 - 180, ((row * 104_729) % 18_013) / 100 - 90];
    boxes.set(row % 100 === 0 ? [Number.NaN, Number.NaN, Number.NaN, Number.NaN] : [x, y, x + 0.01, y + 0.01], 4 * row);
  }
  async function* groups() {
    yield boxes;
  }
  const index = new SpatialIndex(await buildSpatialIndex(rows, groups()));
  for (const box of [
    [-179, -89, 179, 89],
    [-20, 10, 30.5, 12],
    [5, 5, 5, 5],
  ] as const) {
    let turns = 0;
    const counted = new Turns(() => {
      turns++;
    });
    const found = await index.search([box], counted);
    const [west, south, east, north] = box.map((degrees, n) => (n < 2 ? roundDown(degrees) : roundUp(degrees)));
    const isIn = (row: number) => {
      const [x0, y0, x1, y1] = boxes.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
      return (
        Number(west) <= roundUp(x1) &&
        Number(south) <= roundUp(y1) &&
        Number(east) >= roundDown(x0) &&
        Number(north) >= roundDown(y0)
      );
    };
    const expected = Array.from({ length: rows }, (_, row) => row).filter(isIn);
    assert.deepEqual(found.between(0, rows), expected);
    if (box[0] === -179) assert.ok(turns > 2, `${expected.length} rows in ${turns} turns`);
  }
});
