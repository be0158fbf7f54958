/** Tables as pure functions: identities of columns, times, tags, and sizes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { runAtOnce } from '../../src/catalogue/steps.ts';
import type { ColumnType, DataColumn, Dataset, Version } from '../../src/catalogue/types.ts';
import { tableMetadata } from '../../src/iceberg/metadata.ts';
import { tableSchemas } from '../../src/iceberg/schema.ts';
import { type Table, tableOfDataset } from '../../src/iceberg/table.ts';
import { icebergErrors, type Metadata } from './spec.ts';

/** Columns from words like `id:integer`; texts by default. */
const columns = (words: string): DataColumn[] =>
  words.split(' ').map((word) => {
    const [name = '', type = 'string'] = word.split(':');
    return { name, type: type as ColumnType };
  });
/** Field ids by version, as `name=id` in the order of the columns. */
const idsOf = (versions: readonly string[], former: Record<string, string[]> = {}) =>
  runAtOnce(tableSchemas(versions.map(columns), former)).byVersion.map(({ fields }) =>
    fields.map(({ name, id }) => `${name}=${id}`).join(' '),
  );

describe('field ids', () => {
  it('follow a column through several names', () => {
    const former = { a: ['c'], b: ['c'] };
    assert.deepEqual(idsOf(['a x', 'b x', 'x c'], former), ['a=1 x=2', 'b=1 x=2', 'x=2 c=1']);
  });

  it('follow the name if both names are there', () => {
    assert.deepEqual(idsOf(['a', 'a b', 'b'], { a: ['b'] }), ['a=1', 'a=1 b=2', 'b=2']);
  });

  it('are new if two columns may be meant', () => {
    assert.deepEqual(idsOf(['a b', 'c'], { a: ['c'], b: ['c'] }), ['a=1 b=2', 'c=3']);
    assert.deepEqual(idsOf(['a', 'b c'], { a: ['b', 'c'] }), ['a=1', 'b=2 c=3']);
  });

  it('come back with a column, and with a type', () => {
    assert.deepEqual(idsOf(['a b', 'a', 'a b']), ['a=1 b=2', 'a=1', 'a=1 b=2']);
    assert.deepEqual(idsOf(['a:integer', 'a', 'a:integer']), ['a=1', 'a=2', 'a=1']);
    // Of these, version 2 of the format promotes none: both are 64 bits wide, and no integer becomes a float.
    assert.deepEqual(idsOf(['a:integer', 'a:float', 'a:date', 'a:datetime']), ['a=1', 'a=2', 'a=3', 'a=4']);
  });

  it('are of names like those of objects, and of a column beside the geometry that is called so, too', () => {
    assert.deepEqual(idsOf(['__proto__ constructor geometry:geometry geometry']), [
      '__proto__=1 constructor=2 geometry_1=3 geometry=4',
    ]);
  });

  it('stay when a version is added', () => {
    const versions = ['a b', 'b c', 'a c:integer'];
    assert.deepEqual(idsOf([...versions, 'd']).slice(0, 3), idsOf(versions));
  });
});

const version = (number: number, facts: Partial<Version> = {}): Version =>
  ({
    kind: 'version',
    namespace: 'lab',
    dataset: 'trees',
    slug: `v${number}`,
    id: number,
    label: '',
    datetime: '2024-01-01T00:00:00.000Z',
    checksum: String(number),
    reading: {},
    rows: 1,
    ...facts,
  }) as Version;
const dataset = { id: 7, namespace: 'lab', slug: 'trees', columns: [], former_names: {} } as unknown as Dataset;
/** @param versions the oldest first */
function metadataFor(versions: readonly Version[]): Metadata {
  const found = [...versions].reverse().map((one) => ({ version: one, columns: columns('a b:integer c:date') }));
  const table = runAtOnce(tableOfDataset(dataset, found)) as Table;
  const metadata = runAtOnce(tableMetadata(table, 'https://data.example.org/tables/lab/trees'));
  return JSON.parse(JSON.stringify(metadata));
}

describe('the metadata of a table', () => {
  it('has times that ascend, also of versions of the same time and from before 1970', () => {
    const old = '1965-01-01T00:00:00.000Z';
    const metadata = metadataFor([
      version(1, { datetime: old }),
      version(2, { datetime: old }),
      version(3),
      version(4),
    ]);
    assert.deepEqual(icebergErrors('TableMetadata', metadata), []);
    const [first = 0, second = 0] = metadata['snapshot-log'].map((entry) => entry['timestamp-ms']);
    assert.deepEqual([first, second], [Date.parse(old), Date.parse(old) + 1]);
  });

  it('has different ids of versions whose records have the same, and the same ones each time', () => {
    const versions = [version(1), version(2, { id: 1 }), version(3, { id: 1 })];
    assert.deepEqual(icebergErrors('TableMetadata', metadataFor(versions)), []);
    assert.deepEqual(metadataFor(versions), metadataFor(versions));
  });

  it('has tags for names and labels, if they say which version is meant', () => {
    const versions = [
      version(1, { label: 'Spring' }),
      version(2, { label: 'Again' }),
      version(3, { label: 'Again' }),
      version(4, { label: 'v1' }),
      version(5, { label: 'main', slug: 'main' }),
    ];
    const { main, ...tags } = metadataFor(versions).refs;
    assert.deepEqual(main, { 'snapshot-id': 5, type: 'branch' });
    const ids = Object.fromEntries(Object.entries(tags).map(([name, tag]) => [name, tag['snapshot-id']]));
    assert.deepEqual(ids, { v1: 1, Spring: 1, v2: 2, v3: 3, v4: 4 });
  });

  it('stays small: 1,000 snapshots are loaded with 70 kB', () => {
    const day = (n: number) => new Date(1.6e12 + n * 86_400_000).toISOString();
    const many = Array.from({ length: 1000 }, (_, n) =>
      // Ids are random numbers of 31 bits.
      version(n, {
        slug: `20200101${n}`.padEnd(20, '0'),
        id: (n * 1_103_515_245 + 12_345) % 2 ** 31,
        datetime: day(n),
      }),
    );
    const bytes = gzipSync(JSON.stringify(metadataFor(many))).length;
    assert.ok(bytes < 70_000, `${bytes} bytes`);
  });
});
