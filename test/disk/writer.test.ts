import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { WorkerPool } from '../../src/data/worker-pool.ts';
import { hasWriterEnded, markPattern, placeOf, writerMark, writerState } from '../../src/disk/writer.ts';

type Thread = typeof import('./writer-thread.ts');

const [place = '', number = '', run = ''] = writerMark.split('-');

test('a writer that lives is not gone; one that ended is, and so is one that had our number before us', async () => {
  assert.match(writerMark, new RegExp(`^${markPattern.source}$`));
  assert.equal(hasWriterEnded(writerMark), false);
  assert.equal(hasWriterEnded(`${place}-${process.ppid.toString(36)}-00000000`), false);
  assert.equal(hasWriterEnded(`${place}-${number}-00000000`), run !== '00000000');
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  assert.equal(hasWriterEnded(`${place}-${child.pid?.toString(36)}-00000000`), true);
});

test('the threads of a process are writers that run, for each other', async () => {
  const pool = new WorkerPool({ size: 1 });
  const thread = new URL('./writer-thread.ts', import.meta.url).href;
  const { own, other } = await pool.run<Thread, 'marks'>(thread, 'marks', [writerMark]);
  await pool.close();
  assert.deepEqual([writerState(own), other], ['running', 'running']);
});

test('two machines with the same host name are two places', () => {
  const [one, other] = ['1f0c', '2a77'].map((boot) => placeOf('localhost', 'pid:[4026531836]', boot));
  assert.notEqual(one, other);
  assert.match(`${one}-1-00000000`, markPattern);
});

test('of a writer elsewhere nothing is known', () => {
  assert.equal(hasWriterEnded(`${place === '00000000' ? '11111111' : '00000000'}-${number}-${run}`), false);
  assert.equal(hasWriterEnded(''), false);
});
