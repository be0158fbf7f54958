/** The validator that finds the errors of a value, for values that the quick check (`schema-check.ts`) refuses. */
import type { Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { Schema } from './field.ts';

/**
 * Compiles the validator of a schema. This takes longer than checking some hundred records: ajv is loaded for the first one.
 * @param schema a schema of ours: it is not validated against the meta-schema
 */
export function compileSchema(schema: Schema, options: Options = {}): ValidateFunction {
  const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  // strictTypes is off for `type: ['string', 'null']`, which JSON Schema allows and one field needs.
  return new Ajv2020({ strictTypes: false, meta: false, validateSchema: false, ...options }).compile(schema);
}
