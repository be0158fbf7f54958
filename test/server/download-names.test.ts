import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { homeOf } from '../support/folder.ts';
import { served } from '../support/served.ts';

const csv = 'a\n1\n';
const slug = '20200102030405000000';
const { base } = await served({
  namespaces: { parks: { label: 'Parks' } },
  datasets: { 'parks/trees': { label: 'Trees', aliases: ['oaks', 'woods/trees-new'] }, 'parks/far': { label: 'Far' } },
  versions: {
    'parks/trees@20190101000000000000': { file: { name: 'old.geojson.gz' } },
    [`parks/trees@${slug}`]: { file: { name: 'a.csv' } },
    [`parks/far@${slug}`]: { file: { url: 'https://example.org/far.csv' } },
  },
  files: { [`${homeOf('parks/trees')}/data/a.csv`]: csv, [`${homeOf('parks/trees')}/data/old.geojson.gz`]: 'x' },
});
const trees = `${base}/api/v1/namespaces/parks/datasets/trees/`;

describe('a download with a file name', () => {
  it('is the same bytes under the name that the file has', async () => {
    for (const path of [
      'download/trees.csv',
      `download/trees-${slug}.csv`,
      `version/${slug}/download/trees-${slug}.csv`,
      'version/latest/download/trees-latest.csv',
    ]) {
      const response = await fetch(trees + path);
      if (path.includes('latest')) {
        assert.equal(response.status, 404, path);
        continue;
      }
      assert.equal(response.status, 200, path);
      assert.equal(await response.text(), csv);
      assert.equal(response.headers.get('content-disposition'), `attachment; filename="trees-${slug}.csv"`);
    }
    const old = `version/20190101000000000000/download/trees-20190101000000000000.geojson.gz`;
    assert.equal((await fetch(trees + old)).status, 200);
    const head = await fetch(`${trees}download/trees.csv`, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), '4');
    const part = await fetch(`${trees}download/trees.csv`, { headers: { Range: 'bytes=0-1' } });
    assert.deepEqual([part.status, await part.text()], [206, 'a\n']);
  });

  it('under another name is not found, and the answer has the right one', async () => {
    for (const path of ['download/trees.geojson', 'download/bushes.csv', 'download/trees-20190101000000000000.csv']) {
      const response = await fetch(trees + path);
      assert.equal(response.status, 404, path);
      assert.deepEqual(await response.json(), { detail: 'The file is called trees.csv.' });
    }
  });

  it('by a former name of the dataset leads to the present one, with the same bytes', async () => {
    const old = 'version/20190101000000000000/download/';
    for (const [from, to] of [
      ['download/oaks.csv', 'download/trees.csv'],
      [`download/trees-new-${slug}.csv?a=b`, `download/trees-${slug}.csv?a=b`],
      [`version/${slug}/download/oaks-${slug}.csv`, `version/${slug}/download/trees-${slug}.csv`],
      [`${old}trees-new-20190101000000000000.geojson.gz`, `${old}trees-20190101000000000000.geojson.gz`],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await fetch(trees + from, { method, redirect: 'manual' });
        assert.deepEqual(
          [status, headers.get('location')],
          [308, new URL(trees + to).pathname + new URL(trees + to).search],
        );
      }
    const kept = `${base}/api/v1/namespaces/parks/datasets/oaks/version/${slug}/download/oaks-${slug}.csv`;
    assert.equal(await (await fetch(kept)).text(), csv);
    for (const path of ['download/oaks.geojson', 'download/woods.csv', `version/${slug}/download/oaks.csv`])
      assert.equal((await fetch(trees + path, { redirect: 'manual' })).status, 404, path);
  });

  it('is what pages link to; the API keeps its address', async () => {
    const html = { headers: { Accept: 'text/html' } };
    const version = `${trees}version/${slug}/`;
    const pathOf = (url: string) => new URL(url).pathname;
    const page = await (await fetch(trees, html)).text();
    assert.ok(page.includes(`href="${pathOf(trees)}download/trees.csv"`), page);
    const versionPage = await (await fetch(version, html)).text();
    assert.ok(versionPage.includes(`href="${pathOf(version)}download/trees-${slug}.csv"`), versionPage);
    const api = await (await fetch(`${trees}?format=api`)).text();
    assert.ok(api.includes(`<a href="${trees}download/trees.csv">${trees}download/?format=api</a>`), api);
    assert.ok(api.includes(`<a href="${version}download/trees-${slug}.csv">${version}download/?format=api</a>`));
    assert.equal(((await (await fetch(trees)).json()) as { download: string }).download, `${trees}download/`);
  });
});
