import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ProcessStarter } from '../../src/data/process-starter.ts';
import { temporaryFolder } from './support/payloads.ts';

describe('processes that are started from a thread', () => {
  const starter = new ProcessStarter();
  const folder = temporaryFolder();
  const program = join(folder, 'program.mjs');
  writeFileSync(program, `process.on('message', (message) => process.send([process.pid, process.argv[2], message]));`);
  const start = (args: readonly string[] = []) =>
    starter.start({ program, args, execArgv: [], serialization: 'advanced' });

  it('get messages and answer, each its own', async () => {
    const processes = ['a', 'b'].map((name) => start([name]));
    for (const [number, started] of processes.entries()) started.send(new Map([['number', number]]));
    const answers = (await Promise.all(processes.map((started) => once(started, 'message')))).map(([answer]) => answer);
    assert.deepEqual(
      answers.map(([, ...others]) => others),
      [
        ['a', new Map([['number', 0]])],
        ['b', new Map([['number', 1]])],
      ],
    );
    assert.ok(answers.every(([pid]) => pid !== process.pid));
    for (const started of processes) started.disconnect();
    await Promise.all(processes.map((started) => once(started, 'ended')));
    assert.ok(processes.every((started) => started.hasEnded));
  });

  it('end when they are killed, also before they run, and are of no use from then on', async () => {
    const started = start();
    started.kill();
    assert.deepEqual([started.isUsable, started.hasEnded], [false, false]);
    await once(started, 'ended');
    assert.deepEqual([started.isUsable, started.hasEnded], [false, true]);
  });

  it('end by themselves if their program is none, and the next one starts', async () => {
    const broken = starter.start({ program: join(folder, 'none.mjs'), args: [], execArgv: [] });
    await once(broken, 'ended');
    const started = start();
    started.send('x');
    await once(started, 'message');
    started.kill();
    await once(started, 'ended');
  });

  it('are told apart from those that the system does not start', async () => {
    // A null byte can't be in an argument: there is no process.
    const started = start(['\0']);
    const reasons: string[] = [];
    started.on('failed', (reason) => reasons.push(reason));
    await once(started, 'ended');
    assert.match(reasons.join(), /null bytes/);
  });
});
