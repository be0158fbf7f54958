/** Another side that sends what no catalogue has; and what looks like that and isn't. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { Replica } from '../../src/catalogue/replica.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { contentOf, failuresOf, makeEmpty, pullFrom, pushTo } from './pair.ts';

const trees = `${homeOf('parks/trees')}/dataset.yaml`;
const ponds = `${homeOf('parks/ponds')}/dataset.yaml`;

/** Two folders that are in step. */
async function start(test: TestContext) {
  const there = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks' } },
      datasets: { 'parks/trees': { id: 11, label: 'Trees' }, 'parks/ponds': { id: 12, label: 'Ponds' } },
      groups: { gardeners: { id: 1, label: 'Gardeners' } },
    },
    test,
  );
  const here = makeFolder({}, test);
  await makeEmpty(here.root);
  assert.deepEqual(failuresOf(await pullFrom(here.root, there.root)), []);
  return { here: here.root, there: there.root };
}

/** A replica of which some files are read otherwise. */
const reading = (replica: Replica, read: (path: string) => Readable | null): Replica => ({
  manifest: (options) => replica.manifest(options),
  digests: (count, options) => replica.digests(count, options),
  entry: (path) => replica.entry(path),
  read: async (path, options) => read(path) ?? replica.read(path, options),
  apply: (changes) => replica.apply(changes),
  put: (path, bytes) => replica.put(path, bytes),
});

describe('the other side', () => {
  it('sends a record without an end: that one is left out, and the rest is taken', async (test) => {
    const { here, there } = await start(test);
    for (const path of [trees, ponds])
      writeFileSync(join(there, path), 'id: 1\nlabel: Changed\n'.replace('1', path === trees ? '11' : '12'));
    let sent = 0;
    const endless = () =>
      Readable.from(
        (function* () {
          // Far more than is taken, and yet this test ends where all of it is.
          for (; sent < 200; sent++) yield Buffer.alloc(1024 * 1024, 0x20);
        })(),
      );
    const wrap = (replica: Replica, side: 'ours' | 'theirs') =>
      side === 'ours' ? replica : reading(replica, (path) => (path === trees ? endless() : null));
    const { done, failures } = await pullFrom(here, there, {}, { wrap });
    assert.deepEqual(
      done.map(({ path }) => path),
      [ponds],
    );
    assert.deepEqual(
      failures.map(({ path, error }) => `${path}: ${error.name}`),
      [`${trees}: ValidationError`],
    );
    assert.ok(sent < 10, `${sent} MiB were taken`);
  });

  it('has an id that is none in what may have been renamed', async (test) => {
    const { here, there } = await start(test);
    renameSync(join(there, 'groups/gardeners.yaml'), join(there, 'groups/others.yaml'));
    writeFileSync(join(there, 'groups/others.yaml'), 'id: {toString: 1}\nlabel: Others\n');
    writeFileSync(join(there, ponds), 'id: 12\nlabel: Changed\n');
    const { failures } = await pullFrom(here, there);
    assert.deepEqual(
      failures.map(({ path }) => path),
      ['groups/others.yaml'],
    );
    assert.match(readFileSync(join(here, ponds), 'utf8'), /Changed/);
  });

  it('has a record with a byte order mark, which comes and goes with it', async (test) => {
    const { here, there } = await start(test);
    writeFileSync(join(there, trees), '\ufeffid: 11\nlabel: Bäume\n');
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    assert.deepEqual(contentOf(here), contentOf(there));
    writeFileSync(join(here, ponds), '\ufeffid: 12\nlabel: Weiher\n');
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    assert.deepEqual(contentOf(here), contentOf(there));
    assert.match(readFileSync(join(there, ponds), 'utf8'), /^\ufeff/);
  });
});
