/** Real catalogues, whole: every record of them is taken in, or listed with the reason why not. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parseRecordText } from '../../src/text/parse.ts';
import { makeRoot, type } from '../support/prompt.ts';

const packed = new URL('../fixtures/real-catalogues/files.ndjson.gz', import.meta.url);
const files = gunzipSync(readFileSync(packed))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly path: string; readonly text: string });

const inFolder = (folder: string) => files.filter(({ path }) => path.startsWith(`${folder}/`));
const jsonOf = (folder: string) =>
  inFolder(folder)
    .filter(({ path }) => path.endsWith('.json'))
    .map(({ text }) => JSON.parse(text));
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** Records in the files of each catalogue, counted without the importer. */
const expected: Readonly<Record<string, number>> = {
  'ckan-tokyo': jsonOf('ckan-tokyo/package_show').length,
  'dcat-us': sum(jsonOf('dcat-us').map(({ dataset }) => dataset.length)),
  'open-data-registry': inFolder('open-data-registry/datasets').length,
  'stac-linz-elevation': jsonOf('stac-linz-elevation').filter(({ type }) => type === 'Collection').length,
  datapackage: sum(
    inFolder('datapackage')
      .filter(({ path }) => /datapackage\.\w+$/.test(path))
      .map(({ path, text }) => {
        const parsed = parseRecordText(text, path.endsWith('.json') ? 'json' : 'yaml');
        return 'value' in parsed ? (parsed.value as { readonly resources: readonly unknown[] }).resources.length : 0;
      }),
  ),
};

describe('a real catalogue', () => {
  let root = '';
  let folder = '';
  before(async () => {
    root = await makeRoot();
    folder = join(dirname(root), 'sources');
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  });

  const importing = async (name: string) => {
    const { out, err } = await type(['import', join(folder, name), '--to', name, '--json'], { root });
    assert.ok(out, err);
    return JSON.parse(out);
  };

  for (const [name, count] of Object.entries(expected))
    it(`is taken in whole: ${name}`, async () => {
      assert.ok(count >= 40, `${count} records`);
      const first = await importing(name);
      assert.equal(first.created.length, count);
      for (const { id, reason } of first.skipped) assert.ok(id && reason.length > 10, `${id}: ${reason}`);
      const again = await importing(name);
      assert.deepEqual([again.created.length, again.updated.length, again.unchanged], [0, 0, count]);
    });

  it('lists names without records, and files that are none', async () => {
    const names = JSON.parse(files.find(({ path }) => path === 'ckan-tokyo/package_list.json')?.text ?? '').result;
    const { skipped } = await importing('ckan-tokyo');
    const found = new Set(jsonOf('ckan-tokyo/package_show').map(({ result }) => result.name));
    assert.deepEqual(
      skipped.map(({ id }: { id: string }) => id).sort(),
      names.filter((name: string) => !found.has(name)).sort(),
    );
    const registry = await importing('open-data-registry');
    assert.deepEqual(
      registry.skipped.map(({ id }: { id: string }) => id),
      ['resources.yaml', 'schema.yaml', 'services.yaml', 'tags.yaml'],
    );
  });

  it('of STAC with catalogues in catalogues, items and collections has a dataset for each that has items', async () => {
    const documents = jsonOf('stac-pystac');
    const isDataset = ({ type, links, extent, license }: Record<string, unknown>) =>
      type !== 'Feature' &&
      ((extent !== undefined && license !== undefined) ||
        (links as readonly { readonly rel: string }[]).some(({ rel }) => rel === 'item'));
    const { created, skipped } = await importing('stac-pystac');
    assert.equal(created.length + skipped.length, documents.filter(isDataset).length);
  });
});
