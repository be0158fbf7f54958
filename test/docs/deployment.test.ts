/** The unit file and the Containerfile start the server with options that it has, and "npm start" ends with npm. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { run, start, temporaryFolder } from '../support/program.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(checkout, name), 'utf8');
const answers = (port: number) => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok);

describe('the command that starts the server', () => {
  const home = temporaryFolder();
  after(home.remove);

  const unit = /^ExecStart=\S+\/catalogue (.*)$/m.exec(read('deploy/catalogue.service'))?.[1]?.split(' ') ?? [];
  const container = JSON.parse(/^CMD (\[.*\])$/m.exec(read('deploy/Containerfile'))?.[1] ?? '[]') as string[];
  for (const [name, words] of Object.entries({ 'catalogue.service': unit, Containerfile: container }))
    it(`is right in deploy/${name}, and SIGTERM ends it`, async () => {
      assert.equal(words[0], 'serve');
      const folder = join(home.path, name);
      assert.equal((await run(['init', folder], { cwd: home.path })).exitCode, 0);
      const port = await freePort();
      const args = words.map((word) => (word === '8000' ? String(port) : /^\/(data|var)/.test(word) ? folder : word));
      const child = start(args, { cwd: home.path });
      await until(() => answers(port), 20_000);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });

  it('copies files into the container that exist', () => {
    const [, copied = ''] = /^COPY (package\.json .*) \.\/$/m.exec(read('deploy/Containerfile')) ?? [];
    for (const name of copied.split(' ')) assert.ok(read(name), name);
  });

  it('is also "npm start": a signal to npm ends the server', async () => {
    const port = await freePort();
    const npm = spawn('npm', ['start', '--', '--port', String(port), '--data', join(home.path, 'Containerfile')], {
      cwd: checkout,
      stdio: 'ignore',
    });
    await until(() => answers(port), 30_000);
    npm.kill('SIGTERM');
    await until(
      () =>
        answers(port).then(
          () => false,
          () => true,
        ),
      20_000,
    );
  });
});
