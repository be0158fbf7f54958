/**
 * Adding a field is adding a row to `src/catalogue/fields.ts`, and the line in `types.ts` that the compiler demands. Both
 * are added to a copy of the sources here; `added-field.ts` then finds the field wherever fields are.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fields, fieldsOf } from '../../src/catalogue/fields.ts';
import { schemas } from '../../src/catalogue/schemas.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Copy {
  /** Inserts a line before another. */
  insert(file: string, line: string, before: string): void;
  /** Runs a program of Node in the copy. */
  run(...argv: string[]): Promise<{ code: unknown; out: string }>;
  compile(): Promise<{ code: unknown; out: string }>;
}

/** A copy of parts of the project. */
function copyOf(test: TestContext, ...parts: readonly string[]): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-fields-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of [...parts, 'package.json', 'tsconfig.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const model = { extends: './tsconfig.json', include: [], files: ['src/catalogue/records.ts'] };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(model));
  // A test that runs in a test would report to it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run: Copy['run'] = (...argv) =>
    new Promise((resolve) =>
      execFile(process.execPath, argv, { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error ? error.code : 0, out: `${out}${err}` }),
      ),
    );
  return {
    run,
    compile: () => run('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'model.json'),
    insert(file, line, before) {
      const text = readFileSync(join(folder, file), 'utf8');
      assert.equal(text.split(before).length, 2, `${file} has once: ${before}`);
      writeFileSync(
        join(folder, file),
        text.replace(before, () => `${line}\n${before}`),
      );
    },
  };
}

const addRow = (copy: Copy) =>
  copy.insert(
    'src/catalogue/fields.ts',
    "    funder: text('Who paid for it.', { search: true, filter: 'Only those of this funder.' }),",
    '    visibility,\n    columns: columns(',
  );
const addLine = (copy: Copy, type: string) =>
  copy.insert('src/catalogue/types.ts', `  readonly funder: ${type};`, '  readonly columns: readonly Column[];');

describe('a field that is added', () => {
  it('is in the table and in the interface, with one type, or nothing compiles', async (t) => {
    const refused = /Type '"dataset\.funder"' does not satisfy the constraint 'never'/;
    const row = copyOf(t, 'src/catalogue');
    addRow(row);
    assert.match((await row.compile()).out, refused);
    addLine(row, 'number');
    assert.match((await row.compile()).out, refused);
    const line = copyOf(t, 'src/catalogue');
    addLine(line, 'string');
    assert.match((await line.compile()).out, refused);
  });

  it('is found wherever fields are', async (t) => {
    const copy = copyOf(t, 'src', 'test/support', 'test/catalogue/added-field.ts');
    addRow(copy);
    addLine(copy, 'string');
    assert.deepEqual(await copy.compile(), { code: 0, out: '' });
    const { code, out } = await copy.run('--import', 'tsx', 'test/catalogue/added-field.ts');
    assert.equal(code, 0, out);
    assert.match(out, /^# pass [1-9]/m);
  });
});

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
      'id label datetime checksum metadata ready notes rows bbox file',
    );
    assert.equal(Object.keys(schemas.user.properties).join(' '), 'id name email staff groups');
    assert.equal(Object.keys(schemas.group.properties).join(' '), 'id label aliases');
  });
});
