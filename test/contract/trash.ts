/** What every trash promises: the interface `trash.ts` as tests, which a folder's and one over HTTP run. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { ConflictError, NotAuthenticatedError, NotFoundError, NotPermittedError } from '../../src/catalogue/errors.ts';
import type { Trash } from '../../src/catalogue/trash.ts';
import { type CatalogueFolder, makeFolder } from '../support/folder.ts';
import type { Opened } from './catalogue.ts';

const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const tall = { kind: 'query', slug: 'tall' } as const;

/** @param open opens a folder as a catalogue of this kind, until the test is over */
export function trashPromises(
  kind: string,
  open: (test: TestContext, folder: CatalogueFolder) => Promise<Opened>,
): void {
  /** A catalogue from which a query and then a dataset were removed. */
  const given = async (test: TestContext) => {
    const folder = makeFolder(
      {
        namespaces: { parks: { id: 1, label: 'Parks' } },
        datasets: { 'parks/trees': { id: 2, label: 'Trees' } },
        queries: { tall: { id: 3, label: 'Tall', dataset: 'parks/trees' } },
        users: { 'a.b+c@d': { id: 4, staff: true } },
      },
      test,
    );
    const { catalogue, open: other } = await open(test, folder);
    for (const ref of [tall, trees]) await catalogue.remove(ref);
    return { catalogue, trash: catalogue.trash, other: other.trash };
  };
  const refs = async (trash: Trash) => (await trash.list()).map(({ ref }) => ref);

  describe(`The trash of ${kind}`, { concurrency: 4 }, () => {
    it('has what was removed, the last first, and gives it back', async (test) => {
      const { catalogue, trash } = await given(test);
      assert.deepEqual(await refs(trash), [trees, tall]);
      const [newest] = await trash.list();
      assert.ok(newest && Math.abs(Date.parse(newest.removed) - Date.now()) < 60_000);
      assert.deepEqual(newest.paths, ['namespaces/parks/datasets/trees']);
      assert.deepEqual(await trash.restore(newest.id, { dryRun: true }), newest);
      await assert.rejects(catalogue.get<'dataset'>(trees), NotFoundError);
      assert.deepEqual(await trash.restore(newest.id), newest);
      assert.equal((await catalogue.get<'dataset'>(trees)).label, 'Trees');
      assert.deepEqual(await refs(trash), [tall]);
      await assert.rejects(trash.restore(newest.id), NotFoundError);
    });

    it('puts a record where the namespace or the dataset that it was in is now', async (test) => {
      const { catalogue, trash } = await given(test);
      await catalogue.edit({ kind: 'namespace', slug: 'parks' }, { slug: 'green' });
      const [dataset] = await trash.list();
      assert.ok(dataset);
      const now = { kind: 'dataset', namespace: 'green', slug: 'trees' } as const;
      const expected = { ...dataset, ref: now, paths: ['namespaces/green/datasets/trees'] };
      assert.deepEqual(await trash.restore(dataset.id, { dryRun: true }), expected);
      assert.deepEqual(await trash.restore(dataset.id), expected);
      assert.equal((await catalogue.get<'dataset'>(now)).label, 'Trees');

      const { version: published } = await catalogue.publish(now, {
        source: Readable.from(['a\n1\n']),
        fileName: 'a.csv',
      });
      const { slug } = published;
      await catalogue.remove({ kind: 'version', namespace: 'green', dataset: 'trees', slug });
      await catalogue.edit(now, { slug: 'oaks' });
      const [version] = await trash.list();
      const place = { kind: 'version', namespace: 'green', dataset: 'oaks', slug } as const;
      assert.deepEqual((await trash.restore(version?.id ?? '')).ref, place);
      assert.equal((await catalogue.get<'version'>(place)).size, 4);
      assert.deepEqual(await refs(trash), [tall]);
    });

    it('puts a record where what it was in is now, when another one has taken that name', async (test) => {
      const { catalogue, trash } = await given(test);
      await catalogue.edit({ kind: 'namespace', slug: 'parks' }, { slug: 'green' });
      await catalogue.create('namespace', { slug: 'parks', label: 'Car parks' });
      const [dataset] = await trash.list();
      const trees = { kind: 'dataset', namespace: 'green', slug: 'trees' } as const;
      assert.deepEqual((await trash.restore(dataset?.id ?? '')).ref, trees);

      const { version } = await catalogue.publish(trees, { source: Readable.from(['a\n1\n']), fileName: 'a.csv' });
      await catalogue.remove({ kind: 'version', namespace: 'green', dataset: 'trees', slug: version.slug });
      await catalogue.edit(trees, { slug: 'oaks' });
      await catalogue.create('dataset', { namespace: 'green', slug: 'trees', label: 'Other trees' });
      const [entry] = await trash.list();
      const place = { kind: 'version', namespace: 'green', dataset: 'oaks', slug: version.slug } as const;
      assert.deepEqual((await trash.restore(entry?.id ?? '')).ref, place);
      assert.deepEqual((await catalogue.get<'dataset'>(trees)).versions, []);
    });

    it('puts nothing in the place of something else', async (test) => {
      const { catalogue, trash } = await given(test);
      const [{ id } = { id: '' }] = await trash.list();
      await catalogue.create('dataset', { namespace: 'parks', label: 'Trees' });
      for (const dryRun of [true, false]) await assert.rejects(trash.restore(id, { dryRun }), ConflictError);
      assert.equal((await trash.list()).length, 2);
    });

    it('is emptied of one thing, of what is older, of all', async (test) => {
      const { trash } = await given(test);
      const [{ id } = { id: '' }] = await trash.list();
      await trash.remove(id);
      await assert.rejects(trash.remove(id), NotFoundError);
      assert.deepEqual(await refs(trash), [tall]);
      assert.deepEqual(await trash.empty(new Date('2020-01-01')), []);
      assert.deepEqual(
        (await trash.empty()).map(({ ref }) => ref),
        [tall],
      );
      assert.deepEqual(await trash.list(), []);
    });

    it('is for staff', async (test) => {
      const { trash, other } = await given(test);
      const [{ id } = { id: '' }] = await trash.list();
      const refused = (error: unknown) => error instanceof NotPermittedError || error instanceof NotAuthenticatedError;
      for (const ask of [() => other.list(), () => other.restore(id), () => other.remove(id), () => other.empty()])
        await assert.rejects(ask, refused);
      assert.equal((await trash.list()).length, 2);
    });
  });
}
