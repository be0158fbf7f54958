/** The command line's start, beside a bare commander program. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './support/load.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const rounds = 25;

function milliseconds(...args: string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`${args.join(' ')} failed.`);
  return performance.now() - start;
}

async function run(): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  const ratios: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const a = milliseconds(path('../bin/catalogue.js'), '--help');
    const b = milliseconds(path('./support/commander.js'), '--help');
    ours.push(a);
    bare.push(b);
    ratios.push(a / b);
  }
  console.log('catalogue --help, beside a bare commander program');
  console.log(
    `  ${median(ours).toFixed(0)} ms beside ${median(bare).toFixed(0)} ms: ${median(ratios).toFixed(2)} times (at most 1.5)`,
  );
}

await run();
