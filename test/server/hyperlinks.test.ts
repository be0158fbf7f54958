/** Lists of hyperlinks in an input, of any length. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { NotFoundError } from '../../src/catalogue/errors.ts';
import { resolveHyperlinks } from '../../src/server/hyperlinks.ts';

/** A catalogue with the group a, and how often it was asked. */
function catalogueWithOneGroup() {
  const found = { count: 0 };
  const get = async ({ slug }: { slug: string }) => {
    found.count++;
    if (slug !== 'a') throw new NotFoundError('There is no such group.');
    return {};
  };
  return { found, catalogue: { get } as unknown as Catalogue };
}

describe('a list of hyperlinks', () => {
  it('is followed up to the first that is wrong', async () => {
    const { found, catalogue } = catalogueWithOneGroup();
    const groups = Array.from({ length: 50_000 }, (_, i) => `/api/v1/groups/b${i}/`);
    const { errors } = await resolveHyperlinks('user', { groups }, catalogue);
    assert.deepEqual(errors, { groups: ['Invalid hyperlink - Object does not exist.'] });
    assert.equal(found.count, 1);
  });

  it('is looked up once for each record that it names', async () => {
    const { found, catalogue } = catalogueWithOneGroup();
    const groups = Array.from({ length: 50_000 }, (_, i) => `https://example.org/api/v1/groups/a/?${i}`);
    const { input, errors } = await resolveHyperlinks('user', { groups }, catalogue);
    assert.deepEqual(errors, {});
    assert.deepEqual(input.groups, Array(50_000).fill('a'));
    assert.equal(found.count, 1);
  });
});
