/** Commands that read many payloads in the object store: the comparison of rows between commits, and `check --deep`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { objectKey } from '../../../src/catalogue/payload-store.ts';
import { computeChecksum } from '../../../src/disk/checksum.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { FileCatalogue } from '../../../src/files/file-catalogue.ts';
import { compareGitStates } from '../../../src/files/git/changes-since.ts';
import { pointerText } from '../../../src/files/tree/payload-pointer.ts';
import { homeOf } from '../../support/folder.ts';
import { makeRepository } from '../../support/repository.ts';
import { startSmallObjectStore } from '../../support/small-object-store.ts';

const s3 = await startSmallObjectStore();

/** Stores a payload. @returns its pointer, and the record of its version without an id */
function store(name: string, rows: readonly string[]) {
  const csv = ['name', ...rows, ''].join('\n');
  const pointer = { checksum: computeChecksum(csv), size: csv.length };
  s3.objects.set(objectKey('', pointer.checksum), Buffer.from(csv));
  const file = { name, format: 'csv', size: csv.length };
  return { pointer: pointerText(pointer), version: { checksum: pointer.checksum, file } };
}

it('payloads of several datasets are compared, and checked, over one connection to the object store, which is closed', async (t) => {
  const names = ['parks/trees', 'parks/shrubs'];
  const repository = await makeRepository(
    { settings: { payloads: s3.settings('') }, namespaces: { parks: { id: 1, label: 'Parks' } } },
    t,
  );
  const publish = (slug: string, rows: readonly string[]) => {
    for (const [i, name] of names.entries()) {
      const { pointer, version } = store(`${slug}.csv`, [name, ...rows]);
      const home = homeOf(name);
      repository.write(`${home}/dataset.yaml`, `id: ${i + 1}\nlabel: ${name}\ncolumns: [{type: string, name: name}]\n`);
      repository.write(`${home}/data/${slug}.csv`, pointer);
      repository.write(
        `${home}/versions/${slug}.yaml`,
        JSON.stringify({ ...version, id: Number(`${slug.slice(2, 4)}${i}`) }),
      );
    }
  };
  publish('20200101000000000000', ['oak', 'elm']);
  repository.commit();
  publish('20210101000000000000', ['oak', 'ash', 'fir']);
  const close = t.mock.method(FileCatalogue.prototype, 'close');
  const { things } = await compareGitStates(repository.root, 'main');
  const counts = { from: 3, to: 4, added: 2, removed: 1, changed: 0, unchanged: 2 };
  assert.deepEqual(
    things.map(({ name, rows }) => [name, rows?.reason, rows?.counts]),
    names.toSorted().map((name) => [name, '', counts]),
  );
  assert.deepEqual([s3.connections, close.mock.callCount()], [1, 1]);
  const { problems } = await checkCatalogueFiles(repository.root, { deep: true });
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error'),
    [],
  );
  assert.deepEqual([s3.connections, close.mock.callCount()], [2, 2]);
});
