/** A dataset that can't be described is left out of a document about all datasets, and doesn't cost the others. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it } from 'node:test';
import type { Dataset } from '../../src/catalogue/types.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { describeDatasets } from '../../src/server/standards.ts';
import { makeFolder } from '../support/folder.ts';

it('one bad record costs neither the feed nor the process, and is logged', async (t) => {
  const folder = makeFolder(
    {
      namespaces: { a: { label: 'A' } },
      datasets: { 'a/b': { label: 'B' }, 'a/c': { label: 'C' }, 'a/d': { label: 'D' } },
    },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const real = files.for();
  // Records that no check lets through.
  const breaks: Readonly<Record<string, object>> = { b: { versions: null } };
  const catalogue = {
    settings: real.settings,
    get: real.get.bind(real),
    list: async (kind: 'dataset', options: object) => {
      const page = await real.list(kind, options);
      return { ...page, items: page.items.map((one: Dataset) => ({ ...one, ...breaks[one.slug] })) };
    },
  };
  const app = new EventEmitter();
  const logged: string[] = [];
  app.on('error', (error: Error) => logged.push(error.message));
  const request = { catalogue, links: { base: 'https://example.org', suffix: '' }, ctx: { app } };
  const texts: string[] = [];
  const write = ({ name }: { name: string }) => {
    if (name === 'a.c') throw new Error('Not this one');
    return name;
  };
  for await (const text of describeDatasets(request as never, write)) texts.push(text);
  assert.deepEqual(texts, ['a.d']);
  assert.equal(logged.length, 2);
  assert.ok(logged.includes('Not this one'), logged.join());
});
