/** A folder that can't be read for the moment, such as on a network disk: what was in it was not removed. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { anonymous } from '../../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { UnreadableFileError } from '../../../src/files/tree/file-tree.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';

const home = homeOf('parks/trees');

describe('a folder that can’t be read', () => {
  const cases: Readonly<Record<string, readonly ('stamp' | 'names' | 'read')[]>> = {
    [`${home}/versions`]: ['names'],
    [`${home}/versions/`]: ['stamp', 'read'],
    [home]: ['stamp', 'names', 'read'],
    [`${home}/`]: ['stamp', 'names', 'read'],
    'namespaces/parks': ['stamp', 'names', 'read'],
    'namespaces/parks/': ['stamp', 'names', 'read'],
    'namespaces/': ['stamp', 'names', 'read'],
  };
  for (const [prefix, methods] of Object.entries(cases))
    it(`keeps its records: ${methods.join(', ')} at ${prefix}`, async (t) => {
      const folder = makeFolder(
        { namespaces: { parks: { label: 'Parks' } }, datasets: { 'parks/trees': { label: 'Trees' } } },
        t,
      );
      for (const slug of ['1', '2']) {
        folder.write(`${home}/data/${slug}.csv`, 'a\n1\n');
        const text = `label: "${slug}"\ndatetime: 2020-01-0${slug}T00:00:00Z\nfile: { name: ${slug}.csv, size: 4 }\n`;
        folder.write(`${home}/versions/${slug}.yaml`, text);
      }
      const catalogue = await openFileCatalogue(folder.root, { readOnly: true });
      t.after(() => catalogue.close());
      await catalogue.load();
      const view = catalogue.for(anonymous);
      // Others are not sent a record that can't be read: it may be private now.
      const paths = async () => {
        const found: string[] = [];
        for await (const { path } of (await catalogue.for().replica.manifest())?.entries ?? []) found.push(path);
        return found;
      };
      const versions = async () =>
        (await view.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'trees' })).versions.map(
          ({ slug, ready }) => `${slug} ${ready}`,
        );
      const before = { paths: await paths(), versions: await versions() };
      assert.equal(before.paths.filter((path) => /parks.*(yaml|csv)$/.test(path)).length, 6);

      const tree = catalogue.store.tree as unknown as Record<string, ((path: string) => unknown) | undefined>;
      for (const method of methods) {
        const real = tree[method]?.bind(tree);
        tree[method] = (path) => {
          if (path.startsWith(prefix) || (method === 'names' && path === `${prefix}/`))
            throw new UnreadableFileError("It can't be read (EIO).");
          return real?.(path);
        };
      }
      folder.write(`${home}/versions/.new`, '');
      for (let i = 0; i < 2; i++) {
        await catalogue.refresh([{ folder: '' }, { kind: 'dataset', namespace: 'parks', slug: 'trees' }]);
        assert.deepEqual({ paths: await paths(), versions: await versions() }, before);
        const messages = [...catalogue.snapshot.diagnostics.values()].flat().map(({ message }) => message);
        assert.ok(messages.includes("It can't be read (EIO)."), messages.join('\n'));
      }
      for (const method of methods) delete tree[method];
      rmSync(folder.path(`${home}/versions/1.yaml`));
      await catalogue.refresh([{ folder: '' }]);
      assert.deepEqual(await versions(), ['2 true']);
      assert.deepEqual([...catalogue.snapshot.diagnostics.values()].flat(), []);
    });
});
