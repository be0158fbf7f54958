/** `catalogue export` of datasets without rows, and of a tenth as many with small tables: the first time, with nothing changed, and with one dataset changed; each in a process of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { generateWithRows } from './support/generate-rows.ts';

const script = fileURLToPath(new URL('./support/exporting.js', import.meta.url));
const datasets = Number(process.env.CATALOGUE_BENCH_DATASETS ?? 10_000);

interface Run {
  readonly written: number;
  readonly removed: number;
  readonly files: number;
  readonly seconds: number;
  /** Seconds of the processor, of all threads. */
  readonly cpu: number;
  /** Most megabytes of resident memory. */
  readonly memory: number;
}

/**
 * Exports a catalogue of a size three times.
 * @param generateInto writes it, and returns the paths of the datasets' records
 * @param what the kind of its datasets, for the names of the figures
 * @param isPromised true for a size and kind that the targets are for
 */
function measure(size: number, what: string, generateInto: (folder: string) => readonly string[], isPromised: boolean) {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  try {
    const [folder, to] = [join(root, 'catalogue'), join(root, 'site')];
    const [record = ''] = generateInto(folder).slice(size / 2);
    const run = () => JSON.parse(execFileSync(process.execPath, [script, folder, to], { encoding: 'utf8' })) as Run;
    const show = (name: string, value: number, unit: string, atMost: number | null, details?: string) => {
      const target = atMost === null || !isPromised ? null : { atMost };
      report({ name, values: [value], unit, target, ...(details && { details }) });
    };
    const name = `export of ${size.toLocaleString('en')} datasets ${what}`;
    const cpuOf = ({ cpu }: Run) => `${cpu.toFixed(1)} s of the processor`;
    const first = run();
    show(name, first.seconds, 's', 300, `${first.files.toLocaleString('en')} files, ${cpuOf(first)}`);
    show(`${name}, resident memory`, first.memory, 'MB', 512);
    // Else the runs behind it wait for the files of the first to get to the disk.
    execFileSync('sync');
    const second = run();
    show(`${name} again, nothing changed`, second.seconds, 's', 5, cpuOf(second));
    show(`${name} again, nothing changed, files written`, second.written, 'files', 0);
    const path = join(folder, record);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^description: .*/m, 'description: Another text.'));
    const third = run();
    show(`${name} again, one dataset changed`, third.seconds, 's', 5, cpuOf(third));
    show(`${name} again, one dataset changed, files written`, third.written, 'files', null);
    show(`${name} again, one dataset changed, resident memory`, third.memory, 'MB', 512);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

console.log('catalogue export');
const records = (folder: string) =>
  generate(folder, datasets).map((address) => `namespaces/${address.replace('/', '/datasets/')}/dataset.yaml`);
measure(datasets, 'without rows', records, true);
// Each has twice as many files, and its rows are read and written in all formats: the targets are for the size above.
const withTables = Math.ceil(datasets / 10);
measure(withTables, 'with small tables', (folder) => generateWithRows(folder, withTables), false);
