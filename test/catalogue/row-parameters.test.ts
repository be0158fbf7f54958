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
