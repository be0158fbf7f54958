/** Data, from a file to rows, with the built program: what is interrupted, killed or cut off leaves nothing. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../support/folder.ts';
import { run, runUnread, serve, start, temporaryFolder } from '../support/program.ts';
import { filesIn } from '../support/prompt.ts';

const example = (path: string) => fileURLToPath(new URL(`../../catalogue-data/namespaces/${path}`, import.meta.url));
const lakes = example('natural-earth/datasets/lakes/data/20171109141839000000.geojson');
const companies = example('datahub/datasets/sp500-constituents/data/20170308060839000000.csv');
const moreCompanies = example('datahub/datasets/sp500-constituents/data/20230413152220000000.csv');

describe('data, from a file to rows', () => {
  const home = temporaryFolder();
  after(home.remove);
  const root = join(home.path, 'catalogue-data');
  const cwd = home.path;

  /** Runs a command line that has to succeed. */
  const done = async (...args: string[]) => {
    const { exitCode, out, err } = await run(args, { cwd });
    assert.equal(exitCode, 0, `${args.join(' ')}: ${err}`);
    return { out, err };
  };

  before(async () => {
    await done('init');
    await done('namespace', 'add', 'lab', '--label', 'Lab');
  });

  it('is published, listed, asked, compared and downloaded', async () => {
    const { out: name, err } = await done('publish', lakes, '--to', 'lab/lakes', '--licence', 'CC0-1.0');
    assert.match(name, /^lab\/lakes@\d{20}\n$/);
    assert.match(err, /geojson, 405 rows, 912 kB\nColumns: 10 added\./);
    assert.match((await done('version', 'list', 'lab/lakes')).out, /^\d{20}\t\S+Z\tgeojson\t405\t911795\tyes\n$/);

    const found = JSON.parse((await done('data', 'lab/lakes', 'name__startswith=Lake', 'scalerank__lte=0')).out);
    assert.ok(found.features.length > 2 && found.features.length < 100);
    for (const { properties } of found.features) assert.match(properties.name, /^Lake/);
    await done('data', 'lab/lakes', '--bbox', '-93,41,-75,50', '-o', 'great.csv');
    assert.match(readFileSync(join(cwd, 'great.csv'), 'utf8'), /Lake Superior/);

    const same = await done('version', 'add', 'lab/lakes', lakes);
    assert.equal(same.out, name);
    assert.match(same.err, /^No version was added: .* has the same bytes\.\n$/);
    assert.equal((await done('version', 'list', 'lab/lakes')).out.split('\n').length, 2);

    const bytes = readFileSync(lakes);
    const checksum = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(cwd, `lakes.geojson.${checksum.slice(0, 12)}.part`), bytes.subarray(0, 500_000));
    const resumed = await done('download', 'lab/lakes', '-o', 'lakes.geojson');
    assert.match(resumed.err, /^Resuming after 500 kB of 912 kB\.\nDownloaded .* checksum verified\)\.\n$/);
    assert.ok(readFileSync(join(cwd, 'lakes.geojson')).equals(bytes));

    await done('publish', companies, '--to', 'lab/companies');
    const added = await done('version', 'add', 'lab/companies', moreCompanies);
    assert.match(added.err, /Columns: 7 added, 2 dropped\.\n {2}\+ Security \(string\)\n/);
    assert.match((await done('diff', 'lab/companies')).out, /^Rows: \d+ added, \d+ removed/m);
    assert.match((await done('check', '--deep')).err, /^\d+ files checked: no errors\.\n$/);
  });

  it('ends quietly when nobody reads on', async () => {
    for (const args of [
      ['data', 'lab/lakes'],
      ['data', 'lab/lakes', '--format', 'csv'],
      ['download', 'lab/lakes', '-o', '-'],
      ['diff', 'lab/companies'],
    ])
      assert.deepEqual(await runUnread(args, { cwd }), { exitCode: 0, err: '' }, args.join(' '));
  });

  /** Starts taking in from a pipe that goes on for ever, and waits until bytes have come. */
  async function takingIn(args: readonly string[]) {
    const child = start(args, { cwd });
    const ended = Promise.all([once(child, 'close'), text(child.stderr as NodeJS.ReadableStream)]);
    child.stdin?.on('error', () => {});
    child.stdin?.write('name,height\n');
    for (let i = 0; i < 30_000; i++) child.stdin?.write(`tree ${i},${i}\n`);
    const halves = () =>
      readdirSync(join(root, 'namespaces/lab/datasets'), { recursive: true })
        .map(String)
        .filter((path) => /\/data\/\.[^/]+\.catalogue-tmp$/.test(path));
    await until(() => halves().length > 0);
    assert.equal(halves().length, 1, 'it is on its way');
    return { child, halves, ended: ended.then(([[exitCode, signal], err]) => ({ exitCode, signal, err })) };
  }

  const versionAdd = ['version', 'add', 'lab/lakes', '-', '--name', 'trees.csv'];

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`leaves nothing of a version that ${signal} stops`, async () => {
      const earlier = filesIn(root);
      for (const args of [versionAdd, ['publish', '-', '--to', 'lab/new', '--name', 'trees.csv']]) {
        const { child, ended } = await takingIn(args);
        child.kill(signal);
        const { exitCode, err } = await ended;
        assert.deepEqual([exitCode, err], [130, 'error: Interrupted. Nothing was kept.\n']);
        assert.deepEqual(filesIn(root), earlier);
      }
    });

  it('sends no half of a file after the server is killed while it makes it; leftovers are gone', async () => {
    const points = Array.from({ length: 60_000 }, (_, i) => `n${i},${(i % 3600) / 10 - 180},${(i % 1600) / 10 - 80}\n`);
    writeFileSync(join(cwd, 'points.csv'), `name,longitude,latitude\n${points.join('')}`);
    await done('publish', 'points.csv', '--to', 'lab/points');
    const cache = join(root, '.catalogue/cache/files');
    const names = () => readdirSync(cache, { recursive: true }).map(String);
    const unfinished = () => names().filter((name) => /\.catalogue-tmp(\.lock)?$/.test(name));
    const killed = await serve([], { cwd });
    const asked = fetch(`${killed.url}/api/v1/namespaces/lab/datasets/points/data.gpkg`).then((r) => r.arrayBuffer());
    asked.catch(() => {});
    await until(() => existsSync(cache) && unfinished().length > 1, 30_000);
    await killed.end('SIGKILL');
    await assert.rejects(asked, TypeError);
    const ends = unfinished().map((name) => name.split('.').at(-1));
    assert.deepEqual(ends.sort(), ['catalogue-tmp', 'lock'], 'the database, and the folder by which SQLite locks it');
    const server = await serve([], { cwd });
    try {
      const get = async (format: string) => {
        const response = await fetch(`${server.url}/api/v1/namespaces/lab/datasets/points/data.${format}`, {
          headers: { Range: 'bytes=0-', 'Accept-Encoding': 'identity' },
        });
        assert.equal(response.status, 206);
        return Buffer.from(await response.arrayBuffer());
      };
      assert.equal((await get('csv')).toString('latin1').split('\n').length, points.length + 2);
      const database = await get('gpkg');
      assert.equal(database.readUInt32BE(28) * 4096, database.length, 'the pages that its head counts');
      await until(() => unfinished().length === 0, 30_000);
      assert.deepEqual(
        names()
          .map((name) => name.split('.').at(-1))
          .sort(),
        ['csv', 'gpkg'],
      );
    } finally {
      await server.end('SIGKILL');
    }
  });

  it('leaves no version where it is killed, and its leftovers are swept away', async () => {
    const earlier = filesIn(root);
    const { child, halves, ended } = await takingIn(versionAdd);
    child.kill('SIGKILL');
    assert.equal((await ended).signal, 'SIGKILL');
    assert.deepEqual(
      filesIn(root).filter((path) => !path.endsWith('.catalogue-tmp')),
      earlier,
    );
    assert.equal((await done('check')).out, '');
    assert.equal((await done('version', 'list', 'lab/lakes')).out.split('\n').length, 2);
    // The next writer sees that the one before is gone.
    await done('version', 'add', 'lab/lakes', companies);
    await done('version', 'remove', 'lab/lakes@latest', '--yes');
    assert.deepEqual(halves(), []);
  });
});
