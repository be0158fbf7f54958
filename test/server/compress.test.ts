/** Bodies are compressed whole, some at a time, and none waits for ever. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressBody } from '../../src/server/compress.ts';

const decompressors = { br: brotliDecompressSync, gzip: gunzipSync };

for (const [coding, decompress] of Object.entries(decompressors) as [keyof typeof decompressors, typeof gunzipSync][])
  it(`compresses bodies of all lengths, and more of them than at once: ${coding}`, async () => {
    const lengths = [0, 1, 400, 65_535, 65_536, 300_000, 1_500_000, 300_001, 300_002, 300_003];
    const bodies = lengths.map((length) => Buffer.from(Array.from({ length }, (_, i) => 32 + (((i * i) >>> 7) % 90))));
    const compressed = await Promise.all(bodies.map((body) => compressBody(body, coding)));
    for (const [i, body] of bodies.entries())
      assert.ok(decompress(compressed[i] as Buffer).equals(body), `${lengths[i]}`);
  });

it('leaves bodies of any length as they are', async () => {
  for (const body of [600_000, 70_000].map((length) => Buffer.alloc(length, 'some text '))) {
    const copy = Buffer.from(body);
    assert.ok(gunzipSync(await compressBody(body, 'gzip')).equals(copy));
    assert.ok(body.equals(copy));
  }
});

it('compresses on after one that failed', async () => {
  const invalid = { length: 1_000_000 } as Buffer;
  await Promise.all(Array.from({ length: 8 }, () => assert.rejects(compressBody(invalid, 'gzip'))));
  const body = Buffer.alloc(200_000, 'text ');
  assert.ok(gunzipSync(await compressBody(body, 'gzip')).equals(body));
});
