/** Clone, push and pull between catalogues of which each has an object store of its own, the same one, or none; with the built program. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { objectKey } from '../../src/catalogue/payload-store.ts';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { pointerText } from '../../src/files/tree/payload-pointer.ts';
import { missingObjectStore, startObjectStore } from '../support/object-store.ts';
import { run, type Server, serve, temporaryFolder } from '../support/program.ts';

const s3 = missingObjectStore ? (undefined as never) : await startObjectStore();

describe('catalogues with object stores', { skip: missingObjectStore }, () => {
  const home = temporaryFolder();
  after(home.remove);
  const csvOf = (name: string) =>
    `name,height\n${Array.from({ length: 200 }, (_, i) => `${name} ${i},${i}\n`).join('')}`;
  const [oaks, elms, ashes] = ['oak', 'elm', 'ash'].map(csvOf) as [string, string, string];
  const options = (who: string) => ({
    cwd: join(home.path, who),
    env: { XDG_CONFIG_HOME: join(home.path, `${who}-config`) },
  });
  const done = async (who: string, words: string, input?: string) => {
    const typed = await run(words.split(' '), { ...options(who), ...(input !== undefined && { input }) });
    assert.equal(typed.exitCode, 0, `${who}: ${words}: ${typed.err}`);
    return typed;
  };
  const path = (who: string, file: string) => join(home.path, who, file);
  /** The files of a catalogue in the places of payloads. */
  const payloads = (who: string) => {
    const folder = path(who, 'catalogue-data/namespaces/parks/datasets/trees/data');
    return readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  };
  const assertHas = (who: string, ...texts: string[]) => {
    for (const text of texts) assert.ok(payloads(who).includes(text), `${who} has not ${text.slice(0, 50)}`);
  };
  const pointerTo = (text: string) => pointerText({ checksum: computeChecksum(text), size: text.length });
  const checksumsIn = async (store: string) => {
    const { Contents = [] } = await s3.client.send(
      new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: `${store}/` }),
    );
    return Contents.map(({ Key = '' }) => Key.slice(-64)).sort();
  };
  const sums = (...texts: string[]) => texts.map((text) => computeChecksum(text)).sort();
  /** Has payloads of more than 1 kB in a store from now on. */
  const useStore = (who: string, store: string) =>
    writeFileSync(path(who, 'catalogue-data/catalogue.yaml'), JSON.stringify({ payloads: s3.settings(store) }));
  const publish = async (who: string, name: string, text: string, remote = '') => {
    writeFileSync(path(who, name), text);
    await done(who, `publish ${name} --to parks/trees --label ${name} --force ${remote}`.trim());
  };

  it('are pushed and pulled, whichever has a store', async () => {
    for (const who of ['host', 'ann', 'bob', 'twin']) mkdirSync(path(who, ''), { recursive: true });
    await done('host', 'init --title Springfield');
    useStore('host', 'theirs');
    await done('host', 'user add ann --staff true --password-stdin', 'wonderland 7305\n');
    await done('host', 'namespace add parks --label Parks');
    await publish('host', 'oaks.csv', oaks);
    assertHas('host', pointerTo(oaks));
    const token = (await done('host', 'token add ann')).out.trim();
    const server: Server = await serve([], options('host'));
    try {
      // Clones have files, and no settings of the server.
      for (const who of ['ann', 'bob', 'twin']) {
        await done(who, `login ${server.url} --token-stdin`, token);
        await done(who, `clone ${server.url}`);
        assertHas(who, oaks);
      }
      useStore('ann', 'ours');
      useStore('twin', 'theirs');

      // From a store to a store.
      await publish('ann', 'elms.csv', elms);
      assert.deepEqual(await checksumsIn('ours'), sums(elms));
      await done('ann', 'push');
      assertHas('host', pointerTo(elms));
      assert.deepEqual(await checksumsIn('theirs'), sums(oaks, elms));
      assert.equal((await done('ann', `download parks/trees --remote ${server.url} -o -`)).out, elms);

      // And back; and into a folder without one.
      await publish('ann', 'ashes.csv', ashes, `--remote ${server.url}`);
      await done('ann', 'pull');
      assertHas('ann', pointerTo(ashes));
      assert.deepEqual(await checksumsIn('ours'), sums(elms, ashes));
      await done('bob', 'pull');
      assertHas('bob', elms, ashes);

      // From a folder without one.
      const firs = csvOf('fir');
      await publish('bob', 'firs.csv', firs);
      await done('bob', 'push');
      assertHas('host', pointerTo(firs));

      // With the same store, no bytes move.
      s3.requests.length = 0;
      await done('twin', 'pull');
      assertHas('twin', ...[elms, ashes, firs].map(pointerTo));
      assert.deepEqual(
        s3.requests.sort(),
        [elms, ashes, firs].map((text) => `HEAD /${s3.bucket}/${objectKey('theirs/', computeChecksum(text))}`).sort(),
      );
      assert.match((await done('twin', 'payloads verify --deep')).err, /3 payloads compared: no problems\./);
      const pines = csvOf('pine');
      await publish('twin', 'pines.csv', pines);
      await done('twin', 'push');
      assertHas('host', pointerTo(pines));

      for (const who of ['ann', 'bob', 'twin']) {
        await done(who, 'pull');
        for (const verb of ['pull', 'push']) assert.match((await done(who, verb)).err, /Already up to date\./);
        assert.match((await done(who, 'check --deep')).err, /no errors/);
      }
      assert.match((await done('host', 'payloads verify --deep')).err, /5 payloads compared: no problems\./);
    } finally {
      await server.end('SIGTERM');
    }
  });
});
