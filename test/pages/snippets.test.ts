/** Lines to copy for tools. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseFilterWords } from '../../src/cli/filters.ts';
import { makeSnippets } from '../../src/pages/snippets.ts';

const source = {
  address: 'https://example.org/api/v1/namespaces/a/datasets/b/data',
  name: 'b',
  hasGeometry: false,
  subject: 'a/b',
  title: 'B',
  server: 'https://example.org',
  textColumns: [],
};
const lineFor = (query: string) =>
  makeSnippets({ ...source, query } as never).find(({ tool }) => tool === 'cli')?.blocks[0];

it('the command line has the filters of the address, or no line where it would read them otherwise', () => {
  const [word = ''] = /'.*'/.exec(lineFor('?height__gte=a%3Db') ?? '') ?? [];
  assert.deepEqual(parseFilterWords([word.slice(1, -1)]), [['height__gte', 'a=b']]);
  for (const query of ['?a%3Db=1', '?height=2&-x=1']) assert.equal(lineFor(query), undefined, query);
});
