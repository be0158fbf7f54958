/** A licence in words, of a dataset or of the catalogue: documents have its text, where their standard has a place for it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';

it('a licence in words is the name of a CreativeWork in schema.org; without one, that of the catalogue', async (t) => {
  const words = 'Datenlizenz der Stadt';
  const folder = makeFolder(
    {
      settings: { title: 'Town', licence: words },
      namespaces: { a: { label: 'A' } },
      datasets: {
        'a/none': { label: 'None' },
        'a/words': { label: 'Words', licence: 'Free with the name of the source' },
        'a/known': { label: 'Known', licence: 'CC0-1.0' },
      },
    },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const documentOf = async (slug: string, name: string) =>
    (await (await fetch(`${server.base}/api/v1/namespaces/a/datasets/${slug}/${name}`)).json()) as Record<
      string,
      unknown
    >;
  const licenceOf = async (slug: string) => (await documentOf(slug, 'schema.jsonld')).license;
  assert.deepEqual(await licenceOf('none'), { '@type': 'CreativeWork', name: words });
  assert.deepEqual(await licenceOf('words'), { '@type': 'CreativeWork', name: 'Free with the name of the source' });
  assert.equal(await licenceOf('known'), 'https://spdx.org/licenses/CC0-1.0.html');
  assert.match(JSON.stringify(await documentOf('none', 'dcat.jsonld')), /"dct:rights":[^}]*Datenlizenz der Stadt/);
});
