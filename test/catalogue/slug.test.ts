/** The slugs that labels give. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxSlugLength, slugRule } from '../../src/catalogue/ref.ts';
import { slugify } from '../../src/catalogue/slug.ts';
import { anyCharacter } from '../support/characters.ts';

/** Django's `slugify`, as its source says it. */
const django = (label: string) =>
  label
    .normalize('NFKD')
    .replace(/\P{ASCII}/gu, '')
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');

const table: readonly (readonly [label: string, slug: string])[] = [
  // Django's own
  ["Forêt de l'Étoile", 'foret-de-letoile'],
  ['v1.2.3/final_version', 'v123final_version'],
  ['A – B — C - D', 'a-b-c-d'],
  ['ﬁeld № ½ ²', 'field-no-12-2'],
  ['Hello, World!', 'hello-world'],
  ['  spaces \t and\nlines ', 'spaces-and-lines'],
  ['-_both_ends-_', 'both_ends'],
  ['a -- b', 'a-b'],
  ['snake_case stays', 'snake_case-stays'],
  ['UPPER', 'upper'],
  ['non\u00a0breaking\u3000wide', 'non-breaking-wide'],
  ['line\u2028separator', 'lineseparator'],
  ['①②③', '123'],
  // Letters that Django would drop
  ['Straße Ørsted Łódź', 'strasse-orsted-lodz'],
  ['東京', 'dong-jing'],
  ['東京 2020', 'dong-jing-2020'],
  ['データ', 'deta'],
  ['한국어', 'hangugeo'],
  ['हिन्दी', 'hindi'],
  ['Київ', 'kiiv'],
  ['Ελλάδα', 'ellada'],
  ['٣ أرقام', '3-rqm'],
  // Nothing to spell
  ['!!!', ''],
  ['', ''],
  ['---', ''],
  ['🚀', ''],
  ['“quoted”', 'quoted'],
];

const languages: readonly (readonly [language: string, label: string, slug: string])[] = [
  ['de', 'Öffentliche Bäume', 'oeffentliche-baeume'],
  ['de', 'ÜBERGRÖSSE Straße', 'uebergroesse-strasse'],
  ['de', 'A\u0308mter', 'aemter'],
  ['de-AT', 'Märkte', 'maerkte'],
  ['deu', 'Märkte', 'maerkte'],
  ['de', 'Forêt Ørsted', 'foret-orsted'],
  ['da', 'Ærø Å Grøn', 'aeroe-aa-groen'],
  ['nb', 'Ålesund kjøretøy', 'aalesund-kjoeretoey'],
  ['nn-NO', 'Ærfugl', 'aerfugl'],
  ['no', 'Tromsø', 'tromsoe'],
  ['sv', 'Skåne län, Örebro', 'skaane-laen-oerebro'],
  ['fi', 'Päijänne ja Åbo', 'paijanne-ja-abo'],
  ['is', 'Þingvellir á Öxará', 'thingvellir-a-oxara'],
  ['en', 'Öffentliche Bäume', 'offentliche-baume'],
  ['', 'Öffentliche Bäume', 'offentliche-baume'],
  ['nonsense!', 'Bäume', 'baume'],
];

describe('slugify', () => {
  for (const [language, label, slug] of languages)
    it(`${JSON.stringify(label)} in ${language || 'no language'} gives ${slug}`, () => {
      assert.equal(slugify(label, language), slug);
    });

  for (const [label, slug] of table)
    it(`${JSON.stringify(label)} gives ${slug || 'nothing'}`, () => {
      assert.equal(slugify(label), slug);
    });

  it('keeps of every character what Django keeps, where it drops no letter', () => {
    for (let code = 0; code < 0x30000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const label = `a${String.fromCodePoint(code)}b`;
      const dropped = label.normalize('NFKD').replace(/[\p{ASCII}\p{M}]/gu, '');
      if (!/\p{L}/u.test(dropped) && django(label) !== 'ab')
        assert.equal(slugify(label), django(label), `U+${code.toString(16)}`);
    }
  });

  it('is cut to its greatest length, and then neither begins nor ends with a hyphen', () => {
    assert.equal(slugify('x'.repeat(101)), 'x'.repeat(maxSlugLength));
    assert.equal(slugify(`${'x'.repeat(99)} yz`), 'x'.repeat(99));
  });

  it('gives a slug or nothing, and a slug gives itself', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: anyCharacter, maxLength: 300 })),
        (label) => {
          const slug = slugify(label);
          assert.ok(slug.length <= maxSlugLength);
          if (slug) assert.match(slug, slugRule);
          assert.equal(slugify(slug), slug);
        },
      ),
    );
  });
});
