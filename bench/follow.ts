/** Following: from an atomic save of one file to the new answer over HTTP. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../src/serve.ts';
import { generate } from './support/generate.ts';
import { median, percentile } from './support/load.ts';

async function run(): Promise<void> {
  // 100,000 are more than is watched: there, an edit by hand waits for the next sweep.
  for (const [datasets, saves] of [
    [10_000, 40],
    [100_000, 3],
  ] as const) {
    const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
    try {
      const addresses = generate(root, datasets);
      const started = performance.now();
      const server = await startServer({
        folder: root,
        host: '127.0.0.1',
        port: 0,
        log: (line) => console.log(`  ${line}`),
      });
      const ready = performance.now() - started;
      await new Promise((resolve) => setTimeout(resolve, datasets / 2)); // until the watcher has settled
      const times: number[] = [];
      for (let i = 0; i < saves; i++) {
        const [namespace, dataset] = (addresses[(i * 7919) % addresses.length] ?? '').split('/');
        const file = join(root, 'namespaces', namespace ?? '', 'datasets', dataset ?? '', 'dataset.yaml');
        const url = `${server.url}/api/v1/namespaces/${namespace}/datasets/${dataset}/`;
        const text = readFileSync(file, 'utf8').replace(/^label: .*/m, `label: Saved ${i}`);
        writeFileSync(`${file}~`, text);
        const start = performance.now();
        renameSync(`${file}~`, file);
        while (((await (await fetch(url)).json()) as { label: string }).label !== `Saved ${i}`);
        times.push(performance.now() - start);
      }
      console.log(
        `From save to answer with ${datasets} datasets, ${saves} saves (ready after ${(ready / 1000).toFixed(1)} s)`,
      );
      console.log(
        `  median ${median(times).toFixed(0)} ms${datasets === 10_000 ? ' (under 100)' : ''}, p95 ${percentile(times, 0.95).toFixed(0)} ms; ` +
          `resident memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
      );
      await server.close();
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

await run();
