/** The first look at a file that has no rows. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { render } from 'preact-render-to-string';
import { FileLook, type FilePreview } from '../../src/pages/file-preview.tsx';
import { localeFor } from '../../src/pages/locale.ts';
import { previewFile } from '../../src/server/file-preview.ts';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

/** A zip whose directory names one file of this size, in a record of ZIP64 if it has 4 GB or more. */
function zipOf(name: string, size: number): Buffer {
  const isLarge = size >= 0xffffffff;
  const extra = Buffer.alloc(isLarge ? 20 : 0);
  if (isLarge) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(16, 2);
    for (const at of [4, 12]) extra.writeBigUInt64LE(BigInt(size), at);
  }
  const member = Buffer.alloc(46);
  member.writeUInt32LE(0x02014b50, 0);
  for (const at of [20, 24]) member.writeUInt32LE(Math.min(size, 0xffffffff), at);
  member.writeUInt16LE(name.length, 28);
  member.writeUInt16LE(extra.length, 30);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  for (const at of [8, 10]) end.writeUInt16LE(1, at);
  end.writeUInt32LE(member.length + name.length + extra.length, 12);
  return Buffer.concat([member, Buffer.from(name), extra, end]);
}

describe('the page of a file without rows', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  /** The text of a page, once the file was looked at. */
  const page = (slug: string) =>
    until(async () => {
      const address = `${server.base}/api/v1/namespaces/lab/datasets/${slug}/`;
      const text = await (await fetch(address, { headers: { Accept: 'text/html' } })).text();
      return text.includes('Line 0') && text;
    });

  before(async () => {
    workshop = await makeWorkshop();
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `Line ${i}\n`).join('');
    await workshop.publish('three', 'README', lines(3));
    await workshop.publish('forty', 'README', lines(40));
    await workshop.publish('more', 'README', lines(41));
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('counts the lines of a text, and says which are cut off', async () => {
    const [three, forty, more] = [await page('three'), await page('forty'), await page('more')];
    assert.match(three, /aria-label="The 3 lines of the file"/);
    assert.match(forty, /aria-label="The 40 lines of the file"/);
    for (const text of [three, forty]) assert.doesNotMatch(text, /The first \d+ lines/);
    assert.match(more, /aria-label="The first 40 lines of the file".*<p[^>]*>The first 40 lines of the file</s);
  });

  it('has the sizes of the members of a zip, as far as they are known', async () => {
    const look = (bytes: Buffer) => {
      const stream = async ({ start, end }: { start: number; end: number }) =>
        Readable.from([bytes.subarray(start, end + 1)]);
      const payload = { mediaType: 'application/zip', fileName: 'a.zip', size: bytes.length, stream };
      const version = { kind: 'version', namespace: 'lab', dataset: 'a', slug: '1' };
      return previewFile({ payload: async () => payload } as never, version as never);
    };
    const small = await look(zipOf('small.bin', 1000));
    assert.deepEqual(small, { kind: 'zip', members: [{ path: 'small.bin', size: 1000 }], count: 1 });
    const large = await look(zipOf('large.bin', 5e9));
    assert.deepEqual(large, { kind: 'zip', members: [{ path: 'large.bin', size: null }], count: 1 });
    const context = { locale: localeFor('en') } as never;
    const html = render(FileLook({ context, preview: large as FilePreview, path: '', label: '' }));
    assert.match(html, /<td[^>]*>large\.bin<\/td><td class="num"><\/td>/);
  });
});
