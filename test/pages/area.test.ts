/** The form of an area, as HTML. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { AreaForm, BoxForm, nameOfArea } from '../../src/pages/area.tsx';
import { localeFor } from '../../src/pages/locale.ts';
import type { PageContext } from '../../src/pages/page-context.ts';

const contextOf = (query: string, more: Partial<PageContext> = {}) =>
  ({
    ...{ base: 'https://data.example.org', path: '/api/v1/datasets/', locale: localeFor('en') },
    ...{ query: new URLSearchParams(query), ...more },
  }) as PageContext;

const valuesIn = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input id="where-(\w+)"[^>]*?(?: value="([^"]*)")?(?: placeholder|\/?>)/g)].map(
      ([, side, value = '']) => [side, value],
    ),
  );

it('the form of an area shows the last box of the address, without heights', () => {
  for (const query of ['bbox=5,45,0,15,55,900', 'bbox=1,2,3,4&bbox=5,45,15,55', '_bbox=5,45,15,55']) {
    const html = renderToString(h(BoxForm, { context: contextOf(query) }));
    assert.deepEqual(valuesIn(html), { west: '5', east: '15', south: '45', north: '55' }, query);
    assert.doesNotMatch(html, /type="hidden"/, query);
  }
  assert.deepEqual(valuesIn(renderToString(h(BoxForm, { context: contextOf('bbox=here') }))), {
    ...{ west: '', east: '', south: '', north: '' },
  });
});

it('an area with heights is named by its sides', () => {
  const context = contextOf('');
  assert.equal(nameOfArea(context, '5,45,0,15,55,900'), nameOfArea(context, '5,45,15,55'));
  assert.equal(nameOfArea(context, '5,45,15,55'), '5°\u00a0E to 15°\u00a0E, 45°\u00a0N to 55°\u00a0N');
  assert.equal(nameOfArea(context, '8.5,47.4,8.5,47.4'), '8.5°\u00a0E, 47.4°\u00a0N', 'a point');
  assert.equal(nameOfArea(context, 'here'), 'here');
});

it('an export has a map to draw on where it shows all datasets: it has no other picture', () => {
  const isDrawn = (context: PageContext) =>
    /data-area/.test(renderToString(h(AreaForm, { context, bbox: [10, 40, 11, 41] }) ?? ''));
  const isExport = true;
  const path = '/api/v1/namespaces/city/datasets/';
  assert.equal(isDrawn(contextOf('', { isExport })), true);
  assert.equal(isDrawn(contextOf('ordering=label', { isExport })), true);
  assert.equal(isDrawn(contextOf('search=lake', { isExport })), false);
  assert.equal(isDrawn(contextOf('', { isExport, path })), false);
  assert.equal(isDrawn(contextOf('search=lake', { path })), true);
});
