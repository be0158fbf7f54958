/** `npm run bench`, or `npm run bench -- reads start`: each benchmark prints its figures beside what it is compared with. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const benchmarks = ['reads', 'writes', 'start', 'follow', 'search', 'cli', 'sync'] as const;
/** Programs of their own: they measure processes. */
const programs = ['data/ingest', 'data/query', 'data/stream', 'data/writers'] as const;
const here = fileURLToPath(new URL('.', import.meta.url));

if (!existsSync(`${here}node_modules`))
  spawnSync('npm', ['install', '--prefix', here, '--no-audit', '--no-fund'], { stdio: 'inherit' });
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'));
for (const name of benchmarks) {
  if (wanted.length && !wanted.includes(name)) continue;
  try {
    await ((await import(`./${name}.ts`)) as { run(): Promise<void> }).run();
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
  console.log();
}
for (const name of programs) {
  if (wanted.length && !wanted.includes(name)) continue;
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', `${here}${name}.ts`], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
  console.log();
}
