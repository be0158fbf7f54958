/**
 * src/README.md says how to add a field, a route, a format and a command. All of that is done in one copy of the sources
 * here; `added-parts.ts` and `added-field.ts` then use what was added.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { copyProject, type Insertion, recipe } from '../support/recipes.ts';

describe('a field that is added', () => {
  it('is in the table and in the interface, with one type, or nothing compiles', async (t) => {
    const refused = /Type '"dataset\.funder"' does not satisfy the constraint 'never'/;
    const [row, line] = recipe('field') as [Insertion, Insertion];
    const copy = copyProject(t, 'src/catalogue');
    const other = copyProject(t, 'src/catalogue');
    copy.apply(row);
    assert.match((await copy.compile('src/catalogue/schemas.ts')).out, refused);
    copy.apply({ ...line, text: line.text.replace('string', 'number') });
    assert.match((await copy.compile('src/catalogue/schemas.ts')).out, refused);
    other.apply(line);
    assert.match((await other.compile('src/catalogue/schemas.ts')).out, refused);
  });
});

describe('the recipes of src/README.md', () => {
  it('add a field, a route, a format and a command', async (t) => {
    const added = ['test/docs/added-field.ts', 'test/docs/added-parts.ts'];
    const copy = copyProject(t, 'src', 'test/support', ...added);
    for (const name of ['field', 'route', 'format', 'command']) for (const one of recipe(name)) copy.apply(one);
    const compiled = await copy.compile('src/cli/main.ts', 'src/serve.ts');
    assert.deepEqual(compiled, { code: 0, out: '' });
    const [fields, parts] = added as [string, string];
    const { code, out } = await copy.run('--import', 'tsx', '--test-reporter=tap', '--import', `./${fields}`, parts);
    assert.equal(code, 0, out);
    for (const tests of ['over HTTP', 'what the recipes add'])
      assert.match(out, new RegExp(`^ok \\d+ - ${tests}$`, 'm'));
  });
});
