/** Copies of the checkout, and npm in them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** Files and folders that the package is made of. */
export const packedNames = [
  ...['bin', 'browser', 'deploy', 'docs', 'src', 'tools'],
  ...[
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
  ],
] as const;

/** Copies what is packed, since packing compiles anew, and other tests run what was compiled. */
export function copyCheckout(folder: string): void {
  for (const name of packedNames) cpSync(join(checkout, name), join(folder, name), { recursive: true });
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
