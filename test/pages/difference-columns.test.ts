/** The columns in which two versions differ. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { render } from 'preact-render-to-string';
import { DifferenceColumns } from '../../src/pages/difference-columns.tsx';
import { localeFor } from '../../src/pages/locale.ts';

const htmlOf = (changed: number, added = 0) => {
  const context = { locale: localeFor('en'), query: new URLSearchParams('_key=id'), base: '', path: '/diff/' };
  const columns = Array.from({ length: changed }, (_, i) => ({ name: `c${i}`, positions: [0], caseOnly: 0 }));
  const difference = {
    columns: { added: Array.from({ length: added }, (_, i) => ({ name: `a${i}` })), dropped: [], retyped: [] },
    counts: { changed: 1 },
  };
  const summary = { columns, counted: 1, otherKey: null };
  return render(DifferenceColumns({ context, difference, summary, column: null } as never) as never);
};

it('are listed up to sixty, with the number of the others and where they are', () => {
  assert.doesNotMatch(htmlOf(60), /more column/);
  assert.match(htmlOf(80), /20 more columns: <a href="\/diff\/\?_key=id&amp;_format=json"/);
  assert.match(htmlOf(1, 61), /1 more column: <a/);
});
