/** The object store's client against a real S3 server, with faults on the way. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { ListMultipartUploadsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { objectKey } from '../../../src/catalogue/payload-store.ts';
import { settingsFromRecord } from '../../../src/catalogue/settings.ts';
import { computeChecksum } from '../../../src/disk/checksum.ts';
import { ObjectStore } from '../../../src/files/payloads/object-store.ts';
import { PayloadCache } from '../../../src/files/payloads/payload-cache.ts';
import { makeFolder, until } from '../../support/folder.ts';
import { missingObjectStore, startObjectStore, type TestStore } from '../../support/object-store.ts';

const s3 = missingObjectStore ? (undefined as never) : await startObjectStore();

describe('an object store', { skip: missingObjectStore }, () => {
  const folder = makeFolder();
  const bytes = randomBytes(300_000);
  const large = randomBytes(20_000_000);
  const pointerTo = (content: Buffer) => ({ checksum: computeChecksum(content), size: content.length });
  const pointer = pointerTo(bytes);

  const open = (place: string, options = {}) =>
    new ObjectStore(settingsFromRecord({ payloads: s3.settings(place) }).payloads, options);
  const write = async (content: Buffer, signal?: AbortSignal) => {
    folder.write('payload', content);
    await store.write(folder.path('payload'), pointerTo(content), signal);
  };
  const keys = async (place: string) =>
    ((await s3.client.send(new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: `${place}/` }))).Contents ?? []).map(
      ({ Key }) => Key,
    );

  const store = missingObjectStore ? (undefined as never) : open('here');
  before(() => write(bytes));

  /** Makes something go wrong while a function runs. */
  async function during<T>(fault: TestStore['fault'], work: () => Promise<T>): Promise<T> {
    s3.fault = fault;
    try {
      return await work();
    } finally {
      s3.fault = undefined;
    }
  }
  const isRead = (method = '') => method === 'GET';

  it('keeps bytes under their checksum, and gives them back whole or in part', async () => {
    const { checksum } = pointer;
    assert.deepEqual(await keys('here'), [`here/${checksum.slice(0, 2)}/${checksum.slice(2, 4)}/${checksum}`]);
    assert.equal((await store.find(checksum))?.size, bytes.length);
    assert.ok((await buffer(await store.read(pointer))).equals(bytes));
    const part = await buffer(await store.read(pointer, { start: 1000, end: 1999 }));
    assert.ok(part.equals(bytes.subarray(1000, 2000)));
  });

  it('stores large bytes in parts, and bytes that are there only once', async () => {
    await write(large);
    assert.ok((await buffer(await store.read(pointerTo(large)))).equals(large));
    s3.requests.length = 0;
    await write(large);
    assert.deepEqual([...new Set(s3.requests.map((line) => line.split(' ')[0]))], ['HEAD']);
  });

  it('stores an old object anew without its bytes, and not what is missing or of another size', async () => {
    const soon = new Date(Date.now() + 10_000);
    s3.requests.length = 0;
    assert.equal(await store.renew(pointer), true);
    assert.equal(await store.renew({ ...pointer, size: 5 }, soon), false);
    assert.equal(await store.renew({ ...pointer, checksum: '0'.repeat(64) }, soon), false);
    assert.deepEqual([...new Set(s3.requests.map((line) => line.split(' ')[0]))], ['HEAD']);
    const before = await store.find(pointer.checksum);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.equal(await store.renew(pointer, soon), true);
    const { modified, size } = (await store.find(pointer.checksum)) ?? {};
    assert.equal(size, bytes.length);
    assert.ok(Number(modified) > Number(before?.modified));
    assert.ok((await buffer(await store.read(pointer))).equals(bytes));
    // One that can't be stored anew needs its bytes.
    const refused = await during(
      ({ method }) => (method === 'PUT' ? { status: 403 } : undefined),
      () => store.renew(pointer, soon),
    );
    assert.equal(refused, false);
  });

  it('stores bytes again in whose place another program has put others of the same size', async () => {
    const Key = objectKey('here/', pointer.checksum);
    await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key, Body: Buffer.alloc(bytes.length) }));
    assert.equal(await store.renew(pointer), false);
    await write(bytes);
    assert.ok((await buffer(await store.read(pointer))).equals(bytes));
    assert.equal(await store.renew(pointer), true);
  });

  it('sends no request again when it is closed', async () => {
    const other = open('here', { timeout: 5000 });
    s3.requests.length = 0;
    await during(
      ({ method }) => (isRead(method) ? { after: 0, end: 'silence' } : undefined),
      async () => {
        const failure = assert.rejects(other.read(pointer), { name: 'UnavailableError' });
        await until(() => s3.requests.length > 0);
        await other.close();
        await failure;
      },
    );
    assert.equal(s3.requests.length, 1);
  });

  it('goes on after a lost connection, at the byte that is missing', async () => {
    s3.requests.length = 0;
    let cuts = 0;
    const cut: TestStore['fault'] = ({ method }) =>
      isRead(method) && cuts++ < 2 ? { after: 100_000, end: 'cut' } : undefined;
    const read = await during(cut, async () => buffer(await store.read(pointer)));
    assert.ok(read.equals(bytes));
    assert.ok(s3.requests.length >= 3);
  });

  it('ends with an error if the connection is lost again and again, or is silent', async () => {
    const message = /^The object store can't be reached at the moment\. Try again later\.$/;
    await assert.rejects(
      during(
        ({ method }) => (isRead(method) ? { after: 0, end: 'cut' } : undefined),
        async () => buffer(await store.read(pointer)),
      ),
      { name: 'UnavailableError', message },
    );
    await assert.rejects(
      during(
        () => ({ after: 1000, end: 'silence' }),
        async () => buffer(await open('here', { timeout: 100 }).read(pointer)),
      ),
      { name: 'UnavailableError', message },
    );
    const refused = settingsFromRecord({ payloads: { store: 's3://payloads/x', endpoint: 'http://127.0.0.1:9' } });
    await assert.rejects(new ObjectStore(refused.payloads).read(pointer), { name: 'UnavailableError', message });
  });

  it('says what to do about a wrong key, bucket or region, and a missing object', async () => {
    const cases: readonly (readonly [
      { readonly status: number; readonly code: string } | undefined,
      string,
      RegExp,
    ])[] = [
      [{ status: 403, code: 'SignatureDoesNotMatch' }, 'ObjectStoreError', /refuses the key: check AWS_ACCESS_KEY_ID/],
      [{ status: 400, code: 'AuthorizationHeaderMalformed' }, 'ObjectStoreError', /check region and endpoint/],
      [{ status: 500, code: 'InternalError' }, 'UnavailableError', /can't be reached at the moment/],
      [{ status: 503, code: 'SlowDown' }, 'UnavailableError', /can't be reached at the moment/],
    ];
    for (const [fault, name, message] of cases)
      await assert.rejects(
        during(
          () => fault,
          async () => store.read(pointer),
        ),
        { name, message },
      );
    const absent = { checksum: '0'.repeat(64), size: 5 };
    await assert.rejects(store.read(absent), { name: 'DamagedObjectError', message: /lacks the payload.* 0{64}/ });
    const { endpoint } = s3.settings('');
    const elsewhere = settingsFromRecord({ payloads: { store: 's3://no-such-bucket', endpoint } });
    await assert.rejects(new ObjectStore(elsewhere.payloads).read(absent), {
      name: 'ObjectStoreError',
      message: /no such bucket: make it/,
    });
    await assert.rejects(new ObjectStore(elsewhere.payloads).write(folder.path('payload'), absent), /no such bucket/);
  });

  it('says what to install, and which keys to set', async () => {
    const load = () => Promise.reject(new Error("Cannot find package '@aws-sdk/client-s3'"));
    await assert.rejects(open('here', { load }).find(pointer.checksum), {
      name: 'ObjectStoreError',
      message: /Run: npm install @aws-sdk\/client-s3 @aws-sdk\/lib-storage @aws-sdk\/s3-request-presigner$/,
    });
  });

  it('finds objects of other bytes: too short ones at once', async () => {
    const wrong = { checksum: computeChecksum('wrong'), size: 4000 };
    await s3.client.send(
      new PutObjectCommand({ Bucket: s3.bucket, Key: objectKey('here/', wrong.checksum), Body: 'short' }),
    );
    for (const range of [undefined, { start: 1000, end: 1999 }])
      await assert.rejects(store.read(wrong, range), { name: 'DamagedObjectError', message: /has other bytes/ });
  });

  it('leaves nothing of an upload that fails or is ended', async () => {
    const others = randomBytes(20_000_000);
    const before = await keys('here');
    const isPart = (url = '', part = 2) => url.includes(`partNumber=${part}`);
    await assert.rejects(
      during(
        ({ url }) => (isPart(url) ? { status: 403 } : undefined),
        () => write(others),
      ),
      {
        name: 'ObjectStoreError',
      },
    );
    const ending = new AbortController();
    const end: TestStore['fault'] = ({ url }) => {
      if (isPart(url, 1)) ending.abort(new Error('Ended.'));
      return undefined;
    };
    await assert.rejects(
      during(end, () => write(others, ending.signal)),
      { message: 'Ended.' },
    );
    assert.deepEqual(await keys('here'), before);
    const { Uploads } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }));
    assert.deepEqual(Uploads ?? [], []);
  });

  it('is asked once by several readers of the same copy, and copies with other bytes are not kept', async () => {
    const cacheFolder = folder.path('cache');
    mkdirSync(cacheFolder);
    const cache = new PayloadCache({ folder: async () => cacheFolder, maxBytes: () => 1000 });
    const fetch = () => store.read(pointer);
    s3.requests.length = 0;
    const use = () => cache.use(pointer, fetch, (path) => readFileSync(path).equals(bytes));
    assert.deepEqual(await Promise.all([use(), use(), use()]), [true, true, true]);
    assert.equal(s3.requests.length, 1);
    assert.deepEqual(readdirSync(cacheFolder), [pointer.checksum]);
    // A copy of another size is fetched again, and one that was used longest ago makes room.
    writeFileSync(folder.path(`cache/${pointer.checksum}`), 'short');
    assert.equal(await use(), true);
    await cache.use(
      pointerTo(large),
      () => store.read(pointerTo(large)),
      () => {},
    );
    assert.deepEqual(readdirSync(cacheFolder), [pointerTo(large).checksum]);
    await assert.rejects(
      during(({ method }) => (isRead(method) ? 'wrong' : undefined), use),
      { name: 'DamagedObjectError' },
    );
    assert.deepEqual(readdirSync(cacheFolder), [pointerTo(large).checksum]);
  });
});
