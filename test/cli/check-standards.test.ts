/** `check --standards`: what portals and search engines miss, and what to write. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type } from '../support/prompt.ts';

const content = {
  settings: { title: 'Town', language: 'en', description: 'Data of the town.' },
  namespaces: { parks: { label: 'Parks' }, secret: { label: 'Secret', visibility: 'private' } },
  datasets: {
    'parks/trees': { id: 1, label: 'Trees', keywords: ['trees'], contact: 'parks@example.org', licence: 'CC0-1.0' },
    'secret/files': { id: 2, label: 'Files' },
  },
};

it('says which standards refuse or degrade a public dataset, and what to write', async () => {
  const { out, exitCode, root } = await type(['check', '--standards', '--json'], { seed: content });
  assert.equal(exitCode, 0, 'warnings are no errors');
  const { problems } = JSON.parse(out) as { problems: readonly { path: string; message: string }[] };
  const found = problems.filter(({ message }) => /refused by|incomplete in/.test(message));
  assert.deepEqual(
    found.map(({ path, message }) => `${path}: ${message.split(':')[0]}`),
    [
      'catalogue.yaml: no publisher',
      'namespaces/parks/datasets/trees/dataset.yaml: no version',
      'namespaces/parks/datasets/trees/dataset.yaml: no file whose columns can be named',
      'namespaces/parks/datasets/trees/dataset.yaml: no description',
    ],
  );
  assert.match(
    found[1]?.message ?? '',
    /refused by Croissant 1.1, DCAT-US 1.1, Data Package 2, STAC 1.1.0\. Publish one/,
  );
  assert.doesNotMatch((await type(['check', '--json'], { root })).out, /refused by/);
});
