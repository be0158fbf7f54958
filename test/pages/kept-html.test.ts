/** HTML that is kept for what it shows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { h } from 'preact';
import { keptHtml } from '../../src/pages/kept-html.ts';
import { localeFor } from '../../src/pages/locale.ts';

describe('parts of pages that are kept', () => {
  it('are written again for other objects, and for another key', () => {
    let written = 0;
    const write = (text: string) => () => {
      written++;
      return h('p', null, text);
    };
    const [shown, other] = [{}, {}];
    assert.equal(keptHtml('part en', [shown], write('a')), '<p>a</p>');
    assert.equal(keptHtml('part en', [shown], write('b')), '<p>a</p>');
    assert.equal(written, 1);
    assert.equal(keptHtml('part en', [other], write('c')), '<p>c</p>');
    assert.equal(keptHtml('part en', [shown, other], write('d')), '<p>d</p>');
    assert.equal(keptHtml('part de', [shown, other], write('e')), '<p>e</p>');
  });

  it('have numbers in the form of the language, small ones, too', () => {
    const [english, german] = [localeFor('en'), localeFor('de')];
    assert.deepEqual(
      [999, 1000, -3, 0.5].map((one) => english.number(one)),
      ['999', '1,000', '−3', '0.5'],
    );
    assert.deepEqual(
      [0, 999, 1234.5, 2e9].map((one) => german.rounded(one)),
      ['0', '999', '1\u00a0235', '2\u00a0000\u00a0000\u00a0000'],
    );
    assert.deepEqual([english.percent(0.5), german.list(['a', 'b', 'c'])], ['50%', 'a, b und c']);
  });
});
