/** Lists in the records of saved queries: each item is one name, which may have commas. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replaceColumnNamesInParameters } from '../../src/catalogue/column-names.ts';
import { parametersFromRecord } from '../../src/catalogue/row-parameters.ts';
import { splitList } from '../../src/data/query/parameter-values.ts';

it('names in lists are quoted where they must be', () => {
  const names = ['plain', 'two words', 'a, b', ' blank ', 'say "hi"'];
  for (const parameter of ['_fields', '_group_by', '_ordering']) {
    const [[, text] = ['', '']] = parametersFromRecord({ [parameter]: names });
    assert.deepEqual(splitList(text), names);
  }
  assert.deepEqual(
    parametersFromRecord({ _fields: ['"a, b"', 'c'], _ordering: ['-"a, b"', 'c'], name: ['x', 'y, z'] }),
    [
      ['_fields', '"a, b",c'],
      ['_ordering', '-"a, b",c'],
      ['name', 'x'],
      ['name', 'y, z'],
    ],
  );
  const aggregates = { _aggregate: ['count', 'sum("a, b") AS total'] };
  assert.deepEqual(parametersFromRecord(aggregates), [['_aggregate', 'count,sum("a, b") AS total']]);
});

it('an item is renamed as a whole', () => {
  const others = new Map([
    ['a, b', ['x, y']],
    ['a', ['wrong']],
    ['c', ['z']],
  ]);
  const { parameters } = replaceColumnNamesInParameters(
    { _fields: ['a, b', '"a, b"', 'c'], _ordering: ['-a, b', '-"a, b"', 'sum("a, b")'] },
    ['x, y', 'z', 'wrong'],
    others,
  );
  assert.deepEqual(parameters, { _fields: ['x, y', '"x, y"', 'z'], _ordering: ['-x, y', '-"x, y"', 'sum("x, y")'] });
});

it('filters are renamed by the names of columns in them, and nothing else is', () => {
  const renamed = (former: string, to: string, text: string) =>
    replaceColumnNamesInParameters({ _filter: text }, [to], new Map([[former, [to]]])).parameters._filter;
  const changed: [former: string, to: string, text: string, expected: string][] = [
    [
      'h',
      'height',
      "h > 5 AND (2*h < 9 or casei(h) = 'h')",
      `"height" > 5 AND (2*"height" < 9 or casei("height") = 'h')`,
    ],
    ['h', 'height', `"h" = 'h''s h' and h='\\'h'`, `"height" = 'h''s h' and "height"='\\'h'`],
    ['Z', 'up', 'S_INTERSECTS(g, POINT Z (1 2 3)) AND Z > 1', 'S_INTERSECTS(g, POINT Z (1 2 3)) AND "up" > 1'],
    ['point', 'place', 'point IS NULL', '"place" IS NULL'],
    [
      'type',
      'kind',
      '{"op":"s_intersects","args":[{ "property" : "type"},{"type":"Point","coordinates":[1.0,2]}]}',
      '{"op":"s_intersects","args":[{ "property" : "kind"},{"type":"Point","coordinates":[1.0,2]}]}',
    ],
    [
      'h "x"',
      'a\\b',
      ' {"op":"=","args":[{"property":"h \\"x\\""},"h \\"x\\""]}',
      ' {"op":"=","args":[{"property":"a\\\\b"},"h \\"x\\""]}',
    ],
  ];
  for (const [former, to, text, expected] of changed) assert.equal(renamed(former, to, text), expected);
  const unchanged: [former: string, text: string][] = [
    ['NO', 'NOT (mag > 5)'],
    ['i', 'mag in (1,2)'],
    ['CASE', "CASEI(x) = 'a'"],
    ['AN', 'x > 1 AND (y > 2)'],
    ['dat', "x > date('2020-01-01')"],
    ['and', 'x > 1 and y > 2'],
    ['e5', 'x > 1e5'],
    ['POINT', 'S_EQUALS(g, POINT EMPTY) OR S_EQUALS(g, POINT Z EMPTY)'],
    ['height', "x = 'it\\'s height'"],
    ['date', '{"op":"t_after","args":[{"property":"x"},{"date":"2020-01-01"}]}'],
    ['property', '{"op":"=","args":[{"property":"x"},"property"]}'],
    ['x', '{"op":"=","args":[{"property":"y"},"\\"property\\":\\"x\\""]}'],
  ];
  for (const [former, text] of unchanged) assert.equal(renamed(former, 'new', text), text);
});

it('filters of a column under two of its names are kept, both', () => {
  const rename = (parameters: Record<string, unknown>) =>
    replaceColumnNamesInParameters(parameters, ['height'], new Map([['h', ['height']]])).parameters;
  assert.deepEqual(rename({ h__gt: 1, height__gt: [2, 3], name: 'x' }), { height__gt: [1, 2, 3], name: 'x' });
});
