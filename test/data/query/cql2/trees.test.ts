/** CQL2 in text and in JSON is the same tree: the standard's examples, and random trees. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCql2 } from '../../../../src/data/query/cql2/parse.ts';
import { printJson, printText, withoutPlaces } from '../../support/cql2.ts';
import { conditions } from '../../support/cql2-conditions.ts';

interface Example {
  readonly name: string;
  readonly text: string;
  readonly json: object;
}
const examples: Example[] = JSON.parse(
  readFileSync(new URL('../../../fixtures/cql2/examples.json', import.meta.url), 'utf8'),
);

for (const { name, text, json } of examples)
  test(`an example of the standard is the same in text and in JSON: ${name}`, () => {
    const tree = withoutPlaces(readCql2(text));
    assert.deepEqual(tree, withoutPlaces(readCql2(JSON.stringify(json))));
    assert.deepEqual(withoutPlaces(readCql2(printText(tree))), tree, printText(tree));
    assert.deepEqual(withoutPlaces(readCql2(JSON.stringify(printJson(tree)))), tree);
  });

const names = fc.oneof(
  fc.constantFrom('a', 'höhe', 'eo:cloud.cover', 'two words', 'quo"te', 'AND', 'date'),
  fc.string({ minLength: 1 }),
);
const condition = conditions(names);

test('random trees are read as they are printed, in text and in JSON', () => {
  const limits = {
    queryLength: Infinity,
    predicates: Infinity,
    depth: Infinity,
    values: Infinity,
    vertices: Infinity,
    aggregates: 1,
    groups: 1,
    medianValues: 1,
    groupMemory: 1,
  };
  fc.assert(
    fc.property(condition, (tree) => {
      const json = JSON.stringify(printJson(tree));
      // The tree as it is read has AND in AND flattened.
      const read = withoutPlaces(readCql2(json, limits));
      assert.deepEqual(withoutPlaces(readCql2(JSON.stringify(printJson(read)), limits)), read);
      assert.deepEqual(withoutPlaces(readCql2(printText(read), limits)), read, printText(read));
      assert.deepEqual(withoutPlaces(readCql2(printText(tree), limits)), read, printText(tree));
    }),
    { numRuns: 1500 },
  );
});
