/** The texts of the pages: each language has all of them, with the same values. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mapTexts } from '../../browser/row-panel.ts';
import { movingMapTexts } from '../../src/pages/dataset-map.tsx';
import { type Language, languageForTag, languages, localeFor } from '../../src/pages/locale.ts';
import { english, type Text, type TextKey } from '../../src/pages/texts/english.ts';

const placeholders = (text: Text): string[] =>
  (typeof text === 'string' ? [text] : [text.one, text.other])
    .map((one) =>
      [...one.matchAll(/\{(\w+)\}/g)]
        .map(([, name]) => name)
        .sort()
        .join(),
    )
    .filter((names, i, all) => all.indexOf(names) === i);

describe('texts of the pages', () => {
  for (const language of Object.keys(languages) as Language[])
    it(`are all there, with their values: ${language}`, () => {
      const { texts } = languages[language];
      assert.deepEqual(Object.keys(texts).sort(), Object.keys(english).sort());
      for (const key of Object.keys(english) as TextKey[])
        assert.deepEqual(placeholders(texts[key]), placeholders(english[key]), `${language} ${key}`);
    });

  it('are all used', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const sources = ['src/pages', 'src/server', 'browser'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true })
        .map((name) => join(root, folder, String(name)))
        .filter((path) => /\.tsx?$/.test(path) && !path.includes(join('pages', 'texts'))),
    );
    const words = new Set(sources.flatMap((path) => readFileSync(path, 'utf8').match(/(?<=')\w+(?=')/g) ?? []));
    assert.deepEqual(
      Object.keys(english).filter((key) => !words.has(key)),
      [],
    );
  });

  it('have numbers, sizes and dates of their language', () => {
    const [en, de, fr] = [localeFor('en'), localeFor('de'), localeFor('fr')];
    assert.deepEqual(
      [en, de].map((locale) => locale.number(-17_257.5)),
      ['−17,257.5', '−17\u00a0257,5'],
    );
    assert.deepEqual(
      [en, fr].map((locale) => locale.size(726_000).replace(/\s/g, ' ')),
      ['726 kB', '726 ko'],
    );
    assert.equal(de.date('2018-02-07T01:49:14.000Z', 'long'), '7. Februar 2018');
    assert.deepEqual(
      [0, 0.001, 0.999, 1].map((share) => en.percent(share)),
      ['0%', '1%', '99%', '100%'],
    );
    assert.deepEqual(
      [1, 2].map((count) => de.text('rowCount', { count })),
      ['1 Zeile', '2 Zeilen'],
    );
    assert.equal(fr.text('rowCount', { count: 0 }), '0 ligne');
    assert.deepEqual(['de-CH', 'FR', 'da', ''].map(languageForTag), ['de', 'fr', undefined, undefined]);
  });

  it('agree with their numbers', () => {
    const [en, de, fr] = [localeFor('en'), localeFor('de'), localeFor('fr')];
    assert.equal(en.text('moreRows', { count: 5 }), '5 more rows');
    assert.equal(en.text('fewerRows', { count: 1 }), '1 fewer row');
    assert.match(en.text('headsOfMatching', { rows: '9 rows', count: 1 }), /the 1 that matches, to a scale of its own/);
    assert.match(de.text('headsOfMatching', { rows: '9 Zeilen', count: 1 }), /dunkel die 1, die passt/);
    assert.match(fr.text('headsOfMatching', { rows: '9 lignes', count: 1 }), /celle qui correspond \(1\)/);
    assert.deepEqual(
      [1, 2].map((count) => de.text('distinctCount', { count })),
      ['1 Wert', '2 verschiedene'],
    );
    assert.deepEqual(
      [1, 2].map((count) => de.text('theFirstOf', { count })),
      ['die erste von 1', 'die ersten von 2'],
    );
    const chart = { value: 'a', time: 'b', series: 'c', from: '2001', to: '2009' };
    assert.equal(en.text('chartOf', { ...chart, count: 1 }), 'a by b for 1 value of c, 2001 to 2009.');
    assert.match(de.text('chartOfMeans', { ...chart, count: 1 }), /für 1 Wert von c/);
    assert.match(fr.text('chartOf', { ...chart, count: 1 }), /pour 1 valeur de c/);
    assert.deepEqual(
      [1, 2].map((count) => fr.text('columnsShown', { count, shown: count, all: 5 })),
      ['1 colonne sur 5', '2 colonnes sur 5'],
    );
  });

  it('of the moving map leave the number of rows to its script', () => {
    assert.deepEqual(movingMapTexts({ locale: localeFor('en') }), mapTexts);
    for (const language of Object.keys(languages) as Language[])
      assert.match(movingMapTexts({ locale: localeFor(language) }).moreRows ?? '', /\{count\}/, language);
  });
});
