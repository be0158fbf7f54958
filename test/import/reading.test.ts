/** Imported files whose source says how they are read: by the options of another catalogue. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeRoot, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const run = async (root: string, ...argv: string[]) => {
  const result = await type(argv, { root });
  assert.equal(result.exitCode, 0, result.err);
  return result;
};
const importing = async (root: string, ...argv: string[]) =>
  JSON.parse((await run(root, 'import', ...argv, '--with-data', '--delay', '0', '--json')).out);
const rowsOf = async (root: string, ref: string) => (await run(root, 'data', ref, '--format', 'geojson')).out;

/** Files that need options, which a guess reads otherwise, by dataset. */
const files: Readonly<Record<string, readonly [text: string, ...options: string[]]>> = {
  headless: ['1,x\n2,y\n', '--no-header'],
  report: ['Report 2024\n\na,b\n1,2\n', '--skip', '2'],
  places: ['la,lo\n51.9,4.5\n', '--lat', 'la', '--lon', 'lo'],
  dates: ['d,zip\n01/02/2024,01234\n02/03/2024,1234\n', '--date-format', 'MM/DD/YYYY', '--type', 'zip=string'],
  swiss: ['N,E\n1200000,2600000\n', '--crs', 'EPSG:2056', '--lat', 'N', '--lon', 'E'],
  plain: ['a,b\n1,2\n'],
};

/** A catalogue with these datasets. */
async function makeOrigin(): Promise<string> {
  const root = await makeRoot({ namespaces: { a: { id: 1, label: 'A' } } });
  for (const [name, [text, ...options]] of Object.entries(files)) {
    const argv = ['publish', `${name}.csv`, '--to', `a/${name}`, '--label', name, ...options];
    const { exitCode, err } = await type(argv, { root, files: { [`${name}.csv`]: text } });
    assert.equal(exitCode, 0, err);
  }
  return root;
}

describe('an import of another catalogue', () => {
  it('reads files with the options of their versions there, also once these change, but keeps those that people set', async () => {
    const theirs = await makeOrigin();
    const served = await serveFolder(theirs);
    const root = await makeRoot({ settings: { title: 'Empty' } });
    try {
      const first = await importing(root, served.base, '--to', 'b');
      assert.equal(first.versions.length, Object.keys(files).length, JSON.stringify(first.links));
      for (const name of Object.keys(files))
        assert.equal(await rowsOf(root, `b/${name}`), await rowsOf(theirs, `a/${name}`), name);
      const again = await importing(root, served.base, '--to', 'b');
      assert.deepEqual([again.updated, again.kept, again.versions], [[], [], []]);

      await run(root, 'dataset', 'edit', 'b/swiss', '--no-reading');
      await run(theirs, 'publish', join(theirs, '../report.csv'), '--to', 'a/report', '--skip', '', '--force');
      await run(theirs, 'publish', join(theirs, '../plain.csv'), '--to', 'a/plain', '--type', 'a=string');
      const changed = await importing(root, served.base, '--to', 'b');
      const updated = changed.updated.map(({ dataset, fields }: { dataset: string; fields: string[] }) =>
        fields.includes('reading') ? dataset : '',
      );
      assert.deepEqual(updated.filter(Boolean).sort(), ['b/plain', 'b/report']);
      assert.deepEqual(changed.kept, [{ dataset: 'b/swiss', fields: ['reading'] }]);
      for (const name of ['report', 'plain'])
        assert.equal(await rowsOf(root, `b/${name}`), await rowsOf(theirs, `a/${name}`), name);
      const { catalogue } = await run(root, 'dataset', 'list');
      const { reading } = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'b', slug: 'report' });
      assert.deepEqual(reading, {});
    } finally {
      await served.close();
    }
  });
});
