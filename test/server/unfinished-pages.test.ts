/** Pages that are sent before all that they show is read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeWorkshop } from '../support/published.ts';
import { serveWithSlowProfiles } from '../support/slow-profiles.ts';

it('the page of a dataset whose values are still being counted has its first rows, and says what it lacks', async (test) => {
  const workshop = await makeWorkshop();
  test.after(() => workshop.remove());
  await workshop.publish('trees', 'trees.csv', 'species,height\noak,12.5\nelm,9\n');
  const { base, measure } = await serveWithSlowProfiles(workshop.catalogue, test);
  const page = async (language = 'en') => {
    const headers = { Accept: 'text/html', 'Accept-Language': language };
    const response = await fetch(`${base}/api/v1/namespaces/lab/datasets/trees/`, { headers });
    assert.equal(response.status, 200);
    return response.text();
  };
  const unfinished = await page();
  assert.match(unfinished, /<td[^>]*>oak<\/td>/);
  assert.match(unfinished, /2, still being measured/);
  assert.match(unfinished, /class="changed"[^>]* data-soon/);
  assert.doesNotMatch(unfinished, /read for the first time|class="hist/);
  assert.match(await page('de'), /2, werden noch gemessen/);
  measure();
  const finished = await page();
  assert.match(finished, /<td[^>]*>oak<\/td>/);
  assert.match(finished, /2, as measured/);
  assert.match(finished, /class="hist/);
  assert.doesNotMatch(finished, /data-soon/);
});
