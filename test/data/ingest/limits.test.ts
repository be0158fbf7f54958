/** Payloads that are made to be too much: refused, without ever being held in memory as a whole. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test from 'node:test';
import { PayloadError } from '../../../src/data/errors.ts';
import type { PayloadFormat } from '../../../src/data/formats/detect-format.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { collection, ingestPayload, point } from '../support/payloads.ts';

/** A head, and then one letter again and again. */
function* endless(head: string, letter: string, bytes: number): Generator<Buffer> {
  yield Buffer.from(head);
  const chunk = Buffer.alloc(1 << 20, letter);
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
}

const greedy: [string, PayloadFormat, string, string, RegExp][] = [
  ['a line of 200 MB', 'ndjson', '{"a":"', 'x', /^line 1, byte 0: one item is longer than 134217728 bytes/],
  ['a feature of 200 MB', 'geojson', '{"features":[\n{"a":"', 'x', /^line 2, byte 14: one item is longer/],
  ['200 MB and no features', 'geojson', '{"a":"', 'x', /no features within the first 134217728 bytes/],
  ['a CSV row of 200 MB', 'csv', 'a,b\n1,2\n3,', 'x', /^line 3: a row is longer than 16777216 characters/],
  [
    'a quoted cell of 200 MB',
    'csv',
    'a,b\n1,2\n3,"',
    '\n',
    /^line 3: a row is longer than .* or a quote is never closed/,
  ],
  ['200 MB of brackets', 'geojson', '{"features":[{"a":', '[', /nested deeper than 100 levels/],
];
for (const [what, format, head, letter, message] of greedy) {
  test(`${what}: refused`, async () => {
    await assert.rejects(ingest(Readable.from(endless(head, letter, 200_000_000)), { format }), (error) => {
      assert.ok(error instanceof PayloadError, String(error));
      assert.match(error.message, message);
      return true;
    });
  });
}

test('a long row that comes in small chunks is not parsed again with each', async () => {
  function* chunks(): Generator<Buffer> {
    yield Buffer.from('a\n"');
    for (let sent = 0; sent < 6_000_000; sent += 20_000) yield Buffer.alloc(20_000, '""');
  }
  const started = performance.now();
  const ingesting = ingest(Readable.from(chunks()), { format: 'csv' });
  await assert.rejects(ingesting, /^PayloadError: line 2: a quoted cell is never closed/);
  assert.ok(performance.now() - started < 5000);
  const { result, table } = await ingestPayload(`a,b\n"${'x\n'.repeat(1_000_000)}",1\ny,2\n`, 'a.csv');
  assert.equal(result.rows, 2);
  assert.equal(String((await table.row(0)).value(0)).length, 2_000_000);
});

test('a polygon of a million vertices is ingested, and comes back', async () => {
  const ring = Array.from({ length: 1_000_000 }, (_, n) => [Math.cos(n / 2e5) * 50, Math.sin(n / 2e5) * 50]);
  const feature = { ...point({}), geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] } };
  const { table } = await ingestPayload(collection(feature), 'a.geojson');
  const geometry = (await table.row(0)).geometry();
  assert.equal(geometry?.type === 'Polygon' && geometry.coordinates[0]?.length, 1_000_001);
  assert.deepEqual(geometry?.type === 'Polygon' && geometry.coordinates[0]?.[777_777], ring[777_777]);
});

test('thousands of columns of which each row has two', async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `{"k${n % 4000}":${n},"m${n % 37}":"x"}\n`);
  const { result, table } = await ingestPayload(lines.join(''), 'a.ndjson');
  assert.equal(result.columns.length, 4037);
  const place = table.schema.columns.findIndex(({ name }) => name === 'k3999');
  assert.deepEqual([(await table.row(7999)).value(place), (await table.row(8000)).value(place)], [7999, null]);
});
