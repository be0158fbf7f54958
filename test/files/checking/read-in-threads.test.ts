/** `check` in threads finds the same as in the main thread: the same diagnostics, in the same order. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type CheckOptions, checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { type CheckReply, readFaultlessUnits, startCheckReaders } from '../../../src/files/checking/read-in-threads.ts';
import { scanForUnits } from '../../../src/files/reading/scan.ts';
import { UnitReaders } from '../../../src/files/reading/unit-readers.ts';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { type CatalogueFolder, datasetText } from '../../support/folder.ts';
import { makeFollowedFolder } from '../../support/followed.ts';

const count = 1020;
const home = (i: number) => `namespaces/a/datasets/d${i}`;

/** Faults, as changes of the files of a dataset. */
const faults: readonly ((folder: CatalogueFolder, i: number) => void)[] = [
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, 'label: [\n'),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, 'label: 3\nid: x\n'),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, `id: 7\nlabel: One id for several\n`),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, 'label: No id\n'),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, `id: ${3000 + i}\nlabel: A\nlicense: CC0-1.0\n`),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, `id: ${3000 + i}\nlabel: A\nlicence: cc0-1.0\nhomepage: x\n`),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, `id: ${3000 + i}\nlabel: A\nown: .inf\nother: -0.0\n`),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, `id: ${3000 + i}\nlabel: A\naliases: [a/d${i + 1}]\n`),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, `id: ${3000 + i}\nlabel: A\nreaders: [nobody, user:who]\n`),
  (folder, i) =>
    folder.write(
      `${home(i)}/dataset.yaml`,
      `id: ${3000 + i}\nlabel: A\ncolumns: [{name: a, type: string}, {name: a, type: integer}]\n`,
    ),
  (folder, i) => folder.write(`${home(i)}/dataset.json`, '{"label": "Two files"}'),
  (folder, i) => folder.write(`${home(i)}/data/unnamed.csv`, 'a\n1\n'),
  (folder, i) => folder.write(`${home(i)}/versions/v1.yaml`, 'file: {name: gone.csv}\n'),
  (folder, i) => folder.write(`${home(i)}/versions/v2.yaml`, `id: ${5000 + i}\nfile: {url: "https://x.org/a.csv"}\n`),
  (folder, i) => folder.write(`${home(i)}/versions/v 3.yaml`, 'label: A name with a space\n'),
  (folder, i) =>
    folder.write(`${home(i)}/versions/v4.yaml`, `id: ${6000 + i}\nready: true\ncolumns: [{name: b, type: string}]\n`),
  (folder, i) => folder.write(`queries/q${i}.yaml`, `id: ${7000 + i}\nlabel: Q\ndataset: a/none${i}\n`),
  (folder, i) => folder.write(`${home(i)}/dataset.yaml`, '﻿# only a comment\n'),
];

function largeFolder(t: TestContext): CatalogueFolder {
  const folder = makeFollowedFolder(t);
  for (let i = 0; i < count; i++)
    folder.write(`${home(i)}/dataset.yaml`, `id: ${i + 10}\n${datasetText(`Label ${i}`)}`);
  return folder;
}

const withoutThreads: CheckOptions = { startReaders: (root) => new UnitReaders<CheckReply>(root, 0) };

test('threads find what the main thread finds, in the same order', async (t) => {
  const folder = largeFolder(t);
  let readByThreads = 0;
  const counted: CheckOptions = {
    startReaders(root) {
      const readers = startCheckReaders(root);
      const { read: original } = readers;
      readers.read = (batch) =>
        original.call(readers, {
          ...batch,
          take(replies, columns) {
            readByThreads += replies.filter((reply) => reply !== 'unread').length;
            batch.take(replies, columns);
          },
        });
      return readers;
    },
  };
  const choices = fc.array(fc.tuple(fc.nat(faults.length - 1), fc.nat(count - 1)), { minLength: 30, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(choices, async (chosen) => {
      for (const [fault, i] of chosen) faults[fault]?.(folder, i);
      const expected = await checkCatalogueFiles(folder.root, withoutThreads);
      assert.ok(expected.problems.length > 10);
      assert.deepEqual(await checkCatalogueFiles(folder.root, counted), expected);
    }),
    { numRuns: 2, endOnFailure: true },
  );
  assert.ok(readByThreads > 0, `${readByThreads} units were read by threads`);
  const disk = new DiskTree(folder.root);
  const units = [...scanForUnits(disk)].flatMap((found) => ('unit' in found ? [found.unit] : []));
  const states = await readFaultlessUnits(disk, units);
  assert.ok(states.size > count / 2, `${states.size} units were read without the ordinary reading`);
});

test('units of a thread that dies are read by the main thread', async (t) => {
  const folder = largeFolder(t);
  faults[0]?.(folder, 5);
  const dying: CheckOptions = {
    startReaders: (root) => new UnitReaders<CheckReply>(root, 1, '../checking/no-such-program'),
  };
  const { problems, files } = await checkCatalogueFiles(folder.root, dying);
  const errors = problems.filter(({ severity }) => severity === 'error');
  assert.deepEqual([errors.map(({ path }) => path), files], [[`${home(5)}/dataset.yaml`], count + 2]);
});
