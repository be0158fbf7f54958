/** What pages say of versions without rows to show, and of versions that aren't ready. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const collection = (features: readonly unknown[]) => JSON.stringify({ type: 'FeatureCollection', features });
const outline = {
  type: 'Feature',
  properties: {},
  geometry: {
    type: 'LineString',
    coordinates: [
      [4, 51],
      [5, 52],
    ],
  },
};

describe('the pages of versions without rows', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let draft: string;
  const home = '/api/v1/namespaces/lab/datasets/';
  /** The text of a page, once nothing is being read. */
  const page = (path: string, language = 'en') =>
    until(async () => {
      const headers = { Accept: 'text/html', 'Accept-Language': language };
      const response = await fetch(server.base + path, { headers });
      assert.equal(response.status, 200, path);
      const text = (await response.text()).replace(/\s+/g, ' ');
      assert.doesNotMatch(text, /being read for the first time/, path);
      return text;
    });

  before(async () => {
    workshop = await makeWorkshop();
    const { catalogue } = workshop;
    const ref = (slug: string) => ({ kind: 'dataset', namespace: 'lab', slug }) as const;
    await workshop.publish('outlines', 'outlines.geojson', collection([outline, outline]));
    const sketches = [outline, outline, { ...outline, geometry: null }];
    await workshop.publish('sketches', 'sketches.geojson', collection(sketches));
    await catalogue.create('dataset', { label: 'Nothing', slug: 'nothing', namespace: 'lab' });
    const source = Readable.from([collection([])]);
    await catalogue.publish(ref('nothing'), { source, fileName: 'nothing.geojson', force: true });
    const { version } = await workshop.publish('trees', 'trees.csv', 'name,height\noak,1\n');
    const withdrawn = (await workshop.publish('shrubs', 'shrubs.csv', 'name\nbox\n')).version;
    await catalogue.edit<'version'>(
      { ...ref('shrubs'), kind: 'version', dataset: 'shrubs', slug: withdrawn.slug },
      { ready: false },
    );
    await workshop.publish('notes', 'notes.txt', 'Notes');
    await workshop.publish('named-trees', 'trees.csv', 'name,size,age\noak,1,2\n');
    await catalogue.edit<'dataset'>(ref('named-trees'), { columns: [{ name: 'height', former_names: ['size'] }] });
    await workshop.publish('named-trees', 'trees.csv', 'name,height,age\noak,1,2\n');
    draft = (
      await catalogue.publish(ref('trees'), { source: Readable.from(['name,height\noak,2\n']), fileName: 'trees.csv' })
    ).version.slug;
    await catalogue.create('query', { label: 'Named', slug: 'named', dataset: 'lab/trees', version: draft });
    await catalogue.edit<'version'>(
      { ...ref('trees'), kind: 'version', dataset: 'trees', slug: draft },
      { ready: false },
    );
    await catalogue.create('query', {
      ...{ label: 'Tall', slug: 'tall', dataset: 'lab/named-trees' },
      parameters: { height__gte: 10 },
    });
    await catalogue.create('query', { label: 'Shrubs', slug: 'shrubs', dataset: 'lab/shrubs' });
    assert.ok(version.ready);
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('say in which language the messages of the API are', async () => {
    const text = 'txt files have no rows that can be shown. Download the file.';
    assert.ok((await page(`${home}notes/`)).includes(`<p class="soft">${text}</p>`));
    assert.ok((await page(`${home}notes/`, 'de')).includes(`<p class="soft" lang="en">${text}</p>`));
    const headers = { Accept: 'text/html', 'Accept-Language': 'de' };
    const refused = await (await fetch(`${server.base}/api/v1/trash/`, { headers })).text();
    assert.match(refused, /<p class="prose" dir="auto" lang="en">Authentication credentials were not provided/);
  });

  it('speak of no row as of none, in French, too', async () => {
    assert.match(await page(`${home}trees/data/?height=1`, 'fr'), /Cette ligne en<\/span>/);
    const none = await page(`${home}trees/data/?height=2000`, 'fr');
    assert.match(none, /<b>0<\/b> ligne sur 1 correspond/);
    assert.doesNotMatch(none, /Cette ligne/);
  });

  it('have the geometries where there is no other column', async () => {
    const text = await page(`${home}outlines/`);
    assert.match(text, /<td class="t"[^>]*>LineString \(4 51, …\)<\/td>/);
    assert.match(text, /2 of 2 rows/);
  });

  it('are not called the first ones where all are shown', async () => {
    const text = await page(`${home}outlines/`);
    assert.match(text, /<p>2 rows<\/p>.*aria-label="2 rows"/s);
    assert.doesNotMatch(text, /the first of/);
  });

  it('count rows, not geometries, where some rows have none', async () => {
    const text = await page(`${home}sketches/`);
    assert.match(text, /<b>3<\/b> rows/);
    assert.doesNotMatch(text, /3 lines/);
    assert.match(await page('/api/v1/datasets/'), /<b>3<\/b> rows.*<b>2<\/b> lines|<b>2<\/b> lines.*<b>3<\/b> rows/);
  });

  it('say that there are none', async () => {
    const text = await page(`${home}nothing/`);
    assert.match(text, /This version has no rows\./);
    assert.doesNotMatch(text, /the first of 0/);
  });

  it('say so of the rows, without filters that lead to the same page', async () => {
    for (const query of ['', '?_fields=geometry', '?_limit=5']) {
      const text = await page(`${home}nothing/data/${query}`);
      assert.match(text, /<p>This version has no rows\.<\/p>/, query);
      assert.doesNotMatch(text, /No row matches|without filters/, query);
    }
  });

  it('say of a query that no row matches, not that there are none', async () => {
    const text = await page('/api/v1/queries/tall/');
    assert.match(text, /<p class="soft">No row matches\.<\/p>/);
    assert.doesNotMatch(text, /has no rows/);
  });

  it('say so of a query and a column whose version isn’t ready', async () => {
    for (const path of ['/api/v1/queries/named/', '/api/v1/queries/shrubs/', `${home}shrubs/columns/name/`]) {
      const text = await page(path);
      assert.match(text, /This version is not ready\. It was withdrawn/, path);
    }
    assert.match(await page('/api/v1/queries/shrubs/', 'de'), /Diese Version ist nicht bereit\. Sie wurde/);
  });

  it('have the chosen columns where no row matches', async () => {
    for (const names of ['height,name', 'size,name', '"height", name,name']) {
      const text = await page(`${home}named-trees/data/?height__gt=9&_fields=${encodeURIComponent(names)}`);
      assert.match(text, /No row matches/, names);
      assert.match(text, /2 of 3 columns/, names);
      const chosen = [...text.matchAll(/name="_show" value="([^"]*)" checked/g)].map(([, name]) => name);
      assert.deepEqual(chosen, ['name', 'height'], names);
    }
    assert.match(await page(`${home}nothing/data/?_fields=geometry&bbox=0,0,1,1`), /No row matches/);
  });

  it('say of a version that isn’t ready whether it is the newest', async () => {
    assert.doesNotMatch(await page(`${home}trees/version/${draft}/`), /This is not the newest version/);
    const text = await page(`${home}trees/`);
    assert.match(text, /The newest version is not ready/);
    assert.match(text, /<\/time>, one of 2</);
  });
});
