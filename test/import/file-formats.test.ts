/** Names of files from the addresses of portals. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameOfFile } from '../../src/import/file-formats.ts';

describe('the name of a fetched file', () => {
  for (const [path, expected] of [
    ['my%20file.csv', 'my file.csv'],
    ['plán.csv', 'plán.csv'],
    ['b%C3%A4ume', 'bäume.csv'],
    ['broken%E4.csv', 'broken%E4.csv'],
    ['..%2Fup.csv', '..%2Fup.csv'],
    ['line%0Abreak.csv', 'line%0Abreak.csv'],
    ['', 'data.csv'],
  ] as const)
    it(`${path || '(nothing)'} is ${expected}`, () => {
      const document = { address: `https://data.example.org/${path}`, path: '/x', mediaType: 'text/csv', size: 1 };
      const link = { label: '', address: document.address, format: 'csv', mediaType: '', isFile: true, columns: [] };
      assert.equal(nameOfFile(document, link), expected);
    });

  it('is that of the server only if the address has none with a known extension', () => {
    for (const [address, fileName, format, expected] of [
      ['download/', 'trees.csv', 'csv', 'trees.csv'],
      ['download/', 'Trees of 2020', 'csv', 'Trees of 2020.csv'],
      ['download/', 'trees.php', 'csv', 'trees.php.csv'],
      ['download/', undefined, 'csv', 'download.csv'],
      ['parks.csv', 'trees.csv', 'csv', 'parks.csv'],
      ['export?id=7', 'trees.zip', 'shp', 'trees.zip'],
      ['parks.shp', 'trees.zip', 'shp', 'trees.zip'],
    ] as const)
      assert.equal(
        nameOfFile(
          {
            address: `https://data.example.org/${address}`,
            path: '/x',
            mediaType: '',
            size: 1,
            ...(fileName && { fileName }),
          },
          { label: '', address: '', format, mediaType: '', isFile: true, columns: [] },
        ),
        expected,
      );
  });
});
