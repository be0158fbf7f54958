/** The commands of docs/importing.md write what it says. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeRoot, type } from '../support/prompt.ts';

const page = readFileSync(new URL('../../docs/importing.md', import.meta.url), 'utf8');
const [, block = ''] = /^```console\n(.*?)^```$/ms.exec(page) ?? [];
const commands = block.split(/^\$ /m).slice(1);

it('the commands of docs/importing.md write what it says', async () => {
  const root = await makeRoot({ settings: { title: 'Empty' } });
  cpSync(fileURLToPath(new URL('../fixtures/catalogues/', import.meta.url)), dirname(root), { recursive: true });
  assert.ok(commands.length >= 4);
  for (const command of commands) {
    const [line = '', ...expected] = command.trimEnd().split('\n');
    const { out, err, exitCode } = await type(line.split(' ').slice(1), { root });
    assert.equal(exitCode, 0, err);
    // The page shows the rows of a result only with -q.
    assert.deepEqual((line.includes(' -q') ? out : err).trimEnd().split('\n'), expected, line);
  }
});
