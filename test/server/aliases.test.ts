/** Former addresses: 308 to the new one, with what follows and the question kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { served } from '../support/served.ts';

const slug = '20200101000000000000';
const { base } = await served({
  namespaces: { parks: { label: 'x', aliases: ['gardens'] }, water: { label: 'x' } },
  datasets: {
    'parks/trees': { label: 'x', aliases: ['woods'] },
    'water/wells': { label: 'x', aliases: ['parks/fountains', 'parks/trees', 'no address'] },
  },
  versions: { [`parks/trees@${slug}`]: {}, [`water/wells@${slug}`]: {} },
  queries: {
    tall: { label: 'x', dataset: 'parks/trees', aliases: ['high'] },
    deep: { label: 'x', dataset: 'gardens/fountains' },
    wet: { label: 'Wet ones', dataset: 'parks/fountains' },
    bare: { label: 'Bare ones', dataset: 'parks/trees' },
  },
});

const old = '/api/v1/namespaces/gardens';
const now = '/api/v1/namespaces/parks';
const table: readonly (readonly [from: string, to: string])[] = [
  [`${old}/`, `${now}/`],
  [`${old}/?format=json`, `${now}/?format=json`],
  [`${old}/datasets/`, `${now}/datasets/`],
  [`${old}/datasets/?page=2&search=a%20b`, `${now}/datasets/?page=2&search=a%20b`],
  [`${old}/datasets/trees/`, `${now}/datasets/trees/`],
  [`${old}/datasets/woods/`, `${now}/datasets/trees/`],
  [`${old}/datasets/trees/version/`, `${now}/datasets/trees/version/`],
  [`${old}/datasets/trees/version/${slug}/`, `${now}/datasets/trees/version/${slug}/`],
  [`${now}/datasets/woods/?x[]=(1)`, `${now}/datasets/trees/?x[]=(1)`],
  [`${now}/datasets/woods/data/?height__gt=3`, `${now}/datasets/trees/data/?height__gt=3`],
  [`${now}/datasets/woods/data.csv?_limit=3`, `${now}/datasets/trees/data.csv?_limit=3`],
  [`${now}/datasets/woods/download/`, `${now}/datasets/trees/download/`],
  [`${now}/datasets/woods/version/`, `${now}/datasets/trees/version/`],
  [`${now}/datasets/woods/version/latest/download/`, `${now}/datasets/trees/version/latest/download/`],
  [`${now}/datasets/woods/version/${slug}/data/`, `${now}/datasets/trees/version/${slug}/data/`],
  [`${now}/datasets/fountains/`, '/api/v1/namespaces/water/datasets/wells/'],
  [`${old}/datasets/fountains/download/`, '/api/v1/namespaces/water/datasets/wells/download/'],
  [`/api/v1/namespaces/%67ardens/`, `${now}/`],
  ['/api/namespaces/gardens/sources/woods/data/?_limit=1', '/api/namespaces/parks/sources/trees/data/?_limit=1'],
  ['/api/v1/queries/high/', '/api/v1/queries/tall/'],
  ['/api/v1/queries/high/data/?_limit=1', '/api/v1/queries/tall/data/?_limit=1'],
];

describe('a former address', () => {
  for (const [from, to] of table)
    it(from, async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(`${base}${from}`, { method, redirect: 'manual' });
        assert.equal(answer.status, 308, await answer.text());
        assert.equal(answer.headers.get('location'), to);
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
        assert.match(answer.headers.get('vary') ?? '', /Accept/);
      }
    });

  it('is none where it led nowhere', async () => {
    for (const path of [`${old}/datasets/none/`, `${old}/none/`, `${now}/datasets/wood/`, '/api/v1/queries/higher/'])
      assert.equal((await fetch(`${base}${path}`, { redirect: 'manual' })).status, 404, path);
  });
});

it('a saved query of a dataset that moved leads to its present address, and shows its state', async () => {
  const page = await (await fetch(`${base}/api/v1/queries/deep/`, { headers: { Accept: 'text/html' } })).text();
  assert.match(page, /Asks <a href="\/api\/v1\/namespaces\/water\/datasets\/wells\/"/);
  assert.match(page, /This version is not ready/);
});

it('the page of a dataset that moved lists the saved queries that have its former address', async () => {
  const page = async (path: string) => (await fetch(base + path, { headers: { Accept: 'text/html' } })).text();
  const wells = await page('/api/v1/namespaces/water/datasets/wells/');
  assert.match(wells, /<a href="\/api\/v1\/queries\/wet\/"[^>]*>Wet ones</);
  // An alias has no effect where a dataset is.
  assert.doesNotMatch(wells, /Bare ones/);
  assert.match(await page('/api/v1/namespaces/parks/datasets/trees/'), /Bare ones/);
});
