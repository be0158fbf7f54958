/** Commands, process included, beside a bare commander program that reads and parses what the command needs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { median } from './support/load.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const rounds = 15;
const datasets = 10_000;

function milliseconds(script: string, args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, [path(script), ...args]);
  if (status !== 0) throw new Error(`${args.join(' ')} failed.`);
  return performance.now() - start;
}

function compare(name: string, ours: readonly string[], bare: readonly string[], times = rounds): void {
  const measured = Array.from({ length: times }, () => ({
    ours: milliseconds('./support/installed.js', ours),
    bare: milliseconds('./support/commander.js', bare),
  }));
  const of = (key: 'ours' | 'bare') => median(measured.map((round) => round[key])).toFixed(0);
  report({
    name: `catalogue ${name}, beside a bare commander program${bare[0] === 'read' ? ' that reads the records' : ''}`,
    values: measured.map((round) => round.ours / round.bare),
    unit: '×',
    target: { atMost: 1.25 },
    details: `${of('ours')} ms beside ${of('bare')} ms`,
  });
}

const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
try {
  const addresses = generate(root, datasets);
  const address = addresses[datasets >> 1] ?? '';
  const [namespace = '', dataset = ''] = address.split('/');
  const home = join(root, 'namespaces', namespace);
  console.log(`Commands, process included, in a catalogue of ${datasets} datasets`);
  compare('--help', ['--help'], ['--help']);
  compare('dataset show', ['dataset', 'show', address, '--data', root], ['read', join(home, 'datasets', dataset)]);
  compare('dataset list of one namespace', ['dataset', 'list', namespace, '--data', root], ['read', home]);
  compare('dataset list', ['dataset', 'list', '--data', root], ['read', root], 3);
} finally {
  rmSync(root, { recursive: true, force: true });
}
