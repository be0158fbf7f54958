#!/usr/bin/env node
/**
 * Runs the test files: all of them, or those whose path contains one of the words given.
 * (Node 20's own discovery finds no TypeScript, and exits 0 when it has run nothing: so they are listed here.)
 *
 *     node test/run.js              all
 *     node test/run.js contract cli those with "contract" or "cli" in their path
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));

const files = readdirSync(here, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('fixtures'))
  .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
  .sort()
  .map((path) => join(here, path));

if (files.length === 0) {
  console.error(`No test file has ${words.join(' or ')} in its path.`);
  process.exit(1);
}
// By default, Node leaves one core unused: on two cores, the files would run one after the other.
const concurrency = `--test-concurrency=${availableParallelism()}`;
const args = ['--import', 'tsx', '--test', concurrency, ...options, ...files];
const runner = spawn(process.execPath, args, { stdio: 'inherit' });
runner.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
