/** The recipes of src/README.md ("How to add …"), followed in a copy of the project. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A change of one file: a text above another, or, without one, a new file. */
export interface Insertion {
  readonly file: string;
  readonly above: string | undefined;
  readonly text: string;
}

/** The changes of a recipe, from its block of code. @param name the words behind "… a": `field` */
export function recipe(name: string): readonly Insertion[] {
  const section = readFileSync(join(root, 'src/README.md'), 'utf8')
    .split(/^### … an? /m)
    .find((one) => one.startsWith(`${name}\n`));
  const code = /```ts\n(.*?)```/s.exec(section ?? '')?.[1];
  assert.ok(code, `src/README.md has no recipe for a ${name}`);
  return code
    .split(/^\/\/ (?=src\/)/m)
    .slice(1)
    .map((part) => {
      const [, file = '', above, text = ''] = /^(\S+?)(?:, above "(.*)")?\n(.*)$/s.exec(part) ?? [];
      return { file, above: above?.replaceAll('\\n', '\n'), text };
    });
}

export interface ProjectCopy {
  apply(insertion: Insertion): void;
  /** Runs a program of Node in the copy. */
  run(...argv: string[]): Promise<{ code: unknown; out: string }>;
  /** Compiles files and what they import. */
  compile(...files: string[]): Promise<{ code: unknown; out: string }>;
}

/** A copy of parts of the project in a temporary folder. */
export function copyProject(test: TestContext, ...parts: readonly string[]): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-copy-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of [...parts, 'package.json', 'tsconfig.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  // A test that runs in a test would report to it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run: ProjectCopy['run'] = (...argv) =>
    new Promise((resolve) =>
      execFile(process.execPath, argv, { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error ? error.code : 0, out: `${out}${err}` }),
      ),
    );
  return {
    run,
    compile(...files) {
      writeFileSync(join(folder, 'some.json'), JSON.stringify({ extends: './tsconfig.json', include: [], files }));
      return run('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'some.json');
    },
    apply({ file, above, text }) {
      const path = join(folder, file);
      if (above === undefined) return writeFileSync(path, text, { flag: 'wx' });
      const before = readFileSync(path, 'utf8');
      assert.equal(before.split(above).length, 2, `${file} has once: ${above}`);
      writeFileSync(
        path,
        before.replace(above, () => text + above),
      );
    },
  };
}
