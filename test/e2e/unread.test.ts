/** Commands whose output nobody reads to its end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { type Ended, run, runInto, runUnread, start, temporaryFolder } from '../support/program.ts';

describe('output that nobody reads', () => {
  const home = temporaryFolder();
  after(home.remove);
  const cwd = home.path;
  const namespaces = (root: string) => ['first', 'second'].map((name) => existsSync(join(root, 'namespaces', name)));

  /** Makes a catalogue with two saved sources. @returns the path of its folder */
  async function makeCatalogue(name: string): Promise<string> {
    const root = join(cwd, name);
    assert.equal((await run(['init', name], { cwd })).exitCode, 0);
    writeFileSync(
      join(root, 'catalogue.yaml'),
      'sources:\n  a: {url: ../source, to: first}\n  b: {url: ../source, to: second}\n',
    );
    return root;
  }

  /** Runs a command whose messages nobody reads. */
  async function runUnheard(args: readonly string[]): Promise<Omit<Ended, 'err'>> {
    const child = start(args, { cwd });
    child.stdin?.end();
    child.stderr?.destroy();
    const [[exitCode], out] = await Promise.all([once(child, 'close'), text(child.stdout as NodeJS.ReadableStream)]);
    return { exitCode, out };
  }

  before(() => {
    mkdirSync(join(cwd, 'source'));
    writeFileSync(join(cwd, 'source/rows.csv'), 'a,b\n1,2\n');
  });

  it('does not end a command that is at work', async () => {
    const root = await makeCatalogue('unread');
    assert.equal((await runUnread(['refresh'], { cwd: root })).exitCode, 0);
    assert.deepEqual(namespaces(root), [true, true]);
  });

  it('does not end a command that is at work when the disk is full, and is an error', async () => {
    const root = await makeCatalogue('full');
    const { exitCode, err } = await runInto('/dev/full', ['refresh', '--quiet'], { cwd: root });
    assert.deepEqual([exitCode, err], [1, 'error: The disk is full.\n']);
    assert.deepEqual(namespaces(root), [true, true]);
  });

  it('leaves the exit code as it is, on stdout and on stderr', async () => {
    const root = await makeCatalogue('failing');
    writeFileSync(
      join(root, 'catalogue.yaml'),
      'sources:\n  a: {url: ../source, to: first}\n  b: {url: ../missing, to: second}\n',
    );
    assert.equal((await runUnread(['refresh'], { cwd: root })).exitCode, 1);
    assert.deepEqual(await runUnheard(['--data', 'failing', 'dataset', 'show', 'first/none']), {
      exitCode: 3,
      out: '',
    });
  });

  it('does not end a server', async () => {
    await makeCatalogue('served');
    const child = start(['serve', '--port', '0', '--data', 'served', '--log-format', 'json'], { cwd });
    const closed = once(child, 'close');
    child.stdin?.end();
    const [line] = await once(child.stdout?.setEncoding('utf8') as NodeJS.ReadableStream, 'data');
    child.stderr?.destroy();
    child.stdout?.destroy();
    const url = String(line).trim().split(' ').at(-1);
    for (const _ of [1, 2, 3]) assert.equal((await fetch(`${url}api/v1/`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null]);
  });
});
