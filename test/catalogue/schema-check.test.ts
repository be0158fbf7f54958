/** The quick check of records accepts what the validator accepts, and nothing else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Schema } from '../../src/catalogue/field.ts';
import { makeSchemaCheck } from '../../src/catalogue/schema-check.ts';
import { type RecordKind, schemas } from '../../src/catalogue/schemas.ts';

const ajv = new Ajv2020({ strictTypes: false });

const anything = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    undefined,
    true,
    0,
    -1,
    1.5,
    2 ** 31,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    'a',
    '😀',
  ),
  fc.constantFrom('public', 'a/b', 'https://x.org/y', 'group', 'user:ann', '2020-01-01T00:00:00Z', 'f'.repeat(64)),
  fc.string({ maxLength: 300, unit: 'grapheme' }),
  fc.anything({ maxDepth: 2, withBigInt: true, withDate: true }),
);

/** Values that often fit a schema. */
function valuesFor(schema: Schema): fc.Arbitrary<unknown> {
  const { enum: choices, items, properties, additionalProperties, required = [] } = schema;
  const fitting: fc.Arbitrary<unknown>[] = [];
  if (choices) fitting.push(fc.constantFrom(...choices));
  if (items) fitting.push(fc.array(valuesFor(items), { maxLength: 5 }));
  if (properties) {
    const rows = Object.entries(properties).map(([name, one]) => [name, valuesFor(one)] as const);
    const others = fc.dictionary(fc.constantFrom('x-own', '__proto__', 'constructor', 'toString'), anything, {
      maxKeys: 1,
    });
    // With few keys, most records are valid; with all of them, few are.
    const some = fc
      .subarray(rows, { maxLength: Math.min(4, rows.length) })
      .chain((chosen) =>
        fc.record(Object.fromEntries([...chosen, ...rows.filter(([name]) => required.includes(name))])),
      );
    for (const records of [some, fc.record(Object.fromEntries(rows), { requiredKeys: [...required] })])
      fitting.push(fc.tuple(records, others).map(([record, own]) => ({ ...record, ...own })));
  }
  if (typeof additionalProperties === 'object')
    fitting.push(fc.dictionary(fc.string(), valuesFor(additionalProperties), { maxKeys: 3 }));
  if (schema.type === 'integer') fitting.push(fc.integer({ min: 1 }));
  if (schema.type === 'number') fitting.push(fc.double({ noNaN: true, noDefaultInfinity: true }));
  if (schema.type === 'boolean') fitting.push(fc.boolean());
  if (schema.pattern && !schema.pattern.includes('(?')) fitting.push(fc.stringMatching(new RegExp(schema.pattern)));
  if (schema.type === 'string' && !schema.pattern) fitting.push(fc.string({ minLength: 1, maxLength: 20 }));
  return fitting.length
    ? fc.oneof({ weight: 60, arbitrary: fc.oneof(...fitting) }, { weight: 1, arbitrary: anything })
    : anything;
}

describe('the quick check of a record', () => {
  for (const kind of Object.keys(schemas) as RecordKind[])
    it(`agrees with the validator: ${kind}`, () => {
      const [check, validate] = [makeSchemaCheck(schemas[kind]), ajv.compile(schemas[kind])];
      let valid = 0;
      fc.assert(
        fc.property(valuesFor(schemas[kind]), (value) => {
          assert.equal(check(value), validate(value));
          valid += Number(check(value));
        }),
        { numRuns: 1000 },
      );
      assert.ok(valid > 20 && valid < 1000, `${valid} were valid`);
    });

  it('agrees with the validator about each keyword', () => {
    const lists: readonly unknown[] = [[], ['a'], ['a', 'a'], ['a', 'b', 'c']];
    const values = [...lists, { a: 'x' }, { a: 1, b: 2 }, {}, 'ab', '😀', 3, 3.5, null, true, undefined];
    const schemasOfOneKeyword: readonly Schema[] = [
      { minItems: 1 },
      { maxItems: 1 },
      { uniqueItems: true },
      { items: { type: 'string' } },
      { minLength: 2 },
      { maxLength: 1 },
      { pattern: '^.$' },
      { minimum: 3.2 },
      { maximum: 3.2 },
      { enum: ['ab'] },
      { type: ['string', 'null'] },
      { required: ['b'] },
      { properties: { a: { type: 'string' } } },
      { additionalProperties: false, properties: { a: {} } },
      { additionalProperties: { type: 'integer' } },
      { additionalProperties: true },
      { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
    ];
    for (const schema of schemasOfOneKeyword) {
      const [check, validate] = [makeSchemaCheck(schema), new Ajv2020({ strict: false }).compile(schema)];
      for (const value of values)
        assert.equal(check(value), validate(value), `${JSON.stringify(schema)} of ${JSON.stringify(value)}`);
    }
  });

  it('accepts nothing if it does not know a keyword', () => {
    assert.equal(makeSchemaCheck({ type: 'string', const: 'a' } as Schema)('a'), false);
  });
});
