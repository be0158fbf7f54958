/** A server and the threads of the program that it is part of. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../support/folder.ts';
import { compilerFor } from '../support/program.ts';

test('a thread that starts with a server, and that nobody waits for, keeps no process alive', async (t) => {
  const { root } = makeFolder({ settings: {} }, t);
  const script = fileURLToPath(new URL('thread-child.ts', import.meta.url));
  const child = spawn(process.execPath, [...compilerFor(script), script, root], {
    stdio: 'inherit',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
