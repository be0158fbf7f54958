import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValidationError } from '../../src/catalogue/errors.ts';
import { parseCatalogueUrl } from '../../src/catalogue/urls.ts';

describe('an address of a catalogue', () => {
  for (const [address, root] of [
    ['https://data.example.org', 'https://data.example.org'],
    ['https://data.example.org/', 'https://data.example.org'],
    ['HTTPS://Data.Example.org:443//', 'https://data.example.org'],
    ['http://localhost:8000/api/v1/', 'http://localhost:8000'],
    ['https://example.org/open/data/api/v1', 'https://example.org/open/data'],
  ] as const)
    it(`${address} is ${root}`, () => assert.equal(parseCatalogueUrl(address), root));

  for (const address of [
    'data.example.org',
    'localhost:8000',
    'ftp://example.org',
    'https://',
    'https://bob:secret@example.org',
    'bob:secret@example.org',
    'mailto:bob:secret@example.org',
    'https://example.org/?format=json',
    '',
  ])
    it(`${JSON.stringify(address)} is none`, () =>
      assert.throws(
        () => parseCatalogueUrl(address),
        (error: Error) => error instanceof ValidationError && !error.message.includes('secret'),
      ));
});
