/** Planned changes over a folder: units read as if they had been made, although nothing on disk differs. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dataset } from '../../../src/catalogue/types.ts';
import { readUnit } from '../../../src/files/reading/read-unit.ts';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { OverlayTree } from '../../../src/files/tree/overlay-tree.ts';
import { RecordText } from '../../../src/text/parse.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';

const unit = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const versions = `${homeOf('parks/trees')}/versions`;
const record = (id: number) => `id: ${id}\nlabel: V\ndatetime: 2020-01-0${id}T00:00:00Z\n`;

test('versions that are added, removed and moved', async () => {
  const folder = makeFolder({
    namespaces: { parks: { id: 1, label: 'Parks' } },
    datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
    files: { [`${versions}/one.yaml`]: record(1), [`${versions}/two.yaml`]: record(2) },
  });
  // Stamps of files that changed a moment ago equal no others.
  utimesSync(folder.path(versions), 1, 1);
  await sleep(50);
  const tree = new DiskTree(folder.root);
  const before = readUnit(tree, unit);
  const slugs = (change: (overlay: OverlayTree) => void) => {
    const overlay = new OverlayTree(tree);
    change(overlay);
    const { entity } = readUnit(overlay, unit, before).reading;
    return (entity as Dataset).versions.map(({ slug }) => slug).sort();
  };
  const label = (overlay: OverlayTree) =>
    overlay.write(`${homeOf('parks/trees')}/dataset.yaml`, new RecordText('id: 1\nlabel: New\n', 'yaml'));
  assert.deepEqual(slugs(label), ['one', 'two']);
  assert.deepEqual(
    slugs((overlay) => overlay.remove(`${versions}/one.yaml`)),
    ['two'],
  );
  assert.deepEqual(
    slugs((overlay) => overlay.move(`${versions}/one.yaml`, `${versions}/three.yaml`)),
    ['three', 'two'],
  );
  assert.deepEqual(
    slugs((overlay) => {
      label(overlay);
      overlay.write(`${versions}/three.yaml`, new RecordText(record(3), 'yaml'));
    }),
    ['one', 'three', 'two'],
  );
  assert.deepEqual(
    slugs((overlay) => overlay.remove(versions)),
    [],
  );

  // A version that is added by hand, and one that is broken and mended.
  folder.write(`${versions}/three.yaml`, record(3));
  const added = readUnit(tree, unit, before);
  assert.equal((added.reading.entity as Dataset).versions.length, 3);
  folder.write(`${versions}/three.yaml`, 'label: [');
  const broken = readUnit(tree, unit, added);
  assert.equal(broken.diagnostics.flatMap(([, found]) => found).length, 1);
  folder.write(`${versions}/three.yaml`, record(3).replace('label: V', 'label: Mended'));
  const mended = readUnit(tree, unit, broken).reading.entity as Dataset;
  assert.ok(mended.versions.some(({ label }) => label === 'Mended'));
});
