/** Licences of other catalogues, as identifiers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findImportedLicence } from '../../src/import/licence.ts';

describe('the licence of a foreign record', () => {
  for (const [given, expected] of [
    [['odc-pddl'], 'PDDL-1.0'],
    [['Something', 'UK-OGL'], 'OGL-UK-3.0'],
    // Names of members that every JavaScript object has.
    [['constructor'], ''],
    [['__proto__'], ''],
  ] as const)
    it(`${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () => {
      assert.equal(findImportedLicence(given), expected);
    });
});
