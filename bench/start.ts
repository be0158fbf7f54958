/** Starting: reading a folder for the first time, and again with the cache; beside reading and parsing the files alone. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
      for (let i = 0; i < (datasets > 10_000 ? 1 : rounds); i++) {
        const alone = await measure('alone', root);
        rmSync(join(root, '.catalogue'), { recursive: true, force: true });
        const cold = await measure('cold', root);
        rows.push({ alone, cold, warm: await measure('warm', root) });
      }
      const of = (key: 'alone' | 'cold' | 'warm', value: keyof Measured) => median(rows.map((row) => row[key][value]));
      const ratio = median(rows.map(({ cold, alone }) => cold.seconds / alone.seconds));
      const faster = median(rows.map(({ cold, warm }) => cold.seconds / warm.seconds));
      console.log(`Start with ${datasets} datasets and ${datasets * 1.5} versions, median of ${rows.length}`);
      console.log(`  reading and parsing alone   ${of('alone', 'seconds').toFixed(2)} s`);
      console.log(
        `  cold start                  ${of('cold', 'seconds').toFixed(2)} s, ${of('cold', 'memory').toFixed(0)} MB: ` +
          `${ratio.toFixed(2)} times as long (under 1.3)`,
      );
      console.log(
        `  warm start                  ${of('warm', 'seconds').toFixed(2)} s, ${of('warm', 'memory').toFixed(0)} MB: ` +
          `${faster.toFixed(1)} times as fast (at least 5)`,
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

await run();
