/** The documentation of the files derives from their schemas. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { schemas } from '../../src/catalogue/schemas.ts';
import { escapeHtml } from '../../src/pages/html.ts';
import { makeFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';

it('every key of every kind of file is on the page of its schema', async (t) => {
  const folder = makeFolder({ namespaces: { a: { label: 'A' } } }, t);
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  for (const schema of Object.values(schemas)) {
    const page = await (
      await fetch(`${server.base}/schemas/${schema.$id}`, { headers: { Accept: 'text/html' } })
    ).text();
    for (const [key, { description }] of Object.entries(
      schema.properties as Record<string, { description?: string }>,
    )) {
      assert.ok(page.includes(`<code>${key}</code>`), `${schema.$id} lacks ${key}`);
      if (description)
        assert.ok(
          page.includes(escapeHtml(description).replaceAll('&gt;', '>').replaceAll('&#39;', "'")),
          `${schema.$id} lacks what ${key} means`,
        );
    }
  }
});
