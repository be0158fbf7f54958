/** Options for reading, as forms, query strings and fields have them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ValidationError } from '../../src/catalogue/errors.ts';
import { parseReadingOptions, parseReadingOptionsInput, readingFields } from '../../src/catalogue/reading.ts';
import { maxColumns } from '../../src/data/limits.ts';

it('types are given to columns of any name', () => {
  for (const column of ['error', 'errors', 'value', '__proto__', 'a=b']) {
    const types = Object.fromEntries([[column, 'string']]);
    assert.deepEqual(parseReadingOptions([['type', `${column}=string`]]), { types });
    assert.deepEqual(parseReadingOptions([['type', `${column}=`]]), { types: Object.fromEntries([[column, null]]) });
    assert.deepEqual(parseReadingOptionsInput({ types }), { value: { types } });
  }
});

it('what is refused is named by its option', () => {
  assert.throws(
    () => parseReadingOptions(Object.entries({ type: 'error=', decimal: 'x', skip: '-1', strict: 'maybe' })),
    (error) => {
      assert.ok(error instanceof ValidationError);
      assert.deepEqual(error.fields, {
        decimal: ['It must be a comma or a point.'],
        skip: ['It must be a whole number of at most 999999.'],
        strict: ['It must be true or false.'],
      });
      return true;
    },
  );
});

it('types are given to as many columns as a table may have', () => {
  const schema: { readonly maxProperties?: number } = readingFields.types.schema;
  assert.equal(schema.maxProperties, maxColumns);
});
