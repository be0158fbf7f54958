/** `catalogue check` of a whole folder, beside reading and parsing its files alone; each time in a process of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';

const script = fileURLToPath(new URL('./support/open.js', import.meta.url));
const rounds = 5;
const datasets = 10_000;

const measure = (how: 'alone' | 'check', root: string): { seconds: number; memory: number } =>
  JSON.parse(execFileSync(process.execPath, [script, how, root], { encoding: 'utf8' }));

const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
try {
  generate(root, datasets);
  measure('alone', root); // the files into the system's cache
  const measured = Array.from({ length: rounds }, () => ({
    alone: measure('alone', root),
    check: measure('check', root),
  }));
  const figure = (name: string, values: readonly number[], unit: string, atMost: number | null) =>
    report({ name, values, unit, target: atMost === null ? null : { atMost } });
  const name = `check of ${datasets.toLocaleString('en')} datasets`;
  console.log('catalogue check');
  figure(
    name,
    measured.map(({ check }) => check.seconds),
    's',
    1.5,
  );
  figure(
    `${name}, beside reading and parsing with js-yaml alone`,
    measured.map(({ alone, check }) => check.seconds / alone.seconds),
    '×',
    null,
  );
  figure(
    `${name}, resident memory`,
    measured.map(({ check }) => check.memory),
    'MB',
    null,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
