import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ConflictError, NotFoundError } from '../../src/catalogue/errors.ts';
import { createRecord, editRecord, formatOf, RecordAdapter } from '../../src/files/writing/pen.ts';

const order = ['id', 'label', 'keywords'];
let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'catalogue-pen-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

test('an edit reads what the file says now, and writes no more than what changed', async () => {
  await writeFile(join(root, 'a.yaml'), '# mine\nlabel: x # c\nn: 1\n');
  const done = await editRecord(root, 'a.yaml', (value) => ({ id: Number(value.n) + 1, label: 'y' }), order);
  assert.deepEqual(done, { changed: true, text: '# mine\nid: 2\nlabel: y # c\nn: 1\n' });
  assert.equal(await readFile(join(root, 'a.yaml'), 'utf8'), done.text);
  await writeFile(join(root, 'a.json'), '{"label":"x"}');
  await editRecord(root, 'a.json', () => ({ id: 1 }), order);
  assert.equal(await readFile(join(root, 'a.json'), 'utf8'), '{"id":1,"label":"x"}');
  assert.deepEqual((await readdir(root)).toSorted(), ['.catalogue', 'a.json', 'a.yaml']);
});

test('where nothing changes nothing is written', async () => {
  await writeFile(join(root, 'a.yaml'), "label:   'x'\n");
  const before = await stat(join(root, 'a.yaml'));
  assert.equal((await editRecord(root, 'a.yaml', () => ({ label: 'x', id: undefined }), order)).changed, false);
  const after = await stat(join(root, 'a.yaml'));
  assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs]);
});

test('edits at the same time are all there in the end', async () => {
  await writeFile(join(root, 'a.yaml'), 'keywords: [] # all of them\n');
  const numbers = Array.from({ length: 25 }, (_, index) => `k${index}`);
  await Promise.all(
    numbers.map((keyword) =>
      editRecord(root, 'a.yaml', ({ keywords }) => ({ keywords: [...(keywords as string[]), keyword] }), order),
    ),
  );
  assert.equal(
    await readFile(join(root, 'a.yaml'), 'utf8'),
    `keywords: # all of them\n${numbers.map((k) => `  - ${k}\n`).join('')}`,
  );
});

test('a broken file is not touched, and its fault has a place', async () => {
  await writeFile(join(root, 'a.yaml'), 'id: 1\nlabel: a: b\n');
  await assert.rejects(
    editRecord(root, 'a.yaml', () => assert.fail('nothing to change'), order),
    (error) => error instanceof ConflictError && error.message.startsWith('a.yaml:2:8: The value holds ": "'),
  );
  await writeFile(join(root, 'b.yaml'), new Uint8Array([0x61, 0x3a, 0x20, 0xff]));
  await assert.rejects(
    editRecord(root, 'b.yaml', () => ({}), order),
    /b\.yaml isn't UTF-8/,
  );
  assert.equal(await readFile(join(root, 'a.yaml'), 'utf8'), 'id: 1\nlabel: a: b\n');
});

test('a record that is not there is not found; errors of the change come out', async () => {
  await assert.rejects(
    editRecord(root, 'none/a.yaml', () => ({}), order),
    NotFoundError,
  );
  await writeFile(join(root, 'a.yaml'), 'id: 1\n');
  await assert.rejects(
    editRecord(
      root,
      'a.yaml',
      () => {
        throw new RangeError('mine');
      },
      order,
    ),
    RangeError,
  );
  assert.equal(await new RecordAdapter(join(root, 'none.yaml')).read(), null);
});

test('a new record gets its folders, once', async () => {
  await createRecord(root, 'namespaces/a/namespace.yaml', 'label: x\n');
  assert.equal(await readFile(join(root, 'namespaces/a/namespace.yaml'), 'utf8'), 'label: x\n');
  await assert.rejects(
    createRecord(root, 'namespaces/a/namespace.yaml', 'label: y\n'),
    (error) => error instanceof ConflictError && error.message === 'namespaces/a/namespace.yaml exists already.',
  );
  assert.equal(await readFile(join(root, 'namespaces/a/namespace.yaml'), 'utf8'), 'label: x\n');
  assert.deepEqual(await readdir(join(root, 'namespaces/a')), ['namespace.yaml']);
  await mkdir(join(root, 'folder.yaml'));
  await assert.rejects(createRecord(root, 'folder.yaml', 'x'), ConflictError);
});

test('the name tells the format', () => {
  assert.deepEqual(['a.json', 'b.JSON', 'c.yaml', 'd.yml'].map(formatOf), ['json', 'json', 'yaml', 'yaml']);
});
