#!/usr/bin/env node
/**
 * Runs the tests with each Node that is supported: the oldest exactly, the newest of each line. What was compiled before
 * is what is tested (`npm run build`). Words after it choose among the tests, as with test/run.ts. The newest Node runs all
 * of these, the others only those that are in `few`: the whole suite runs with one of their neighbours.
 *
 *     node test/nodes.js            all
 *     node test/nodes.js e2e server those with "e2e" or "server" in their path
 *     node test/nodes.js --fetch    none: only fetches these Nodes
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const versions = ['20.19.0', '22', '24', '26'];
/** Commands, writes, rows and requests: what goes wrong with a Node next to one that passes goes wrong here. */
const few = ['contract/', 'data/formats/', 'docs/readme', 'e2e/bin', 'server/bytes', 'server/uploads'];

const root = fileURLToPath(new URL('..', import.meta.url));
// The npm package `node` fetches its program with an install script, from these packages of one program and its headers each.
const source = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const cache = join(root, 'node_modules', '.cache', 'node-programs');

const words = process.argv.slice(2);
if (words.includes('--fetch')) for (const version of versions) fetchNode(version);
else {
  const failed = versions.filter((version) => !passes(version));
  if (failed.length > 0) console.error(`\nNot with Node ${failed.join(', ')}.`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

function passes(version) {
  const folder = fetchNode(version);
  console.log(`\n# Node ${version}`);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const chosen = version === versions.at(-1) ? words : words.filter((word) => few.some((one) => word.startsWith(one)));
  const args = ['--import', 'tsx', join(root, 'test', 'run.ts'), ...(chosen.length > 0 ? chosen : words)];
  return spawnSync(join(folder, 'node'), args, { cwd: root, stdio: 'inherit', env }).status === 0;
}

/** Folder of a Node's program, which is fetched if it is missing. */
function fetchNode(version) {
  const folder = join(cache, version);
  if (!existsSync(folder)) fetchProgram(version, folder);
  return folder;
}

/** Takes the program alone out of its package: to install the package, with its thousands of headers, takes five times as long. */
function fetchProgram(version, folder) {
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const packed = output('npm', ['pack', '--silent', '--pack-destination', unfinished, `${source}@${version}`]).trim();
  output('tar', ['-xzf', join(unfinished, packed), '-C', unfinished, '--strip-components=2', 'package/bin']);
  rmSync(join(unfinished, packed));
  renameSync(unfinished, folder);
}

function output(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}
