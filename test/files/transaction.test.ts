/** Transactions on record files: what is written, and what is left alone. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { ConflictError, NotFoundError, StaleError, ValidationError } from '../../src/catalogue/errors.ts';
import type { RecordValue } from '../../src/catalogue/record-set.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type CommitOptions, commit, commitSingleStep } from '../../src/files/transaction.ts';
import { anyVersion, type Change } from '../../src/files/writing/change.ts';
import { makeFolder } from '../support/folder.ts';

async function open(t: TestContext) {
  const folder = makeFolder({ namespaces: { parks: { id: 1, label: 'Parks' } } }, t);
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const text = (path: string) => readFile(folder.path(path), 'utf8');
  const options: CommitOptions = { message: () => 'Test' };
  return {
    folder,
    files,
    text,
    change: (...changes: Change[]) => commitSingleStep(files.access(), { changes }, options),
    dryRun: (...changes: Change[]) => commitSingleStep(files.access(), { changes }, { ...options, dryRun: true }),
    edit: (path: string, set: (record: RecordValue) => RecordValue) =>
      commitSingleStep(files.access(), { changes: [{ do: 'edit', path, set }] }, options),
  };
}

describe('an edit', { concurrency: 4 }, () => {
  it('reads what the file says now, and writes no more than what changed', async (t) => {
    const { folder, edit, text } = await open(t);
    folder.write('groups/a.yaml', '# mine\nlabel: x # c\nn: 1\n');
    await edit('groups/a.yaml', ({ n }) => ({ id: Number(n) + 1, label: 'y' }));
    assert.equal(await text('groups/a.yaml'), '# mine\nid: 2\nlabel: y # c\nn: 1\n');
    folder.write('groups/b.json', '{"label":"x"}');
    await edit('groups/b.json', () => ({ id: 1 }));
    assert.equal(await text('groups/b.json'), '{"id":1,"label":"x"}');
    assert.deepEqual((await readdir(folder.path('groups'))).sort(), ['a.yaml', 'b.json']);
  });

  it('that is refused names the places of thousands of problems in one record', async (t) => {
    const { folder, change } = await open(t);
    const path = 'namespaces/parks/datasets/trees/dataset.yaml';
    const readers = Array.from({ length: 5000 }, (_, i) => `  - g${i}\n`).join('');
    const text = `label: Trees\nreaders:\n${readers}`;
    await assert.rejects(change({ do: 'write', path, text, ifMatch: null }), (error: ValidationError) => {
      const lines = error.fields.non_field_errors as readonly string[];
      assert.equal(lines.length, 5000);
      assert.match(lines.at(-1) ?? '', /dataset\.yaml:5002:5: There is no group g4999\./);
      return true;
    });
    assert.equal((await readdir(folder.path('namespaces/parks'))).includes('datasets'), false);
  });

  it('that changes nothing writes nothing', async (t) => {
    const { folder, edit } = await open(t);
    folder.write('groups/a.yaml', "label:   'x'\n");
    const before = await stat(folder.path('groups/a.yaml'));
    await edit('groups/a.yaml', () => ({ label: 'x', id: undefined }));
    const after = await stat(folder.path('groups/a.yaml'));
    assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs]);
  });

  it('is not lost among others at the same time', async (t) => {
    const { folder, edit, text } = await open(t);
    folder.write('groups/a.yaml', 'label: A\nkeywords: [] # all of them\n');
    const numbers = Array.from({ length: 25 }, (_, index) => `k${index}`);
    await Promise.all(
      numbers.map((keyword) =>
        edit('groups/a.yaml', ({ keywords }) => ({ keywords: [...(keywords as string[]), keyword] })),
      ),
    );
    assert.equal(
      await text('groups/a.yaml'),
      `label: A\nkeywords: # all of them\n${numbers.map((k) => `  - ${k}\n`).join('')}`,
    );
  });

  it('of a broken file is refused with the place of the problem', async (t) => {
    const { folder, edit, text } = await open(t);
    folder.write('groups/a.yaml', 'id: 1\nlabel: a: b\n');
    await assert.rejects(
      edit('groups/a.yaml', () => assert.fail('nothing to change')),
      (error) => error instanceof ConflictError && error.message.startsWith('groups/a.yaml:2:8: The value holds ": "'),
    );
    await writeFile(folder.path('groups/b.yaml'), new Uint8Array([0x61, 0x3a, 0x20, 0xff]));
    await assert.rejects(
      edit('groups/b.yaml', () => ({})),
      /groups\/b\.yaml:1:1: It is not UTF-8/,
    );
    assert.equal(await text('groups/a.yaml'), 'id: 1\nlabel: a: b\n');
  });

  it('of a record that is not there is not found; what the function throws comes out', async (t) => {
    const { folder, edit } = await open(t);
    await assert.rejects(
      edit('groups/none.yaml', () => ({})),
      NotFoundError,
    );
    folder.write('groups/a.yaml', 'label: A\n');
    const fail = () => {
      throw new RangeError('mine');
    };
    await assert.rejects(edit('groups/a.yaml', fail), RangeError);
  });

  it('that would break the schema is refused', async (t) => {
    const { folder, edit, text } = await open(t);
    folder.write('groups/a.yaml', 'label: A\n');
    await assert.rejects(
      edit('groups/a.yaml', () => ({ label: 5 })),
      (error) => error instanceof ValidationError && /groups\/a\.yaml:1:8: label must be text/.test(error.message),
    );
    assert.equal(await text('groups/a.yaml'), 'label: A\n');
  });
});

describe('a new record', { concurrency: 4 }, () => {
  it('gets its folders, once', async (t) => {
    const { folder, change, text } = await open(t);
    const create = (path: string, label: string): Change => ({ do: 'create', path, text: `label: ${label}\n` });
    await change(create('namespaces/a/namespace.yaml', 'x'));
    assert.equal(await text('namespaces/a/namespace.yaml'), 'label: x\n');
    await assert.rejects(change(create('namespaces/a/namespace.yaml', 'y')), /There is a namespace a already\./);
    assert.equal(await text('namespaces/a/namespace.yaml'), 'label: x\n');
    assert.deepEqual(await readdir(folder.path('namespaces/a')), ['namespace.yaml']);
    await mkdir(folder.path('groups/folder.yaml'), { recursive: true });
    await assert.rejects(change(create('groups/folder.yaml', 'x')), ConflictError);
  });
});

describe('several changes', { concurrency: 4 }, () => {
  it('are made all or not at all: one that is refused leaves the others undone', async (t) => {
    const { folder, files, change, text } = await open(t);
    for (const name of ['a', 'b']) folder.write(`groups/${name}.yaml`, `label: ${name}\n`);
    folder.write('users/ann.yaml', 'name: Ann\n');
    const edit = (path: string, set: () => RecordValue): Change => ({ do: 'edit', path, set });
    await assert.rejects(
      change(
        edit('groups/a.yaml', () => ({ label: 'A' })),
        edit('users/ann.yaml', () => ({ groups: ['nobody'] })),
        { do: 'move', path: 'groups/b.yaml', to: 'groups/c.yaml', ifMatch: anyVersion },
      ),
      /There is no group nobody/,
    );
    assert.equal(await text('groups/a.yaml'), 'label: a\n');
    assert.deepEqual((await readdir(folder.path('groups'))).sort(), ['a.yaml', 'b.yaml']);
    assert.equal(files.snapshot.groups.get('a')?.label, 'a');
  });

  it('add an image also if they are made again, since another program has saved the record meanwhile', async (t) => {
    const { folder, change, text } = await open(t);
    folder.write('groups/a.yaml', 'label: A\n');
    for (const replace of [true, false]) {
      const path = `site_media/images/${replace}.png`;
      folder.write('site_media/images/aside', 'bytes');
      let count = 0;
      const set = ({ label }: RecordValue) => {
        if (++count < 3) folder.write('groups/a.yaml', `label: ${label}${count}\n`);
        return { description: `${label} ${replace}` };
      };
      const from = folder.path('site_media/images/aside');
      await change({ do: 'add', path, from, size: 5, replace }, { do: 'edit', path: 'groups/a.yaml', set });
      assert.equal(count, 3);
      assert.equal(await text(path), 'bytes');
      assert.match(await text('groups/a.yaml'), new RegExp(`^label: (A12(?:12)?)\ndescription: \\1 ${replace}\n$`));
    }
  });

  it('are undone where the disk refuses one of them', async (t) => {
    const { folder, change, text } = await open(t);
    folder.write('groups/a.yaml', '# mine\nlabel: a\n');
    const before = await stat(folder.path('groups/a.yaml'));
    const image = 'site_media/x.png';
    await assert.rejects(
      change(
        { do: 'edit', path: 'groups/a.yaml', set: () => ({ label: 'A' }) },
        { do: 'create', path: 'groups/new.yaml', text: 'label: New\n' },
        {
          do: 'move',
          path: 'namespaces/parks/namespace.yaml',
          to: 'namespaces/gardens/namespace.yaml',
          ifMatch: anyVersion,
        },
        { do: 'add', path: image, from: folder.path('not-there'), size: 1 },
      ),
      { code: 'ENOENT' },
    );
    assert.equal(await text('groups/a.yaml'), '# mine\nlabel: a\n');
    // Not the inode: a file system may give a new file the number of one that was removed.
    const after = await stat(folder.path('groups/a.yaml'));
    assert.ok(after.ctimeMs > before.ctimeMs, 'it was written, and written back');
    assert.deepEqual(await readdir(folder.path('groups')), ['a.yaml']);
    assert.deepEqual(await readdir(folder.path('namespaces')), ['parks']);
  });
});

describe('a dry run', { concurrency: 4 }, () => {
  it('says what would be there, and refuses what would be refused, without writing', async (t) => {
    const { folder, dryRun, change } = await open(t);
    const files = () => readdir(folder.root, { recursive: true });
    const before = await files();
    const group: Change = { do: 'create', path: 'groups/a.yaml', text: 'id: 7\nlabel: A\n' };
    const snapshot = await dryRun(group);
    assert.deepEqual([snapshot.groups.get('a')?.id, snapshot.groups.get('a')?.label], [7, 'A']);
    await assert.rejects(dryRun({ ...group, text: 'label: 5\n' }), ValidationError);
    assert.deepEqual(await files(), before);
    await change(group);
    await assert.rejects(dryRun(group), /There is a group a already/);
    const stale: Change = { do: 'write', path: 'groups/a.yaml', text: 'label: B\n', ifMatch: null };
    await assert.rejects(dryRun(stale), StaleError);
    const removed = await dryRun({ do: 'remove', path: 'groups/a.yaml', ifMatch: anyVersion });
    assert.equal(removed.groups.has('a'), false);
    assert.deepEqual(await readdir(folder.path('groups')), ['a.yaml']);
  });

  it('of several steps lets each build on those before', async (t) => {
    const { folder, files } = await open(t);
    const steps: Change[] = [
      { do: 'write', path: 'namespaces/new/namespace.yaml', text: 'label: New\n', ifMatch: null },
      { do: 'write', path: 'namespaces/new/datasets/a/dataset.yaml', text: 'id: 9\nlabel: A\n', ifMatch: null },
      { do: 'write', path: 'namespaces/none/datasets/b/dataset.yaml', text: 'label: B\n', ifMatch: null },
      { do: 'write', path: 'namespaces/new/datasets/c/dataset.yaml', text: 'id: 9\nlabel: C\n', ifMatch: null },
      { do: 'move', path: 'namespaces/new/namespace.yaml', to: 'namespaces/newer/namespace.yaml', ifMatch: anyVersion },
      { do: 'write', path: 'namespaces/newer/datasets/d/dataset.yaml', text: 'label: D\n', ifMatch: null },
      { do: 'remove', path: 'namespaces/newer/datasets/a/dataset.yaml', ifMatch: anyVersion },
    ];
    const options = { dryRun: true, message: () => '' };
    const { outcomes, snapshot } = await commit(
      files.access(),
      steps.map((change) => ({ changes: [change] })),
      options,
    );
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.done ? 'done' : outcome.error.message)),
      [
        'done',
        'done',
        'namespaces/none/datasets/b/dataset.yaml:1:1: There is no namespace none.',
        'The id 9 is already used by dataset new/a.',
        'done',
        'done',
        'done',
      ],
    );
    assert.deepEqual([...(snapshot.folders.get('newer')?.datasets.keys() ?? [])], ['d']);
    assert.deepEqual(await readdir(folder.path('namespaces')), ['parks']);
  });
});
