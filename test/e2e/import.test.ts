/** Imports that are killed: the next one goes on, and clears what was left. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isTemporaryFile, temporaryName } from '../../src/disk/durable.ts';
import { zipOf } from '../data/support/zip.ts';
import { until } from '../support/folder.ts';
import { run, start } from '../support/program.ts';

const cwd = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

test('a file that a killed import has unpacked is removed by the next one, but not that of an import at work', async () => {
  const rows = Array.from({ length: 300_000 }, (_, i) => `tree ${i},${(i * 7919) % 100_003}`).join('\n');
  writeFileSync(join(cwd, 'trees.zip'), zipOf({ 'trees.csv': `name,number\n${rows}\n` }));
  mkdirSync(join(cwd, 'data'));
  writeFileSync(join(cwd, 'data', 'catalogue.yaml'), 'title: City\n');
  const cache = join(cwd, 'data', '.catalogue', 'import');
  const temporaries = () =>
    readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((path) =>
      isTemporaryFile(path.split('/').at(-1) ?? ''),
    );
  const command = ['import', 'trees.zip', '--to', 'city', '--data', 'data', '--json'];
  const child = start(command, { cwd });
  const ended = once(child, 'close');
  await until(() => {
    try {
      return temporaries().length > 0;
    } catch {
      return false;
    }
  });
  child.kill('SIGKILL');
  await ended;
  const [left = ''] = temporaries();
  assert.notEqual(left, '');
  const atWork = `${left.split('/')[0]}/${temporaryName()}`;
  writeFileSync(join(cache, atWork), 'unpacked by this process');

  const { exitCode, out, err } = await run(command, { cwd });
  assert.equal(exitCode, 0, err);
  assert.equal(JSON.parse(out).versions.length, 1);
  assert.deepEqual(temporaries(), [atWork]);
});
