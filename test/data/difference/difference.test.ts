import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { ChangeSelection, RowChange } from '../../../src/catalogue/difference.ts';
import { ValidationError } from '../../../src/catalogue/errors.ts';
import { type CompareOptions, compareTables } from '../../../src/data/difference/difference.ts';
import { drawDifference } from '../../../src/data/difference/difference-map.ts';
import { summarizeDifference } from '../../../src/data/difference/summary.ts';
import { collection, ingestPayload, point } from '../support/payloads.ts';
import { assertTurnsAreShort } from '../support/turns.ts';

/** Two payloads compared, and what differs read to the end. */
async function compare(from: string, to: string, options: CompareOptions & { as?: string } = {}) {
  const { as = 'csv', ...rest } = options;
  const [before, after] = [await ingestPayload(from, `from.${as}`), await ingestPayload(to, `to.${as}`)];
  const difference = await compareTables(before.table, after.table, rest);
  const rows: RowChange[] = [];
  for await (const row of difference.rows()) rows.push(row);
  const { counts } = difference;
  const ofKind = (change: string) => rows.filter((row) => row.change === change).length;
  assert.deepEqual([counts.added, counts.removed, counts.changed], ['added', 'removed', 'changed'].map(ofKind));
  assert.equal(counts.from, counts.removed + counts.changed + counts.unchanged);
  assert.equal(counts.to, counts.added + counts.changed + counts.unchanged);
  return { ...difference, rows };
}

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
/** Change and key of each row, in order. */
const summaryOf = (rows: readonly RowChange[]) => rows.map(({ change, key }) => `${change} ${JSON.stringify(key)}`);

const trees = lines('id,kind,height', '1,oak,3', '2,elm,4', '3,ash,5');

test('rows matched by a detected key: removed first, then changed and added in file order', async () => {
  const { key, counts, columns, rows } = await compare(trees, lines('id,kind,height', '4,fir,1', '3,ash,6', '1,oak,3'));
  assert.deepEqual(key, { kind: 'columns', columns: ['id'] });
  assert.deepEqual(counts, { from: 3, to: 3, added: 1, removed: 1, changed: 1, unchanged: 1 });
  assert.deepEqual(columns, { added: [], dropped: [], retyped: [] });
  assert.deepEqual(rows, [
    { change: 'removed', key: { id: 2 }, row: { id: 2, kind: 'elm', height: 4 } },
    { change: 'added', key: { id: 4 }, row: { id: 4, kind: 'fir', height: 1 } },
    {
      change: 'changed',
      key: { id: 3 },
      from: { id: 3, kind: 'ash', height: 5 },
      to: { id: 3, kind: 'ash', height: 6 },
      columns: ['height'],
    },
  ]);
});

test('another order of rows or of columns is no difference', async () => {
  for (const to of [
    lines('id,kind,height', '3,ash,5', '1,oak,3', '2,elm,4'),
    lines('height,id,kind', '3,1,oak', '4,2,elm', '5,3,ash'),
  ]) {
    const { counts, columns } = await compare(trees, to);
    assert.deepEqual(counts, { from: 3, to: 3, added: 0, removed: 0, changed: 0, unchanged: 3 });
    assert.deepEqual(columns, { added: [], dropped: [], retyped: [] });
  }
});

test('added, dropped and retyped columns are reported once, and not for every row', async () => {
  const { columns, counts, rows } = await compare(
    lines('id,kind,code,size', 'a,oak,7,1', 'b,elm,8,2', 'c,ash,9,3'),
    lines('id,code,size,height', 'a,7,1.0,3', 'b,8a,2.5,4', 'c,9,3.0,5'),
  );
  assert.deepEqual(columns, {
    added: [{ name: 'height', type: 'integer' }],
    dropped: [{ name: 'kind', type: 'string' }],
    retyped: [
      { name: 'code', from: 'integer', to: 'string' },
      { name: 'size', from: 'integer', to: 'float' },
    ],
  });
  assert.equal(counts.changed, 1);
  assert.deepEqual(rows[0]?.change === 'changed' && rows[0].columns, ['code', 'size']);
});

test('a single text among numbers, booleans or objects changes no other row', async () => {
  const rows = ['1,1.0,TRUE', '2,-2.50,False', '3,3e2,true'];
  const { columns, counts } = await compare(
    lines('id,height,isOld', ...rows),
    lines('id,height,isOld', ...rows, '4,n/a,unknown'),
  );
  assert.deepEqual(
    columns.retyped.map(({ from, to }) => `${from} ${to}`),
    ['float string', 'boolean string'],
  );
  assert.deepEqual([counts.added, counts.changed], [1, 0]);

  const objects = ['{"id":1,"size":{"y":[2,3],"x":1}}', '{"id":2,"size":{"b":null,"a":"\\u00e9"}}'];
  for (const [last, changed] of [
    ['{"id":3,"size":"large"}', 0],
    ['{"id":2,"size":[1]}', 1],
  ] as const) {
    const after = lines(...(changed ? objects.slice(0, 1) : objects), last);
    assert.equal((await compare(lines(...objects), after, { as: 'ndjson' })).counts.changed, changed, last);
    assert.equal((await compare(after, lines(...objects), { as: 'ndjson' })).counts.changed, changed, last);
  }
  const codes = await compare(lines('id,code', '1,7', '2,8', '3,9'), lines('id,code', '1,007', '2,8', '3,9'));
  assert.equal(codes.counts.changed, 1, 'zeros before a number make it another text');
});

test('a given key: of several columns, with nulls', async () => {
  const from = lines('year,country,value', '2000,FR,1', '2000,DE,2', '2001,FR,3', '2001,,4');
  const to = lines('year,country,value', '2000,FR,1', '2001,FR,5', '2001,,4', '2001,DE,2');
  const { key, rows } = await compare(from, to, { key: ['year', 'country'] });
  assert.deepEqual(key, { kind: 'columns', columns: ['year', 'country'] });
  assert.deepEqual(summaryOf(rows), [
    'removed {"year":2000,"country":"DE"}',
    'changed {"year":2001,"country":"FR"}',
    'added {"year":2001,"country":"DE"}',
  ]);
});

test('an invalid key: unknown, only on one side, not unique', async () => {
  const other = lines('id,kind,width', '1,oak,3', '2,oak,4');
  const refused = async (key: string[], message: string) =>
    assert.rejects(compare(trees, other, { key }), (error: unknown) => {
      assert.ok(error instanceof ValidationError);
      assert.deepEqual(error.fields, { _key: [message] });
      return true;
    });
  await refused(['kid'], 'Unknown column "kid". Did you mean "id"?');
  await refused(['height'], 'Only one of the versions has a column "height".');
  await refused(['id', 'kind', 'x'], 'Unknown column "x".');
  await refused(['kind'], '"kind" can\'t be the key: more than one row has "oak".');
  await refused([], 'A key needs at least one column.');
});

test('the detected key: ids, then columns with a likely name, then others, then none', async () => {
  const found = async (from: string, to: string, as = 'csv') => {
    const { key } = await compare(from, to, { as });
    return key.kind === 'columns' ? key.columns[0] : key.kind;
  };
  const same = (text: string) => found(text, text);
  assert.equal(await same(lines('name,value,tree_id', 'x,1,7', 'y,2,8')), 'tree_id');
  assert.equal(await same(lines('name,value,treeId', 'x,1,7', 'y,2,8')), 'treeId');
  assert.equal(await same(lines('Company,Symbol,id', 'x,a,1', 'y,b,1')), 'Symbol');
  assert.equal(await same(lines('date,price', '2020-01-01,1', '2020-01-02,1')), 'date');
  assert.equal(await same(lines('price,size', '1.5,2.25', '1.7,3.5')), 'row', 'measurements are no key');
  assert.equal(await same(lines('id,kind', '1,x', ',x', '3,y')), 'row', 'a key is never null');
  assert.equal(
    await found(lines('id,code', '1,a', '2,b', '3,c'), lines('id,code', '7,a', '8,b', '9,c')),
    'code',
    'numbers given anew know nothing again',
  );
  const features = (ids: (number | undefined)[]) =>
    collection(...ids.map((id, n) => point({ code: `c${n}` }, [n, n], id)));
  assert.equal(await found(features([5, 6]), features([6, 5]), 'geojson'), 'id');
  assert.equal(await found(features([5, 6]), features([6, undefined]), 'geojson'), 'code');
  assert.equal(await found(features([5, 6]), features([6, 6]), 'geojson'), 'code');
});

test('whole rows: equal rows are matched one by one', async () => {
  const from = lines('a,b', '1.5,x', '1.5,x', '2.5,y', '3.5,z');
  const to = lines('a,b', '2.5,y', '1.5,x', '2.5,y', '3.5,w');
  const { key, rows, counts } = await compare(from, to);
  assert.deepEqual(key, { kind: 'row', columns: [] });
  assert.deepEqual(counts, { from: 4, to: 4, added: 2, removed: 2, changed: 0, unchanged: 2 });
  assert.deepEqual(
    rows.map((row) => row.change !== 'changed' && [row.change, row.key, row.row]),
    [
      ['removed', null, { a: 1.5, b: 'x' }],
      ['removed', null, { a: 3.5, b: 'z' }],
      ['added', null, { a: 2.5, b: 'y' }],
      ['added', null, { a: 3.5, b: 'w' }],
    ],
  );
});

test('tables without rows, and tables with nothing in common', async () => {
  const empty = collection();
  assert.deepEqual((await compare(empty, empty, { as: 'geojson' })).counts.from, 0);
  const one = collection(point({ id: 1 }));
  assert.equal((await compare(empty, one, { as: 'geojson' })).counts.added, 1);
  assert.equal((await compare(one, empty, { as: 'geojson' })).counts.removed, 1);
  const { counts, key } = await compare(trees, lines('x,y', '1,2', '3,4'));
  assert.equal(key.kind, 'row');
  assert.deepEqual(counts, { from: 3, to: 2, added: 2, removed: 3, changed: 0, unchanged: 0 });
});

test('geometries are compared exactly: kind, coordinates, heights, none', async () => {
  const shapes: unknown[] = [
    null,
    { type: 'Point', coordinates: [1, 2] },
    { type: 'Point', coordinates: [1, 2, 0] },
    { type: 'MultiPoint', coordinates: [[1, 2]] },
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [3, 4],
        [1, 2],
      ],
    },
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] },
  ];
  const feature = (id: number, geometry: unknown) => ({ type: 'Feature', id, properties: { n: 1 }, geometry });
  const all = shapes.flatMap((before) => shapes.map((after) => ({ before, after })));
  const { rows, counts } = await compare(
    collection(...all.map(({ before }, id) => feature(id, before))),
    collection(...all.map(({ after }, id) => feature(id, after))),
    { as: 'geojson' },
  );
  assert.equal(counts.unchanged, shapes.length);
  for (const row of rows) assert.deepEqual(row.change === 'changed' && row.columns, ['geometry']);
  assert.deepEqual(rows[0]?.change === 'changed' && rows[0].to.geometry, shapes[1]);
});

test('objects are equal whatever the order of their members; a column may have any name', async () => {
  const { counts, rows } = await compare(
    '[{"id":1,"o":{"a":1,"b":[{"c":2,"d":3}]},"__proto__":1},{"id":2,"o":{"a":1},"__proto__":2}]',
    '[{"id":1,"o":{"b":[{"d":3,"c":2}],"a":1},"__proto__":1},{"id":2,"o":{"a":2},"__proto__":3}]',
    { as: 'json' },
  );
  assert.equal(counts.changed, 1);
  assert.deepEqual(rows[0]?.change === 'changed' && rows[0].columns, ['o', '__proto__']);
  assert.match(JSON.stringify(rows[0]), /"to":\{"id":2,"o":\{"a":2\},"__proto__":3\}/);
});

test('rows of more than one row group, in another order; stopping early and being aborted', async () => {
  const n = 40_000;
  const row = (id: number, value: number) => `${id},${value}`;
  const from = Array.from({ length: n }, (_, id) => row(id, id % 7));
  const to = Array.from({ length: n }, (_, id) => row(id + 10, (id + 10) % 7)).reverse();
  to[15] = to[15]?.replace(/,.*/, ',99') ?? '';
  const { counts, rows } = await compare(lines('id,v', ...from), lines('id,v', ...to));
  assert.deepEqual(counts, { from: n, to: n, added: 10, removed: 10, changed: 1, unchanged: n - 11 });
  assert.equal(rows[0]?.key?.id, 0);
  assert.equal(rows[10]?.key?.id, n + 9);
  assert.equal(rows[20]?.change, 'changed');

  const { table } = await ingestPayload(lines('id,v', ...from), 'a.csv');
  const other = await ingestPayload(lines('id,v', ...to.map((line) => `${line}0`)), 'b.csv');
  const difference = await compareTables(table, other.table);
  assert.ok(difference.counts.changed > 30_000);
  for await (const first of difference.rows()) {
    assert.equal(first.change, 'removed');
    break;
  }
  const controller = new AbortController();
  const stopped = compareTables(table, other.table, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(stopped, /enough/);
});

test('columns by the thousand are tried as keys in turns', async () => {
  const columns = Array.from({ length: 3000 }, (_, n) => `c${n}`);
  const rows = Array.from({ length: 300 }, (_, row) => columns.map((_, column) => 10 * row + column).join());
  const { table } = await ingestPayload(lines(columns.join(), ...rows), 'wide.csv');
  await assertTurnsAreShort(async () => {
    const { key, counts } = await compareTables(table, table);
    assert.deepEqual([key.columns, counts.unchanged], [['c0'], 300]);
  });
});

test('few rows of many columns are in memory at once, also if they are empty', async () => {
  const [columns, rows] = [1000, 1200];
  const wide = (value: number) =>
    lines(
      ['id', 'v', ...Array.from({ length: columns }, (_, n) => `c${n}`)].join(),
      ...Array.from({ length: rows }, (_, id) => `${id},${id * value}${','.repeat(columns)}`),
    );
  const [{ table: from }, { table: to }] = [
    await ingestPayload(wide(1), 'a.csv'),
    await ingestPayload(wide(-1), 'b.csv'),
  ];
  const difference = await compareTables(from, to);
  assert.equal(difference.counts.changed, rows - 1);
  let read = 0;
  const { scanRowGroups } = from;
  from.scanRowGroups = async function* (options) {
    for await (const group of scanRowGroups.call(from, options)) {
      read += options?.rows?.count ?? Number.NaN;
      yield group;
    }
  };
  for await (const { change } of difference.rows()) {
    assert.equal(change, 'changed');
    break;
  }
  assert.ok(read > 100 && read < 600, `${read} rows`);
});

test('the summary of a difference counts so many rows as have two million changed values, and looks at few cells for another key', async () => {
  const names = Array.from({ length: 100_000 }, (_, n) => `c${n}`);
  const row = Object.fromEntries(names.map((name) => [name, 1]));
  const counts = { from: 40, to: 40, removed: 10, added: 10, changed: 30, unchanged: 0 };
  const key = { kind: 'columns', columns: ['id'] } as const;
  let read = 0;
  async function* rows(selected?: ChangeSelection): AsyncGenerator<RowChange> {
    const { change, positions } = selected as ChangeSelection;
    for (const _ of positions) {
      read++;
      if (change === 'changed') yield { change, key: {}, from: row, to: row, columns: names };
      else yield { change, key: null, row };
    }
  }
  const { counted, values, otherKey } = await summarizeDifference({ counts, key, rows });
  assert.deepEqual([counted, values, otherKey], [20, 2_000_000, null]);
  assert.ok(read < 30, `${read} rows`);
});

/** A naive comparison, for rows of a key and two values; null if the key is none. */
function naive(from: readonly Row[], to: readonly Row[], byKey: boolean) {
  const text = (row: Row) => JSON.stringify(row);
  if (!byKey) {
    const left = from.map(text);
    const added = to.filter((row) => {
      const at = left.indexOf(text(row));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    return { added: added.map(text).sort(), removed: left.sort(), changed: [] as string[] };
  }
  const find = (rows: readonly Row[], key: unknown) => rows.find((row) => row.k === key);
  return {
    added: to
      .filter(({ k }) => !find(from, k))
      .map(text)
      .sort(),
    removed: from
      .filter(({ k }) => !find(to, k))
      .map(text)
      .sort(),
    changed: to
      .filter((row) => find(from, row.k) && text(find(from, row.k) as Row) !== text(row))
      .map(text)
      .sort(),
  };
}

interface Row {
  readonly k: string;
  readonly n: number | null;
  readonly s: string | null;
}

test('as by a naive comparison, by key and by whole rows', async () => {
  const row = fc.record({
    k: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    n: fc.constantFrom(null, 0, 1.5, -2),
    s: fc.constantFrom(null, 'x', 'y', 'xy', '雪', '1'),
  });
  // So that every column is there, and has its type, on both sides.
  const first: Row = { k: 'z', n: 0.5, s: 'text' };
  const rows = fc.array(row, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rows, rows, fc.boolean(), async (a, b, byKey) => {
      const distinct = (all: readonly Row[]) => all.filter(({ k }, i) => all.findIndex((each) => each.k === k) === i);
      const [from, to] = [a, b].map((each) => [first, ...(byKey ? distinct(each) : [...each, first])]) as [
        Row[],
        Row[],
      ];
      const options = byKey ? { key: ['k'], as: 'json' } : { as: 'json' };
      const { rows: changes, key } = await compare(JSON.stringify(from), JSON.stringify(to), options);
      assert.equal(key.kind, byKey ? 'columns' : 'row');
      const of = (kind: string) =>
        changes
          .filter(({ change }) => change === kind)
          .map((change) => JSON.stringify(change.change === 'changed' ? change.to : change.row))
          .sort();
      const expected = naive(from, to, byKey);
      assert.deepEqual({ added: of('added'), removed: of('removed'), changed: of('changed') }, expected);
    }),
    { numRuns: 150 },
  );
});

test('rows of one change are read by their positions', async () => {
  const row = (id: number, height: number) => `${id},${height}`;
  const ids = Array.from({ length: 200 }, (_, i) => i);
  const before = lines('id,height', ...ids.map((id) => row(id, id)));
  // Every third row differs, the first ten are gone, and ten are new.
  const after = lines(
    'id,height',
    ...ids.slice(10).map((id) => row(id, id % 3 ? id : -id)),
    ...ids.slice(0, 10).map((id) => row(1000 + id, 0)),
  );
  const [from, to] = [await ingestPayload(before, 'from.csv'), await ingestPayload(after, 'to.csv')];
  const first = await compareTables(from.table, to.table);
  const again = await compareTables(from.table, to.table, { kept: first.comparison });
  for (const { rows, counts } of [first, again]) {
    const all: RowChange[] = [];
    for await (const one of rows()) all.push(one);
    for (const change of ['removed', 'changed', 'added'] as const) {
      const expected = all.filter((one) => one.change === change);
      assert.equal(expected.length, counts[change]);
      for (const positions of [[], [0], [1, 2, 7], [expected.length - 1], [expected.length]]) {
        const found: RowChange[] = [];
        for await (const one of rows({ change, positions })) found.push(one);
        assert.deepEqual(
          found,
          positions.flatMap((position) => expected[position] ?? []),
        );
      }
    }
  }
});

test('a dropped column whose values an added one has is a rename', async () => {
  const before = lines('id,GDP,same,gone', '1,10,x,a', '2,20,x,b', '3,,x,c');
  const after = lines('id,gdp_md,equal,new', '3,,x,d', '1,10,x,e', '2,20,x,f', '4,40,x,g');
  const { renames } = await compare(before, after);
  assert.deepEqual(renames, [{ from: 'GDP', to: 'gdp_md' }]);
});

test('a summary counts changed values by column, and finds another key', async () => {
  const before = lines('code,name,owner,tax', 'a,Oak,X,11', 'b,Elm,Y,12', 'c,Ash,Z,13', 'd,Fir,Z,14', 'e,Yew,Z,15');
  const after = lines(
    'code,name,owner,tax',
    'a,OAK,X,11',
    'b,elm ,Q,12',
    'c,Asp,Z,13',
    'f,Fir tree,Z,14',
    'g,Yew,Z,15',
  );
  const { counted, values, columns, otherKey } = await summarizeDifference(
    await compareTables((await ingestPayload(before, 'from.csv')).table, (await ingestPayload(after, 'to.csv')).table),
  );
  assert.deepEqual([counted, values], [3, 4]);
  assert.deepEqual(
    columns.map(({ name, positions, caseOnly }) => [name, [...positions], caseOnly]),
    [
      ['name', [0, 1, 2], 2],
      ['owner', [1], 0],
    ],
  );
  const examples = [
    ['d', 'f'],
    ['e', 'g'],
  ];
  assert.deepEqual(otherKey, { column: 'tax', rows: 2, examples, isKey: false });
});

test('a map has rows before and after, and those that changed at their place', async () => {
  const place = (...coordinates: number[]) => ({ type: 'Point', coordinates });
  const [near, far, other] = [place(10, 50), place(12, 52), place(11, 51)];
  const feature = (id: number, geometry: unknown, name: string) => ({
    type: 'Feature',
    id,
    geometry,
    properties: { name },
  });
  const tableOf = async (features: object[], name: string) =>
    (await ingestPayload(JSON.stringify({ type: 'FeatureCollection', features }), name)).table;
  const difference = await compareTables(
    await tableOf([feature(1, near, 'a'), feature(2, far, 'b'), feature(3, other, 'c')], 'from.geojson'),
    await tableOf([feature(1, far, 'a'), feature(2, far, 'x'), feature(4, null, 'd')], 'to.geojson'),
  );
  const picture = await drawDifference(difference, new AbortController().signal);
  assert.deepEqual(picture?.counts, { before: 2, after: 1, same: 1 });
  assert.deepEqual(picture?.svg.match(/class="(before|after|same) dots" d="[^"]+"/g)?.length, 3);
  const none = await compareTables(await tableOf([], 'from.geojson'), await tableOf([], 'to.geojson'));
  assert.equal(await drawDifference(none, new AbortController().signal), null);
});

test('renamed columns are compared, and all rows have the new names', async () => {
  const renamed = [
    { from: 'id', to: 'ID' },
    { from: 'height', to: 'size' },
  ];
  const now = lines('ID,kind,size', '3,ash,6', '1,oak,3', '4,fir,1');
  for (const key of [undefined, ['ID'], ['id']]) {
    const { columns, counts, rows, key: found, renames } = await compare(trees, now, { renamed, key });
    assert.deepEqual(columns, { added: [], dropped: [], retyped: [], renamed });
    assert.deepEqual(counts, { from: 3, to: 3, added: 1, removed: 1, changed: 1, unchanged: 1 });
    assert.deepEqual([found, renames], [{ kind: 'columns', columns: ['ID'] }, []]);
    assert.deepEqual(rows, [
      { change: 'removed', key: { ID: 2 }, row: { ID: 2, kind: 'elm', size: 4 } },
      {
        change: 'changed',
        key: { ID: 3 },
        from: { ID: 3, kind: 'ash', size: 5 },
        to: { ID: 3, kind: 'ash', size: 6 },
        columns: ['size'],
      },
      { change: 'added', key: { ID: 4 }, row: { ID: 4, kind: 'fir', size: 1 } },
    ]);
  }
});
