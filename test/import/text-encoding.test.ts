/** Documents in other encodings than UTF-8. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeBeginning } from '../../src/import/text-encoding.ts';

it('a document in Windows-1252 has its quotation marks and the euro', () => {
  const bytes = Buffer.from([0x80, 0x84, 0x61, 0x93, 0x96, 0xe4]);
  for (const charset of ['windows-1252', 'iso-8859-1'])
    assert.equal(decodeBeginning(bytes, charset), '€„a“–ä', charset);
});
