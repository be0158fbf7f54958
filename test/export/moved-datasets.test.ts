/** A saved query that names its dataset by a former address: its files follow the dataset. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { exportCatalogue } from '../../src/index.ts';
import { filesIn } from '../support/exported.ts';
import { makeFolder } from '../support/folder.ts';

const seed = makeFolder({
  namespaces: { gardens: { label: 'Gardens', aliases: ['parks'] } },
  datasets: { 'gardens/trees': { label: 'Trees', aliases: ['oaks', 'woods/all'] } },
  queries: {
    present: { label: 'Present', dataset: 'gardens/trees' },
    renamed: { label: 'Renamed', dataset: 'gardens/oaks' },
    moved: { label: 'Moved', dataset: 'woods/all' },
    namespace: { label: 'Namespace', dataset: 'parks/trees' },
    both: { label: 'Both', dataset: 'parks/oaks' },
  },
});
const options = { folder: seed.root, to: seed.beside('site'), url: 'https://data.example.org' };

async function publish(text: string): Promise<void> {
  const files = await openFileCatalogue(seed.root, { cache: false });
  const ref = { kind: 'dataset', namespace: 'gardens', slug: 'trees' } as const;
  await files.for().publish(ref, { source: Readable.from([text]), fileName: 'trees.csv' });
  await files.close();
}

it('has the rows of the new version after the next export', async () => {
  await publish('name\nOak\n');
  await exportCatalogue(options);
  assert.equal((await exportCatalogue(options)).written, 0);
  await publish('name\nElm\n');
  await exportCatalogue(options);
  for (const query of ['present', 'renamed', 'moved', 'namespace', 'both'])
    assert.equal(readFileSync(`${options.to}/api/v1/queries/${query}/data.csv`, 'utf8'), 'name\r\nElm\r\n', query);
});

it('has the same files as a query that names the present address', () => {
  const filesOf = (query: string) => filesIn(`${options.to}/api/v1/queries/${query}`);
  for (const query of ['renamed', 'moved', 'namespace', 'both'])
    assert.deepEqual(filesOf(query), filesOf('present'), query);
});

it('has the new label of the namespace, which pages of rows show', async () => {
  const files = await openFileCatalogue(seed.root, { cache: false });
  await files.for().edit<'namespace'>({ kind: 'namespace', slug: 'gardens' }, { label: 'All gardens' });
  await files.close();
  await exportCatalogue(options);
  const fresh = seed.beside('fresh');
  await exportCatalogue({ ...options, to: fresh });
  for (const file of filesIn(`${fresh}/api/v1/queries`)) {
    const [now, expected] = [options.to, fresh].map((to) => readFileSync(`${to}/api/v1/queries/${file}`, 'utf8'));
    assert.equal(now, expected, file);
  }
});
