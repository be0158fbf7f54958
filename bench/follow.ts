/** Following: from an atomic save of one file to the new answer over HTTP, and the memory that following needs. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';

const program = fileURLToPath(new URL('./support/serve.js', import.meta.url));

interface Catalogue {
  readonly root: string;
  readonly url: string;
  readonly addresses: readonly string[];
}

/** Saves datasets one after the other. @returns the milliseconds until each is served */
async function measureSaves({ root, url, addresses }: Catalogue, saves: number, isViewed: boolean): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < saves; i++) {
    const [namespace, dataset] = (addresses[(i * 7919 + 13) % addresses.length] ?? '').split('/');
    const file = join(root, 'namespaces', namespace ?? '', 'datasets', dataset ?? '', 'dataset.yaml');
    const list = `${url}/api/v1/namespaces/${namespace}/datasets/`;
    const address = `${list}${dataset}/`;
    const labelOf = async () => ((await (await request(address)).body.json()) as { label: string }).label;
    const label = `Saved ${isViewed} ${i}`;
    // A person looks at a dataset before changing it; a program may not.
    if (isViewed) await labelOf();
    await sleep(300);
    writeFileSync(`${file}~`, readFileSync(file, 'utf8').replace(/^label: .*/m, `label: ${label}`));
    const start = performance.now();
    renameSync(`${file}~`, file);
    if (!isViewed) await waitForList(`${list}?page_size=100`, label);
    while ((await labelOf()) !== label) await sleep(2);
    times.push(performance.now() - start);
  }
  return times;
}

/** Waits until a list has the label: viewing the dataset itself would make it watched. */
async function waitForList(list: string, label: string): Promise<void> {
  for (;;) {
    const { results } = (await (await request(list)).body.json()) as { results: { label: string }[] };
    if (results.some((found) => found.label === label)) return;
    await sleep(20);
  }
}

async function run(): Promise<void> {
  for (const [datasets, saves] of [
    [10_000, 20],
    [100_000, 10],
  ] as const) {
    const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
    const size = `${datasets.toLocaleString('en')} datasets`;
    const isLarge = datasets > 10_000;
    try {
      const addresses = generate(root, datasets);
      const server = fork(program, [root], { execArgv: [] });
      const answer = async () =>
        (await once(server, 'message'))[0] as { readonly url: string; readonly memory: number };
      const { url } = await answer();
      await sleep(isLarge ? 40_000 : 8000); // until all are watched and compared once
      console.log(`Following ${size}`);
      const memory: number[] = [];
      const measureMemory = async () => {
        server.send('memory');
        memory.push((await answer()).memory);
      };
      await measureMemory();
      report({
        name: `from save to answer, ${size}, viewed before`,
        values: await measureSaves({ root, url, addresses }, saves, true),
        unit: 'ms',
        target: { atMost: isLarge ? 1000 : 100 },
      });
      report({
        name: `from save to answer, ${size}, not viewed before`,
        values: await measureSaves({ root, url, addresses: addresses.slice(5000) }, saves, false),
        unit: 'ms',
        target: { atMost: 5000 },
      });
      await measureMemory();
      report({
        name: `resident memory while following, ${size}`,
        values: memory,
        unit: 'MB',
        target: { atMost: isLarge ? 700 : 180 },
      });
      const ended = once(server, 'exit');
      server.disconnect();
      await ended;
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

await run();
