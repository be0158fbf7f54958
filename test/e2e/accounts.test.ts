/** Accounts through the built program: the command line makes them, the server that is running hears of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../support/folder.ts';
import { run, type Server, serve, temporaryFolder } from '../support/program.ts';

describe('accounts', () => {
  const home = temporaryFolder();
  const cwd = home.path;
  let server: Server;

  const done = async (args: string, input?: string) => {
    const { exitCode, out, err } = await run(args.split(' '), { cwd, ...(input !== undefined && { input }) });
    assert.equal(exitCode, 0, `${args}: ${err}`);
    return out.trim();
  };
  const ask = (path: string, token: string, init: RequestInit = {}) =>
    fetch(server.url + path, {
      ...init,
      headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json' },
    });

  before(async () => {
    await done('init');
    await done('namespace add parks --label Parks --visibility private');
    server = await serve([], { cwd });
  });
  after(async () => {
    await server?.end('SIGTERM');
    home.remove();
  });

  it('made at the prompt are good at the server that runs, until they are taken away', async () => {
    await done('group add gardeners --label Gardeners');
    await done('user add bob --group gardeners --password-stdin', 'builder 7305\n');
    await done('namespace edit parks --owner gardeners');
    assert.equal(statSync(join(cwd, 'catalogue-data', '.catalogue', 'accounts.json')).mode & 0o777, 0o600);

    const token = await done('token add bob --scope read');
    const path = '/api/v1/namespaces/parks/';
    // The server reads new users a moment later.
    await until(async () => (await ask(path, token)).status === 200);
    assert.equal((await fetch(server.url + path)).status, 404);
    assert.equal((await ask(path, token, { method: 'PATCH', body: '{}' })).status, 403);

    const body = JSON.stringify({ username: 'bob', password: 'builder 7305' });
    const headers = { 'Content-Type': 'application/json' };
    const obtained = await fetch(`${server.url}/api/v1/auth/token/obtain/`, { method: 'POST', body, headers });
    const answer = (await obtained.json()) as { token: string };
    assert.equal(obtained.status, 200, JSON.stringify(answer));
    assert.equal((await ask(path, answer.token, { method: 'PATCH', body: '{"label":"Green"}' })).status, 200);
    assert.equal((await done('namespace show parks --json')).includes('"label": "Green"'), true);

    const [id] = (await done('token list bob')).split('\t');
    await done(`token remove ${id} --yes`);
    assert.equal((await ask(path, token)).status, 401);
    assert.equal((await ask(path, answer.token)).status, 200);
    await done('user remove bob --yes');
    assert.equal((await ask(path, answer.token)).status, 401);
  });

  it('have passwords that are not shown while they are typed', { skip: !existsSync('/usr/bin/script') }, async () => {
    await done('user add eve');
    const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
    const command = `'${process.execPath}' '${bin}' user passwd eve`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    let seen = '';
    for (const question of ['New password of eve:', 'Repeat the password:']) {
      while (!seen.includes(question)) seen += String((await once(child.stdout, 'data'))[0]);
      // The question may be there before the terminal is told to show nothing.
      await new Promise((resolve) => setTimeout(resolve, 500));
      child.stdin.write('paradise lost\r');
    }
    child.stdout.on('data', (chunk) => {
      seen += String(chunk);
    });
    assert.deepEqual(await once(child, 'close'), [0, null], seen);
    assert.match(seen, /Changed the password of user eve/);
    assert.ok(!seen.includes('paradise'), seen);
  });
});
