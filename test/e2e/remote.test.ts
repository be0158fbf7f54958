/** A remote catalogue, through the program: a server as one process, the command line as others. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { type Ended, type RunOptions, run, type Server, serve, start, temporaryFolder } from '../support/program.ts';
import { serveStranger } from '../support/stranger.ts';

const password = 'down the rabbit hole';
const trees = 'name,height\noak,12.5\nelm,9\n';

describe('a remote catalogue', () => {
  const home = temporaryFolder();
  const cwd = home.path;
  const config = join(cwd, '.config', 'catalogue', 'remotes.json');
  const loginOf = () => JSON.parse(readFileSync(config, 'utf8')).logins[0];
  let server: Server;
  /** All that the program has said. */
  const said: string[] = [];

  const at = async (line: string, options: Partial<RunOptions> = {}): Promise<Ended> => {
    const ended = await run(line.split(' '), { cwd, ...options });
    said.push(ended.out, ended.err);
    return ended;
  };
  const done = async (line: string, options: Partial<RunOptions> = {}) => {
    const ended = await at(line, options);
    assert.equal(ended.exitCode, 0, `${line}: ${ended.err}`);
    return ended;
  };

  before(async () => {
    writeFileSync(join(cwd, 'trees.csv'), trees);
    for (const data of ['here', 'there']) {
      await done(`init ${data}`);
      await done(`namespace add parks --label Parks --data ${data}`);
    }
    await done('user add alice --staff true --password-stdin --data there', { input: `${password}\n` });
    server = await serve(['--data', 'there'], { cwd });
    await done(`remote add prod ${server.url}/api/v1/`);
  });
  after(async () => {
    await server?.end('SIGTERM');
    home.remove();
  });

  it('is read by anybody, and written by those who are signed in', async () => {
    assert.equal((await done('namespace list --remote prod')).out, 'parks\tParks\tpublic\t\n');
    const refused = await at('dataset add parks/trees --label Trees --remote prod');
    assert.equal(refused.exitCode, 4);
    assert.match(refused.err, /Sign in with: catalogue login prod\n$/);
    const wrong = await at('login prod --username alice --password-stdin', { input: 'sesame' });
    assert.deepEqual([wrong.exitCode, wrong.out], [4, '']);
    const { err } = await done('login prod --username alice --password-stdin', { input: `${password}\n` });
    assert.match(err, /^Signed in to prod as alice until \d{4}-\d\d-\d\d\.\n$/);
    assert.equal(statSync(config).mode & 0o777, 0o600);
    await done('dataset add parks/trees --label Trees --remote prod');
    assert.ok(existsSync(join(cwd, 'there/namespaces/parks/datasets/trees/dataset.yaml')));
  });

  it('is filled, asked and emptied like one in a folder', async () => {
    await done('dataset add parks/trees --label Trees --data here');
    for (const line of [
      'version add parks/trees trees.csv --notes First',
      'dataset list --json',
      'dataset show parks/trees',
      'column edit parks/trees height --unit m',
      'column list parks/trees',
      'data parks/trees height__gte=10 --format csv',
      'data parks/trees width=1',
      'download parks/trees -o -',
      'dataset show parks/threes',
      'namespace remove parks --yes',
      'version remove parks/trees@latest --yes',
      'dataset remove parks/trees --yes',
      'trash restore parks/trees',
      'check',
    ]) {
      const [here, there] = await Promise.all([at(`${line} --data here`), at(`${line} --remote prod`)]);
      const plain = ({ exitCode, out }: Ended) => [
        exitCode,
        out
          .replaceAll(server.url, '')
          .replace(/\b\d{20}\b/g, 'VERSION')
          .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
          .replace(/("?\bid"?[:\t ] *)\d+/g, '$1NUMBER')
          .split('\n'),
      ];
      assert.deepEqual(plain(there), plain(here), `${line}: ${there.err}`);
    }
  });

  it('is asked with a token that programs have in the environment', async () => {
    const made = await done('token add alice --scope read --label CI --remote prod');
    const token = made.out.trim();
    said.splice(said.indexOf(made.out), 1);
    const options = { env: { CATALOGUE_TOKEN: token, CATALOGUE_REMOTE: server.url } };
    assert.match((await done('token list', options)).out, /\tCI\tread\t/);
    const refused = await at('namespace edit parks --label Green', options);
    assert.equal(refused.exitCode, 4);
    for (const text of said) assert.ok(!text.includes(token), text);
  });

  it('shows password and token to nobody: not in what is said, not in the list of processes', {
    skip: !existsSync('/proc/self/cmdline'),
  }, async () => {
    const child = start(['login', 'prod', '--username', 'alice', '--password-stdin', '--verbose'], { cwd });
    const ended = Promise.all([
      once(child, 'close'),
      text(child.stdout as NodeJS.ReadableStream),
      text(child.stderr as NodeJS.ReadableStream),
    ]);
    const seen = new Set<string>();
    const look = () => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
        try {
          seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
        } catch {
          // It has ended meanwhile.
        }
    };
    look();
    child.stdin?.end(password);
    const looking = setInterval(look, 5);
    const [[exitCode], out, err] = await ended.finally(() => clearInterval(looking));
    assert.equal(exitCode, 0, err);
    said.push(out, err);
    await done('dataset list --remote prod --verbose');
    const { token } = loginOf();
    assert.ok([...seen].some((line) => line.includes('--password-stdin')));
    for (const line of [...seen, ...said])
      for (const secret of [password, token]) assert.ok(!line.includes(secret), line);
  });

  it('is signed in to at a terminal, which doesn’t show the password', {
    skip: !existsSync('/usr/bin/script'),
  }, async () => {
    const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
    const env = { ...process.env, XDG_CONFIG_HOME: join(cwd, '.config') };
    const child = spawn('script', ['-qec', `'${process.execPath}' '${bin}' login prod`, '/dev/null'], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let seen = '';
    const asked = async (question: string) => {
      while (!seen.includes(question)) seen += String((await once(child.stdout, 'data'))[0]);
      // The question may be there before the terminal is told to show nothing.
      await new Promise((resolve) => setTimeout(resolve, 500));
    };
    await asked('User name at ');
    child.stdin.write('alice\r');
    await asked('Password of alice at ');
    child.stdin.write(`${password}\r`);
    child.stdout.on('data', (chunk) => {
      seen += String(chunk);
    });
    assert.deepEqual(await once(child, 'close'), [0, null], seen);
    assert.match(seen, /Signed in to prod as alice/);
    assert.ok(!seen.includes('rabbit'), seen);
  });

  it('that can’t be had is told in one sentence, with exit code 6', async (t) => {
    const secure = await serveStranger(t, 'application/json', '{}', { tls: true });
    const page = await serveStranger(t, 'text/html', '<h1>Welcome</h1>');
    for (const [url, sentence] of [
      [`http://127.0.0.1:${await freePort()}`, /Nobody answers at/],
      [secure, /isn't trusted/],
      [page, /There is no catalogue at/],
    ] as const) {
      const { exitCode, out, err } = await at(`dataset list --remote ${url}`);
      assert.deepEqual([exitCode, out], [6, ''], err);
      assert.match(err, sentence);
      assert.equal(err.trim().split('\n').length, 1, err);
    }
  });

  it('is left: the token is worthless then', async () => {
    const { token, url } = loginOf();
    const me = () => fetch(`${url}/api/v1/users/me/`, { headers: { Authorization: `Token ${token}` } });
    assert.equal((await me()).status, 200);
    await done('logout prod');
    assert.equal((await me()).status, 401);
    assert.equal(loginOf(), undefined);
    assert.equal((await at('trash list --remote prod')).exitCode, 4);
  });
});
