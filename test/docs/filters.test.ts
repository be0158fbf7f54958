/** The examples of docs/filters.md find the rows that it names. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { functionOps } from '../../src/data/query/cql2/tree.ts';
import { customFunctions } from '../../src/data/query/functions.ts';
import { lookupsByType } from '../../src/data/query/lookups.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const page = readFileSync(new URL('../../docs/filters.md', import.meta.url), 'utf8');
const [, trees = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
const [, lookups = '', filters = ''] = page.split(/^## /m);

/** Rows of tables whose third cell is an example, and the names in the fourth. */
const examplesIn = (text: string) =>
  [...text.matchAll(/^\|.*\| `(.*?)` \| ([^|`]*)\|$/gm)].map(([, example = '', names = '']) => ({
    example,
    names: names.trim(),
  }));
describe('docs/filters.md', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('trees', 'trees.geojson', trees);
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const findNames = async (parameter: string, value: string) => {
    const query = new URLSearchParams([
      [parameter, value],
      ['_fields', 'name'],
      ['_format', 'objects'],
    ]);
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/trees/data/?${query}`);
    const text = await response.text();
    assert.equal(response.status, 200, `${value}: ${text}`);
    return (JSON.parse(text) as { name: string }[]).map(({ name }) => name).join(', ');
  };

  it('names the rows that its examples find', async () => {
    const found: string[] = [];
    const expected: string[] = [];
    for (const { example, names } of examplesIn(lookups)) {
      const at = example.indexOf('=');
      found.push(`${example}: ${await findNames(example.slice(0, at), example.slice(at + 1))}`);
      expected.push(`${example}: ${names}`);
    }
    for (const { example, names } of examplesIn(filters)) {
      found.push(`${example}: ${await findNames('_filter', example)}`);
      expected.push(`${example}: ${names}`);
    }
    assert.ok(found.length > 50);
    assert.deepEqual(found, expected);
  });

  it('lists all lookups, operators and functions', () => {
    for (const lookup of Object.values(lookupsByType).flat())
      assert.match(lookups, new RegExp(`\`__${lookup}\``), lookup);
    for (const name of functionOps) assert.match(filters, new RegExp(`\`${name}[\`(]`, 'i'), name);
    for (const name of Object.keys(customFunctions)) assert.match(filters, new RegExp(`\`${name}[\`(]`), name);
  });
});
