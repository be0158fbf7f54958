/** Copies of the checkout, and npm in them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
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

/** The commands by which README.md installs the program, as arguments of npm: from a clone, then from the address of a repository. */
export function installCommands(): readonly (readonly string[])[] {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
  const [, section = ''] = /^## Install the command\n(.*?)^## /ms.exec(readme) ?? [];
  const commands = [...section.matchAll(/^npm (.+)$/gm)].map(([, args = '']) => args.split(' '));
  assert.deepEqual(
    commands.map((args) => [args[0], args.at(-1)]),
    [
      ['install', '.'],
      ['pack', 'git+https://example.org/dataset-catalogue.git'],
      ['install', 'dataset-catalogue-0.1.0.tgz'],
    ],
  );
  return commands;
}

/** Runs a command of README.md that installs the program, with a prefix. */
export function install(folder: string, args: readonly string[], prefix: string): void {
  runNpm(folder, ...args.slice(0, -1), '--prefix', prefix, '--prefer-offline', String(args.at(-1)));
}

/** Runs npm in a folder, with the settings of the person who tests. @returns its output */
export function runNpm(folder: string, ...args: string[]): string {
  // It alone asks servers outside: see run.ts.
  const { CERTIFICATES_OF_NPM: certificates, ...rest } = process.env;
  const env = certificates === undefined ? rest : { ...rest, NODE_EXTRA_CA_CERTS: certificates };
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    ...{ cwd: folder, env },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}
