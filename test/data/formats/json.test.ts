import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { TableColumn, Value } from '../../../src/data/row.ts';
import { anyCharacter } from '../../support/characters.ts';
import { awkwardTexts, geometries, point, table, type Written, written } from '../support/written.ts';

const types = { name: 'string', size: 'float', tags: 'array', more: 'object' } as const;
const rows: Written[] = [
  { id: 'a"b', geometry: point(1, 2), values: { name: 'One', size: 1.5, tags: [1, [2]], more: { k: { x: null } } } },
  { id: 0, geometry: null, values: { name: 'é\n"', size: null, tags: null, more: null } },
  { geometry: point(3, 4, 5), values: { name: null, size: Number.POSITIVE_INFINITY, tags: [], more: {} } },
];
const features = [
  {
    type: 'Feature',
    id: 'a"b',
    geometry: point(1, 2),
    properties: { name: 'One', size: 1.5, tags: [1, [2]], more: { k: { x: null } } },
  },
  { type: 'Feature', id: 0, geometry: null, properties: { name: 'é\n"', size: null, tags: null, more: null } },
  { type: 'Feature', geometry: point(3, 4, 5), properties: { name: null, size: null, tags: [], more: {} } },
];
const objects = features.map(({ geometry, properties }) => ({ geometry, ...properties }));
const lines = (text: string) => {
  assert.ok(text === '' || text.endsWith('\n'));
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
};

describe('geojson', () => {
  test('is a FeatureCollection with a name', async () => {
    const collection = JSON.parse(await written('geojson', table(types, rows)));
    assert.deepEqual(collection, { type: 'FeatureCollection', name: 'places', features });
    assert.deepEqual(Object.keys(collection), ['type', 'name', 'features']);
  });

  test('has counts, links and a time stamp where they are known, before the features', async () => {
    const links = [{ rel: 'next', type: 'application/geo+json', href: 'https://example.org/?a="b"' }];
    const more = { numberMatched: 9, numberReturned: 0, links, timeStamp: '2024-01-01T00:00:00Z' };
    const collection = JSON.parse(await written('geojson', table(types, [], more)));
    assert.deepEqual(collection, { type: 'FeatureCollection', name: 'places', ...more, features: [] });
    assert.equal(Object.keys(collection).at(-1), 'features');
  });

  test('keeps geometries of every kind as they are', async () => {
    const all = geometries.map((geometry) => ({ geometry, values: {} }));
    const collection = JSON.parse(await written('geojson', table({}, all)));
    assert.deepEqual(
      collection.features.map((feature: { geometry: unknown }) => feature.geometry),
      geometries,
    );
    assert.deepEqual(collection.features[0].properties, {});
  });

  test('has the selected columns, in that order, and a geometry in any case', async () => {
    const [first] = JSON.parse(await written('geojson', table(types, rows, { fields: ['size', 'name'] }))).features;
    assert.deepEqual(first, { type: 'Feature', id: 'a"b', geometry: null, properties: { size: 1.5, name: 'One' } });
    assert.deepEqual(Object.keys(first.properties), ['size', 'name']);
    const [withPlace] = JSON.parse(await written('geojson', table(types, rows, { fields: ['geometry'] }))).features;
    assert.deepEqual(withPlace, { type: 'Feature', id: 'a"b', geometry: point(1, 2), properties: {} });
  });

  test('refuses a field that is no column', async () => {
    await assert.rejects(written('geojson', table(types, rows, { fields: ['nmae'] })), /no column "nmae"/);
    const none = table(types, rows, { hasGeometry: false, fields: ['geometry'] });
    await assert.rejects(written('geojson', none), RangeError);
  });
});

test('json is a bare array of Features', async () => {
  assert.deepEqual(JSON.parse(await written('json', table(types, rows))), features);
  assert.deepEqual(JSON.parse(await written('json', table(types, []))), []);
});

test('geojsonl has a Feature on each line, and no record separators', async () => {
  assert.deepEqual(lines(await written('geojsonl', table(types, rows))), features);
  assert.equal(await written('geojsonl', table(types, [])), '');
});

describe('objects and ndjson', () => {
  test('are plain rows', async () => {
    assert.deepEqual(JSON.parse(await written('objects', table(types, rows))), objects);
    assert.deepEqual(lines(await written('ndjson', table(types, rows))), objects);
  });

  test('have no geometry where there is none or it is not shown', async () => {
    const name = [{ name: 'One' }, { name: 'é\n"' }, { name: null }];
    assert.deepEqual(
      JSON.parse(await written('objects', table({ name: 'string' }, rows, { hasGeometry: false }))),
      name,
    );
    assert.deepEqual(lines(await written('ndjson', table(types, rows, { fields: ['name'] }))), name);
  });

  test('leave a column that is called geometry its name', async () => {
    const input = () => table({ geometry: 'string' }, [{ geometry: point(1, 2), values: { geometry: 'cubic' } }]);
    assert.deepEqual(JSON.parse(await written('objects', input())), [{ geometry_1: point(1, 2), geometry: 'cubic' }]);
    const [feature] = JSON.parse(await written('json', input()));
    assert.deepEqual(feature.properties, { geometry: 'cubic' });
  });
});

test('a name may be any text', async () => {
  const names = awkwardTexts.filter((text) => text !== '');
  const values = Object.fromEntries(names.map((name) => [name, name]));
  const columns = Object.fromEntries(names.map((name) => [name, 'string'])) as Record<string, TableColumn['type']>;
  const [row] = JSON.parse(await written('objects', table(columns, [{ values }], { hasGeometry: false })));
  assert.deepEqual(row, values);
});

test('every JSON format parses back to the same rows', async () => {
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...awkwardTexts, '\ud800', 'a\udc00b'));
  const value: fc.Arbitrary<Value> = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.jsonValue() as fc.Arbitrary<Value>,
  );
  const row = fc.record(
    {
      id: fc.oneof(fc.integer(), text),
      geometry: fc.constantFrom(null, ...geometries),
      values: fc.record({ a: value, 'b "c"': value }),
    },
    { requiredKeys: ['geometry', 'values'] },
  );
  // As JSON says it: without minus zero.
  const same = (parsed: unknown, expected: unknown) => assert.deepEqual(parsed, JSON.parse(JSON.stringify(expected)));
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (some) => {
      const input = () => table({ a: 'object', 'b "c"': 'object' }, some);
      const asFeatures = some.map(({ values, ...rest }) => ({ type: 'Feature', ...rest, properties: values }));
      const asObjects = some.map(({ geometry, values }) => ({ geometry, ...values }));
      same(JSON.parse(await written('geojson', input())).features, asFeatures);
      same(JSON.parse(await written('json', input())), asFeatures);
      same(lines(await written('geojsonl', input())), asFeatures);
      same(JSON.parse(await written('objects', input())), asObjects);
      same(lines(await written('ndjson', input())), asObjects);
    }),
  );
});
