/** The next moment of the catalogue: what did not change is the very same object. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { buildDataset, buildGroup, buildNamespace, buildQuery, buildUser } from '../../src/catalogue/entities.ts';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';
import { applyUnitReadings, emptySnapshot, type Snapshot, type UnitReading } from '../../src/catalogue/snapshot.ts';
import { problemsOf, readingsOf, snapshotOf } from '../support/snapshot.ts';

const none = new Map();
const content = {
  settings: { title: 'Before' },
  namespaces: { parks: { label: 'Parks' }, water: { label: 'Water' } },
  datasets: {
    'parks/trees': { label: 'Trees' },
    'parks/benches': { label: 'Benches' },
    'water/wells': { label: 'Wells' },
  },
  groups: { editors: { label: 'Editors' }, readers: { label: 'Readers' } },
  users: { ann: { groups: ['editors'] }, bob: { groups: ['editors', 'gone'] } },
  queries: { tall: { label: 'Tall', dataset: 'parks/trees' } },
};

describe('apply', () => {
  it('says nothing new: the same snapshot', () => {
    const readings = readingsOf(content);
    const problems = problemsOf({ 'catalogue.yaml': 'odd' });
    const once = applyUnitReadings(emptySnapshot, { readings, diagnostics: problems });
    assert.equal(applyUnitReadings(once, { readings, diagnostics: problems }), once);
    assert.equal(applyUnitReadings(once, { readings: [], diagnostics: new Map([['nowhere.yaml', []]]) }), once);
    assert.equal(
      applyUnitReadings(once, { readings: [{ kind: 'user', slug: 'nobody', entity: null }], diagnostics: none }),
      once,
    );
  });

  it('keeps what did not change', () => {
    const before = snapshotOf(content);
    const trees = buildDataset('parks', 'trees', { label: 'All trees' });
    const after = applyUnitReadings(before, {
      readings: [{ kind: 'dataset', namespace: 'parks', slug: 'trees', entity: trees }],
      diagnostics: none,
    });
    assert.notEqual(after, before);
    assert.equal(after.folders.get('parks')?.datasets.get('trees'), trees);
    assert.equal(
      after.folders.get('parks')?.datasets.get('benches'),
      before.folders.get('parks')?.datasets.get('benches'),
    );
    assert.equal(after.folders.get('parks')?.namespace, before.folders.get('parks')?.namespace);
    assert.equal(after.folders.get('water'), before.folders.get('water'));
    for (const part of ['settings', 'groups', 'users', 'queries', 'diagnostics'] as const)
      assert.equal(after[part], before[part], part);
    assert.equal(before.folders.get('parks')?.datasets.get('trees')?.label, 'Trees', 'the old one never changes');
  });

  it('shows the members of groups, and the same group where they are the same', () => {
    const before = snapshotOf(content);
    assert.deepEqual(before.groups.get('editors')?.members, ['ann', 'bob']);
    const named = applyUnitReadings(before, {
      readings: [{ kind: 'user', slug: 'ann', entity: buildUser('ann', { name: 'Ann', groups: ['editors'] }) }],
      diagnostics: none,
    });
    assert.equal(named.groups.get('editors'), before.groups.get('editors'));
    const left = applyUnitReadings(named, {
      readings: [{ kind: 'user', slug: 'bob', entity: null }],
      diagnostics: none,
    });
    assert.deepEqual(left.groups.get('editors')?.members, ['ann']);
    assert.equal(left.groups.get('readers'), before.groups.get('readers'));
    const alone = applyUnitReadings(left, {
      readings: [{ kind: 'user', slug: 'ann', entity: null }],
      diagnostics: none,
    });
    assert.deepEqual(alone.groups.get('editors')?.members, []);
  });

  it('keeps datasets whose namespace is gone, and forgets a folder with nothing in it', () => {
    const before = snapshotOf(content);
    const orphaned = applyUnitReadings(before, {
      readings: [{ kind: 'namespace', slug: 'water', entity: null }],
      diagnostics: none,
    });
    assert.equal(orphaned.folders.get('water')?.namespace, null);
    const emptied = applyUnitReadings(orphaned, {
      readings: [{ kind: 'dataset', namespace: 'water', slug: 'wells', entity: null }],
      diagnostics: none,
    });
    assert.equal(emptied.folders.has('water'), false);
  });

  it('falls back to the default settings, and forgets what was mended', () => {
    const before = snapshotOf({ ...content, problems: { 'catalogue.yaml': 'odd' } });
    const after = applyUnitReadings(before, {
      readings: [{ kind: 'settings', entity: null }],
      diagnostics: new Map([['catalogue.yaml', []]]),
    });
    assert.equal(after.settings, emptySnapshot.settings);
    assert.equal(after.diagnostics.size, 0);
  });
});

const slug = fc.constantFrom('a', 'b', 'c');
const label = fc.constantFrom('x', 'y');
const groups = fc.uniqueArray(slug, { maxLength: 2 });
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const reading: fc.Arbitrary<UnitReading> = fc.oneof(
  fc.record({
    kind: fc.constant('settings' as const),
    entity: sometimes(label.map((title) => settingsFromRecord({ title }))),
  }),
  fc.tuple(slug, sometimes(label)).map(
    ([name, text]): UnitReading => ({
      kind: 'namespace',
      slug: name,
      entity: text && buildNamespace(name, { label: text }),
    }),
  ),
  fc.tuple(slug, slug, sometimes(label)).map(
    ([namespace, name, text]): UnitReading => ({
      kind: 'dataset',
      namespace,
      slug: name,
      entity: text && buildDataset(namespace, name, { label: text }),
    }),
  ),
  fc.tuple(slug, sometimes(label)).map(
    ([name, text]): UnitReading => ({
      kind: 'group',
      slug: name,
      entity: text && buildGroup(name, { label: text }),
    }),
  ),
  fc.tuple(slug, sometimes(groups)).map(
    ([name, of]): UnitReading => ({
      kind: 'user',
      slug: name,
      entity: of && buildUser(name, { groups: of }),
    }),
  ),
  fc.tuple(slug, sometimes(label)).map(
    ([name, text]): UnitReading => ({
      kind: 'query',
      slug: name,
      entity: text && buildQuery(name, { label: text, dataset: 'a/a' }),
    }),
  ),
);

/** Maps as sorted pairs: their order says nothing. */
const plain = (value: unknown): unknown =>
  value instanceof Map
    ? [...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, plain(item)])
    : value && typeof value === 'object' && 'datasets' in value
      ? { ...value, datasets: plain(value.datasets) }
      : value;
const contentOf = (snapshot: Snapshot) => Object.fromEntries(Object.entries(snapshot).map(([k, v]) => [k, plain(v)]));

describe('readings', () => {
  it('one after the other say what they say at once', () => {
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 30 }), fc.nat(5), (readings, length) => {
        const atOnce = applyUnitReadings(emptySnapshot, { readings, diagnostics: none });
        let step = emptySnapshot;
        for (let i = 0; i < readings.length; i += length + 1)
          step = applyUnitReadings(step, { readings: readings.slice(i, i + length + 1), diagnostics: none });
        assert.deepEqual(contentOf(step), contentOf(atOnce));
      }),
    );
  });

  it('repeated say nothing new', () => {
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 30 }), (readings) => {
        const last = [...new Map(readings.map((one) => [keyOf(one), one])).values()];
        const once = applyUnitReadings(emptySnapshot, { readings, diagnostics: none });
        assert.equal(applyUnitReadings(once, { readings: last, diagnostics: none }), once);
      }),
    );
  });
});

const keyOf = (one: UnitReading) => [one.kind, 'namespace' in one && one.namespace, 'slug' in one && one.slug].join();
