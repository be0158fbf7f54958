/**
 * Runs the test files: all of them, or those whose path contains one of the words given.
 * (Node 20's own discovery finds no TypeScript, and exits 0 when it has run nothing: so they are listed here.)
 *
 *     node --import tsx test/run.ts               all
 *     node --import tsx test/run.ts contract cli  those with "contract" or "cli" in their path
 *
 * The files are bundled first, so that no process compiles what it loads. Several files of some folders share a process: loading
 * the program takes longer than most of them.
 */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleTests } from './bundle.ts';

const sharing =
  /^(?:catalogue|cli|conformance|data|export|files\/(?:payloads|records|replica|tree)|hostile|import|pages|server|standards|sync|text)\b/;
/** A file that reads 300,000 rows as one response: beside others, the judge of the OpenAPI document (support/judged.ts) would check each. */
const alone = 'server/work.test.ts';
/** A file that takes long. It begins first: at the end, it would keep one core while the others have nothing to do. */
const first = 'pack.test.ts';
/** Maximum number of files in a process. */
const most = 14;

const here = fileURLToPath(new URL('.', import.meta.url));
/** Folder of the modules that this run makes. */
const ownFolder = join(here, '..', 'node_modules', '.cache', 'tests', String(process.pid));
/**
 * Environment of the tests. Each Node 20 that starts with NODE_EXTRA_CA_CERTS reads all certificates of the system and of that file,
 * which takes longer than the rest of its start. Only npm asks servers outside, and gets it back (support/checkout.ts).
 */
const { NODE_EXTRA_CA_CERTS: certificates, ...environment } = process.env;
if (certificates !== undefined) environment.CERTIFICATES_OF_NPM = certificates;
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));

const all = readdirSync(here, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('fixtures'))
  .sort();
const files = all.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));

// Among other words, one that chooses nothing any more would go unnoticed.
const idle = words.filter((word) => !all.some((path) => path.includes(word)));
if (idle.length > 0) {
  console.error(`No test file has ${idle.join(' or ')} in its path.`);
  process.exit(1);
}
// By default, Node leaves one core unused: on two cores, the files would run one after the other. One more than there are cores runs
// while others wait for a server, a clock or a disk.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
const bundled = await bundleTests(files, ownFolder);
const supporting = (name: string) => pathToFileURL(join(here, 'support', name)).href;
const asyncTracking = supporting('async-tracking.js');
const loading = ['--import', supporting('time-limit.js'), '--import', asyncTracking];
// Its list of failures comes last: the rest of the output is long.
const reporter = options.some((option) => option.startsWith('--test-reporter'))
  ? []
  : [`--test-reporter=${supporting('reporter.js')}`];
const args = [...loading, '--test', concurrency, ...reporter, ...options, ...groups(files).map(moduleOf)];
const runner = spawn(process.execPath, args, { stdio: 'inherit', env: environment });
runner.on('exit', (code, signal) => {
  rmSync(ownFolder, { recursive: true, force: true });
  process.exit(signal ? 1 : (code ?? 1));
});

/** Divides paths into groups that share a process. */
function groups(paths: readonly string[]): string[][] {
  const found: string[][] = [];
  for (const path of paths) {
    const last = found.at(-1);
    const mayShare = (one: string) => sharing.test(one) && one !== alone;
    const [begun] = last ?? [];
    const joins = begun && mayShare(path) && mayShare(begun) && dirname(begun) === dirname(path);
    if (last && joins && last.length < most) last.push(path);
    else found.push([path]);
  }
  return found;
}

/** Path of a module that has the tests of all files in a group. Node runs them in the order of their paths. */
function moduleOf(group: readonly string[]): string {
  const modules = group.map((path) => bundled[files.indexOf(path)] as string);
  const [begun = ''] = group;
  const name = begun.replaceAll(/[\\/]/g, '-').replace(/\.test\.ts$/, '');
  const others = group.length > 1 ? `-and-${group.length - 1}-more` : '';
  const path = join(ownFolder, `${begun === first ? '0-' : ''}${name}${others}.test.mjs`);
  const code = [
    ...modules.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)};`),
    `import { stopAsyncTracking } from ${JSON.stringify(asyncTracking)};`,
    'stopAsyncTracking();',
  ];
  writeFileSync(path, `${code.join('\n')}\n`);
  return path;
}
