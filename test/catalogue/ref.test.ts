/** References as people write them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ValidationError } from '../../src/catalogue/errors.ts';
import { parseDatasetRef, parseVersionRef, refFromSlug } from '../../src/catalogue/parse-ref.ts';
import { formatRef, slugRule, usernameRule } from '../../src/catalogue/ref.ts';

const slug = fc.stringMatching(/^[-a-zA-Z0-9_]{1,20}$/);

describe('references', () => {
  it('of datasets are read as they are written', () => {
    fc.assert(
      fc.property(slug, slug, (namespace, dataset) => {
        const ref = { kind: 'dataset', namespace, slug: dataset } as const;
        assert.deepEqual(parseDatasetRef(formatRef(ref)), ref);
      }),
    );
  });

  it('of versions are read as they are written; without one it is the latest', () => {
    fc.assert(
      fc.property(slug, slug, slug, (namespace, dataset, version) => {
        const ref = { kind: 'version', namespace, dataset, slug: version } as const;
        assert.deepEqual(parseVersionRef(formatRef(ref)), ref);
      }),
    );
    assert.equal(parseVersionRef('parks/trees').slug, 'latest');
  });

  const refused: readonly (readonly [string, (text: string) => unknown, RegExp])[] = [
    ['parks', parseDatasetRef, /^"parks" names no dataset\. A dataset is written <namespace>\/<dataset>/],
    ['parks/trees/leaves', parseDatasetRef, /names no dataset/],
    ['/trees', parseDatasetRef, /names no dataset/],
    ['parks/', parseDatasetRef, /names no dataset/],
    ['parks/../x', parseDatasetRef, /names no dataset/],
    ['parks/trees\n', parseDatasetRef, /names no dataset/],
    ['parks/trees@1', parseDatasetRef, /names no dataset/],
    ['parks@1', parseVersionRef, /^"parks" names no dataset/],
    ['parks/trees@', parseVersionRef, /^"parks\/trees@" names no version\. A version is written/],
    ['parks/trees@1@2', parseVersionRef, /names no version/],
    ['a b', (text) => refFromSlug('group', text), /^"a b" is no group's name\. It has letters, digits/],
    ['', (text) => refFromSlug('namespace', text), /is no namespace's name/],
  ];
  for (const [text, read, message] of refused)
    it(`${JSON.stringify(text)} is refused with words that help`, () => {
      assert.throws(
        () => read(text),
        (error: unknown) => error instanceof ValidationError && message.test(error.fields.non_field_errors?.[0] ?? ''),
      );
    });

  it('a name is never a way through folders', () => {
    for (const name of ['.', '..', 'a/b', 'a\\b', '', '\0', 'a\n']) {
      assert.doesNotMatch(name, slugRule);
      assert.doesNotMatch(name, usernameRule);
    }
    for (const name of ['a.b', 'ann@example.org', 'x+y', '-', '...']) assert.match(name, usernameRule);
  });
});
