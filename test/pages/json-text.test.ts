/** The start of a long JSON text, as it is shown to people. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { indentedStart } from '../../src/pages/json-text.tsx';

it('the start of a JSON text is indented as the whole is', () => {
  const value = { a: [1, -2.5e-7, [], {}, [{}]], 'b "{,': 'c: [\\"', d: { e: null, f: true }, g: 'x'.repeat(50) };
  const whole = JSON.stringify(value, null, 2);
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 4).replace('[]', '[ ]')]) {
    assert.equal(indentedStart(text, text.length), `${whole} …`);
    for (let most = 1; most < text.length; most++) {
      const start = indentedStart(text, most).slice(0, -2).trimEnd();
      // A bracket that is closed behind the end is not known to be empty; a number or word may be cut off.
      assert.ok(whole.startsWith(start) || whole.startsWith(start.replace(/[[{]$/, '')), start);
    }
  }
});
