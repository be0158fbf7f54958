/** A dataset with many versions is read in steps, so that requests are answered meanwhile; other rescans may come in between. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { makeFolder, versionText } from '../../support/folder.ts';

const count = 1000;
const slugs = Array.from({ length: count }, (_, i) => `v${String(i).padStart(4, '0')}`);
const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;

function start(t: TestContext) {
  const folder = makeFolder({ namespaces: { parks: { id: 1, label: 'Parks' } } }, t);
  folder.dataset('namespaces/parks/datasets/trees', 'Trees', slugs);
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: '' }]));
  const edit = (slug = '', label = '') =>
    folder.write(`namespaces/parks/datasets/trees/versions/${slug}.yaml`, versionText(label));
  const labelOf = (slug = '') => {
    const dataset = store.snapshot.folders.get('parks')?.datasets.get('trees');
    return dataset?.versions.find((version) => version.slug === slug)?.label;
  };
  return { store, edit, labelOf };
}

describe('a dataset with many versions', () => {
  it('is compared and read in steps', (t) => {
    const { store, edit, labelOf } = start(t);
    const stepsOf = (steps: Iterable<unknown>) => [...steps].length;
    assert.ok(stepsOf(store.isBeingWritten(trees)) >= 15);
    assert.ok(stepsOf(store.rescan([trees])) >= 15);
    edit(slugs.at(-1), 'New');
    assert.ok(stepsOf(store.rescan([trees])) >= 30);
    assert.equal(labelOf(slugs.at(-1)), 'New');
  });

  it('keeps what another rescan has read while it was read', (t) => {
    const { store, edit, labelOf } = start(t);
    edit(slugs.at(-1), 'First');
    const steps = store.rescan([trees]);
    // The first versions are read by then, and not the last one: that all were written just now is found with the first file.
    for (let step = 0; step < 8; step++) assert.equal(steps.next().done, false);
    edit(slugs[0], 'Second');
    for (const _ of store.rescan([trees]));
    assert.equal(labelOf(slugs[0]), 'Second');
    for (const _ of steps);
    assert.deepEqual([labelOf(slugs[0]), labelOf(slugs.at(-1))], ['Second', 'First']);
  });

  it('is read at once if others come in between again and again', (t) => {
    const { store, edit, labelOf } = start(t);
    edit(slugs.at(-1), 'First');
    let steps = 0;
    for (const _ of store.rescan([trees])) {
      edit(slugs[0], `Edit ${++steps}`);
      for (const _ of store.rescan([trees]));
      assert.ok(steps < 200, 'it goes on for ever');
    }
    assert.deepEqual([labelOf(slugs[0]), labelOf(slugs.at(-1))], [`Edit ${steps}`, 'First']);
  });
});
