/** The address of a column: its texts, its profile, its names and types in the versions; as JSON and as a page. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

describe('the address of a column', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let dataset: string;
  let first: string;
  /** The name of a column, by the slug of the dataset. */
  const sizes = { decomposed: 'gro\u0308ße', composed: 'größe' };
  const ref = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;
  const page = async (path: string) => {
    const response = await fetch(dataset + path, { headers: { Accept: 'text/html' } });
    return { status: response.status, url: response.url, text: await response.text() };
  };

  before(async () => {
    workshop = await makeWorkshop();
    const published = await workshop.publish('trees', 'trees.csv', 'kind,"tall/wide, m",note\noak,1,<b>\nelm,2,\n');
    first = published.version.slug;
    await workshop.catalogue.edit(ref, {
      columns: [{ name: 'kind', label: 'Kind of tree', description: 'In *English*', unit: '' }],
    });
    const second = 'species,"tall/wide, m",year\noak,1.5,2001\nelm,2,2002\noak,,2003\n';
    const renames = [{ from: 'kind', to: 'species' }];
    await workshop.catalogue.publish(ref, { source: Readable.from([second]), fileName: 'trees.csv', renames });
    for (const [slug, name] of Object.entries(sizes))
      await workshop.publish(slug, 'sizes.csv', `${name},art\n1,a\n2,b\n`);
    server = await serveFolder(workshop.root);
    dataset = `${server.base}/api/v1/namespaces/lab/datasets/trees/`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('has its texts, its profile and its types in the versions as JSON', async () => {
    const path = `columns/${encodeURIComponent('tall/wide, m')}/`;
    const column = await (await fetch(dataset + path)).json();
    assert.equal(column.url, dataset + path);
    assert.deepEqual(
      [column.name, column.type, column.rows, column.profile.nulls, column.profile.max],
      ['tall/wide, m', 'float', 3, 1, 2],
    );
    assert.deepEqual(
      column.versions.map(({ name, type }: { name: string; type: string }) => [name, type]),
      [
        ['tall/wide, m', 'float'],
        ['tall/wide, m', 'integer'],
      ],
    );
  });

  it('says in which versions it is missing', async () => {
    const { versions } = await (await fetch(`${dataset}columns/year/`)).json();
    assert.deepEqual(
      versions.map(({ name }: { name: string | null }) => name),
      ['year', null],
    );
    assert.match((await page('columns/year/')).text, /not in this version/);
  });

  it('has a page with links to its rows, to which the page of the dataset leads', async () => {
    const { text } = await page('');
    assert.match(text, /href="\/api\/v1\/namespaces\/lab\/datasets\/trees\/columns\/species\/"/);
    const column = await page('columns/species/');
    assert.match(column.text, /<h1 dir="auto">Kind of tree<\/h1>/);
    assert.match(column.text, /data\/\?species=oak"/);
    const bars = (await page(`columns/${encodeURIComponent('tall/wide, m')}/`)).text;
    const [, href = ''] = /<td class="num"><a href="([^"]+)"/.exec(bars) ?? [];
    const found = await fetch(`${server.base}${href.replaceAll('&amp;', '&')}&_format=objects`);
    assert.equal(((await found.json()) as unknown[]).length, 1);
  });

  it('that was renamed leads to its present name, and says the former one of each version', async () => {
    const { url, text } = await page('columns/kind/');
    assert.equal(url, `${dataset}columns/species/`);
    assert.match(text, /<code class="changed">kind<\/code>/);
  });

  it('is no link at the page of an old version if the column is gone, and leads to the present name if it was renamed', async () => {
    const { text } = await page(`version/${first}/`);
    const links = [...text.matchAll(/href="[^"]*\/columns\/([^"]*)\/"/g)].map(([, name]) => name);
    assert.deepEqual(links, ['species', encodeURIComponent('tall/wide, m')]);
    assert.match(text, /<span class="name" dir="auto">note<\/span>/);
  });

  it('is found by composed letters as by decomposed ones, which macOS gives to names in files', async () => {
    for (const [slug, name] of Object.entries(sizes))
      for (const asked of Object.values(sizes).map(encodeURIComponent)) {
        const found = await fetch(`${dataset.replace('trees', slug)}columns/${asked}/`);
        assert.deepEqual([found.status, (await found.json()).name], [200, name]);
        const { results } = await (await fetch(`${server.base}/api/v1/datasets/?column=${asked}`)).json();
        assert.ok(results.some((one: { slug: string }) => one.slug === slug));
      }
  });

  it('is found by a former name, too, however its letters are composed', async () => {
    for (const [slug, name] of Object.entries(sizes)) {
      const renamed = `renamed-${slug}`;
      await workshop.publish(renamed, 'sizes.csv', `${name},art\n1,a\n2,b\n`);
      const source = Readable.from(['height,art\n1,a\n2,b\n']);
      const renames = [{ from: name, to: 'height' }];
      await workshop.catalogue.publish({ ...ref, slug: renamed }, { source, fileName: 'sizes.csv', renames });
      const address = dataset.replace('trees', renamed);
      await until(async () => (await (await fetch(address)).json()).columns?.[0]?.name === 'height');
      for (const asked of Object.values(sizes).map(encodeURIComponent)) {
        assert.equal((await fetch(`${address}columns/${asked}/`)).url, `${address}columns/height/`);
        for (const query of [`${asked}__gte=2&_fields=${asked}`, `_filter=${asked}>1&_fields=height`]) {
          const found = await fetch(`${address}data/?${query}&_format=objects`);
          assert.deepEqual([found.status, await found.json()], [200, [{ height: 2 }]], query);
        }
      }
    }
  });

  it('that isn’t there is 404, with the nearest name', async () => {
    for (const name of ['constructor', '__proto__'])
      assert.equal((await fetch(`${dataset}columns/${name}/`)).status, 404, name);
    const response = await fetch(`${dataset}columns/yaer/`);
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), { detail: 'There is no column "yaer". Did you mean "year"?' });
  });
});
