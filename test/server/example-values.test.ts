/** What the pages of datasets and columns say of texts of which there are too many to count. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

describe('the values of a column of texts', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const address = (slug: string, path = '') => `${server.base}/api/v1/namespaces/lab/datasets/${slug}/${path}`;
  /** The examples of a column on the page of the dataset, and on its own. */
  const examples = async (slug: string, column: string, language = 'en') => {
    const found = [];
    for (const path of ['', `columns/${column}/`])
      found.push(
        await until(async () => {
          const headers = { Accept: 'text/html', 'Accept-Language': language };
          const text = await (await fetch(address(slug, path), { headers })).text();
          const pattern = path ? /<p dir="auto">([^<]*)<\/p>/ : /<p class="ends"><span dir="auto">([^<]*)<\/span>/;
          return pattern.exec(text)?.[1] ?? false;
        }),
      );
    return found;
  };

  before(async () => {
    workshop = await makeWorkshop();
    const names = Array.from({ length: 1001 }, (_, i) => ({ name: `Place ${i}` }));
    await workshop.publish('many', 'many.json', JSON.stringify([...names, { name: 'Place 7' }]));
    await workshop.publish('few', 'few.csv', 'name\nv\nh\n');
    await workshop.publish('one', 'one.csv', 'name\nv\n');
    await workshop.publish('four', 'four.csv', 'name\na\nb\nc\nd\n');
    const long = `${'x'.repeat(22)}🌳🌲${'y'.repeat(73)}🌴 and more`;
    await workshop.publish('long', 'long.json', JSON.stringify([{ name: long }, { name: `${long}!` }]));
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('are not called different if they are not counted', async () => {
    const list = 'Place 0, Place 1, Place 2, …';
    assert.deepEqual(await examples('many', 'name'), Array(2).fill(`for example: ${list}`));
    assert.deepEqual(await examples('many', 'name', 'de'), Array(2).fill(`zum Beispiel: ${list}`));
    assert.deepEqual(await examples('many', 'name', 'fr'), Array(2).fill(`par exemple : ${list}`));
  });

  it('are called different if they are, and there are more only if there are', async () => {
    assert.deepEqual(await examples('four', 'name'), Array(2).fill('all different: a, b, c, …'));
    assert.deepEqual(await examples('few', 'name'), Array(2).fill('all different: v, h'));
    assert.deepEqual(await examples('one', 'name'), Array(2).fill('v'));
  });

  it('end in … where they are cut, between characters', async () => {
    const start = 'x'.repeat(22);
    assert.deepEqual(await examples('long', 'name'), [
      `all different: ${start}🌳…, …`,
      `all different: ${start}🌳🌲${'y'.repeat(55)}…, …`,
    ]);
    const profile = await (await fetch(address('long', 'profile/'))).text();
    assert.doesNotMatch(profile, /\\ud[89ab]|\ufffd/i);
  });
});
