/** Copies of the checkout, and npm in them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** Copies what is packed, since packing compiles anew, and other tests run what was compiled. */
export function copyCheckout(folder: string): void {
  const texts = [
    'package-lock.json',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  for (const name of ['bin', 'browser', 'src', 'tools', 'test/support', 'bench/support', ...texts])
    cpSync(join(checkout, name), join(folder, name), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

/** Runs npm in a folder, with the settings of the person who tests. @returns its output */
export function runNpm(folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}
