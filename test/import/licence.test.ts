/** Licences of other catalogues, as identifiers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findImportedLicence } from '../../src/import/licence.ts';

describe('the licence of a foreign record', () => {
  for (const [given, expected] of [
    [['odc-pddl'], 'PDDL-1.0'],
    [['Something', 'UK-OGL'], 'OGL-UK-3.0'],
    [['http://publications.europa.eu/resource/authority/licence/CC_BY_4_0'], 'CC-BY-4.0'],
    [['http://publications.europa.eu/resource/authority/licence/CC_BYNCSA_4_0'], 'CC-BY-NC-SA-4.0'],
    [['http://publications.europa.eu/resource/authority/licence/CC_BY_3_0_AT'], 'CC-BY-3.0-AT'],
    [['http://publications.europa.eu/resource/authority/licence/CC0'], 'CC0-1.0'],
    [['http://publications.europa.eu/resource/authority/licence/ODC_BL'], 'ODbL-1.0'],
    [['http://publications.europa.eu/resource/authority/licence/EUPL_1_2'], 'EUPL-1.2'],
    [
      ['http://publications.europa.eu/resource/authority/licence/COM_REUSE'],
      'http://publications.europa.eu/resource/authority/licence/COM_REUSE',
    ],
    [['http://dcat-ap.de/def/licenses/dl-by-de/2.0'], 'DL-DE-BY-2.0'],
    [['http://dcat-ap.de/def/licenses/dl-zero-de/2.0'], 'DL-DE-ZERO-2.0'],
    [['http://dcat-ap.de/def/licenses/cc-by-sa/4.0'], 'CC-BY-SA-4.0'],
    [['http://dcat-ap.de/def/licenses/cc-by-de/3.0'], 'CC-BY-3.0-DE'],
    [['http://dcat-ap.de/def/licenses/cc-zero'], 'CC0-1.0'],
    [['http://www.opendefinition.org/licenses/cc-by'], 'CC-BY-4.0'],
    [['http://www.opendefinition.org/licenses/odc-odbl'], 'ODbL-1.0'],
    // Names of members that every JavaScript object has.
    [['constructor'], ''],
    [['__proto__'], ''],
  ] as const)
    it(`${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () => {
      assert.equal(findImportedLicence(given), expected);
    });
});
