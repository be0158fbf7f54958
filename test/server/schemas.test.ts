/** The schemas that are published are those that are used. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type RecordKind, schemas } from '../../src/catalogue/schemas.ts';
import { served } from '../support/served.ts';

const { base, folder } = await served({ namespaces: { parks: { label: 'x' } } });

describe('schemas', () => {
  it('are listed', async () => {
    const list = (await (await fetch(`${base}/schemas/`)).json()) as { url: string; title: string }[];
    assert.deepEqual(
      list.map(({ url }) => url),
      Object.values(schemas).map(({ $id }) => `${base}/schemas/${$id}`),
    );
    for (const { url } of list) assert.equal((await fetch(url)).status, 200);
  });

  for (const kind of Object.keys(schemas) as RecordKind[])
    it(`${kind}: over HTTP and for editors, the one that files are checked with`, async () => {
      const { $id, ...schema } = schemas[kind];
      const answer = await fetch(`${base}/schemas/${$id}`);
      assert.equal(answer.headers.get('content-type'), 'application/schema+json');
      const { $schema, $id: address, ...published } = (await answer.json()) as Record<string, unknown>;
      assert.equal($schema, 'https://json-schema.org/draft/2020-12/schema');
      assert.equal(address, `${base}/schemas/${$id}`);
      assert.deepEqual(published, schema);
      new Ajv2020({ strictTypes: false }).compile({ ...published, $id: address });

      const file = JSON.parse(await readFile(folder.path(`.catalogue/schemas/${$id}`), 'utf8')) as Record<
        string,
        unknown
      >;
      assert.deepEqual(file, { $schema, ...schemas[kind] });
    });
});
