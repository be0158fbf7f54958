/** OPTIONS describes the fields as writing treats them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ValidationError } from '../../src/catalogue/errors.ts';
import { parseInput } from '../../src/catalogue/input.ts';
import { optionsMetadata } from '../../src/server/metadata.ts';

for (const kind of ['namespace', 'dataset', 'version', 'query', 'group', 'user'] as const)
  it(`a ${kind} needs the fields that OPTIONS calls required`, () => {
    const said = Object.entries(optionsMetadata(kind) as Record<string, { required: boolean }>);
    const required = said.filter(([, field]) => field.required).map(([name]) => name);
    let missing: readonly string[] = [];
    try {
      parseInput(kind, {}, { partial: false });
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      missing = Object.keys(error.fields).filter((name) => error.fields[name]?.includes('This field is required.'));
    }
    assert.deepEqual(required, missing);
  });
