import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { editRecordText, newRecordText } from '../../src/text/document.ts';
import { parseRecordText } from '../../src/text/parse.ts';
import { altered, record, value } from './records.ts';

const order = ['id', 'label', 'description', 'name', 'type', 'unit', 'columns', 'keywords', 'notes', 'file'];

const styles = [
  {},
  { lineWidth: 0 },
  { indentSeq: false, indent: 4 },
  { collectionStyle: 'flow' },
  { collectionStyle: 'flow', lineWidth: 10, minContentWidth: 0 },
  { defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' },
  { defaultStringType: 'QUOTE_DOUBLE' },
  { defaultStringType: 'BLOCK_LITERAL', defaultKeyType: 'PLAIN', collectionStyle: 'block' },
  { defaultStringType: 'BLOCK_FOLDED', defaultKeyType: 'PLAIN', collectionStyle: 'block' },
] as const;

/** A hand-written file as far as chance can write one: each key in a style of its own, with comments between them. */
interface Written {
  readonly text: string;
  readonly value: Record<string, unknown>;
  /** The lines of each key, without the last line break. */
  readonly parts: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

const written: fc.Arbitrary<Written> = fc
  .tuple(
    record,
    fc.array(fc.tuple(fc.constantFrom(...styles), fc.boolean(), fc.boolean()), { minLength: 1 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([value, choices, eol, final]) => {
    const parts = new Map<string, string>();
    const notes: string[] = [];
    const lines = Object.entries(value).flatMap(([key, item], index) => {
      const [style, comment, blank] = choices[index % choices.length] ?? [{}, false, false];
      const options = { version: '1.2', aliasDuplicateObjects: false, ...style } as const;
      const block = options as { collectionStyle?: string };
      // The top level stays block style; only the value is in brackets.
      const inner =
        block.collectionStyle === 'flow'
          ? `${stringify(key, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' }).trimEnd()}: ${stringify(item, options)}`
          : stringify({ [key]: item }, options);
      const part = inner.replace(/\n$/, '').replaceAll('\n', eol);
      parts.set(key, part);
      if (comment) notes.push(`# note ${index}`);
      return [...(blank ? [''] : []), ...(comment ? [`# note ${index}`] : []), part];
    });
    const text = lines.join(eol) + (final ? eol : '');
    const parsed = parseRecordText(text, 'yaml');
    return { text, value: 'value' in parsed ? (parsed.value as Record<string, unknown>) : {}, parts, notes };
  })
  .filter(({ text, value, parts, notes }) => {
    // What `yaml` writes isn't always YAML (raw control characters, keys of several lines): such texts are left out.
    const readable = 'value' in parseRecordText(text, 'yaml');
    return (
      readable &&
      !/^\ufeff/m.test(text) &&
      Object.keys(value).length === parts.size &&
      notes.every((note) => text.includes(note))
    );
  });

const choices = fc.array(fc.nat({ max: 20 }), { minLength: 2, maxLength: 8 });
const changes = fc.array(fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 5 }), choices, value), {
  minLength: 1,
  maxLength: 3,
});

function changesTo(
  before: Record<string, unknown>,
  seeds: [number, number, number[], unknown][],
): Record<string, unknown> {
  const keys = [...Object.keys(before), 'label', 'file', 'x'];
  return Object.fromEntries(
    seeds.map(([which, how, choices, fresh]) => {
      const key = keys[which % keys.length] ?? 'label';
      return [key, how === 0 ? undefined : how === 1 ? fresh : altered(before[key], choices, fresh)];
    }),
  );
}

function applied(before: Record<string, unknown>, changed: Record<string, unknown>): Record<string, unknown> {
  const entries = new Map(Object.entries(before));
  for (const [key, item] of Object.entries(changed))
    if (item === undefined) entries.delete(key);
    else entries.set(key, item);
  return Object.fromEntries(entries);
}

const valueIn = (text: string, format: 'yaml' | 'json') => {
  const parsed = parseRecordText(text, format);
  assert.ok('value' in parsed, JSON.stringify([text, parsed]));
  return parsed.value;
};

test('an edit of YAML says what it should, and leaves every other key as it was, to the byte', () => {
  fc.assert(
    fc.property(written, changes, ({ text, value, parts, notes }, seeds) => {
      const changed = changesTo(value, seeds);
      const result = editRecordText(text, 'yaml', changed, order);
      assert.deepEqual(valueIn(result, 'yaml'), applied(value, changed));
      for (const note of notes) assert.ok(result.includes(note), `${note} in ${result}`);
      for (const [key, part] of parts)
        if (!Object.hasOwn(changed, key)) assert.ok(result.includes(part.trimEnd()), `${part} in ${result}`);
      assert.equal(editRecordText(result, 'yaml', changed, order), result, 'twice the same');
      if (text.includes('\r\n')) assert.doesNotMatch(result, /[^\r]\n/);
    }),
    { numRuns: 1500 },
  );
});

test('an edit that changes nothing leaves the text as it is', () => {
  fc.assert(
    fc.property(written, ({ text, value }) => {
      assert.equal(editRecordText(text, 'yaml', value, order), text);
      assert.equal(editRecordText(text, 'yaml', { missing: undefined }, order), text);
    }),
  );
});

test('an edit of JSON says what it should, and leaves other keys and the layout as they were', () => {
  const layout = fc.constantFrom(undefined, 1, 2, 4, '\t');
  fc.assert(
    fc.property(record, layout, fc.constantFrom('', '\n', '\r\n'), changes, (before, indent, end, seeds) => {
      const eol = end === '\r\n' ? end : '\n';
      const text = JSON.stringify(before, null, indent).replaceAll('\n', eol) + end;
      const changed = changesTo(before, seeds);
      const result = editRecordText(text, 'json', changed, order);
      const expected = applied(before, changed);
      assert.deepEqual(valueIn(result, 'json'), expected);
      assert.equal(editRecordText(result, 'json', changed, order), result, 'twice the same');
      // A file as JSON.stringify writes it stays one, whatever is edited; only brackets that were empty open differently.
      const usual = JSON.stringify(JSON.parse(result), null, indent).replaceAll('\n', eol) + end;
      if (Object.keys(before).length > 0) assert.equal(result, usual);
    }),
    { numRuns: 1500 },
  );
});

test('a new text reads back, in the order of the keys', () => {
  fc.assert(
    fc.property(record, (value) => {
      const text = newRecordText(value, order, '# yaml-language-server: $schema=x.json');
      assert.deepEqual(valueIn(text, 'yaml'), value);
      assert.match(text, /^# yaml-language-server: \$schema=x\.json\n[^\n]/);
      assert.equal(newRecordText(value, order, '# yaml-language-server: $schema=x.json'), text);
    }),
    { numRuns: 1500 },
  );
});
