/** Copies of payloads in the folder for temporary files: only their owner may read them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { IngestPool } from '../../../src/data/ingest/ingest-pool.ts';

const pool = new IngestPool();
for (const [where, read] of Object.entries({ 'in this process': ingest, 'in another process': pool.ingest }))
  it(`are readable by their owner only, ${where}`, async (t) => {
    const [folder, before] = [mkdtempSync(join(tmpdir(), 'catalogue-copies-')), process.env.TMPDIR];
    t.after(() => {
      process.env.TMPDIR = before;
      if (before === undefined) delete process.env.TMPDIR;
      rmSync(folder, { recursive: true });
    });
    process.env.TMPDIR = folder;
    const modes: number[] = [];
    async function* rows() {
      yield Buffer.from('name,salary\n');
      modes.push(...readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777));
      yield Buffer.from('ann,1\n');
    }
    await read(Readable.from(rows()), { fileName: 'a.csv' });
    assert.deepEqual(modes, [0o600]);
    assert.deepEqual(readdirSync(folder), []);
    if (where === 'in another process') await pool.close();
  });
