/** The strip: a bar for each column of a dataset. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { render } from 'preact-render-to-string';
import { localeFor } from '../../src/pages/locale.ts';
import { Strip, type StripColumn } from '../../src/pages/strip.tsx';

const bars = (columns: readonly StripColumn[], family: string) => {
  const html = render(Strip({ columns, locale: localeFor('en'), width: 96, height: 14 }));
  return new RegExp(`<path class="${family}" d="([^"]*)"`).exec(html)?.[1]?.match(/M/g)?.length ?? 0;
};
const of = (type: StripColumn['type'], count: number, filled = 1): StripColumn[] =>
  Array.from({ length: count }, () => ({ type, filled }));

it('has bars of all columns, however many there are', () => {
  assert.deepEqual([bars(of('string', 10), 'text'), bars(of('string', 10), 'bed')], [10, 10]);
  const many = [...of('string', 480), ...of('float', 160, 0.5)];
  assert.deepEqual([bars(many, 'text'), bars(many, 'num'), bars(many, 'bed')], [48, 16, 64]);
});
