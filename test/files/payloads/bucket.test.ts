/** Requests to buckets that other programs use, too, and whose readers leave. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectKey } from '../../../src/catalogue/payload-store.ts';
import { settingsFromRecord } from '../../../src/catalogue/settings.ts';
import { computeChecksum } from '../../../src/disk/checksum.ts';
import { ExportBucket } from '../../../src/export/export-bucket.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { ObjectStore } from '../../../src/files/payloads/object-store.ts';
import { storedPayloadsOf } from '../../../src/files/payloads/stored-payloads.ts';
import { makeFolder, until } from '../../support/folder.ts';
import { startSmallObjectStore } from '../../support/small-object-store.ts';

const s3 = await startSmallObjectStore();
const long = new Date(Date.now() - 30 * 86_400_000);
const uploadsOf = (...keys: string[]) => keys.sort().map((key) => ({ key, initiated: long }));
const left = () => (s3.uploads ?? []).map(({ key }) => key);

describe('unfinished uploads at the root of a bucket', () => {
  it('are removed if they are of payloads, and all pages of them are read', async () => {
    const store = new ObjectStore(settingsFromRecord({ payloads: s3.settings('') }).payloads);
    const own = ['oak', 'elm', 'ash', 'fir', 'yew'].map((text) => objectKey('', computeChecksum(text)));
    const others = ['backups/db.tar', `backups/${computeChecksum('oak')}`, 'a/b/data/rows.parquet'];
    s3.uploads = uploadsOf(...own, ...others);
    s3.pageSize = 2;
    assert.equal(await store.removeUnfinishedUploads(new Date(), true), 5);
    assert.equal(left().length, 8);
    assert.equal(await store.removeUnfinishedUploads(new Date(), false), 5);
    assert.deepEqual(left(), others.sort());
    await store.close();
  });

  it('are removed if they are of exported tables', async () => {
    const place = await ExportBucket.open({
      address: `s3://${s3.bucket}`,
      endpoint: s3.endpoint,
      region: '',
      listName: '.list',
      mayReplace: true,
      signal: undefined,
    });
    const file = 'parks/trees/data/new.parquet';
    const others = ['backups/db.tar', 'lake/rivers/data/rows.parquet', 'parks/trees/plan.pdf'];
    s3.uploads = uploadsOf('parks/trees/data/old.parquet', ...others);
    await place.beginUnit('trees', [file], '1');
    await place.write(file, Buffer.from('rows'));
    place.endUnit('trees', '1', [file]);
    await place.finish();
    await place.close();
    assert.deepEqual(left(), others);
  });
});

describe('a reader who leaves before the first byte', () => {
  it('holds no connection to the object store', async (t) => {
    const bytes = Buffer.alloc(64 * 1024 * 1024);
    const pointer = { checksum: computeChecksum(bytes), size: bytes.length };
    s3.objects.set(objectKey('held/', pointer.checksum), bytes);
    const folder = makeFolder({ settings: { payloads: s3.settings('held') } }, t);
    const files = await openFileCatalogue(folder.root);
    t.after(() => files.close());
    const payloads = storedPayloadsOf(files);
    for (const range of [undefined, { start: 0, end: bytes.length - 2 }]) {
      const stream = await payloads.read(pointer, range);
      assert.equal(s3.open.size, 1);
      stream.destroy();
      await until(() => s3.open.size === 0);
    }
  });
});
