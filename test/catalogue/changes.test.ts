import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareMetadata, compareSnapshots } from '../../src/catalogue/changes.ts';
import { encodeMetadata } from '../../src/catalogue/metadata.ts';
import { type Content, snapshotOf } from '../support/snapshot.ts';

const content: Content = {
  settings: { title: 'One' },
  namespaces: { parks: { id: 1, label: 'Parks' }, water: { id: 2, label: 'Water' } },
  datasets: { 'parks/trees': { id: 1, label: 'Trees' }, 'parks/lawns': { label: 'Lawns' } },
  versions: { 'parks/trees@v1': { id: 1, notes: 'First', file: { name: 'a.csv' } } },
  groups: { editors: { id: 1, label: 'Editors' } },
  users: { ann: { id: 1, groups: ['editors'] } },
  queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees', parameters: { a: 1, b: [2] } } },
};
const changes = (after: Content, before = content) =>
  compareSnapshots(snapshotOf(before), snapshotOf({ ...content, ...after })).map(
    ({ change, kind, name, was, fields, versions }) =>
      [
        `${change} ${kind} ${name}${was === null ? '' : ` (${was})`}`.trim(),
        ...fields.map(({ field, from, to }) => `${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`),
        ...versions.map(({ change, slug, fields }) => `${change} ${slug} ${fields.map(({ field }) => field)}`.trim()),
      ].join('; '),
  );

describe('changes between two states', () => {
  it('are none where both say the same, in whatever order', () => {
    const parameters = { b: [2], a: 1 };
    assert.deepEqual(changes({ queries: { tall: { ...content.queries?.tall, parameters } as never } }), []);
  });

  it('are those of every kind, in their order', () => {
    assert.deepEqual(
      changes({
        settings: { title: 'Two', git: { commit: true } },
        queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/lawns', parameters: { a: 1, b: [3] } } },
        users: { bob: { id: 2 } },
        groups: {},
      }),
      [
        'changed settings; title: "One" → "Two"; git: {"commit":false} → {"commit":true}',
        'changed query tall; dataset: "parks/trees" → "parks/lawns"; parameters: {"a":1,"b":[2]} → {"a":1,"b":[3]}',
        'removed group editors',
        'removed user ann',
        'added user bob',
      ],
    );
  });

  it('know things by their ids, else by the names that they had', () => {
    const moved = { 'water/woods': { id: 1, label: 'Trees' }, 'parks/grass': { label: 'Lawns', aliases: ['lawns'] } };
    const told = changes({
      datasets: moved,
      versions: {},
      queries: {
        high: { id: 1, label: 'Tall', dataset: 'parks/trees', parameters: { a: 1, b: [2] }, aliases: ['tall'] },
      },
    });
    assert.match(told[0] ?? '', /^changed dataset parks\/grass \(parks\/lawns\); id: \d+ → \d+$/);
    assert.deepEqual(told.slice(1), [
      'changed dataset water/woods (parks/trees); removed v1',
      'changed query high (tall)',
    ]);
    // The same id in two kinds, or of something that is still there, means nothing.
    assert.deepEqual(changes({ datasets: { ...content.datasets, 'parks/new': { id: 1, label: 'New' } } }), [
      'added dataset parks/new',
    ]);
  });

  it('say once that a namespace was renamed', () => {
    const green = { green: { id: 1, label: 'Parks', aliases: ['parks'] }, water: { id: 2, label: 'Water' } };
    const datasets = { 'green/trees': { id: 1, label: 'Trees' }, 'green/lawns': { id: 2, label: 'Lawns' } };
    const versions = { 'green/trees@v1': { id: 1, notes: 'First', file: { name: 'a.csv' } } };
    const before = { ...content, datasets: { ...content.datasets, 'parks/lawns': { id: 2, label: 'Lawns' } } };
    assert.deepEqual(changes({ namespaces: green, datasets, versions }, before), ['changed namespace green (parks)']);
    const [, lawns = ''] = changes({
      namespaces: green,
      datasets: { ...datasets, 'green/lawns': { label: 'Lawns' } },
      versions,
    });
    assert.match(lawns, /^changed dataset green\/lawns \(parks\/lawns\); id: /, 'without an id, too');
  });

  it('tell versions that were withdrawn from those that are served again, or are called otherwise', () => {
    const version = (fields: object) =>
      changes({ versions: { 'parks/trees@v1': { id: 1, notes: 'First', file: { name: 'a.csv' }, ...fields } } });
    assert.deepEqual(version({ ready: false }), ['changed dataset parks/trees; withdrawn v1 ready']);
    assert.deepEqual(version({ label: 'One' }), ['changed dataset parks/trees; changed v1 label']);
  });
});

it('changes of metadata may be in keys with the names of properties that every object has', () => {
  const [before, after] = [{ same: 1 }, JSON.parse('{"same":1,"constructor":"Ann","__proto__":"x"}')];
  assert.deepEqual(compareMetadata(encodeMetadata(before), encodeMetadata(after)), [
    { field: 'constructor', from: null, to: 'Ann' },
    { field: '__proto__', from: null, to: 'x' },
  ]);
});
