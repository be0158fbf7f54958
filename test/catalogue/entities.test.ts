/** From what a file says to what the catalogue holds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compareNewestFirst,
  datasetFromRecord,
  datasetWithVersions,
  datetimeFromSlug,
  entityFromValues,
  groupFromRecord,
  namespaceFromRecord,
  queryFromRecord,
  userFromRecord,
  valuesOfEntity,
  versionFromRecord,
} from '../../src/catalogue/entities.ts';
import { deriveIdFromAddress } from '../../src/catalogue/ids.ts';
import { refOf } from '../../src/catalogue/ref.ts';
import type { RecordOf } from '../../src/catalogue/schemas.ts';

const version = (record: RecordOf<'version'>, payload: { size: number } | null = null, slug = '20200102030405678901') =>
  versionFromRecord('parks', 'trees', slug, record, payload);

describe('entities', () => {
  it('have every field, whatever the file leaves out', () => {
    const dataset = datasetFromRecord('parks', 'trees', { label: 'Trees' });
    assert.equal(Object.values(dataset).includes(undefined as never), false);
    assert.equal(dataset.id, deriveIdFromAddress('dataset', 'parks/trees'));
    assert.equal(dataset.visibility, 'public');
    assert.deepEqual(dataset.keywords, []);
    const other = datasetFromRecord('parks', 'oaks', { label: 'Oaks' });
    assert.deepEqual(Object.keys(other), Object.keys(dataset));
    assert.deepEqual([dataset.label, other.label], ['Trees', 'Oaks']);
    assert.equal(userFromRecord('ann', {}).staff, false);
  });

  it('come back from their values without the defaults, whichever field has another value', () => {
    const entities = [
      namespaceFromRecord('parks', { label: 'Parks' }),
      datasetWithVersions(datasetFromRecord('parks', 'trees', { label: 'Trees' }), [version({ ready: true })]),
      version({}),
      groupFromRecord('staff', { label: 'Staff' }),
      userFromRecord('ann', {}),
      queryFromRecord('tall', { label: 'Tall', dataset: 'parks/trees' }),
    ];
    for (const entity of entities) {
      const again = (one: object) =>
        entityFromValues(refOf(entity) as never, JSON.parse(JSON.stringify(valuesOfEntity(one as never))));
      assert.deepEqual(again(entity), entity);
      const reference: readonly string[] = Object.keys(refOf(entity));
      for (const name of Object.keys(entity)) {
        if (reference.includes(name) || name === 'versions') continue;
        const changed = { ...entity, [name]: `another ${name}` };
        assert.deepEqual(again(changed), changed, `${entity.kind}.${name}`);
      }
    }
  });

  it('keep what the file says, and columns get their texts', () => {
    const dataset = datasetFromRecord('parks', 'trees', {
      id: 7,
      label: 'Trees',
      visibility: 'private',
      columns: [{ type: 'integer', name: 'height', unit: 'm' }],
    });
    assert.equal(dataset.id, 7);
    assert.deepEqual(dataset.columns, [{ type: 'integer', name: 'height', label: '', description: '', unit: 'm' }]);
  });
});

describe('a version', () => {
  it('is called by its slug, and was made when its slug says', () => {
    const { label, datetime, id } = version({});
    assert.equal(label, '20200102030405678901');
    assert.equal(datetime, '2020-01-02T03:04:05.678Z');
    assert.equal(id, deriveIdFromAddress('version', 'parks/trees@20200102030405678901'));
  });

  const moments: readonly (readonly [string | undefined, string, string])[] = [
    ['2020-01-02T03:04:05Z', 'x', '2020-01-02T03:04:05.000Z'],
    ['2020-01-02T03:04:05.6Z', 'x', '2020-01-02T03:04:05.600Z'],
    ['2020-01-02T03:04:05.678901Z', 'x', '2020-01-02T03:04:05.678Z'],
    [undefined, 'x', '1970-01-01T00:00:00.000Z'],
    [undefined, '20200102030405678901', '2020-01-02T03:04:05.678Z'],
  ];
  for (const [datetime, slug, expected] of moments)
    it(`of ${datetime ?? slug} is of ${expected}`, () => {
      assert.equal(version(datetime === undefined ? {} : { datetime }, null, slug).datetime, expected);
    });

  const file = { name: 'a.csv' };
  const url = 'https://data.example/a.csv';
  const readiness: readonly (readonly [string, RecordOf<'version'>, { size: number } | null, boolean])[] = [
    ['its payload is there', { file }, { size: 5 }, true],
    ['its payload is missing', { file }, null, false],
    ['its payload has its size', { file: { ...file, size: 5 } }, { size: 5 }, true],
    ['its payload has another size', { file: { ...file, size: 6 } }, { size: 5 }, false],
    ['it was withdrawn', { file, ready: false }, { size: 5 }, false],
    ['it lies elsewhere', { file: { url } }, null, true],
    ['it lies elsewhere and was withdrawn', { file: { url }, ready: false }, null, false],
    ['it names no payload', {}, null, false],
  ];
  for (const [why, record, payload, ready] of readiness)
    it(`is ${ready ? '' : 'not '}ready where ${why}`, () => assert.equal(version(record, payload).ready, ready));

  it('has the size that its record says, and else that of the file', () => {
    assert.equal(version({ file: { ...file, size: 6_000_000 } }, { size: 130 }).size, 6_000_000);
    assert.equal(version({ file }, { size: 5 }).size, 5);
    assert.equal(version({ file }).size, null);
  });

  it('whose payload lies elsewhere has no file here', () => {
    const { file: here, href } = version({ file: { url, name: 'a.csv' } });
    assert.deepEqual({ here, href }, { here: '', href: url });
  });
});

describe('versions', () => {
  it('are newest first; of one moment, the greater slug', () => {
    const all = ['20200101000000000000', '20220101000000000000', '20210101000000000000'].map((slug) =>
      version({}, null, slug),
    );
    const twins = ['a', 'b'].map((slug) => version({ datetime: '2021-06-01T00:00:00Z' }, null, slug));
    const dataset = datasetWithVersions(datasetFromRecord('parks', 'trees', { label: 'x' }), [...all, ...twins]);
    assert.deepEqual(
      dataset.versions.map(({ slug }) => slug),
      ['20220101000000000000', 'b', 'a', '20210101000000000000', '20200101000000000000'],
    );
    const [first] = twins;
    assert.ok(first && compareNewestFirst(first, first) === 0);
  });

  it('have a moment only where their slug is a timestamp', () => {
    for (const slug of ['2020', '2020010203040567890', '202001020304056789012', '2020010203040567890x'])
      assert.equal(datetimeFromSlug(slug), '1970-01-01T00:00:00.000Z');
  });

  it('have no time that does not exist', () => {
    const datetimes = ['2020-99-99T99:99:99Z', '0000-00-00T00:00:00Z', '2020-01-32T00:00:00.5Z'];
    for (const datetime of datetimes) {
      assert.equal(version({ datetime }, null, '20200101000000000000').datetime, '2020-01-01T00:00:00.000Z');
      assert.equal(version({ datetime }, null, '20209999000000000000').datetime, '1970-01-01T00:00:00.000Z');
    }
  });
});
