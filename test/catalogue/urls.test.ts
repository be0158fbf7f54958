/** Addresses of the API. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ref } from '../../src/catalogue/ref.ts';
import { apiPath, httpUri, isAbsoluteUrl } from '../../src/catalogue/urls.ts';

describe('pathOf', () => {
  const table: readonly (readonly [Ref, string])[] = [
    [{ kind: 'namespace', slug: 'parks' }, '/api/v1/namespaces/parks/'],
    [{ kind: 'dataset', namespace: 'parks', slug: 'trees' }, '/api/v1/namespaces/parks/datasets/trees/'],
    [
      { kind: 'version', namespace: 'parks', dataset: 'trees', slug: '20200101000000000000' },
      '/api/v1/namespaces/parks/datasets/trees/version/20200101000000000000/',
    ],
    [{ kind: 'group', slug: 'editors' }, '/api/v1/groups/editors/'],
    [{ kind: 'user', slug: 'chloe.d@x+y' }, '/api/v1/users/chloe.d%40x%2By/'],
    [{ kind: 'query', slug: 'tall' }, '/api/v1/queries/tall/'],
    [{ kind: 'file', slug: '7' }, '/api/v1/intrinsecus/7/'],
  ];
  for (const [ref, path] of table) it(path, () => assert.equal(apiPath(ref), path));
});

it('an absolute URL names a server in 300 characters at most', () => {
  for (const url of [
    'https://example.org',
    'HTTPS:\\\\example.org\\a',
    'ftp://example.org/a b',
    `s3://b/${'é'.repeat(400)}`,
  ])
    assert.ok(isAbsoluteUrl(url), url);
  for (const text of ['', 'example.org/', '//example.org/', 'https://', 'https://[x/', `https://${'a.'.repeat(151)}/`])
    assert.ok(!isAbsoluteUrl(text), text);
});

it('an address as a URI has one fragment', () => {
  for (const [address, uri] of [
    ['https://example.org/?a#b', 'https://example.org/?a#b'],
    ['https://example.org/#a#b', 'https://example.org/#a%23b'],
    ['https://example.org/ä#a#b', 'https://example.org/%C3%A4#a%23b'],
    ['example.org', undefined],
  ] as const)
    assert.equal(httpUri(address), uri);
});
