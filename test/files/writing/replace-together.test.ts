/** Records that are replaced together: nothing that others save is lost, and nothing stays behind. */
import assert from 'node:assert/strict';
import fs, { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isTemporaryFile } from '../../../src/disk/durable.ts';
import type { Action } from '../../../src/files/writing/action.ts';
import type { PlannedStep } from '../../../src/files/writing/plan.ts';
import { replaceRecordsOfSteps } from '../../../src/files/writing/replace-together.ts';
import { syncTogether } from '../../../src/files/writing/sync-together.ts';
import type { WriteContext } from '../../../src/files/writing/write-context.ts';
import { temporaryFolder } from '../../data/support/payloads.ts';
import { replaceBuiltin } from '../../support/builtin.ts';
import { makeFolder } from '../../support/folder.ts';

const names = ['one', 'two'];
const context = { wrote() {} } as unknown as WriteContext;

function replacements(root: string, assertUnchanged: (path: string) => void): readonly PlannedStep[] {
  return names.map((name) => {
    const path = `groups/${name}.yaml`;
    const before = readFileSync(join(root, path));
    const file = { bytes: before, replace: async () => {}, assertUnchanged: () => assertUnchanged(join(root, path)) };
    const action: Action = { do: 'replace', path, text: 'label: New\n', file, before, ifChanged: 'retry' };
    return { actions: [action], touched: [], scopes: [] };
  });
}

const folderOfGroups = (t: TestContext) =>
  makeFolder({ groups: Object.fromEntries(names.map((name) => [name, { label: 'Old' }])) }, t);

test('between the comparison with what was read and the new text, no other program has a turn', async (t) => {
  const { root } = folderOfGroups(t);
  const seen: string[] = [];
  const steps = replacements(root, (path) => queueMicrotask(() => seen.push(readFileSync(path, 'utf8'))));
  const outcomes = await replaceRecordsOfSteps(root, steps, context, new AbortController().signal);
  assert.deepEqual([...outcomes.values()], [true, true]);
  assert.deepEqual(seen, ['label: New\n', 'label: New\n']);
});

test('a full disk is not filled with temporary files', async (t) => {
  const { root } = folderOfGroups(t);
  const steps = replacements(root, () => {});
  replaceBuiltin(t, fs, 'writeFileSync', () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  const outcomes = await replaceRecordsOfSteps(root, steps, context, new AbortController().signal);
  assert.equal(outcomes.size, 0, 'Each is tried alone, and says why it fails.');
  assert.deepEqual(readdirSync(join(root, 'groups')).filter(isTemporaryFile), []);
});

test('many files are synced on the file systems that they are on', async (t) => {
  const [root, elsewhere] = [temporaryFolder(), temporaryFolder()];
  // As if it were a mount of its own.
  let looks = 0;
  for (const name of ['lstatSync', 'statSync'] as const) {
    const look = fs[name];
    replaceBuiltin(t, fs, name, (path: string, options: { throwIfNoEntry: false }) => {
      looks++;
      const stats = look(path, options);
      return stats && path.startsWith(elsewhere) ? Object.assign(stats, { dev: stats.dev + 1 }) : stats;
    });
  }
  const makeFiles = (folder: string) =>
    Array.from({ length: 64 }, (_, i) => {
      const path = join(folder, `${i}`);
      writeFileSync(path, 'x');
      return path;
    });
  // In place of the program, one that writes down what it is asked to sync.
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'sync'), `#!/bin/sh\necho "$2" >> '${bin}/asked'\n`);
  chmodSync(join(bin, 'sync'), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${bin}:${PATH}`;
  t.after(() => {
    process.env.PATH = PATH;
  });
  const failed = (path: string) => assert.fail(path);
  await syncTogether(root, makeFiles(root), failed);
  await syncTogether(root, [...makeFiles(elsewhere), join(root, '0')], failed);
  const newFolder = join(elsewhere, 'new');
  mkdirSync(newFolder);
  const newPaths = [newFolder, ...makeFiles(newFolder)];
  looks = 0;
  await syncTogether(root, newPaths, failed, { areNew: true });
  assert.ok(looks <= 2, `${looks} looks for new files in a new folder, and for the root`);
  const [first, ...others] = readFileSync(join(bin, 'asked'), 'utf8').trim().split('\n');
  assert.equal(first, root);
  assert.equal(others.length, 2);
  for (const other of others) assert.ok(other.startsWith(elsewhere), `${other} was synced for files in ${elsewhere}`);
});
