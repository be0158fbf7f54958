/** Licences as catalogues write them, and the identifiers that they mean. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isKnownLicence } from '../../src/catalogue/known-licence.ts';
import { nearestLicence } from '../../src/catalogue/licence.ts';

describe('a licence', () => {
  const known = [
    ...['CC-BY-4.0', 'CC0-1.0', 'ODbL-1.0', 'DL-DE-BY-2.0', 'GPL-2.0', 'CC-BY-4.0 AND ODbL-1.0', '(MIT OR CC0-1.0)'],
    ...['LicenseRef-Springfield', 'NOASSERTION', 'https://creativecommons.org/publicdomain/zero/1.0/'],
    'http://www.usa.gov/publicdomain/label/1.0/',
  ];
  for (const text of known)
    it(`may be ${text}`, () => {
      assert.equal(isKnownLicence(text), true);
    });

  // As CKAN, GovData, STAC and the registry of open data on AWS write them.
  const table: readonly (readonly [string, string | undefined])[] = [
    ['cc-by-4.0', 'CC-BY-4.0'],
    ['CC BY 4.0', 'CC-BY-4.0'],
    ['CC-BY 4', 'CC-BY-4.0'],
    ['CC-BY-4.O', 'CC-BY-4.0'],
    ['cc-by', 'CC-BY-4.0'],
    ['[CC BY]', 'CC-BY-4.0'],
    ['cc-by-sa', 'CC-BY-SA-4.0'],
    ['CC BY-NC-ND 3.0', 'CC-BY-NC-ND-3.0'],
    ['cc-zero', 'CC0-1.0'],
    ['CC0', 'CC0-1.0'],
    ['CC0 1.0 Universal', 'CC0-1.0'],
    ['Public Domain (CC0)', 'CC0-1.0'],
    ['Creative Commons Attribution 4.0 International (CC BY 4.0)', 'CC-BY-4.0'],
    ['Creative Commons Attribution-NonCommercial-ShareAlike 3.0 United States', 'CC-BY-NC-SA-3.0'],
    ['[Creative Commons BY 4.0](https://creativecommons.org/licenses/by/4.0/)', 'CC-BY-4.0'],
    ['Creative Commons Namensnennung 4.0 International', 'CC-BY-4.0'],
    ['dl-de/by-2-0', 'DL-DE-BY-2.0'],
    ['Datenlizenz Deutschland – Zero – Version 2.0', 'DL-DE-ZERO-2.0'],
    ['Open Data Commons Open Database License v1.0', 'ODbL-1.0'],
    ['odc-odbl', 'ODbL-1.0'],
    ['odc-by', 'ODC-By-1.0'],
    ['uk-ogl', 'OGL-UK-3.0'],
    ['Apache 2.0', 'Apache-2.0'],
    // Nothing is better than a wrong licence.
    ['other', undefined],
    ['various', undefined],
    ['None', undefined],
    ['US Government work', undefined],
    ['There are no restrictions on the use of this data', undefined],
    ['Success', undefined],
  ];
  for (const [text, id] of table)
    it(`${JSON.stringify(text)} means ${id ?? 'nothing known'}`, () => {
      assert.equal(isKnownLicence(text), false);
      assert.equal(nearestLicence(text), id);
    });
});
