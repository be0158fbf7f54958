import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { run, serve, start, temporaryFolder } from '../support/program.ts';
import { contentOf } from '../sync/pair.ts';
import { keepInStep } from './keeping-in-step.ts';

describe('clone, pull and push', () => {
  const home = temporaryFolder();
  after(home.remove);

  it('keep two people and a server in step, whatever they do at the same time', async () => {
    await keepInStep(home.path);
  });

  it('go on when the program was killed', async () => {
    const cwd = join(home.path, 'killed');
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    };
    write('there/catalogue.yaml', 'title: There\n');
    write('there/namespaces/a/namespace.yaml', 'id: 1\nlabel: A\n');
    for (let i = 0; i < 400; i++)
      write(`there/namespaces/a/datasets/s${i}/dataset.yaml`, `id: ${i + 1}\nlabel: Set ${i}\n`);
    const server = await serve(['--data', 'there'], { cwd });
    try {
      const clone = ['clone', server.url, 'here'];
      const here = join(cwd, 'here/namespaces/a/datasets');
      for (const count of [1, 150, 300]) {
        const child = start(clone, { cwd });
        const ended = once(child, 'close').then(([exitCode]) => exitCode);
        const isThere = () => existsSync(here) && readdirSync(here).length >= count;
        await Promise.race([until(isThere, 60_000), ended]);
        child.kill('SIGKILL');
        assert.ok([null, 0, 5].includes(await ended));
      }
      const { exitCode, err } = await run(clone, { cwd });
      assert.ok(exitCode === 0 || /already/.test(err), err);
      assert.match((await run(['pull', '--data', 'here'], { cwd })).err, /Already up to date\./);
      assert.deepEqual(contentOf(join(cwd, 'here')), contentOf(join(cwd, 'there')));
      assert.equal((await run(['check', '--data', 'here'], { cwd })).exitCode, 0);
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('say what to type where nothing is known of another catalogue, or what is named is not there', async () => {
    const cwd = join(home.path, 'alone');
    mkdirSync(cwd);
    await run(['init'], { cwd });
    for (const verb of ['pull', 'push', 'diff']) {
      const { exitCode, err } = await run([verb], { cwd });
      assert.equal(exitCode, 2, err);
      assert.match(err, new RegExp(`catalogue ${verb} --remote URL`));
    }
    const { exitCode, err } = await run(['push', '--remote', 'http://127.0.0.1:9'], { cwd });
    assert.equal(exitCode, 6, err);
    const full = await run(['clone', 'http://127.0.0.1:9'], { cwd });
    assert.equal(full.exitCode, 5, full.err);
    assert.match(full.err, /catalogue-data isn't empty.*catalogue clone/);
  });
});
