/** The table of fields. `test/docs/recipes.test.ts` adds a field. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fields, fieldsOf } from '../../src/catalogue/fields.ts';
import { schemas } from '../../src/catalogue/schemas.ts';

describe('the table of fields', () => {
  it('says of each field what it means', () => {
    for (const kind of Object.keys(fields) as (keyof typeof fields)[])
      for (const { name, title, description } of fieldsOf(kind)) {
        assert.match(title, /^[A-Z]/, `${kind}.${name}`);
        assert.match(description, /^[A-Za-z].*\.$/, `${kind}.${name}`);
      }
  });

  it('has in the schemas what stands in files, and nothing else', () => {
    assert.equal(
      Object.keys(schemas.version.properties).join(' '),
      'id label datetime checksum metadata ready draft renames notes rows bbox reading file columns',
    );
    assert.equal(Object.keys(schemas.user.properties).join(' '), 'id name email staff groups');
    assert.equal(Object.keys(schemas.group.properties).join(' '), 'id label aliases');
  });
});
