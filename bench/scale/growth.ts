/** What git and the browser's search take as a catalogue grows. For docs/scale.md. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { summarize, summaryParts } from '../../src/catalogue/search-summary.ts';
import type { Entities } from '../../src/catalogue/types.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { report } from '../support/figures.ts';
import { generate, generatedFiles } from '../support/generate.ts';

/** Runs git. @returns seconds that it took */
function git(folder: string, ...args: readonly string[]): number {
  const start = performance.now();
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'gc.auto=0'];
  const { status, stderr } = spawnSync('git', ['-C', folder, ...identity, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return (performance.now() - start) / 1000;
}

function sizeOfFolder(folder: string): number {
  let total = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) total += statSync(join(entry.parentPath, entry.name)).size;
  return total;
}

async function measureGrowth(home: string, count: number): Promise<void> {
  const words = `${count.toLocaleString('en')} datasets`;
  const folder = join(home, `tree-${count}`);
  mkdirSync(folder);
  const [address = ''] = generate(folder, count);
  const figure = (name: string, value: number, unit: string) =>
    report({ name: `${words}: ${name}`, values: [value], unit, target: null });
  git(folder, 'init', '--quiet');
  figure('git add', git(folder, 'add', '--all'), 's');
  figure('git commit', git(folder, 'commit', '--quiet', '--message', 'All'), 's');
  figure('git status', git(folder, 'status', '--short'), 's');
  const [namespace, slug] = address.split('/');
  const file = join('namespaces', `${namespace}`, 'datasets', `${slug}`, 'dataset.yaml');
  execFileSync('sh', ['-c', `echo 'homepage: https://data.example' >> ${file}`], { cwd: folder });
  figure('git add and commit of one file', git(folder, 'commit', '--quiet', '--message', 'One', '--', file), 's');
  git(folder, 'gc', '--quiet');
  figure('.git after gc', sizeOfFolder(join(folder, '.git')) / 1e6, 'MB');
  figure('git clone', git(home, 'clone', '--quiet', `file://${folder}`, join(home, `clone-${count}`)), 's');
  rmSync(join(home, `clone-${count}`), { recursive: true });
  const files = await openFileCatalogue(folder);
  try {
    const catalogue = files.for();
    const [namespaces, datasets] = [await listAll(catalogue, 'namespace'), await listAll(catalogue, 'dataset')];
    const summary = summarize(catalogue.settings, 'https://data.example', namespaces, datasets);
    for (const part of summaryParts)
      figure(
        `summary for the browser, ${part}, compressed`,
        compressedSize(JSON.stringify(summary[part])) / 1000,
        'kB',
      );
  } finally {
    await files.close();
  }
  rmSync(folder, { recursive: true });
}

/** All entities of a kind. */
async function listAll<K extends 'namespace' | 'dataset'>(catalogue: Catalogue, kind: K) {
  const all: Entities[K][] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const found = await catalogue.list(kind, { page, pageSize: 1000 });
    pages = found.pages;
    all.push(...found.items);
  }
  return all;
}

/** More records than a folder of files is made for: git alone, without a working tree. */
async function measureImport(home: string, count: number): Promise<void> {
  const words = `${count.toLocaleString('en')} datasets, git alone`;
  const folder = join(home, 'large');
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main');
  const start = performance.now();
  const child = spawn('git', ['-C', folder, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  await pipeline(Readable.from(fastImportOf(count)), child.stdin);
  const [code] = await exited;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}.`);
  const figure = (name: string, value: number, unit: string) =>
    report({ name: `${words}: ${name}`, values: [value], unit, target: null });
  figure('fast-import', (performance.now() - start) / 1000, 's');
  figure('gc', git(folder, 'gc', '--quiet'), 's');
  figure('repository', sizeOfFolder(folder) / 1e6, 'MB');
  figure('listing all files', git(folder, 'ls-tree', '-r', '--name-only', 'main'), 's');
  figure(
    'clone without a working tree',
    git(home, 'clone', '--quiet', '--bare', `file://${folder}`, join(home, 'copy')),
    's',
  );
  const partial = ['--filter=blob:none', '--sparse'];
  const clone = join(home, 'sparse');
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  let taken = git(home, 'clone', '--quiet', ...partial, `file://${folder}`, clone);
  taken += git(clone, 'sparse-checkout', 'set', 'namespaces/publisher-0000', 'namespaces/publisher-0001');
  figure('sparse clone of 2 of 10,000 namespaces', taken, 's');
}

/** The stream of `git fast-import`: one commit with the files of a generated catalogue. */
function* fastImportOf(count: number): Generator<string> {
  yield 'commit refs/heads/main\ncommitter bench <bench@example.org> 1700000000 +0000\ndata 3\nAll\n';
  let chunk = '';
  for (const [path, text] of generatedFiles(count)) {
    chunk += `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    if (chunk.length < 1 << 20) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const compressedSize = (text: string): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length;

const home = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
try {
  console.log('What git and the search in the browser take');
  for (const count of [10_000, 100_000]) await measureGrowth(home, count);
  await measureImport(home, 1_000_000);
} finally {
  rmSync(home, { recursive: true, force: true });
}
