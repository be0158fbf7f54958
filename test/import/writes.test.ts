/** What an import costs on the disk: counted, not timed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RecordChange } from '../../src/catalogue/replica.ts';
import { importSource } from '../../src/import/import-source.ts';
import { openCatalogue } from '../../src/index.ts';
import { makeRoot } from '../support/prompt.ts';

const records = 1200;

function writeSource(folder: string, word: string, count = records): string {
  const dataset = Array.from({ length: count }, (_, i) => ({ identifier: `d-${i}`, title: `${word} ${i}` }));
  const path = join(folder, 'data.json');
  writeFileSync(path, JSON.stringify({ conformsTo: 'https://project-open-data.cio.gov/v1.1/schema', dataset }));
  return path;
}

/** Counts fsyncs, and programs that are started, in a process of Node. */
const counting = `
import fs from 'node:fs';
import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const counts = { fsync: 0, programs: 0 };
const counted = (what, call) => function (...args) { counts[what]++; return call.apply(this, args); };
fs.fsync = counted('fsync', fs.fsync);
fs.fsyncSync = counted('fsync', fs.fsyncSync);
ChildProcess.prototype.spawn = counted('programs', ChildProcess.prototype.spawn);
syncBuiltinESMExports();
process.on('exit', () => console.error('counts:' + JSON.stringify(counts)));
`;
const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));

async function countSyncs(root: string, source: string) {
  const hook = `data:text/javascript,${encodeURIComponent(counting)}`;
  const args = ['--import', hook, bin, 'import', source, '--to', 'agency', '--data', root, '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const { fsync, programs } = JSON.parse(/counts:(.*)/.exec(err)?.[1] ?? '{}');
  return { fsync, programs, json: JSON.parse(out) };
}

/** Paths and times of all files but those that are private. */
function stateOf(root: string): string {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => !/^\.catalogue/.test(name));
  return names
    .sort()
    .map((name) => `${name} ${statSync(join(root, name)).mtimeMs}`)
    .join('\n');
}

describe('the writes of an import', () => {
  it('are a few transactions, not one for each record, and none if nothing has changed', async () => {
    const root = await makeRoot();
    const batches: number[] = [];
    const run = async () => {
      const catalogue = await openCatalogue(root);
      try {
        const { replica } = catalogue;
        const apply = replica.apply.bind(replica);
        replica.apply = (changes: readonly RecordChange[], ...others) => {
          batches.push(changes.length);
          return apply(changes, ...others);
        };
        Object.defineProperty(catalogue, 'replica', { value: replica });
        const environment = { catalogue, cwd: root, cacheFolder: join(root, '.catalogue', 'import') };
        return await importSource({ source: join(dirname(root), 'data.json'), namespace: 'agency' }, environment);
      } finally {
        await catalogue.close();
      }
    };
    writeSource(dirname(root), 'Old');
    assert.equal((await run()).created.length, records);
    writeSource(dirname(root), 'New');
    assert.equal((await run()).updated.length, records);
    assert.deepEqual(batches, [1000, 200, 1000, 200]);
    const before = stateOf(root);
    assert.equal((await run()).unchanged, records);
    assert.equal(batches.length, 4);
    assert.equal(stateOf(root), before);
  });

  it('go into a namespace that another import has made meanwhile', async () => {
    const root = await makeRoot();
    writeSource(dirname(root), 'Old', 2);
    const catalogue = await openCatalogue(root);
    const create = catalogue.create.bind(catalogue);
    catalogue.create = async (...given) => {
      await create(...given);
      return await create(...given);
    };
    const environment = { catalogue, cwd: root, cacheFolder: join(root, '.catalogue', 'import') };
    const { created, skipped } = await importSource(
      { source: join(dirname(root), 'data.json'), namespace: 'agency' },
      environment,
    ).finally(() => catalogue.close());
    assert.deepEqual([created.length, skipped], [2, []]);
  });

  it('into a namespace that is there ask for a few former addresses at a time', async () => {
    const root = await makeRoot();
    writeSource(dirname(root), 'Tree', 40);
    const catalogue = await openCatalogue(root);
    const get = catalogue.get.bind(catalogue);
    let [asked, atOnce, most] = [0, 0, 0];
    catalogue.get = async (...given) => {
      asked++;
      most = Math.max(most, ++atOnce);
      await setTimeout(2);
      return await get(...given).finally(() => atOnce--);
    };
    const environment = { catalogue, cwd: root, cacheFolder: join(root, '.catalogue', 'import') };
    const request = { source: join(dirname(root), 'data.json'), namespace: 'parks' };
    const { created, skipped } = await importSource(request, environment).finally(() => catalogue.close());
    assert.deepEqual(
      created.map(({ ref: { slug } }) => slug),
      Array.from({ length: 40 }, (_, i) => `tree-${i}`),
    );
    assert.deepEqual([skipped, asked], [[], 41], 'once for the namespace, and for each dataset');
    assert.ok(most > 4 && most <= 8, `${most} at the same time`);
  });

  it('wait for the disk once for many records, where the file system can be synced as a whole', async () => {
    const root = await makeRoot();
    const some = 300;
    const added = await countSyncs(root, writeSource(dirname(root), 'Old', some));
    assert.equal(added.json.created.length, some);
    const changed = await countSyncs(root, writeSource(dirname(root), 'New', some));
    assert.equal(changed.json.updated.length, some);
    for (const { fsync, programs } of [added, changed]) {
      // Few records at the end are synced one by one. Elsewhere, each needs two syncs: of its file and its folder.
      assert.ok(fsync <= (programs > 0 ? some / 2 : some * 2 + 30), `${fsync} syncs of files, ${programs} programs`);
      assert.ok(programs <= 12, `${programs} programs`);
    }
    const unchanged = await countSyncs(root, join(dirname(root), 'data.json'));
    assert.deepEqual([unchanged.json.unchanged, unchanged.fsync, unchanged.programs], [some, 0, 0]);
  });
});
