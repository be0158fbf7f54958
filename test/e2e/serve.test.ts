import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { run, serve, temporaryFolder } from '../support/program.ts';

describe('catalogue serve', () => {
  const home = temporaryFolder();
  after(home.remove);
  const cwd = home.path;

  before(async () => {
    for (const args of [
      ['init', '--title', 'Springfield'],
      ['namespace', 'add', 'parks', '--label', 'Parks'],
      ['dataset', 'add', 'parks/trees', '--label', 'Trees'],
    ])
      assert.equal((await run(args, { cwd })).exitCode, 0, args.join(' '));
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`answers until ${signal}, and leaves nothing running`, async () => {
      const server = await serve([], { cwd });
      assert.match(server.line, /^Serving Springfield at http:\/\/127\.0\.0\.1:\d+\/$/);
      const root = await fetch(`${server.url}/api/v1/`);
      assert.equal(root.status, 200);
      assert.ok('endpoints' in ((await root.json()) as object));
      const { exitCode, out } = await server.end(signal);
      assert.equal(exitCode, 0);
      assert.equal(out, `${server.line}\n`);
      await assert.rejects(fetch(`${server.url}/api/v1/`));
    });

  it('ends at once when it is told so twice', async () => {
    const server = await serve([], { cwd });
    const { hostname, port } = new URL(server.url);
    // A request that never comes to its end keeps the server from closing.
    const client = connect(Number(port), hostname, () => client.write('GET / HTTP/1.1\r\nHost: x'));
    client.on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    server.signal('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const started = Date.now();
    assert.equal((await server.end('SIGINT')).exitCode, 130);
    assert.ok(Date.now() - started < 5000);
    client.destroy();
  });

  it('serves rows although clients have opened more connections than it may open files', {
    skip: process.platform !== 'linux',
  }, async () => {
    writeFileSync(join(cwd, 'rows.csv'), 'name,height\noak,12\n');
    assert.equal((await run(['publish', 'rows.csv', '--to', 'parks/rows'], { cwd })).exitCode, 0);
    const server = await serve([], { cwd, openFiles: 256 });
    const { hostname, port } = new URL(server.url);
    const connections = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
    const rows = `/api/v1/namespaces/parks/datasets/rows/data/?height=12&_format=objects`;
    try {
      const [first] = connections as [(typeof connections)[0]];
      await Promise.all(connections.map((connection) => once(connection, 'connect')));
      // The system connects them before the server has taken them.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      first.write(`GET ${rows} HTTP/1.1\r\nHost: a\r\n\r\n`);
      const [head] = await once(first, 'data');
      assert.match(String(head), /^HTTP\/1\.1 200 /);
      for (const connection of connections) connection.destroy();
      await until(async () => (await fetch(server.url + rows).catch(() => null))?.status === 200);
    } finally {
      for (const connection of connections) connection.destroy();
      await server.end('SIGTERM');
    }
    assert.doesNotMatch(server.err, /EMFILE/);
  });

  it('shows what the command line changes meanwhile', async () => {
    const server = await serve([], { cwd });
    try {
      await run(['dataset', 'add', 'parks/ponds', '--label', 'Ponds'], { cwd });
      const address = `${server.url}/api/v1/namespaces/parks/datasets/ponds/`;
      const answer = await until(async () => {
        const response = await fetch(address);
        const text = await response.text();
        return response.status === 200 && (JSON.parse(text) as { label: string });
      });
      assert.equal(answer.label, 'Ponds');
      const { out } = await run(['dataset', 'show', 'parks/ponds', '--json'], { cwd });
      const served = (await (await fetch(address)).json()) as { url: string };
      assert.equal(served.url, `${server.url}${JSON.parse(out).url}`);
    } finally {
      await server.end('SIGINT');
    }
  });

  it('reports an object store that cannot be reached, soon after its start', async () => {
    const payloads = { store: 's3://lake/served', endpoint: `http://127.0.0.1:${await freePort()}`, region: 'eu' };
    mkdirSync(join(cwd, 'stored'));
    writeFileSync(join(cwd, 'stored', 'catalogue.yaml'), JSON.stringify({ payloads }));
    const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const server = await serve(['--data', 'stored'], { cwd, env });
    try {
      await until(() => server.err.endsWith('\n'), 20_000);
      const reason = "The object store can't be reached at the moment. Try again later.";
      assert.equal(server.err, `s3://lake/served: ${reason} See: catalogue doctor\n`);
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('ends without waiting for an object store that does not answer', async () => {
    const silent = createNetServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    mkdirSync(join(cwd, 'waiting'));
    const payloads = { store: 's3://lake/served', endpoint, region: 'eu' };
    writeFileSync(join(cwd, 'waiting', 'catalogue.yaml'), JSON.stringify({ payloads }));
    const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const server = await serve(['--data', 'waiting'], { cwd, env });
    try {
      await once(silent, 'connection');
      const began = Date.now();
      const { exitCode, err } = await server.end('SIGTERM');
      assert.deepEqual([exitCode, err], [0, '']);
      assert.ok(Date.now() - began < 5000);
    } finally {
      await server.end('SIGKILL');
      silent.close();
    }
  });

  it('takes the address that links begin with', async () => {
    const server = await serve(['--base-url', 'https://data.example.org/'], { cwd });
    try {
      const answer = await fetch(`${server.url}/api/v1/namespaces/parks/`);
      const { url } = (await answer.json()) as { url: string };
      assert.equal(url, 'https://data.example.org/api/v1/namespaces/parks/');
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('says in one sentence why it does not start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    mkdirSync(join(cwd, 'empty'));
    mkdirSync(join(cwd, 'broken'));
    writeFileSync(join(cwd, 'broken', 'catalogue.yaml'), 'title: [1\n');
    writeFileSync(join(cwd, 'file'), '');
    const cases: readonly [args: string[], message: RegExp][] = [
      [['--port', String(port)], /^error: Port \d+ .*in use.*--port/],
      [['--host', '192.0.2.1', '--port', '0'], /^error: 192\.0\.2\.1 is not an address .*--host/],
      [['--data', 'nowhere'], /^error: .*no folder nowhere.*catalogue init nowhere/],
      [['--data', 'empty'], /^error: .*is not a catalogue.*catalogue init/],
      [['--data', 'file'], /^error: .*is a file/],
      [['--data', 'broken', '--port', '0'], /^error: catalogue\.yaml is broken at line \d+/],
    ];
    try {
      for (const [args, message] of cases) {
        const { exitCode, out, err } = await run(['serve', ...args], { cwd });
        assert.equal(exitCode, 1, args.join(' '));
        assert.equal(out, '');
        assert.match(err, message);
        assert.equal(err.trimEnd().split('\n').length, 1, err);
      }
    } finally {
      taken.close();
    }
  });
});
