/** Files that a refused payload leaves open: none. */
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { type IngestOptions, ingest } from '../../../src/data/ingest/ingest.ts';
import { IngestPool } from '../../../src/data/ingest/ingest-pool.ts';
import { temporaryFolder } from '../support/payloads.ts';

const pool = new IngestPool();
after(() => pool.close());

const folder = temporaryFolder();
/** Longer than what is read before a payload is refused. */
const page = Buffer.from(`<!DOCTYPE html><title>Not found</title>${' '.repeat(1_000_000)}`);
const refusedFiles: readonly (readonly [
  what: string,
  fileName: string,
  content: Uint8Array,
  options?: IngestOptions,
])[] = [
  ['a page that is called CSV', 'page.csv', page],
  ['an encoding that there is not', 'a.csv', Buffer.alloc(1_000_000, 'a,b\n'), { reading: { encoding: 'x' } }],
  ['a broken GeoPackage', 'a.gpkg', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(100_000, 7)])],
];

/** Files that this process has open there, or in the folder for temporary files. */
function openFiles(): readonly string[] {
  const nameOf = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return '';
    }
  };
  return readdirSync('/proc/self/fd')
    .map(nameOf)
    .filter((name) => name.startsWith(folder) || name.startsWith(join(tmpdir(), 'catalogue-')));
}

const skip = process.platform !== 'linux' && 'descriptors are listed by Linux only';

for (const [what, fileName, content, options] of refusedFiles)
  test(`${what} is closed again`, { skip }, async () => {
    const path = join(folder, fileName);
    writeFileSync(path, content);
    await assert.rejects(ingest(path, { fileName, ...options }), /HTML page|there is no encoding|not a database/);
    await assert.rejects(ingest(Readable.from([content]), { fileName, ...options }));
    assert.deepEqual(openFiles(), []);
  });

test('an upload that is refused is closed again', { skip }, async () => {
  const source = Readable.from([page.subarray(0, 600_000), page.subarray(600_000)]);
  await assert.rejects(pool.ingest(source, { fileName: 'page.csv', copyTo: join(folder, 'copy') }), /HTML page/);
  assert.deepEqual(openFiles(), []);
  assert.ok(source.destroyed);
});
