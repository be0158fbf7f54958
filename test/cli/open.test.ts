import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { commandsToOpenUrl } from '../../src/cli/commands/open.ts';
import { startServer } from '../../src/serve.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';

const base = 'https://data.example.org/x';
const withBase = { ...seed, settings: { base_url: `${base}/` } };
const print = async (...argv: string[]) => (await type(['open', ...argv, '--print'], { seed: withBase })).out;

describe('open', () => {
  it('knows the page of a dataset, a version, a namespace and the catalogue', async () => {
    const datasets = `${base}/api/v1/namespaces/parks/datasets`;
    assert.equal(await print('parks/trees'), `${datasets}/trees/\n`);
    assert.equal(await print('parks/trees@latest'), `${datasets}/trees/version/20200102030405000000/\n`);
    assert.equal(await print('parks'), `${base}/api/v1/namespaces/parks/\n`);
    assert.equal(await print(), `${base}/\n`);
    assert.deepEqual(JSON.parse(await print('parks', '--json')), { url: `${base}/api/v1/namespaces/parks/` });
  });

  it('says what was probably meant', async () => {
    const { exitCode, err } = await type(['open', 'parks/tree'], { seed: withBase });
    assert.equal(exitCode, 3);
    assert.match(err, /Did you mean parks\/trees\?/);
  });

  it('starts $BROWSER with the address, which no shell reads', async () => {
    const root = await makeRoot({ ...seed, settings: { base_url: 'https://data.example.org/$(touch$IFS$9pwned)' } });
    const cwd = dirname(root);
    const browser = (command: string) =>
      type(['open', 'parks'], { root, cwd, env: { BROWSER: command.replaceAll('OUT', join(cwd, 'out')) } });
    for (const command of ['echo > OUT', 'false:echo >> OUT', "echo 'to go' '%s' > OUT"]) {
      const { exitCode, err } = await browser(command);
      assert.equal(exitCode, 0, err);
      assert.match(err, /^Opening https:/);
    }
    assert.equal(
      readFileSync(join(cwd, 'out'), 'utf8'),
      'to go https://data.example.org/$(touch$IFS$9pwned)/api/v1/namespaces/parks/\n',
    );
    assert.ok(!existsSync('pwned'));
  });

  it('prints the address where there is no browser', async () => {
    const { exitCode, err } = await type(['open', 'parks'], {
      seed: withBase,
      env: { BROWSER: 'no-such-browser', PATH: '' },
    });
    assert.notEqual(exitCode, 0);
    assert.match(err, /No browser could be started.* yourself: https:\/\/data\.example\.org\/x\/api/);
  });

  it('finds the server on this machine, or says how to start it', async () => {
    const root = await makeRoot();
    const server = await startServer({ folder: root, host: '127.0.0.1', port: 0 });
    const { port } = new URL(server.url);
    try {
      const { out } = await type(['open', 'parks/trees', '--port', port, '--print'], { root });
      assert.equal(out, `http://127.0.0.1:${port}/api/v1/namespaces/parks/datasets/trees/\n`);
    } finally {
      await server.close();
    }
    const { exitCode, err } = await type(['open', 'parks', '--port', port], { root });
    assert.equal(exitCode, 6);
    assert.match(
      err,
      new RegExp(`No catalogue is served at http://127.0.0.1:${port}\\. .*catalogue serve --port ${port}`),
    );
  });

  it("takes no other server for the catalogue's", async () => {
    const other = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.on('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { exitCode } = await type(['open', '--port', String(port)]);
    assert.equal(exitCode, 6);
    other.close();
  });

  it('hands the address to what each system has', () => {
    const first = (platform: NodeJS.Platform) => commandsToOpenUrl('http://x/', {}, platform)[0];
    assert.deepEqual(first('linux'), { program: 'xdg-open', args: ['http://x/'], isOwn: false });
    assert.deepEqual(first('darwin'), { program: 'open', args: ['http://x/'], isOwn: false });
    assert.deepEqual(first('win32')?.args.at(-1), 'http://x/');
  });
});
