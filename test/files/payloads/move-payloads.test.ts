/** Payloads that are moved between the folder and the object store. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import { objectKey } from '../../../src/catalogue/payload-store.ts';
import { computeChecksum } from '../../../src/disk/checksum.ts';
import { movePayloads } from '../../../src/files/payloads/move-payloads.ts';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { pointerText } from '../../../src/files/tree/payload-pointer.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';
import { startSmallObjectStore } from '../../support/small-object-store.ts';

const s3 = await startSmallObjectStore();

const path = `${homeOf('parks/trees')}/data/trees.csv`;

/** A catalogue with one payload of a number of rows, which is at its place or a pointer there, and an object store. */
function start(t: TestContext, { rows, isPointer = false }: { readonly rows: number; readonly isPointer?: boolean }) {
  const csv = `name\n${'oak\n'.repeat(rows)}`;
  const pointer = { checksum: computeChecksum(csv), size: csv.length };
  const key = objectKey('', pointer.checksum);
  s3.objects.delete(key);
  if (isPointer) s3.objects.set(key, Buffer.from(csv));
  const folder = makeFolder(
    {
      settings: { payloads: { ...s3.settings(''), above: '1 B' } },
      namespaces: { parks: { id: 1, label: 'Parks' } },
      datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
      versions: {
        'parks/trees@20200101000000000000': {
          id: 1,
          checksum: pointer.checksum,
          file: { name: 'trees.csv', format: 'csv', size: csv.length },
        },
      },
      files: { [path]: isPointer ? pointerText(pointer) : csv, 'new.txt': '' },
    },
    t,
  );
  return { folder, csv, pointer };
}

it('a payload that is moved back has the permissions of a new file', async (t) => {
  const { folder, csv } = start(t, { rows: 500, isPointer: true });
  const { moved, problems } = await movePayloads(folder.root, { to: 'folder' });
  assert.deepEqual([moved.length, problems], [1, []]);
  assert.equal(readFileSync(folder.path(path), 'utf8'), csv);
  assert.equal(statSync(folder.path(path)).mode, statSync(folder.path('new.txt')).mode);
});

it('a payload as long as its pointer is moved, both ways', async (t) => {
  const { folder, csv, pointer } = start(t, { rows: 27 });
  assert.equal(csv.length, pointerText(pointer).length);
  const tree = new DiskTree(folder.root);
  assert.equal((await movePayloads(folder.root, { to: 'store' })).moved.length, 1);
  assert.deepEqual(tree.pointer(path), pointer);
  assert.equal((await movePayloads(folder.root, { to: 'folder' })).moved.length, 1);
  assert.equal(readFileSync(folder.path(path), 'utf8'), csv);
});

for (const to of ['store', 'folder'] as const)
  it(`a payload that is replaced while it is moved to the ${to} stays as it is`, async (t) => {
    const { folder, csv } = start(t, { rows: 500, isPointer: to === 'folder' });
    const others = csv.replaceAll('oak', 'elm');
    const replacement = to === 'store' ? others : pointerText({ checksum: computeChecksum(others), size: csv.length });
    for (const method of ['get', 'set'] as const)
      t.mock.method(s3.objects, method, function (this: Map<string, Buffer>, ...args: [string, Buffer]) {
        if (method === (to === 'store' ? 'set' : 'get')) folder.write(path, replacement);
        return (Map.prototype[method] as (...all: unknown[]) => unknown).apply(this, args);
      } as never);
    const { moved, problems } = await movePayloads(folder.root, { to });
    assert.equal(readFileSync(folder.path(path), 'utf8'), replacement);
    assert.deepEqual(moved, []);
    assert.match(problems[0]?.message ?? '', /^It was changed while it was moved/);
  });
