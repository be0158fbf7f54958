/**
 * Import of 10,000 records from one source, by the built program: a CKAN dump (a package a line, each with five resources) into
 * an empty catalogue, the same again with nothing changed, and again with a new title in every record.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { report } from './support/figures.ts';

const records = 10_000;
const rounds = 3;
const bin = fileURLToPath(new URL('../bin/catalogue.js', import.meta.url));

interface Run {
  readonly seconds: number;
  /** The most memory that was resident, in MB. */
  readonly memory: number;
  readonly result: Readonly<Record<'created' | 'updated', readonly unknown[]>> & { readonly unchanged: number };
}

const words =
  '東京都 公園 樹木 調査 年度 water road tree building permit budget school health traffic parcel census Übersicht Straßen'.split(
    ' ',
  );

/** Words that are the same in every run. */
function phrase(seed: number, length: number): string {
  return Array.from({ length }, (_, i) => words[(seed * 31 + i * i * 7 + i) % words.length]).join(' ');
}

function writeDump(path: string, word: string): void {
  const lines = Array.from({ length: records }, (_, i) =>
    JSON.stringify({
      id: `${i.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
      name: `package-${i}`,
      title: `${word} ${phrase(i, 4)} ${i}`,
      notes: `<p>${phrase(i, 60)}</p><ul><li>${phrase(i + 1, 12)}</li></ul>`,
      license_id: 'cc-by',
      organization: { title: phrase(i % 40, 3) },
      maintainer_email: 'data@example.org',
      metadata_created: '2024-01-01T00:00:00',
      metadata_modified: '2026-01-01T00:00:00',
      tags: [0, 1, 2].map((n) => ({ display_name: phrase(i + n, 1) })),
      resources: ['CSV', 'JSON', 'ZIP', 'PDF', 'XLSX'].map((format, n) => ({
        name: `${phrase(i + n, 3)}（${n}）`,
        url: `https://data.example.org/files/${i}/${n}.${format.toLowerCase()}`,
        format,
      })),
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
}

async function importOnce(cwd: string, source: string): Promise<Run> {
  const watch = 'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))';
  const started = performance.now();
  const args = ['--import', watch, bin, 'import', source, '--to', 'portal', '--data', join(cwd, 'data'), '--json'];
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[status], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`The import ended with ${status}:\n${err}`);
  return { seconds, memory: Number(err.trim().split('\n').at(-1)) / 1024, result: JSON.parse(out) };
}

const home = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
try {
  const dump = join(home, 'packages.jsonl');
  const runs: Record<'first' | 'again' | 'changed', Run[]> = { first: [], again: [], changed: [] };
  for (let round = 0; round < rounds; round++) {
    rmSync(join(home, 'data'), { recursive: true, force: true });
    mkdirSync(join(home, 'data'));
    writeFileSync(join(home, 'data', 'catalogue.yaml'), 'title: Imported\n');
    writeDump(dump, 'Old');
    runs.first.push(await importOnce(home, dump));
    runs.again.push(await importOnce(home, dump));
    writeDump(dump, 'New');
    runs.changed.push(await importOnce(home, dump));
  }
  const { result: first } = runs.first[0] as Run;
  const { result: again } = runs.again[0] as Run;
  const { result: changed } = runs.changed[0] as Run;
  if (first.created.length !== records || again.unchanged !== records || changed.updated.length !== records)
    throw new Error('Not every record was imported.');
  for (const [name, some, most] of [
    [`import of ${records.toLocaleString('en')} records`, runs.first, 60],
    ['the same import again, nothing changed', runs.again, 5],
    ['the same import again, every record changed', runs.changed, 60],
  ] as const) {
    report({ name, values: some.map(({ seconds }) => seconds), unit: 's', target: { atMost: most } });
    report({
      name: `${name}: most memory`,
      values: some.map(({ memory }) => memory),
      unit: 'MB',
      target: { atMost: 300 },
    });
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
