/** The excerpt of a description that a search shows: of a long description, a part of it is read, wherever the term stands. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { excerptOfDescription, partsWithTerm } from '../../src/pages/description-excerpt.ts';

const sentence = 'The *quick* brown fox [jumps](https://example.org/fox_jump) over größer dogs. ';

it('is read from a few thousand characters of a description of 100 kB', () => {
  for (const filling of [`${sentence.repeat(5)}\n\n`, '- an `item` of the **list**\n', sentence, 'x'.repeat(50)]) {
    const many = filling.repeat(Math.ceil(100_000 / filling.length));
    for (const at of [0, 499, 50_000, many.length]) {
      const description = `${many.slice(0, at)} the Überraschung is here ${many.slice(at)}`;
      const [part] = partsWithTerm(description, ['uberraschung']);
      assert.ok(part && part.text.length < 3000, `${part?.text.length}`);
      assert.match(String(excerptOfDescription(description, ['uberraschung'], 60)), /the Überraschung is here/);
    }
  }
});

it('says where something is left out, and skips addresses', () => {
  const many = `${sentence}\n`.repeat(2000);
  assert.match(String(excerptOfDescription(`${many}a needle`, ['needle'], 20)), /^… .*dogs\. a needle$/);
  assert.match(String(excerptOfDescription(`a needle ${many}`, ['needle'], 20)), /^a needle The quick .* …$/);
  assert.match(String(excerptOfDescription(`${many}\n\na needle\n\n${many}`, ['needle'], 5)), /^… .*a needle.* …$/);
  const address = `[here](https://example.org/needle)\n\n${many}`;
  assert.match(String(excerptOfDescription(`${address}a needle`, ['needle'], 20)), /a needle$/);
  assert.equal(excerptOfDescription(address, ['needle'], 20), null);
  assert.equal(excerptOfDescription(many, ['needle'], 20), null);
  assert.equal(excerptOfDescription('', ['needle'], 20), null);
});

it('has the words around the term of a short description', () => {
  assert.equal(
    excerptOfDescription('One *needle* in\na [stack](https://a.b).', ['needle'], 60),
    'One needle in a stack.',
  );
});
