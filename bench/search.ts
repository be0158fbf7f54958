/** Searching 10,000 datasets over HTTP, each time for something else, in a server of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { median, percentile, startProgram } from './support/load.ts';

const rounds = 5;
const times = 200;
const agent = new Agent({ keepAlive: true });

/** Milliseconds until the whole response has arrived. */
function milliseconds(url: string): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - start));
    });
    request.on('error', reject);
  });
}

const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
try {
  generate(root, 10_000);
  const program = fileURLToPath(new URL('../bin/catalogue.js', import.meta.url));
  const server = await startProgram([program, 'serve', '--data', root, '--port', '0']);
  try {
    // The server begins to watch the folders once it answers.
    await sleep(5000);
    const measured: number[][] = [];
    const others: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const searches: number[] = [];
      for (let i = 0; i < times; i++) {
        const terms = [`tree ${i}`, `ete ${i}`, `nothing-${i}`, `p ${i % 10}`][i % 4];
        searches.push(
          await milliseconds(`${server.url}/api/v1/datasets/?search=${terms}+${'aeirst'[round]}`.replaceAll(' ', '+')),
        );
      }
      for (let i = 0; i < times; i++) others.push(await milliseconds(`${server.url}/healthz`));
      // The first round folds the texts, and warms up.
      if (round > 0) measured.push(searches);
    }
    console.log('Search over 10,000 datasets, over HTTP');
    const name = 'search of 10,000 datasets over HTTP';
    report({ name, values: measured.map(median), unit: 'ms', target: null });
    const values = measured.map((searches) => percentile(searches, 0.99));
    const details = `${percentile(others, 0.99).toFixed(1)} ms for /healthz on this machine`;
    report({ name: `${name}, p99`, values, unit: 'ms', target: { atMost: 5 }, details });
  } finally {
    agent.destroy();
    await server.stop();
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
