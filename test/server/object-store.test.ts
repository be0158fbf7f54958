/** A served catalogue whose larger payloads lie in an object store: a real S3 server, which fails when it should. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { objectKey } from '../../src/catalogue/payload-store.ts';
import { localAdmin } from '../../src/catalogue/permissions.ts';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { pointerText } from '../../src/files/tree/payload-pointer.ts';
import { homeOf, makeFolder, until } from '../support/folder.ts';
import { type Fault, missingObjectStore, startObjectStore } from '../support/object-store.ts';
import { serveFolder } from '../support/server.ts';

const row = (i: number) => `oak ${i},${i},4.${i % 10},51.9\n`;
const csv = `name,height,longitude,latitude\n${Array.from({ length: 500 }, (_, i) => row(i)).join('')}`;
const checksum = computeChecksum(csv);
const pointer = { checksum, size: csv.length };
const rest = missingObjectStore ? (undefined as never) : await startObjectStore();
const settings = missingObjectStore ? {} : rest.settings('served');

const slug = '20200101000000000000';
const version = { checksum, file: { name: 'a.csv', format: 'csv', size: csv.length } };
const folder = makeFolder({
  settings: { payloads: settings },
  namespaces: { parks: { label: 'Parks' } },
  datasets: {
    'parks/trees': { label: 'Trees' },
    'parks/secret': { label: 'Secret', visibility: 'private' },
    'parks/mixed': { label: 'Mixed up' },
  },
  versions: {
    [`parks/secret@${slug}`]: version,
    [`parks/mixed@${slug}`]: version,
  },
  files: {
    [`${homeOf('parks/secret')}/data/a.csv`]: pointerText(pointer),
    [`${homeOf('parks/mixed')}/data/a.csv`]: pointerText({ checksum: 'e'.repeat(64), size: csv.length }),
  },
  users: { ann: { staff: true } },
});
const { base, close } = await serveFolder(folder.root);
after(close);

describe('a catalogue with an object store', { skip: missingObjectStore }, () => {
  const home = `${base}/api/v1/namespaces/parks/datasets/trees/`;
  const data = folder.path(`${homeOf('parks/trees')}/data`);
  let authorization: string;

  before(async () => {
    const catalogue = await openFileCatalogue(folder.root);
    const { token } = await catalogue.accounts.addToken('ann');
    await catalogue.close();
    authorization = `Token ${token}`;
  });

  const upload = (body: string, name = 'trees.csv', init: RequestInit = {}) =>
    fetch(`${home}version/?name=${name}`, { method: 'POST', body, headers: { authorization }, ...init });
  const get = (address: string, init: RequestInit = {}) =>
    fetch(new URL(address, home), { redirect: 'manual', ...init });
  const keys = async () =>
    ((await rest.client.send(new ListObjectsV2Command({ Bucket: rest.bucket, Prefix: 'served/' }))).Contents ?? [])
      .map(({ Key = '' }) => Key.slice(-64))
      .sort();
  const object = (of = checksum) => ({ Bucket: rest.bucket, Key: objectKey('served/', of) });
  const clearCache = () => folder.clear('.catalogue/cache/payloads');

  async function during<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
    rest.fault = fault;
    try {
      return await work();
    } finally {
      rest.fault = undefined;
    }
  }

  it('keeps what is uploaded there, and a pointer in its place; small files stay in the folder', async () => {
    const response = await upload(csv);
    assert.equal(response.status, 201);
    const version = await response.json();
    assert.deepEqual([version.checksum, version.size, version.ready, version.rows], [checksum, csv.length, true, 500]);
    const [name = ''] = readdirSync(data);
    assert.equal(readFileSync(`${data}/${name}`, 'utf8'), pointerText(pointer));
    const stored = await rest.client.send(new GetObjectCommand(object()));
    assert.equal(await stored.Body?.transformToString(), csv);
    assert.equal((await upload('a,b\n1,2\n', 'small.csv', { method: 'POST' })).status, 409);
    assert.equal((await upload('a,b\n1,2\n', 'small.csv&force=true&replace=true')).status, 201);
    assert.deepEqual(await keys(), [checksum]);
    assert.equal((await upload(csv, 'trees.csv&force=true&replace=true')).status, 201);
  });

  it('serves the bytes, whole and in ranges, with their validators', async () => {
    for (const isCached of [true, false]) {
      if (!isCached) clearCache();
      const whole = await get('download/');
      assert.equal(whole.status, 200);
      assert.equal(whole.headers.get('etag'), `"${checksum}"`);
      assert.equal(whole.headers.get('content-length'), String(csv.length));
      assert.equal(await whole.text(), csv);
      const part = await get('download/', { headers: { range: 'bytes=10-19' } });
      assert.deepEqual([part.status, await part.text()], [206, csv.slice(10, 20)]);
      const parts = await (await get('download/', { headers: { range: 'bytes=0-3,10-19' } })).text();
      assert.ok(parts.includes(csv.slice(0, 4)) && parts.includes(csv.slice(10, 20)));
      const head = await get('download/', { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(csv.length)]);
      assert.equal((await get('download/', { headers: { 'if-none-match': `"${checksum}"` } })).status, 304);
    }
  });

  it('reads rows, tiles and other formats from a copy that is fetched once', async () => {
    clearCache();
    folder.clear('.catalogue/cache/tables');
    const other = `${csv}elm,7,4.5,51.8\n`;
    assert.equal((await upload(other)).status, 201);
    clearCache();
    folder.clear('.catalogue/cache/tables');
    rest.requests.length = 0;
    const read = async (query: string) => (await get(`data/?${query}`)).text();
    const [rows, more, tile] = await Promise.all([
      read('name=elm&_format=csv'),
      read('height=7&_format=csv'),
      get('map.svg').then(({ status }) => status),
    ]);
    assert.match(rows, /elm,7/);
    assert.match(more, /oak 7,7[\s\S]*elm,7/);
    assert.equal(tile, 200);
    assert.equal(rest.requests.length, 1);
    const parquet = await get('data/?_format=parquet');
    assert.equal(parquet.status, 200);
    await parquet.arrayBuffer();
    assert.equal(rest.requests.length, 1);
  });

  it('shows private payloads to those who may see them only, and no other bytes by a pointer', async () => {
    const secret = new URL('../secret/download/', home).href;
    assert.equal((await get(secret)).status, 404);
    const shown = await get(secret, { headers: { authorization } });
    assert.deepEqual([shown.status, await shown.text()], [200, csv]);
    const disguised = await upload(pointerText(pointer), 'x.txt&force=true&replace=true');
    assert.equal(disguised.status, 400);
    assert.match((await disguised.json()).file[0], /^It is a pointer to a payload in an object store/);
    const mixed = await get('../mixed/download/');
    assert.equal(mixed.status, 404);
    assert.match((await mixed.json()).detail, /data\/a\.csv points to other bytes/);
  });

  it('sends readers to the object store, if the settings say so', async () => {
    clearCache();
    folder.write('catalogue.yaml', JSON.stringify({ payloads: { ...settings, redirect: true } }));
    await until(async () => (await get('download/')).status === 307);
    const { headers } = await get('download/');
    assert.equal(headers.get('cache-control'), 'private, no-store');
    const sent = await fetch(headers.get('location') ?? '', { headers: { range: 'bytes=0-3' } });
    assert.deepEqual([sent.status, await sent.text()], [206, 'name']);
    assert.match(sent.headers.get('content-disposition') ?? '', /^attachment; filename="trees.*\.csv"$/);
    assert.equal((await get('download/', { method: 'HEAD' })).status, 200);
    assert.equal((await get(new URL('../secret/download/', home).href)).status, 404);
    folder.write('catalogue.yaml', JSON.stringify({ payloads: settings }));
    await until(async () => (await get('download/')).status === 200);
  });

  it('answers 503 or 502 with the reason, and cuts off wrong bytes', async () => {
    const secret = new URL('../secret/', home);
    const ask = (fault: Fault, path: string) =>
      during(fault, async () => {
        clearCache();
        folder.clear('.catalogue/cache/tables');
        const response = await get(new URL(path, secret).href, { headers: { authorization } });
        const { detail } = await response.json();
        // Nothing of the payload that was about to be sent.
        for (const name of ['etag', 'last-modified', 'repr-digest', 'accept-ranges'])
          assert.equal(response.headers.get(name), null, name);
        return [response.status, response.headers.get('retry-after'), detail];
      });
    for (const path of ['download/', 'data/?_format=json&height=3']) {
      const [status, retry, detail] = await ask(() => ({ status: 500 }), path);
      assert.deepEqual([status, retry], [503, '5']);
      assert.equal(detail, "The object store can't be reached at the moment. Try again later.");
      const refused = await ask(() => ({ status: 403, code: 'AccessDenied' }), path);
      assert.deepEqual(refused.slice(0, 2), [502, '60']);
      assert.match(String(refused[2]), /refuses the key/);
    }
    const wrong: Fault = ({ method }) => (method === 'GET' ? 'wrong' : undefined);
    assert.match(String((await ask(wrong, 'data/?_format=json&height=3'))[2]), /has other bytes/);
    await during(wrong, async () => {
      clearCache();
      const whole = async () => (await get(new URL('download/', secret).href, { headers: { authorization } })).text();
      await assert.rejects(whole());
    });
    await rest.client.send(new DeleteObjectCommand(object()));
    const [status, , detail] = await ask(() => undefined, 'download/');
    assert.equal(status, 502);
    assert.match(String(detail), new RegExp(`lacks the payload with the checksum ${checksum}`));
    await rest.client.send(new PutObjectCommand({ ...object(), Body: csv }));
  });

  it('refuses an upload that it cannot store, and keeps nothing of it', async () => {
    const files = () => readdirSync(data).sort();
    const [kept, stored] = [files(), await keys()];
    for (const [fault, status] of [
      [{ status: 500 }, 503],
      [{ status: 403 }, 502],
    ] as const) {
      const refused = await during(
        () => fault,
        () => upload(`${csv}ash,1,4,51\n`),
      );
      assert.equal(refused.status, status);
      await refused.text();
    }
    assert.deepEqual(files(), kept);
    assert.deepEqual(await keys(), stored);
  });

  it('takes and gives payloads of other catalogues', async () => {
    const catalogue = await openFileCatalogue(folder.root);
    const { replica } = catalogue.for(localAdmin);
    const pushed = `${csv}ash,2,4,51\n`;
    const path = `${homeOf('parks/trees')}/data/pushed.csv`;
    const { Readable } = await import('node:stream');
    const facts = { checksum: computeChecksum(pushed), size: pushed.length };
    await replica.put(path, { ...facts, source: () => Readable.from([Buffer.from(pushed)]) });
    assert.equal(readFileSync(folder.path(path), 'utf8'), pointerText(facts));
    // Again, it is there already; so is the payload of another path, for those who have the keys of the store.
    await replica.put(path, { ...facts, source: () => assert.fail() });
    await replica.put(path.replace('pushed', 'again'), { ...facts, source: () => assert.fail() });
    assert.equal(readFileSync(folder.path(path.replace('pushed', 'again')), 'utf8'), pointerText(facts));
    // Others must show that they have its bytes.
    const ann = catalogue.for({ username: 'ann', staff: true, groups: [] }).replica;
    const claim = ann.put(path.replace('pushed', 'claimed'), {
      ...facts,
      source: () => Readable.from([Buffer.from('?')]),
    });
    await assert.rejects(claim, { name: 'ValidationError' });
    assert.equal(readdirSync(data).includes('claimed.csv'), false);
    const record = `label: Pushed\nchecksum: ${facts.checksum}\nfile: {name: pushed.csv, format: csv, size: ${facts.size}}\n`;
    folder.write(`${homeOf('parks/trees')}/versions/pushed.yaml`, record);
    const again = await openFileCatalogue(folder.root);
    const from = again.for(localAdmin).replica;
    assert.deepEqual(await from.entry(path).then(({ checksum, size }) => ({ checksum, size })), facts);
    const { text } = await import('node:stream/consumers');
    assert.equal(await text(await from.read(path, { checksum: facts.checksum, start: 5 })), pushed.slice(5));
    await Promise.all([catalogue.close(), again.close()]);
  });
});
