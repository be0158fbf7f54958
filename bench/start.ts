/** Starting: reading a folder for the first time, and again with the cache; beside reading and parsing the files alone. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { median } from './support/load.ts';

const script = fileURLToPath(new URL('./support/open.js', import.meta.url));
const inProcess = promisify(execFile);
const rounds = 5;

interface Measured {
  readonly seconds: number;
  /** Resident memory in MB. */
  readonly memory: number;
}

async function measure(how: 'alone' | 'cold' | 'warm', root: string): Promise<Measured> {
  const { stdout } = await inProcess(process.execPath, [script, how, root]);
  return JSON.parse(stdout);
}

async function run(): Promise<void> {
  for (const datasets of [10_000, 100_000]) {
    const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
    try {
      generate(root, datasets);
      await measure('alone', root); // the files into the system's cache
      const rows: { alone: Measured; cold: Measured; warm: Measured }[] = [];
      for (let i = 0; i < (datasets > 10_000 ? 3 : rounds); i++) {
        const alone = await measure('alone', root);
        rmSync(join(root, '.catalogue'), { recursive: true, force: true });
        const cold = await measure('cold', root);
        rows.push({ alone, cold, warm: await measure('warm', root) });
      }
      const values = (key: 'alone' | 'cold' | 'warm', value: keyof Measured) => rows.map((row) => row[key][value]);
      const size = `${datasets.toLocaleString('en')} datasets`;
      const isLarge = datasets > 10_000;
      console.log(`Start with ${size} and ${datasets * 1.5} versions`);
      report({
        name: `cold start, ${size}, beside reading and parsing with js-yaml alone in one thread`,
        values: rows.map(({ cold, alone }) => cold.seconds / alone.seconds),
        unit: '×',
        target: { atMost: 0.75 },
        details: `${median(values('cold', 'seconds')).toFixed(2)} s beside ${median(values('alone', 'seconds')).toFixed(2)} s, ${median(values('cold', 'memory')).toFixed(0)} MB`,
      });
      report({
        name: `warm start, ${size}`,
        values: values('warm', 'seconds'),
        unit: 's',
        target: { atMost: isLarge ? 3 : 0.35 },
      });
      report({
        name: `resident memory after a warm start, ${size}`,
        values: values('warm', 'memory'),
        unit: 'MB',
        target: { atMost: isLarge ? 400 : 120 },
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

await run();
