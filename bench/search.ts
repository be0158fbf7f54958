/** Searching 10,000 datasets over HTTP, each time for something else. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../src/serve.ts';
import { generate } from './support/generate.ts';
import { median, percentile } from './support/load.ts';

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  try {
    generate(root, 10_000);
    const server = await startServer({ folder: root, host: '127.0.0.1', port: 0 });
    const times: number[] = [];
    for (let i = 0; i < 500; i++) {
      const terms = [`tree ${i}`, `ete ${i}`, `nothing-${i}`, `p ${i % 10}`][i % 4] ?? '';
      const start = performance.now();
      await (await fetch(`${server.url}/api/v1/datasets/?search=${encodeURIComponent(terms)}`)).arrayBuffer();
      if (i >= 20) times.push(performance.now() - start);
    }
    console.log('Search over 10,000 datasets, nothing prepared');
    console.log(`  median ${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms (under 20)`);
    await server.close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

await run();
