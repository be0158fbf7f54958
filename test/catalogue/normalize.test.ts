/** Normal forms: those of JavaScript, but for runs of marks that no text has, which take no longer than others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldCaseAndAccents } from '../../src/catalogue/fold.ts';
import { normalizeText } from '../../src/catalogue/normalize.ts';
import { foldAccents, foldCase } from '../../src/data/query/value-test.ts';
import { cpuTime } from '../data/support/turns.ts';

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

describe('normal forms', () => {
  it('are those of JavaScript for letters with up to thirty marks', () => {
    const text = fc.string({
      unit: fc.constantFrom('e', 'ß', '각', 'ﬁ', '\u0301', '\u0323', '\u0344', '\uff9e', 'क', '्'),
    });
    fc.assert(
      fc.property(text, fc.constantFrom(...forms), (given, form) => {
        assert.equal(normalizeText(given, form), given.normalize(form));
      }),
    );
    const most = `e${'\u0301\u0323'.repeat(15)}`;
    for (const form of forms) assert.equal(normalizeText(most, form), most.normalize(form));
  });

  it('part longer runs of marks once', () => {
    const long = `e${'\u0301\u0323'.repeat(100)}`;
    for (const form of forms) {
      const normal = normalizeText(long, form);
      assert.equal(normal.replaceAll('\u034f', '').length, form.endsWith('D') || form.endsWith('KD') ? 201 : 200, form);
      assert.equal(normalizeText(normal, form), normal, form);
    }
  });

  it('take no time for a hundred thousand marks', () => {
    for (const marks of ['\u0301\u0323'.repeat(50_000), '\u0301\uff9e'.repeat(50_000)])
      for (const form of forms) assert.ok(cpuTime(() => normalizeText(`e${marks}`, form)) < 1000, form);
    const text = `e${'\u0301\u0323'.repeat(50_000)}`;
    for (const fold of [foldCaseAndAccents, foldCase, foldAccents])
      assert.ok(cpuTime(() => fold(text)) < 2000, fold.name);
  });
});
