/** Files that are written for one response. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { UnavailableError } from '../../../src/catalogue/errors.ts';
import type { Version } from '../../../src/catalogue/types.ts';
import { streamOfChunks } from '../../../src/data/derived/chunk-stream.ts';
import type { WriteToOptions } from '../../../src/data/derived/file-in-the-making.ts';
import { chunksOfTemporaryFile } from '../../../src/data/derived/temporary-file.ts';
import type { CatalogueFiles } from '../../../src/files/catalogue-files.ts';
import { rowsFile, type WholeDocument } from '../../../src/files/row-files.ts';

/** Waits until something is true; half a minute at most. */
async function until(isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !isTrue(); ) {
    assert.ok(Date.now() < end, 'it never was so');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The file of a whole version, which is not kept. */
function streamOfVersion({ writeTo, chunks }: Pick<WholeDocument, 'writeTo' | 'chunks'>): Readable {
  const files = { options: { keepFormats: false }, onClose: () => {} } as unknown as CatalogueFiles;
  const version = { checksum: 'md5-x', reading: {}, dataset: 'trees' } as unknown as Version;
  const document: WholeDocument = {
    ...{ contentType: 'x/y', extension: 'gpkg', options: [], writeTo },
    async *chunks(signal) {
      yield* chunks(signal);
    },
  };
  return rowsFile(files, version, document).stream();
}

/** A file whose writing ends when its signal says so: of some rows, or of a whole version. */
function endlessFile(isWhole = false) {
  const written: { path?: string; signal?: AbortSignal } = {};
  const writeTo = (path: string, { signal }: WriteToOptions) => {
    Object.assign(written, { path, signal });
    return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const chunks = (signal?: AbortSignal) => chunksOfTemporaryFile(writeTo, signal);
  return { written, stream: isWhole ? streamOfVersion({ writeTo, chunks }) : streamOfChunks(chunks) };
}

describe('a file for one response', () => {
  for (const isWhole of [false, true])
    it(`is no longer written when its reader has left, and deleted: ${isWhole ? 'a whole version' : 'rows'}`, async () => {
      const { written, stream } = endlessFile(isWhole);
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
    const files = [1, 2, 3, 4].map(() => endlessFile());
    const [first, second, third, fourth] = files as [ReturnType<typeof endlessFile>, ...typeof files] as typeof files;
    // One after the other: each makes its folder before it waits.
    for (const file of [first, second]) {
      file?.stream.read();
      await until(() => file?.written.path !== undefined);
    }
    for (const file of [third, fourth]) file?.stream.read();
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
    const chunks = chunksOfTemporaryFile(writeTo, undefined, async () => ({ free: 1e8, total: 1e12 }));
    await assert.rejects(buffer(Readable.from(chunks)), UnavailableError);
  });
});
