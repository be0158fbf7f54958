/** A folder and a server, with a network between them that breaks at every place: each run goes on where the last stopped. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { UnreachableError } from '../../src/catalogue/errors.ts';
import { localAdmin } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { SyncState } from '../../src/sync/state.ts';
import { pull, push } from '../../src/sync/sync.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';
import { contentOf, failuresOf } from './pair.ts';

const payload = Buffer.from(Array.from({ length: 1200 }, (_, i) => `row ${i}\n`).join(''));
const names = Array.from({ length: 12 }, (_, i) => `parks/set-${i}`);
const content = {
  namespaces: { parks: { id: 1, label: 'Parks' } },
  users: { root: { id: 1, staff: true } },
  datasets: Object.fromEntries(
    names.map((name, i) => [name, { id: i + 1, label: `Set ${i}`, description: 'x'.repeat(500) }]),
  ),
  versions: Object.fromEntries(
    names.slice(0, 2).map((name, i) => [
      `${name}@2020`,
      {
        id: i + 1,
        checksum: createHash('sha256').update(payload).digest('hex'),
        file: { name: '2020.csv', format: 'csv', size: payload.length },
      },
    ]),
  ),
  files: Object.fromEntries(names.slice(0, 2).map((name) => [`${homeOf(name)}/data/2020.csv`, payload])),
};

async function start(test: TestContext, there: object, here: object) {
  const [theirs, ours] = [makeFolder(there, test), makeFolder(here, test)];
  for (const { root } of [theirs, ours]) mkdirSync(join(root, 'namespaces'), { recursive: true });
  const files = await openFileCatalogue(theirs.root);
  const { token } = await files.accounts.addToken('root');
  await files.close();
  const server = await serveFolder(theirs.root);
  const proxy = await cuttingProxy(server.base);
  test.after(async () => {
    await proxy.close();
    await server.close();
  });
  return { ours: ours.root, theirs: theirs.root, proxy, token };
}

/** Runs until it comes to its end, each time with some more bytes. @returns how often it was cut off */
async function untilDone(ours: string, url: string, token: string, allow: (bytes: number) => void, run: typeof pull) {
  const folder = join(ours, '.catalogue', 'remotes');
  mkdirSync(folder, { recursive: true });
  for (let bytes = 150, cuts = 0; ; bytes += 499, cuts++) {
    allow(bytes);
    const [files, there] = [await openFileCatalogue(ours), await openRemoteCatalogue(url, { token, retries: 0 })];
    const state = await SyncState.open(join(folder, 'there.ndjson'));
    const spool = join(folder, 'there.texts');
    try {
      const pair = { ours: files.for().replica, theirs: there.replica, state, spool, viewer: localAdmin };
      assert.deepEqual(failuresOf(await run(pair)), []);
      return cuts;
    } catch (error) {
      assert.ok(error instanceof UnreachableError, `after ${bytes} bytes: ${(error as Error).stack}`);
    } finally {
      await state.close();
      await files.close();
      await there.close();
    }
  }
}

describe('a network that breaks', () => {
  it('does no harm to a pull', async (test) => {
    const { ours, theirs, proxy, token } = await start(test, content, { users: content.users });
    const cuts = await untilDone(ours, proxy.url, token, proxy.allow, pull);
    assert.ok(cuts > 20, `${cuts} cuts`);
    assert.deepEqual(contentOf(ours), contentOf(theirs));
  });

  it('does no harm to a push', async (test) => {
    const { ours, theirs, proxy, token } = await start(test, { users: content.users }, content);
    const cuts = await untilDone(ours, proxy.url, token, proxy.allow, push);
    assert.ok(cuts > 20, `${cuts} cuts`);
    assert.deepEqual(contentOf(theirs), contentOf(ours));
  });
});
