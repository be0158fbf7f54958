/** The sentence below the picture of a map, and the form that colours it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { render } from 'preact-render-to-string';
import { DatasetMap, mapSentence } from '../../src/pages/dataset-map.tsx';
import { localeFor } from '../../src/pages/locale.ts';

const sentence = (language: 'en' | 'de' | 'fr', located: number, kind: 'polygons' | 'points' | 'shapes') =>
  mapSentence({ locale: localeFor(language) } as never, {
    matched: located,
    located,
    drawn: located,
    isSampled: false,
    kind,
  });

it('says one and many of what the rows are', () => {
  assert.equal(sentence('en', 1, 'points'), '1 point shown.');
  assert.equal(sentence('en', 60, 'points'), 'All 60 points shown.');
  assert.equal(sentence('de', 1, 'polygons'), '1 Fläche gezeigt, vereinfacht auf die Größe dieses Bildes.');
  assert.equal(sentence('de', 2, 'shapes'), 'Alle 2 Geometrien gezeigt, vereinfacht auf die Größe dieses Bildes.');
  assert.match(sentence('fr', 1, 'polygons'), /^1 polygone sur la carte/);
  assert.match(sentence('fr', 2, 'shapes'), /^Les 2 géométries sont sur la carte/);
});

it('says of any kind how much of it is drawn', () => {
  const some = (language: 'de' | 'fr', kind: 'shapes' | 'polygons', isSampled: boolean) =>
    mapSentence({ locale: localeFor(language) } as never, { matched: 9, located: 9, drawn: 5, isSampled, kind });
  assert.equal(some('fr', 'shapes', true), 'La carte montre au hasard 5 géométries sur 9.');
  assert.match(some('fr', 'shapes', false), /^La carte montre 5 géométries sur 9 : ce qui tombe/);
  assert.match(some('de', 'polygons', false), /^5 Flächen von 9 gezeigt: .* sind zusammen gezeichnet\.$/);
});

it('says that no row has a geometry, in place of a map without them', () => {
  const context = { locale: localeFor('en'), query: new URLSearchParams(), base: '', path: '/x/' } as never;
  const counts = { matched: 2, located: 0, drawn: 0, isSampled: false, kind: 'shapes' } as const;
  const html = (located: number) =>
    render(DatasetMap({ context, path: '/x/', shown: { counts: { ...counts, located }, legend: null }, columns: [] }));
  assert.equal(html(0), '<p class="soft">None of the 2 rows has a geometry.</p>');
  assert.match(html(1), /^<figure .*<img /);
});

it('the form that colours the map keeps the columns of the chart', () => {
  const query = new URLSearchParams({ _number: 'gdp', _lines: 'region', _colour: 'gdp' });
  const context = { locale: localeFor('en'), query, base: '', path: '/x/' } as never;
  const html = render(DatasetMap({ context, path: '/x/', shown: null, columns: [] }));
  const [, form = ''] = /<form[^>]*>(.*)<\/form>/s.exec(html) ?? [];
  assert.deepEqual(form.match(/<input[^>]*>/g), [
    '<input type="hidden" name="_number" value="gdp"/>',
    '<input type="hidden" name="_lines" value="region"/>',
  ]);
});
