/** A version that one side has removed and the other changed, in a dataset of which further versions were removed. */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeRoot } from '../support/prompt.ts';
import { contentOf, failuresOf, makeEmpty, pullFrom, pushTo } from './pair.ts';

const ref = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;
const folder = 'namespaces/lab/datasets/trees';

/** Two catalogues with three versions of a dataset, in step; with the stems of the files of the versions. */
async function makePair() {
  const [ours, theirs] = [await makeRoot({}), await makeRoot({})];
  for (const root of [ours, theirs]) await makeEmpty(root);
  const files = await openFileCatalogue(theirs);
  const catalogue = files.for();
  await catalogue.create('namespace', { label: 'Lab' });
  await catalogue.create('dataset', { label: 'Trees', namespace: 'lab' });
  for (const height of [1, 2, 3])
    await catalogue.publish(ref, { source: Readable.from([`name,height\noak,${height}\n`]), fileName: 'a.csv' });
  await files.close();
  await pullFrom(ours, theirs);
  const stems = readdirSync(join(theirs, folder, 'versions')).map((name) => name.replace('.yaml', ''));
  return { ours, theirs, stems };
}

/** Removes the files of a version, as `git rm` does. */
function removeVersion(root: string, stem: string): void {
  rmSync(join(root, folder, 'versions', `${stem}.yaml`));
  rmSync(join(root, folder, 'data', `${stem}.csv`));
}

const change = (root: string, stem: string) =>
  appendFileSync(join(root, folder, 'versions', `${stem}.yaml`), '# Reviewed by Ann\n');

describe('a version that one side has removed and the other changed', () => {
  it('comes to the remote with its payload if ours is kept', async () => {
    const { ours, theirs, stems } = await makePair();
    const [kept = '', gone = ''] = stems;
    change(ours, kept);
    for (const stem of [kept, gone]) removeVersion(theirs, stem);
    await pullFrom(ours, theirs, { choice: 'ours', names: [`lab/trees@${kept}`] });
    assert.deepEqual(failuresOf(await pushTo(ours, theirs, { names: [`lab/trees@${kept}`] })), []);
    assert.deepEqual(
      readdirSync(join(theirs, folder, 'data')),
      readdirSync(join(theirs, folder, 'versions')).map((name) => name.replace('yaml', 'csv')),
    );
    await pullFrom(ours, theirs);
    assert.deepEqual(contentOf(ours), contentOf(theirs));
    assert.ok(!readdirSync(join(ours, folder, 'versions')).includes(`${gone}.yaml`));
  });

  it('comes back from the remote with its payload if theirs is taken', async () => {
    const { ours, theirs, stems } = await makePair();
    const [kept = '', gone = ''] = stems;
    change(theirs, kept);
    for (const stem of [kept, gone]) removeVersion(ours, stem);
    assert.deepEqual(failuresOf(await pullFrom(ours, theirs, { choice: 'theirs' })), []);
    assert.deepEqual(failuresOf(await pushTo(ours, theirs)), []);
    assert.deepEqual(contentOf(ours), contentOf(theirs));
    assert.ok(!readdirSync(join(ours, folder, 'versions')).includes(`${gone}.yaml`));
  });
});
