/** Former addresses of renamed records: each leads to one record, the one that had it last. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { MovedError } from '../../../src/catalogue/errors.ts';
import type { Viewer } from '../../../src/catalogue/permissions.ts';
import { formatRef, type Ref } from '../../../src/catalogue/ref.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { type FolderContent, homeOf, makeFolder } from '../../support/folder.ts';

const content: FolderContent = {
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['rangers'] }, water: { id: 2, label: 'Water' } },
  datasets: { 'parks/trees': { id: 3, label: 'Trees' } },
  groups: { rangers: { id: 4, label: 'Rangers' } },
};
const ranger: Viewer = { username: 'bob', staff: false, groups: ['rangers'] };

async function open(t: TestContext, more: FolderContent = {}) {
  const folder = makeFolder({ ...content, ...more }, t);
  const catalogue = await openFileCatalogue(folder.root);
  t.after(() => catalogue.close());
  return { folder, catalogue, view: catalogue.for() };
}

const dataset = (name: string) => {
  const [namespace = '', slug = ''] = name.split('/');
  return { kind: 'dataset', namespace, slug } as const;
};
const leadsTo = (view: Catalogue, from: Ref, to: string) =>
  assert.rejects(view.get(from), (error) => error instanceof MovedError && formatRef(error.to) === to);

const kinds = [
  ['dataset', { namespace: 'parks' }],
  ['namespace', {}],
  ['query', { dataset: 'parks/trees' }],
  ['group', {}],
] as const;

describe('a former address', () => {
  for (const [kind, fields] of kinds)
    it(`of a ${kind} leads to the one that had it last`, async (t) => {
      const { folder, view } = await open(t);
      const refOf = (slug: string): Ref =>
        kind === 'dataset' ? { kind, namespace: 'parks', slug } : ({ kind, slug } as Ref);
      const nameOf = (slug: string) => formatRef(refOf(slug));
      for (const year of ['2025', '2024']) {
        await view.create(kind, { ...fields, label: `Year ${year}`, slug: 'year' });
        await view.edit(refOf('year') as never, { slug: `year-${year}` });
        await leadsTo(view, refOf('year'), nameOf(`year-${year}`));
      }
      assert.deepEqual(((await view.get(refOf('year-2025') as never)) as { aliases: unknown }).aliases, []);
      assert.deepEqual((await checkCatalogueFiles(folder.root)).problems, []);
    });

  it('by a former name of a namespace belongs to one dataset, too', async (t) => {
    const { folder, view } = await open(t);
    await view.edit({ kind: 'namespace', slug: 'parks' }, { slug: 'gardens' });
    await view.edit(dataset('gardens/trees'), { namespace: 'water', slug: 'old' });
    await view.create('dataset', { namespace: 'gardens', label: 'Trees' });
    await view.edit(dataset('gardens/trees'), { namespace: 'water', slug: 'new' });
    for (const former of ['gardens/trees', 'parks/trees']) await leadsTo(view, dataset(former), 'water/new');
    assert.deepEqual((await checkCatalogueFiles(folder.root)).problems, []);
  });

  it('of a dataset whose namespace is renamed belongs to that dataset, too', async (t) => {
    const { folder, view } = await open(t);
    await view.edit(dataset('parks/trees'), { namespace: 'water' });
    await view.create('dataset', { namespace: 'parks', label: 'Trees' });
    await view.edit({ kind: 'namespace', slug: 'parks' }, { slug: 'gardens' });
    await leadsTo(view, dataset('parks/trees'), 'gardens/trees');
    assert.deepEqual((await view.get<'dataset'>(dataset('water/trees'))).aliases, []);
    assert.deepEqual((await checkCatalogueFiles(folder.root)).problems, []);
  });

  it('is taken from a record that the viewer may not write', async (t) => {
    const { folder, catalogue, view } = await open(t, {
      datasets: { ...content.datasets, 'water/oaks': { id: 5, label: 'Oaks', aliases: ['parks/trees', 'elms'] } },
    });
    await catalogue.for(ranger).edit(dataset('parks/trees'), { slug: 'beeches' });
    await leadsTo(view, dataset('parks/trees'), 'parks/beeches');
    assert.match(
      await readFile(folder.path(`${homeOf('water/oaks')}/dataset.yaml`), 'utf8'),
      /aliases:.*\n? *-? ?"?elms/,
    );
  });

  it('stays in a broken record', async (t) => {
    const { folder, catalogue, view } = await open(t, {
      datasets: { ...content.datasets, 'parks/oaks': { id: 5, label: 'Oaks', aliases: ['trees'] } },
    });
    await view.get(dataset('parks/oaks'));
    await writeFile(folder.path(`${homeOf('parks/oaks')}/dataset.yaml`), 'label: [\naliases: [trees]\n');
    await catalogue.refresh([{ folder: '' }]);
    assert.equal((await view.edit(dataset('parks/trees'), { slug: 'beeches' })).slug, 'beeches');
  });
});
