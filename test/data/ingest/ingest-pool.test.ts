/** Ingesting in processes of their own: the same results and errors, limits, and nothing left behind. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PayloadError } from '../../../src/data/errors.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { IngestPool } from '../../../src/data/ingest/ingest-pool.ts';
import { PayloadStream } from '../../../src/data/ingest/payload-stream.ts';
import { compilerFor } from '../../support/program.ts';
import { temporaryFolder } from '../support/payloads.ts';

/** The processes of a parent that read files. */
const readersOf = (parent: number | undefined): readonly string[] =>
  execFileSync('ps', ['-A', '-o', 'ppid=,pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim().startsWith(`${parent} `) && line.includes('ingest-process'));

/** A file whose one item takes long. */
const slow = `{"a":[${'[],'.repeat(10_000_000)}1]}\n`;

describe('a pool of processes that ingest', () => {
  const pool = new IngestPool();
  after(() => pool.close());

  it('returns what ingesting in this process does, and stores an upload', async () => {
    const folder = temporaryFolder();
    const csv = 'name,longitude,latitude\noak,5,52\nelm,,\n';
    const options = { fileName: 'a.csv', cacheFolder: join(folder, 'tables') };
    const expected = await ingest(Readable.from([csv]), options);
    const copyTo = join(folder, 'a.csv');
    assert.deepEqual(await pool.ingest(Readable.from([csv]), { ...options, copyTo }), expected);
    assert.deepEqual(await pool.ingest(copyTo, options), expected);
    assert.deepEqual(readdirSync(join(folder, 'tables')), [expected.checksum]);
  });

  it('returns all columns in order, however many there are', async () => {
    for (const count of [1, 200, 201, 1050]) {
      const names = Array.from({ length: count }, (_, i) => `column ${i}`);
      const csv = `${names.join()}\n${names.map((_, i) => (i % 2 ? i : `text ${i}`)).join()}\n`;
      const options = { fileName: 'wide.csv' };
      const found = await pool.ingest(Readable.from([csv]), options);
      assert.deepEqual(found, await ingest(Readable.from([csv]), options), String(count));
      assert.deepEqual(
        found.statistics.map(({ name }) => name),
        names,
      );
    }
  });

  it('comes after the server, whatever its priority is', async () => {
    setPriority(getPriority() + 1);
    const later = new IngestPool();
    const before = readersOf(process.pid);
    try {
      await later.ingest(Readable.from(['a\n1\n']), { fileName: 'a.csv' });
      const started = readersOf(process.pid).filter((line) => !before.includes(line));
      const pids = started.map((line) => Number(line.trim().split(/\s+/)[1]));
      assert.deepEqual(
        pids.map((pid) => getPriority(pid)),
        [Math.min(19, getPriority() + 5)],
      );
    } finally {
      await later.close();
    }
  });

  it('refuses what ingesting in this process refuses, with line and byte, and keeps no copy', async () => {
    const copyTo = join(temporaryFolder(), 'a.ndjson');
    const refused = await pool
      .ingest(Readable.from(['{"a":1}\n{"a":}\n']), { fileName: 'a.ndjson', copyTo })
      .catch((e) => e);
    assert.ok(refused instanceof PayloadError);
    const direct = await ingest(Readable.from(['{"a":1}\n{"a":}\n']), { fileName: 'a.ndjson' }).catch((e) => e);
    assert.deepEqual([refused.message, refused.line, refused.byte], [direct.message, direct.line, direct.byte]);
    assert.equal(existsSync(copyTo), false);
    await assert.rejects(pool.ingest('/nowhere/a.csv'), { code: 'ENOENT' });
    await assert.rejects(pool.ingest(Readable.from(['<html>']), { fileName: 'a.csv', copyTo }), /it is an HTML page/);
  });

  it('stops when the signal says so before it has begun', async () => {
    const path = join(temporaryFolder(), 'a.csv');
    writeFileSync(path, 'a\n1\n');
    const stop = new AbortController();
    const stopped = pool.ingest(path, { signal: stop.signal });
    queueMicrotask(() => stop.abort());
    await assert.rejects(stopped, { name: 'AbortError' });
  });

  it('stops when the signal says so, and deletes what was begun', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.ndjson'), slow);
    const stop = new AbortController();
    const options = { fileName: 'a.ndjson', cacheFolder: join(folder, 'tables'), signal: stop.signal };
    const reading = pool.ingest(join(folder, 'a.ndjson'), options);
    while (!existsSync(join(folder, 'tables'))) await sleep(10);
    stop.abort(new Error('gone'));
    await assert.rejects(reading, { message: 'gone' });
    assert.deepEqual(readdirSync(join(folder, 'tables')), []);
  });

  it('ends a process that takes too long', async (t) => {
    const brief = new IngestPool({ seconds: 0.01, secondsPerMb: 0 });
    t.after(() => brief.close());
    const path = join(temporaryFolder(), 'a.ndjson');
    writeFileSync(path, slow);
    await assert.rejects(brief.ingest(path), /reading its rows took longer than 1 seconds/);
  });

  it('lets further files wait, and ends a process that is idle for a while', async (t) => {
    const small = new IngestPool({ processes: 1, idle: 0.2 });
    t.after(() => small.close());
    const before = readersOf(process.pid).length;
    const results = await Promise.all(
      ['a\n1\n', 'a\n2\n', 'a\n3\n'].map((csv) => small.ingest(Readable.from([csv]), { fileName: 'a.csv' })),
    );
    assert.deepEqual(
      results.map(({ rows }) => rows),
      [1, 1, 1],
    );
    while (readersOf(process.pid).length > before) await sleep(50);
  });

  it('gives no file to a process that has been told to end', async (t) => {
    const brief = new IngestPool({ processes: 1, idle: 0.02 });
    t.after(() => brief.close());
    for (let number = 0; number < 5; number++) {
      const { rows } = await brief.ingest(Readable.from(['a\n1\n']), { fileName: 'a.csv' });
      assert.equal(rows, 1);
      await sleep(22);
    }
  });

  it('ends with its parent, even if that is killed', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.csv'), 'a\n1\n');
    const module = new URL('../../../src/data/ingest/ingest-pool.ts', import.meta.url).href;
    const script = `
      import { IngestPool } from ${JSON.stringify(module)};
      await new IngestPool().ingest(${JSON.stringify(join(folder, 'a.csv'))});
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, [...compilerFor(module), '--input-type=module', '-e', script]);
    await new Promise((ready) => parent.stdout.once('data', ready));
    const [reader = ''] = readersOf(parent.pid);
    const pid = Number(reader.trim().split(/\s+/)[1]);
    parent.kill('SIGKILL');
    // A process that has ended may stay in the list of processes (Z) until the system's first one takes notice.
    const isRunning = () =>
      execFileSync('ps', ['-A', '-o', 'pid=,stat='], { encoding: 'utf8' })
        .split('\n')
        .some((line) => Number(line.trim().split(/\s+/)[0]) === pid && !line.includes('Z'));
    while (isRunning()) await sleep(50);
  });
});

describe('those who wait for a process', () => {
  it('get their turn when one before them has left', async () => {
    const pool = new IngestPool({ processes: 1 });
    const path = join(temporaryFolder(), 'a.csv');
    writeFileSync(path, 'n\n1\n2\n');
    const leaves = new AbortController();
    const first = pool.ingest(path);
    const left = assert.rejects(pool.ingest(path, { signal: leaves.signal }), { name: 'AbortError' });
    const last = pool.ingest(path);
    leaves.abort();
    await left;
    assert.deepEqual([(await first).size, (await last).size], [6, 6]);
    await pool.close();
  });
});

describe("a copy that can't be made", () => {
  it('leaves its source closed', async () => {
    const source = Readable.from(['a\n1\n']);
    const stream = new PayloadStream(source, { copyTo: join(temporaryFolder(), 'missing', 'a.csv') });
    await assert.rejects(stream.chunks().next(), { code: 'ENOENT' });
    assert.equal(source.destroyed, true);
  });
});
