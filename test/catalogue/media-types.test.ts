/** Media types by format or file name. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mediaTypeOf } from '../../src/catalogue/media-types.ts';

describe('mediaTypeOf', () => {
  const table: readonly (readonly [string, string])[] = [
    ['geojson', 'application/geo+json'],
    ['trees.GeoJSON', 'application/geo+json'],
    ['trees.csv', 'text/csv; charset=utf-8'],
    ['trees.csv.gz', 'application/gzip'],
    ['.png', 'image/png'],
    ['drawing.svg', 'image/svg+xml'],
    ['page.html', 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['no-extension', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['a.__proto__', 'application/octet-stream'],
  ];
  for (const [name, type] of table) it(`${name || 'nothing'} is ${type}`, () => assert.equal(mediaTypeOf(name), type));
});
