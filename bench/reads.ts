/** Cached reads: our server beside a bare node:http server that sends the same bytes and headers, and json-server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { freePort, median, needWrk, requestsPerSecond, settled, startProgram } from './support/load.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const rounds = 5;

async function run(): Promise<void> {
  needWrk();
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  const stops: (() => Promise<void>)[] = [];
  const start = async (...args: string[]) => {
    const program = await startProgram(args);
    stops.push(program.stop);
    return program.url;
  };
  try {
    // Answers of some 8 kB, as those of datasets with dozens of columns are.
    const addresses = generate(root, 10_000, 55);
    const address = addresses[addresses.length >> 1] ?? '';
    const [namespace, dataset] = address.split('/');
    const detail = `/api/v1/namespaces/${namespace}/datasets/${dataset}/`;
    const page = '/api/v1/datasets/?page_size=10';
    const ours = await start(path('../bin/catalogue.js'), 'serve', '--data', root, '--port', '0');

    const record = join(root, 'recorded.json');
    const answers = await Promise.all([detail, page].map((url) => recordAnswer(ours, url)));
    const unmodified = await recordAnswer(ours, detail, answers[0]?.etag);
    writeFileSync(record, JSON.stringify({ [detail]: answers[0], [page]: answers[1], '/304': unmodified }));
    const bare = await start('--import', 'tsx', path('./support/bare.ts'), record);

    const database = join(root, 'db.json');
    const items: { id: string }[] = [];
    for (let next: string | null = '/api/v1/datasets/?page_size=1000'; next; ) {
      const page: { next: string | null; results: { id: number }[] } = JSON.parse(
        (await recordAnswer(ours, next)).body,
      );
      items.push(...page.results.map((item) => ({ ...item, id: String(item.id) })));
      next = page.next?.slice(ours.length) ?? null;
    }
    writeFileSync(database, JSON.stringify({ datasets: items }));
    const jsonServer = await start(
      path('./node_modules/json-server/lib/bin.js'),
      database,
      '--port',
      String(await freePort()),
    );

    const etag = answers[0]?.etag ?? '';
    const rows: [string, string, string, Record<string, string>, string | null][] = [
      ['dataset detail', detail, detail, {}, `/datasets/${items[items.length >> 1]?.id}`],
      ['page of 10', page, page, {}, '/datasets?_page=1&_per_page=10'],
      ['304', detail, '/304', { 'If-None-Match': etag }, null],
    ];
    await settled();
    // Each has compiled its hottest functions before it is measured.
    for (const url of [ours + detail, ours + page, bare + detail, bare + page]) await requestsPerSecond(url, {}, 1);
    console.log('Cached reads, requests per second');
    for (const [name, url, bareUrl, headers, other] of rows) {
      const measured: { ours: number; bare: number; other: number }[] = [];
      for (let i = 0; i < rounds; i++)
        measured.push({
          ours: await requestsPerSecond(ours + url, headers, 1),
          bare: await requestsPerSecond(bare + bareUrl, headers, 1),
          other: other ? await requestsPerSecond(jsonServer + other, {}, 1) : Number.NaN,
        });
      const rate = (key: 'ours' | 'bare' | 'other') => median(measured.map((round) => round[key])).toFixed(0);
      report({
        name: `${name}, beside bare node:http`,
        values: measured.map((round) => round.ours / round.bare),
        unit: '×',
        target: { atLeast: 0.75 },
        details: `${rate('ours')} beside ${rate('bare')} a second`,
      });
      if (other)
        report({
          name: `${name}, beside json-server`,
          values: measured.map((round) => round.ours / round.other),
          unit: '×',
          target: null,
          details: `${rate('ours')} beside ${rate('other')} a second`,
        });
    }
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(root, { recursive: true, force: true });
  }
}

/** What our server answers, so that the bare one can say the same. @param condition value of If-None-Match */
async function recordAnswer(base: string, url: string, condition?: string) {
  const headers = { 'Accept-Encoding': 'identity', ...(condition && { 'If-None-Match': condition }) };
  // The second answer is the cached one that is measured: it has no X-Request-Id.
  await (await fetch(base + url, { headers })).arrayBuffer();
  const response = await fetch(base + url, { headers });
  const added = ['date', 'connection', 'keep-alive'];
  const sent = [...response.headers].filter(([name]) => !added.includes(name)).flat();
  const etag = response.headers.get('etag') ?? '';
  return { status: response.status, headers: sent, body: await response.text(), etag, condition };
}

await run();
