/** Catalogue folders for tests: made in the system's temporary folder, and changed by hand as people and git do. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import type { Dataset } from '../../src/catalogue/types.ts';
import type { OpenOptions } from '../../src/files/catalogue-files.ts';
import { type FileCatalogue, openFolder } from '../../src/files/file-catalogue.ts';

export class CatalogueFolder {
  /** Lies in a folder of its own, so that it can be moved away and come back. */
  readonly root: string;
  readonly #home: string;

  constructor(test: TestContext) {
    this.#home = realpathSync(mkdtempSync(join(tmpdir(), 'catalogue-')));
    this.root = join(this.#home, 'data');
    this.write('catalogue.yaml', 'title: Test\n');
    this.namespace('a');
    test.after(() => this.remove());
  }

  /** The path of something in the folder. */
  path(path: string): string {
    return join(this.root, path);
  }

  /** The path of something beside the folder. */
  beside(name: string): string {
    return join(this.#home, name);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  namespace(slug: string, label = slug): void {
    this.write(`namespaces/${slug}/namespace.yaml`, `label: ${label}\nvisibility: public\n`);
  }

  dataset(path: string, label: string, versions: readonly string[] = ['v1']): void {
    this.write(`${path}/dataset.yaml`, recordOf(label));
    for (const version of versions) this.write(`${path}/versions/${version}.yaml`, versionOf(label));
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.root, ...author, ...args], { encoding: 'utf8', stdio: 'pipe' });
  }

  /** The same while this process goes on. */
  async gitBeside(...args: string[]): Promise<void> {
    await promisify(execFile)('git', ['-C', this.root, ...author, ...args]);
  }

  remove(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];

export const recordOf = (label: string) => `label: ${label}\ndescription: Of no interest\n`;
export const versionOf = (label: string) => `label: ${label}\ndatetime: 2024-01-31T12:00:00Z\nready: false\n`;

/** A dataset as the catalogue serves it now. */
export function served(catalogue: FileCatalogue, namespace: string, slug: string): Dataset | undefined {
  return catalogue.snapshot.folders.get(namespace)?.datasets.get(slug);
}

/** Waits until a condition holds; says what was waited for where it doesn't in time. */
export async function until(what: string, holds: () => boolean, milliseconds = 20_000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
    await new Promise((done) => setTimeout(done, 2));
  }
}

/** Opens a folder and follows it until the test is over; resolves when its watchers are set up, or it is polled. */
export async function follow(
  test: TestContext,
  folder: CatalogueFolder,
  options: OpenOptions = {},
): Promise<{ readonly catalogue: FileCatalogue; readonly log: readonly string[] }> {
  const log: string[] = [];
  const catalogue = await openFolder(folder.root, { watch: true, log: (line) => log.push(line), ...options });
  test.after(() => catalogue.close());
  await until('the folder is followed', () => catalogue.following !== 'starting');
  return { catalogue, log };
}

/** What one sees who opens the folder now and never saw it before. */
export async function freshlyRead(folder: CatalogueFolder): Promise<Snapshot> {
  const catalogue = await openFolder(folder.root, { cache: false });
  await catalogue.load();
  return catalogue.snapshot;
}

/** Counts the snapshots that there were since. */
export function countSnapshots(catalogue: FileCatalogue): () => number {
  const seen = new Set([catalogue.snapshot]);
  const timer = setInterval(() => seen.add(catalogue.snapshot), 1);
  return () => {
    clearInterval(timer);
    return seen.add(catalogue.snapshot).size - 1;
  };
}
