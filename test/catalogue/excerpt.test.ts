/** Excerpts of texts: the line of a problem, and the place in it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { excerptAt } from '../../src/catalogue/diagnostic.ts';
import { makeLastingFolder } from '../support/folder.ts';
import { type } from '../support/prompt.ts';

describe('an excerpt', () => {
  it('is the line without its end, tabs and controls as blanks', () => {
    assert.deepEqual(excerptAt('a: 1\r\n\tb: \u001b2\r\nc', 2, 5), { text: ' b:  2', at: 4 });
    assert.deepEqual(excerptAt('a: [', 1, 5), { text: 'a: [', at: 4 });
    for (const line of [2, 3]) assert.equal(excerptAt('a\n', line, 1), undefined);
  });

  it('is a part of a long line, around the place', () => {
    const text = `{"a":"${'x'.repeat(500)}!${'y'.repeat(500)}"}`;
    const found = excerptAt(text, 1, 507);
    assert.ok(found && found.text.length <= 72);
    assert.equal(found.text[found.at], '!');
  });

  it('follows each problem of catalogue check at a terminal, with a caret; programs get a line a problem', async (t) => {
    const folder = makeLastingFolder({});
    t.after(() => folder.remove());
    folder.write('namespaces/parks/namespace.yaml', 'id: 7\nlabel: Parks\nvisibility: secret\n');
    const check = (terminal: boolean) => type(['check'], { root: folder.root, terminal });
    const { out } = await check(true);
    assert.match(out, /namespace\.yaml:3:13: .*\n {5}3 \| visibility: secret\n {7}\| {13}\^\n/);
    assert.match((await check(false)).out, /^[^\n]*namespace\.yaml:3:13: [^\n]*\n$/);
  });
});
