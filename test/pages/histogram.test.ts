/** Edges of histograms, ends of columns and legends of maps as pages write them: so that neighbours differ. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { render } from 'preact-render-to-string';
import { ColumnList } from '../../src/pages/dataset-columns.tsx';
import { Legend } from '../../src/pages/dataset-map.tsx';
import { localeFor } from '../../src/pages/locale.ts';
import { edgeTexts, endTexts, numberTexts } from '../../src/pages/number-texts.ts';

const textsOf = (name: string, edges: readonly (number | string)[], language: 'en' | 'de' = 'en') =>
  edgeTexts(localeFor(language), name, edges);

it('numbers have all of their digits', () => {
  assert.deepEqual(textsOf('id', [100_000, 100_001, 100_002]), ['100,000', '100,001', '100,002']);
  assert.deepEqual(textsOf('lat', [48.1371, 48.1372, -0.5], 'de'), ['48,1371', '48,1372', '−0,5']);
  assert.deepEqual(textsOf('x', [1_000_000_000, 1_000_000_001]), ['1,000,000,000', '1,000,000,001']);
});

it('numbers with more than twelve digits, and tiny ones, have a power of ten, as on paper', () => {
  // Not 3.7E13, the form of calculators: most readers of a page have never learnt it.
  const spaced = (texts: readonly string[]) => texts.map((text) => text.replaceAll('\u00a0', ' '));
  assert.deepEqual(spaced(textsOf('x', [999_999_999_999, 3.7e13])), ['999,999,999,999', '3.7 × 10¹³']);
  assert.deepEqual(spaced(textsOf('x', [-2.5e-7, 0, 1e-10], 'de')), ['−2,5 × 10⁻⁷', '0', '1 × 10⁻¹⁰']);
  assert.deepEqual(spaced([localeFor('en').rounded(1.0543549e14)]), ['1.054 × 10¹⁴']);
});

it('years have no groups of digits', () => {
  assert.deepEqual(textsOf('year', [1990, 2000, 2010]), ['1990', '2000', '2010']);
  assert.deepEqual(textsOf('height', [1990, 2000]), ['1,990', '2,000']);
});

it('times within a day have the time of day, and others don’t', () => {
  const day = ['2021-01-01T00:00:00Z', '2021-01-01T12:30:00Z'];
  assert.deepEqual(textsOf('t', day), ['1 Jan 2021, 00:00', '1 Jan 2021, 12:30']);
  assert.deepEqual(textsOf('t', ['2021-01-01T10:00:05', '2021-01-01T10:00:10']), [
    ...['1 Jan 2021, 10:00:05', '1 Jan 2021, 10:00:10'],
  ]);
  assert.deepEqual(textsOf('t', ['2021-01-01T00:00:00Z', '2021-01-02T00:00:00Z']), ['1 Jan 2021', '2 Jan 2021']);
  assert.deepEqual(textsOf('t', ['2021-01-01', '2021-02-01']), ['1 Jan 2021', '1 Feb 2021']);
});

it('milliseconds since 1970 are dates, in columns that are named like a time', () => {
  const [from, to] = [Date.UTC(2021, 0, 1), Date.UTC(2021, 6, 1)];
  assert.deepEqual(textsOf('time', [from, to]), ['1 Jan 2021', '1 Jul 2021']);
  assert.deepEqual(textsOf('time', [from, from + 5_400_000]), ['1 Jan 2021, 00:00', '1 Jan 2021, 01:30']);
  assert.deepEqual(textsOf('bytes', [from]), ['1.6094592\u00a0×\u00a010¹²']);
  assert.deepEqual(endTexts(localeFor('en'), 'time', { min: from + 1, max: to }), ['1 Jan 2021', '1 Jul 2021']);
});

it('the ends of a column are values of it', () => {
  const ends = (min: number | string, max: number | string, name = 'n') =>
    endTexts(localeFor('en'), name, { min, max });
  assert.deepEqual(ends(1, 99_998), ['1', '99,998']);
  assert.deepEqual(ends(100_000, 100_020), ['100,000', '100,020']);
  assert.deepEqual(ends(0, 2020, 'year'), ['0', '2020']);
  assert.deepEqual(ends(-122.4194, 83.645), ['−122.419', '83.645']);
  assert.deepEqual(ends(0.123456789, 0.123456788), ['0.123456789', '0.123456788']);
  assert.deepEqual(ends('2021-01-01', 'x'.repeat(30)), ['1 Jan 2021', 'x'.repeat(24)]);
});

it('a column with one value has it once: with its count, or alone', () => {
  const column = (profile: object) =>
    render(
      ColumnList({
        context: { locale: localeFor('en') } as never,
        columns: [{ name: 'n', type: 'integer' } as never],
        profiles: new Map([['n', profile]]),
        ...{ rows: 9, rowsPath: '/data/', jsonHref: '/', columnHref: () => undefined },
      }),
    ).replace(/^.*<div class="vals">/s, '');
  const ends = { min: 7, max: 7, distinct: 1 };
  const counted = column({ ...ends, nulls: 2, top: [{ value: 7, count: 7 }] });
  assert.match(counted, /^<ul class="tops num">.*<a href="\/data\/\?n=7"[^>]*>7<\/a><span>7<\/span><\/li><\/ul>/s);
  assert.match(column(ends), /^<p class="ends"><span>7<\/span><\/p>/);
  assert.match(column({ ...ends, max: 8 }), /^<p class="ends"><span>7<\/span><span>8<\/span><\/p>/);
});

it('classes of a map have different bounds, and years without groups of digits', () => {
  const legend = (column: string, breaks: readonly number[], language: 'en' | 'de' = 'en') => {
    const context = { locale: localeFor(language) } as never;
    const html = render(Legend({ context, legend: { kind: 'quantiles', column, breaks, min: 0, max: 1e6 } }));
    return [...html.matchAll(/<span[^>]*>([^<]*)<\/span>/g)].map(([, text]) => text?.replace('&lt;', '<'));
  };
  assert.deepEqual(legend('year', [1995, 2001], 'de'), ['< 1995', '1995 – 2001', '≥ 2001']);
  assert.deepEqual(legend('id', [100_005, 100_010]), ['< 100,005', '100,005 – 100,010', '≥ 100,010']);
  assert.deepEqual(legend('height', [12.341111, 12.344111]), ['< 12.341', '12.341 – 12.344', '≥ 12.344']);
  assert.deepEqual(numberTexts(localeFor('en'), 'share', [0.1 + 0.2, 0.3]), ['0.30000000000000004', '0.3']);
  assert.deepEqual(numberTexts(localeFor('en'), 'n', [1.5, 1.5]), ['1.5', '1.5']);
});
