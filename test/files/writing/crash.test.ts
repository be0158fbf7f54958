/**
 * Writers killed at random moments, many times, each while it writes in two catalogues: what they had said was done is there, nothing is half, and the
 * next start finds nothing to stumble over. CATALOGUE_KILLS sets how many times.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '../../../src/catalogue/diagnostic.ts';
import { isTemporaryFile } from '../../../src/disk/durable.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder, until } from '../../support/folder.ts';
import { compilerFor } from '../../support/program.ts';

const kills = Number(process.env.CATALOGUE_KILLS ?? 36);
const writers = ['one', 'two', 'three'];

/** A catalogue that is written, and what was said to be done in it. */
interface Folder {
  readonly root: string;
  counted: number;
  /** What is the case at the end, by what it is about. */
  readonly done: Map<string, string>;
}

const script = fileURLToPath(new URL('crash-child.ts', import.meta.url));

/** Starts a writer, kills it while it writes, and gives what it has said. */
async function life(roots: readonly string[], namespace: string, first: number): Promise<string[]> {
  const child = spawn(process.execPath, [...compilerFor(script), script, namespace, String(first), ...roots], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  const enough = Math.random() * 50;
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (words: string) => {
    said += words;
    if (said.split('\n').length > enough) setTimeout(() => child.kill('SIGKILL'), Math.random() * 10);
  });
  const [, signal] = await gone;
  assert.equal(signal, 'SIGKILL', said);
  return said.split('\n').slice(1, -1);
}

test(`${kills} kills`, { timeout: 600_000 }, async (t) => {
  const content = {
    settings: { title: 'x' },
    namespaces: Object.fromEntries([...writers, 'shared'].map((slug, i) => [slug, { id: i + 1, label: slug }])),
    datasets: Object.fromEntries([
      ...writers.flatMap((namespace, i) =>
        ['d1', 'd2', 'versions'].map((slug, j) => [`${namespace}/${slug}`, { id: 10 * i + j + 1, label: slug }]),
      ),
      ['shared/counter', { id: 100, label: 'Counter' }],
    ]),
  };
  const folders: readonly Folder[] = [1, 2].map(() => ({
    root: makeFolder(content).root,
    counted: 0,
    done: new Map(),
  }));
  const roots = folders.map(({ root }) => root);
  let lives = kills;
  await Promise.all(
    writers.map(async (namespace) => {
      for (let first = 0; lives-- > 0; first += 1_000_000)
        for (const line of await life(roots, namespace, first)) {
          const [index, what = '', name = '', number = ''] = line.split(' ');
          const folder = folders[Number(index)] as Folder;
          if (what === 'counted') folder.counted++;
          else if (what === 'edited') folder.done.set(`${namespace} edited ${name}`, number);
          else if (what === 'published') folder.done.set(`${namespace} published ${name}`, number);
          else folder.done.set(`${namespace} dataset ${name}`, what);
        }
    }),
  );
  for (const folder of folders) await assertSound(folder, t);
});

async function assertSound({ root, counted, done }: Folder, t: TestContext): Promise<void> {
  const files = await openFileCatalogue(root);
  const catalogue = files.for();
  const counter = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'shared', slug: 'counter' });
  assert.ok(Number(counter.publisher) >= counted && Number(counter.publisher) <= counted + kills, counter.publisher);
  for (const [key, value] of done) {
    const [namespace = '', what, name = ''] = key.split(' ');
    const dataset = { kind: 'dataset', namespace, slug: what === 'published' ? 'versions' : name } as const;
    const found = await catalogue.get<'dataset'>(dataset).catch(() => null);
    if (value === 'removed') assert.equal(found, null, key);
    else if (value !== 'begun') assert.ok(found, key);
    if (what === 'edited') {
      const [number = '', rest = ''] = found?.description.split(' ') ?? [];
      // What was done when it was killed may have been said no more.
      assert.ok(Number(number) >= Number(value), `${key}: ${number} and not ${value}`);
      assert.deepEqual([rest.length, found?.keywords], [Number(number) % 5000, [`k${number}`]]);
    }
    if (what === 'published') {
      const version = found?.versions.find(({ slug }) => slug === name);
      assert.ok(version?.ready, key);
    }
  }
  assert.ok(counted + done.size > kills, `${counted} and ${done.size} writes are too few to tell`);
  await files.close();

  const started = await openFileCatalogue(root, { watch: true });
  t.after(() => started.close());
  const isLeft = (path: string) => isTemporaryFile(basename(path));
  const left = () => readdirSync(root, { recursive: true }).map(String).filter(isLeft);
  await until(() => left().length === 0, 40_000).catch(() => assert.deepEqual(left(), []));

  // A version and its dataset's columns are two files: between them, a kill leaves what `check` sees and fixes.
  const isOfColumns = ({ code, severity }: Diagnostic) => code === 'column' && severity === 'warning';
  assert.deepEqual(
    (await checkCatalogueFiles(root)).problems.filter((problem) => !isOfColumns(problem)),
    [],
  );
  const { fixed } = await checkCatalogueFiles(root, { deep: true, fix: true });
  for (const { path, message } of fixed) assert.match(`${path}: ${message}`, /versions\/dataset\.yaml: The columns/);
  assert.deepEqual((await checkCatalogueFiles(root, { deep: true })).problems, []);
}
