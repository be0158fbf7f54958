/** Files that are written for one response. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { UnavailableError } from '../../../src/catalogue/errors.ts';
import type { WriteToOptions } from '../../../src/data/derived/file-in-the-making.ts';
import { chunksOfTemporaryFile } from '../../../src/data/derived/temporary-file.ts';

/** Waits until something is true; half a minute at most. */
async function until(isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !isTrue(); ) {
    assert.ok(Date.now() < end, 'it never was so');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A file whose writing ends when its signal says so. */
function endlessFile() {
  const written: { path?: string; signal?: AbortSignal } = {};
  const writeTo = (path: string, { signal }: WriteToOptions) => {
    Object.assign(written, { path, signal });
    return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  return { written, stream: Readable.from(chunksOfTemporaryFile(writeTo), { objectMode: false }) };
}

describe('a file for one response', () => {
  it('is no longer written when its reader has left, and deleted', async () => {
    const { written, stream } = endlessFile();
    stream.read();
    await until(() => written.signal !== undefined);
    stream.destroy();
    await until(() => written.signal?.aborted === true);
    await until(() => !existsSync(dirname(written.path ?? '')));
  });

  it('is deleted when it was read', async () => {
    let folder = '';
    const chunks = chunksOfTemporaryFile(async (path) => {
      folder = dirname(path);
      writeFileSync(path, 'rows');
    });
    assert.equal(String(await buffer(Readable.from(chunks))), 'rows');
    assert.equal(existsSync(folder), false);
  });

  it('waits while two others are written, or until its reader leaves', async () => {
    const files = [1, 2, 3, 4].map(endlessFile);
    const [first, second, third, fourth] = files as [ReturnType<typeof endlessFile>, ...typeof files] as typeof files;
    for (const { stream } of files) stream.read();
    await until(() => first?.written.path !== undefined && second?.written.path !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([third?.written.path, fourth?.written.path], [undefined, undefined]);
    third?.stream.destroy();
    first?.stream.destroy();
    await until(() => fourth?.written.path !== undefined);
    assert.equal(third?.written.path, undefined);
    for (const { stream } of files) stream.destroy();
    await until(() => fourth?.written.signal?.aborted === true);
  });

  it('is refused when the disk is nearly full', async () => {
    const writeTo = (_: string, { assertRoom }: WriteToOptions) => assertRoom(1);
    const chunks = chunksOfTemporaryFile(writeTo, async () => ({ free: 1e8, total: 1e12 }));
    await assert.rejects(buffer(Readable.from(chunks)), UnavailableError);
  });
});
