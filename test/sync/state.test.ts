import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { SyncState } from '../../src/sync/state.ts';

const home = mkdtempSync(join(tmpdir(), 'catalogue-state-'));
after(() => rmSync(home, { recursive: true }));
let count = 0;

const file = (checksum: string) => ({ checksum, size: 1 });
const set = 'namespaces/a/datasets/x/dataset.yaml';

/** A state, and what the next process finds. */
async function start() {
  const path = join(home, `${count++}.ndjson`);
  const sums = (state: SyncState) =>
    Object.fromEntries([...state.files].map(([name, { checksum }]) => [name, checksum]).sort());
  const reopened = async <T>(look: (state: SyncState) => T | Promise<T>): Promise<T> => {
    const state = await SyncState.open(path);
    try {
      return await look(state);
    } finally {
      await state.close();
    }
  };
  return { path, sums, reopened };
}

describe('the last common state', () => {
  it('gives texts that were set a moment ago to several readers at once', async () => {
    const { reopened } = await start();
    const names = Array.from({ length: 8 }, (_, i) => `queries/${i}.yaml`);
    await reopened(async (state) => {
      const text = (name: string) => name.repeat(8000);
      for (const name of names) await state.set(name, file('1'), text(name));
      const found = await Promise.all(names.map((name) => state.text(name)));
      assert.deepEqual(found, names.map(text));
    });
  });

  it('outlives a process that ends without a word', async () => {
    const { path, sums, reopened } = await start();
    const state = await SyncState.open(path);
    await state.set('a.yaml', file('1'), 'label: Ä\n');
    await state.set(set, file('2'), 'x');
    await state.set('namespaces/a/datasets/x/data/p.csv', file('3'));
    await state.move(set, 'namespaces/b/datasets/y/dataset.yaml');
    await state.flush();
    const expected = {
      'a.yaml': '1',
      'namespaces/b/datasets/y/data/p.csv': '3',
      'namespaces/b/datasets/y/dataset.yaml': '2',
    };
    await reopened(async (found) => {
      assert.deepEqual(sums(found), expected);
      assert.equal(await found.text('a.yaml'), 'label: Ä\n');
      assert.equal(await found.text('namespaces/b/datasets/y/dataset.yaml'), 'x');
      assert.equal(found.header.tag, null);
    });
    await state.close();
  });

  it('is written anew at the end, with the tag that it is worth', async () => {
    const { path, sums, reopened } = await start();
    await reopened(async (state) => {
      for (let i = 0; i < 50; i++) await state.set('a.yaml', file(String(i)), `text ${i}`);
      await state.set(set, file('s'), 'x');
      await state.move(set, 'namespaces/b/datasets/y/dataset.yaml');
      await state.finish({ tag: 'T', seenBy: ['user ann'] });
    });
    assert.equal(readFileSync(path, 'utf8').trimEnd().split('\n').length, 3);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await reopened(async (state) => {
      assert.deepEqual(state.header, { tag: 'T', seenBy: ['user ann'] });
      assert.deepEqual(sums(state), { 'a.yaml': '49', 'namespaces/b/datasets/y/dataset.yaml': 's' });
      assert.equal(await state.text('a.yaml'), 'text 49');
      assert.equal(await state.text('namespaces/b/datasets/y/dataset.yaml'), 'x');
    });
    const before = readFileSync(path);
    await reopened((state) => state.finish({ tag: 'T', seenBy: ['user ann'] }));
    assert.deepEqual(readFileSync(path), before);
    assert.ok(!readdirSync(home).some((name) => name.endsWith('.new')));
  });

  it('is not written anew while most of it is of use', async () => {
    const { path, sums, reopened } = await start();
    const runs = async (tag: string, checksum: string) =>
      reopened(async (state) => {
        await state.set('a.yaml', file(checksum), `text ${checksum}`);
        await state.finish({ tag, seenBy: [] });
      });
    await reopened(async (state) => {
      for (let i = 0; i < 5; i++) await state.set(`${i}.yaml`, file(String(i)), `text ${i}`);
      await state.finish({ tag: 'one', seenBy: ['user ann'] });
    });
    const before = readFileSync(path, 'utf8');
    await runs('two', 'x');
    assert.ok(readFileSync(path, 'utf8').startsWith(before));
    await reopened(async (state) => {
      assert.deepEqual(state.header, { tag: 'two', seenBy: [] });
      assert.deepEqual(sums(state), {
        '0.yaml': '0',
        '1.yaml': '1',
        '2.yaml': '2',
        '3.yaml': '3',
        '4.yaml': '4',
        'a.yaml': 'x',
      });
      assert.equal(await state.text('a.yaml'), 'text x');
      // Nothing has changed: nothing is added.
      await state.finish({ tag: 'two', seenBy: [] });
    });
    assert.equal(readFileSync(path, 'utf8').trimEnd().split('\n').length, 8);
    for (let i = 0; i < 10; i++) await runs('three', String(i));
    assert.ok(readFileSync(path, 'utf8').split('\n').length <= 15);
    await reopened(async (state) => assert.equal(await state.text('a.yaml'), 'text 9'));
  });

  it('knows the rights by which its files were seen, also when a run is interrupted, and none that an older program wrote', async () => {
    const { path, reopened } = await start();
    await reopened(async (state) => {
      await state.begin(['user ann'], {});
      await state.set('a.yaml', file('1'), 'x');
      await state.finish({ tag: 'T', seenBy: ['user ann'] });
    });
    const before = readFileSync(path);
    await reopened((state) => state.begin(['user ann'], {}));
    assert.deepEqual(readFileSync(path), before);
    await reopened(async (state) => {
      await state.begin(['group g', 'user bob'], {});
      await state.set('b.yaml', file('1'), 'x');
    });
    await reopened((state) =>
      assert.deepEqual(state.header, { tag: null, seenBy: ['group g', 'user ann', 'user bob'] }),
    );
    appendFileSync(path, '{"state":1,"tag":"T","signedIn":true,"lines":0}\n');
    await reopened((state) => assert.deepEqual(state.header, { tag: 'T', seenBy: ['unknown'] }));
    appendFileSync(path, '{"state":1,"tag":"T","signedIn":false,"lines":0}\n');
    await reopened((state) => assert.deepEqual(state.header, { tag: 'T', seenBy: [] }));
  });

  it('is worth no tag when something was added since', async () => {
    const { reopened } = await start();
    await reopened(async (state) => {
      await state.set('a.yaml', file('1'), 'x');
      await state.finish({ tag: 'T', seenBy: [] });
    });
    await reopened((state) => state.remove('a.yaml'));
    await reopened((state) => {
      assert.equal(state.header.tag, null);
      assert.equal(state.files.size, 0);
    });
  });

  it('is whole without a last line that was torn off', async () => {
    const { path, sums, reopened } = await start();
    await reopened((state) => state.set('a.yaml', file('1'), 'x'));
    appendFileSync(path, '{"path":"b.yaml","check');
    await reopened((state) => state.set('c.yaml', file('3'), 'x'));
    await reopened((state) => assert.deepEqual(sums(state), { 'a.yaml': '1', 'c.yaml': '3' }));
  });

  it('drops with a dataset what lies in its folder, and forgets one file alone', async () => {
    const { sums, reopened } = await start();
    await reopened(async (state) => {
      for (const path of [set, 'namespaces/a/datasets/x/data/p.csv', 'namespaces/a/namespace.yaml'])
        await state.set(path, file('1'));
      await state.forget('namespaces/a/namespace.yaml');
    });
    await reopened(async (state) => {
      assert.equal(state.files.size, 2);
      await state.remove(set);
    });
    await reopened((state) => assert.deepEqual(sums(state), {}));
  });

  it('moves and removes thousands of folders in a time that grows with their number', async () => {
    const { reopened } = await start();
    const pathOf = (namespace: string, i: number, name: string) => `namespaces/${namespace}/datasets/d${i}/${name}`;
    const timeOf = (count: number) =>
      reopened(async (state) => {
        const names = ['dataset.yaml', 'versions/1.yaml', 'data/1.csv'];
        for (let i = 0; i < count; i++) for (const name of names) await state.set(pathOf('a', i, name), file('1'));
        const started = performance.now();
        for (let i = 0; i < count; i++)
          await state.move(pathOf('a', i, 'dataset.yaml'), pathOf('b', i, 'dataset.yaml'));
        assert.ok(
          state.files.has(pathOf('b', count - 1, 'data/1.csv')) && !state.files.has(pathOf('a', 0, 'data/1.csv')),
        );
        for (let i = 0; i < count; i++) await state.remove(pathOf('b', i, 'dataset.yaml'));
        assert.equal(state.files.size, 0);
        return performance.now() - started;
      });
    await timeOf(100);
    const [few, many] = [await timeOf(100), await timeOf(1600)];
    // A look at all files for each of them takes 256 times as long.
    assert.ok(many < 100 * Math.max(few, 5), `${few} ms for 100 folders, ${many} ms for 1,600`);
  });
});
