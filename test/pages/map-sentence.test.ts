/** The sentence below the picture of a map. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mapSentence } from '../../src/pages/dataset-map.tsx';
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
