/** `catalogue payloads gc` with an object store that has no list of unfinished uploads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectKey } from '../../src/catalogue/payload-store.ts';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { startSmallObjectStore } from '../support/small-object-store.ts';

const s3 = await startSmallObjectStore();
const note = 'The object store has no list of unfinished uploads, so they stay.';

const root = await makeRoot({ settings: { title: 'Town', payloads: s3.settings('') } });

describe('payloads gc where the store has no list of unfinished uploads', () => {
  const run = (line: string) => type(`payloads gc --older-than 0h ${line}`.split(' '), { root });
  const key = objectKey('', computeChecksum('oak'));
  s3.uploads = null;

  it('finds and removes objects, and says so', async () => {
    s3.objects.set(key, Buffer.from('oak'));
    const planned = await run('--dry-run');
    assert.deepEqual([planned.exitCode, planned.out], [0, `Would remove ${key} (3 B, of 2024-01-31)\n`]);
    assert.ok(planned.err.includes(note), planned.err);
    const removed = await run('--yes');
    assert.deepEqual([removed.exitCode, removed.out], [0, '']);
    assert.equal(removed.err, `${note}\nRemoved 1 object.\n`);
    assert.equal(s3.objects.size, 0);
  });

  it('has null as their number in JSON', async () => {
    const { out, err, exitCode } = await run('--yes --json');
    assert.deepEqual([exitCode, JSON.parse(out)], [0, { objects: [], uploads: null }]);
    assert.equal(err, `${note}\nNothing to remove.\n`);
  });
});
