/** Parquet files that claim more than they have: refused before anything is allocated. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PayloadError } from '../../../src/data/errors.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import {
  growingTexts,
  hostileFiles,
  page,
  parquetFile,
  run,
  threeRows,
  withLength,
} from '../support/hostile-parquet.ts';
import { ingestPayload, temporaryFolder, valuesOf } from '../support/payloads.ts';

describe('a Parquet', () => {
  for (const [name, [file, reason]] of Object.entries(hostileFiles))
    it(`with ${name} is refused`, async () => {
      const path = join(temporaryFolder(), 'a.parquet');
      writeFileSync(path, file());
      const before = process.memoryUsage();
      await assert.rejects(ingest(path), (error) => {
        assert.ok(error instanceof PayloadError, String(error));
        assert.match(error.message, reason);
        return true;
      });
      const after = process.memoryUsage();
      assert.ok(after.heapTotal + after.external - before.heapTotal - before.external < 200 * 1024 ** 2);
    });

  it('written by hand is read, if its claims are true', async () => {
    const { table } = await ingestPayload(parquetFile(threeRows, { rows: 3 }), 'a.parquet');
    assert.deepEqual(await valuesOf(table), [[7], [7], [7]]);
  });

  it('of some texts that begin with others is read', async () => {
    const { table } = await ingestPayload(parquetFile(growingTexts(300), { rows: 300, type: 6 }), 'a.parquet');
    assert.deepEqual((await valuesOf(table)).slice(-2), [['x'.repeat(299)], ['x'.repeat(300)]]);
  });

  it('of a million nulls in one run is read: an honest writer makes that, too', async () => {
    const nulls = page(withLength(run(1_000_000, 0)), { values: 1_000_000 });
    const { result } = await ingestPayload(parquetFile(nulls, { rows: 1_000_000, groups: 2 }), 'a.parquet');
    assert.equal(result.rows, 2_000_000);
  });
});
