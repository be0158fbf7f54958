/** The cache of derived files: made once, bounded, disposable; nothing that isn't right is ever read from it. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DerivedFileStore, type StoredFile } from '../../../src/data/derived/derived-file-store.ts';
import { type DerivedFile, FileInTheMaking } from '../../../src/data/derived/file-in-the-making.ts';

const parent = mkdtempSync(join(tmpdir(), 'derived-'));
after(() => rmSync(parent, { recursive: true, force: true }));

/** A document of chunks, which counts how often it is made. */
function source(key: string, chunks: readonly (string | Error)[] = ['one ', 'two ', 'three']) {
  const made = { count: 0 };
  const derived: DerivedFile = {
    key,
    extension: 'txt',
    async *chunks() {
      made.count++;
      for (const chunk of chunks) {
        await new Promise(setImmediate);
        if (chunk instanceof Error) throw chunk;
        yield Buffer.from(chunk);
      }
    },
  };
  return { derived, made };
}

let folders = 0;
function store(options: { maxBytes?: number; freeBytes?: () => number; folder?: string } = {}) {
  const folder = options.folder ?? join(parent, `${folders++}`);
  const { maxBytes = 1e6, freeBytes = () => Number.POSITIVE_INFINITY } = options;
  const opened = new DerivedFileStore({
    async folder() {
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    maxBytes: () => maxBytes,
    freeBytes: async () => freeBytes(),
  });
  return { store: opened, folder };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

async function contentOf(stored: StoredFile | null): Promise<string | null> {
  if (!stored) return null;
  const text = await stored.file.readFile('utf8');
  await stored.file.close();
  return text;
}

describe('a derived file', () => {
  it('is made once, however many ask for it at a time, and found by another process', async () => {
    const { store: one, folder } = store();
    const { derived, made } = source('a');
    assert.equal(await one.open(derived), null);
    const texts = await Promise.all([
      textOf(one.chunks(derived)),
      one.make(derived).then(async () => contentOf(await one.open(derived))),
      textOf(one.chunks(derived)),
    ]);
    assert.deepEqual(texts, ['one two three', 'one two three', 'one two three']);
    assert.equal(made.count, 1);
    assert.match(readdirSync(folder)[0] ?? '', /^a-13-[0-9a-f]{8}\.txt$/);
    assert.equal(await contentOf(await store({ folder }).store.open(derived)), 'one two three');
  });

  it('is made again if it was truncated, damaged or deleted, even with its folder', async () => {
    const { store: one, folder } = store();
    const { derived, made } = source('b');
    await one.make(derived);
    const path = join(folder, readdirSync(folder)[0] ?? '');
    const spoil: (() => void)[] = [
      () => truncateSync(path, 5),
      () => writeFileSync(path, 'one twO three'),
      () => rmSync(path),
      () => rmSync(folder, { recursive: true }),
    ];
    for (const [times, damage] of spoil.entries()) {
      damage();
      assert.equal(await one.open(derived), null);
      assert.equal(await one.make(derived), true);
      assert.equal(await contentOf(await one.open(derived)), 'one two three');
      assert.equal(made.count, times + 2);
    }
  });

  it('is checked once after the start, however many ask for it at a time', async (t) => {
    const { folder } = store();
    const { derived } = source('checked', ['x'.repeat(3_000_000)]);
    await store({ folder, maxBytes: 1e7 }).store.make(derived);
    const someFile = await open(join(folder, readdirSync(folder)[0] ?? ''));
    const { mock } = t.mock.method(Object.getPrototypeOf(someFile) as FileHandle, 'read');
    await someFile.close();
    const { store: started } = store({ folder, maxBytes: 1e7 });
    const opened = await Promise.all(Array.from({ length: 20 }, () => started.open(derived)));
    const bytes = await Promise.all(mock.calls.map(async ({ result }) => (await result)?.bytesRead ?? 0));
    assert.equal(
      bytes.reduce((sum, read) => sum + read, 0),
      3_000_000,
    );
    for (const stored of opened) assert.equal((await contentOf(stored))?.length, 3_000_000);
  });

  it('is not checked any further when the store is closed, and stays', async () => {
    const { folder } = store();
    const { derived } = source('large', ['x'.repeat(9_000_000)]);
    await store({ folder, maxBytes: 1e7 }).store.make(derived);
    const { store: started } = store({ folder, maxBytes: 1e7 });
    const opening = assert.rejects(started.open(derived), /^UnavailableError: The server is shutting down\.$/);
    await started.close();
    await opening;
    assert.equal(readdirSync(folder).length, 1);
  });

  it('of a format that is complete at once is made once, and then sent', async () => {
    const { store: one, folder } = store();
    let made = 0;
    const writeTo = async (path: string) => {
      made++;
      await new Promise(setImmediate);
      writeFileSync(path, 'whole');
    };
    const derived = { ...source('m').derived, writeTo };
    const texts = await Promise.all([textOf(one.chunks(derived)), textOf(one.chunks(derived))]);
    assert.deepEqual(texts, ['whole', 'whole']);
    assert.deepEqual([made, readdirSync(folder).length], [1, 1]);
  });

  it('is sent, and not stored, if the folder of the cache can not be made', async () => {
    const { derived, made } = source('n');
    const one = new DerivedFileStore({
      folder: () => Promise.reject(Object.assign(new Error('EROFS: read-only file system'), { syscall: 'mkdir' })),
      maxBytes: () => 1e6,
    });
    assert.equal(await textOf(one.chunks(derived)), 'one two three');
    assert.equal(await one.make(derived), false);
    assert.equal(made.count, 1);
  });

  it('that fails half-way leaves nothing, and passes the error on', async () => {
    const { store: one, folder } = store();
    const { derived } = source('c', ['one', new Error('broken')]);
    await assert.rejects(textOf(one.chunks(derived)), /broken/);
    await assert.rejects(one.make(derived), /broken/);
    assert.deepEqual(readdirSync(folder), []);
    await one.close();
  });

  it('that fails is deleted before its readers get the error', async () => {
    const path = join(mkdtempSync(join(parent, 'making-')), 'new');
    let fail = () => {};
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const file = new FileInTheMaking({
      key: 'f',
      extension: 'txt',
      async *chunks() {
        yield Buffer.from('one');
        await failed;
        throw new Error('broken');
      },
    });
    const made = file.make(path, async () => {}, new AbortController().signal);
    made.catch(() => {});
    const reader = file.read();
    await reader.next();
    fail();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await assert.rejects(reader.next(), /broken/);
    assert.ok(!existsSync(path));
    await assert.rejects(made, /broken/);
  });

  it('is sent whole and not kept if the disk becomes full meanwhile', async () => {
    let free = Number.POSITIVE_INFINITY;
    const { store: one, folder } = store({ maxBytes: 1e12, freeBytes: () => free });
    const big = Buffer.alloc(20 * 1024 ** 2, 'x');
    let fill = () => {};
    const full = new Promise<void>((resolve) => {
      fill = resolve;
    });
    const { derived, made } = source('d');
    const filling = {
      ...derived,
      async *chunks() {
        yield* derived.chunks();
        yield big;
        await full;
        yield big;
        yield Buffer.from('end');
      },
    };
    const chunks = one.chunks(filling);
    const first = await chunks.next();
    free = 1000;
    fill();
    const rest = await textOf(chunks);
    assert.equal((first.value as Uint8Array).length + rest.length, 13 + 2 * big.length + 3);
    assert.ok(rest.endsWith('xend'));
    assert.equal(made.count, 2);
    assert.deepEqual(readdirSync(folder), []);
    assert.equal(await one.make(derived), false);
    assert.equal(made.count, 2, 'it is not tried again at once');
  });

  it('is not kept if it is larger than the cache, or nothing is to be kept', async () => {
    for (const maxBytes of [12, 0]) {
      const { store: one } = store({ maxBytes });
      const { derived } = source('e');
      assert.equal(await textOf(one.chunks(derived)), 'one two three');
      assert.equal(await one.make(derived), false);
      assert.equal(await one.open(derived), null);
    }
  });

  it('that was used least recently is deleted first, and can be read to its end', async () => {
    const { store: one, folder } = store({ maxBytes: 30 });
    const [f, g, h] = ['f', 'g', 'h'].map((key) => source(key).derived) as [DerivedFile, DerivedFile, DerivedFile];
    await one.make(f);
    await one.make(g);
    for (const [i, name] of readdirSync(folder).sort().entries()) utimesSync(join(folder, name), i + 1, 1);
    const open = await one.open(g);
    await contentOf(await one.open(f));
    utimesSync(join(folder, readdirSync(folder).sort()[1] ?? ''), 1, 1);
    writeFileSync(join(folder, '.left'), 'x');
    utimesSync(join(folder, '.left'), 1, 1);
    await one.make(h);
    assert.deepEqual(
      readdirSync(folder)
        .map((name) => name[0])
        .sort(),
      ['f', 'h'],
    );
    assert.equal(await contentOf(open), 'one two three');
    assert.equal(await one.open(g), null);
    assert.equal(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8'), 'one two three');
  });

  it('that waits for others is sent without being kept', async () => {
    const { store: one } = store();
    const sources = ['i', 'j', 'k'].map((key) => source(key));
    const [first, second, third] = sources.map(({ derived }) => one.chunks(derived)) as AsyncGenerator<Uint8Array>[];
    await Promise.all([first?.next(), second?.next()]);
    assert.equal(await textOf(third as AsyncGenerator<Uint8Array>), 'one two three');
    await one.close();
  });

  it('is not finished when the store is closed', async () => {
    const { store: one, folder } = store();
    const { derived } = source(
      'l',
      Array.from({ length: 1000 }, () => 'x'),
    );
    const making = one.make(derived);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await one.close();
    await assert.rejects(making, /^UnavailableError: The server is shutting down\.$/);
    assert.deepEqual(readdirSync(folder), []);
  });
});

it('a file that was closed before anybody read it is an error to its reader, and not empty', async () => {
  const file = new FileInTheMaking(source('late').derived);
  const folder = mkdtempSync(join(parent, 'late-'));
  await file.make(join(folder, 'file'), async () => {}, new AbortController().signal);
  await assert.rejects(textOf(file.read()), /closed before it was read/);
});
