/** Texts that are parsed once: they say the same as those that are parsed anew, and edits of them are the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editRecord, editRecordText } from '../../src/text/document.ts';
import { parseRecordText, parseSyntaxTree, RecordText, stripByteOrderMark } from '../../src/text/parse.ts';

const texts = [
  'a: 1\nb: [x, y] # why\n',
  '\ufeffa: 1\nb: {x: y}\n',
  'a: &n {k: v}\nb: *n\n',
  'null: 1\nNull: 2\ntrue: 3\nTRUE: 4\nyes: 5\nno: 6\non: 7\ny-es_1: 8\n',
  '~: 1\n1: 2\n1.0: 3\n.inf: 4\n0x1F: 5\n"a": 6\n? !!str b\n: 7\n! c: 8\n',
  'a: [1, 2\n',
  'a: 1\na: 2\n',
  '- a\n',
  '',
];

test('a text that is parsed once', () => {
  for (const text of texts) {
    const record = new RecordText(text, 'yaml');
    assert.deepEqual(record.parsed, parseRecordText(text, 'yaml'), text);
    assert.equal(record.parsed, record.parsed);
    if ('error' in record.parsed) continue;
    assert.deepEqual(record.tree, parseSyntaxTree(stripByteOrderMark(text), 'yaml'), text);
    const keys = record.tree.kind === 'mapping' ? record.tree.entries.map(({ key }) => key) : [];
    // Integer keys come first in an object.
    assert.deepEqual(keys.sort(), Object.keys(record.parsed.value as object).sort(), text);
    for (const changes of [{ b: 'new' }, { a: undefined }, { z: [1] }, { a: { k: 'w' } }]) {
      const edited = editRecord(record, changes, ['a', 'b']);
      assert.equal(edited.text, editRecordText(text, 'yaml', changes, ['a', 'b']));
      assert.deepEqual(edited.parsed, parseRecordText(edited.text, 'yaml'));
    }
    assert.equal(editRecord(record, {}, []), record);
  }
});

test('JSON that is parsed once', () => {
  const record = new RecordText('{"a": 1, "b": [1]}', 'json');
  const edited = editRecord(record, { a: 2 }, ['a']);
  assert.equal(edited.text, '{"a": 2, "b": [1]}');
  assert.deepEqual(edited.parsed, { value: { a: 2, b: [1] } });
});
