/** Temporary catalogue folders for tests, and waiting for a condition. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';

type Named<T> = Readonly<Record<string, T>>;
type Fields = Readonly<Record<string, unknown>>;

/** Records by name: `parks`, `parks/trees`, `parks/trees@20200101000000000000`. */
export interface FolderContent {
  readonly settings?: Fields;
  readonly namespaces?: Named<Fields>;
  readonly datasets?: Named<Fields>;
  readonly versions?: Named<Fields>;
  readonly groups?: Named<Fields>;
  readonly users?: Named<Fields>;
  readonly queries?: Named<Fields>;
  /** Texts and bytes by path, as they are. */
  readonly files?: Named<string | Uint8Array>;
}

/** A catalogue folder. It lies in a folder of its own, so that it can be moved away and back. */
export class CatalogueFolder {
  readonly root: string;
  readonly #removed: string;

  /**
   * @param root path of the folder, which is made if it is missing
   * @param removed path of the folder that `remove` removes
   */
  constructor(root: string, content: FolderContent = {}, removed = root) {
    this.root = root;
    this.#removed = removed;
    for (const [path, text] of Object.entries(filesOf(content))) this.write(path, text);
  }

  /** Absolute path of a file in the folder. */
  path(relative: string): string {
    return join(this.root, relative);
  }

  /** Absolute path of a file beside the folder. */
  beside(name: string): string {
    return join(dirname(this.root), name);
  }

  /** Writes a file, and makes the folders above it. */
  write(relative: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(relative)), { recursive: true });
    writeFileSync(this.path(relative), content);
  }

  /** Removes a file, or a folder in the folder. */
  clear(relative: string): void {
    rmSync(this.path(relative), { recursive: true, force: true });
  }

  /** Writes the record of a public namespace. */
  namespace(slug: string, label = slug): void {
    this.write(`namespaces/${slug}/namespace.yaml`, `label: ${label}\nvisibility: public\n`);
  }

  /** Writes the records of a dataset and its versions. @param path of the dataset's folder */
  dataset(path: string, label: string, versions: readonly string[] = ['v1']): void {
    this.write(`${path}/dataset.yaml`, datasetText(label));
    for (const version of versions) this.write(`${path}/versions/${version}.yaml`, versionText(label));
  }

  /** Removes the folder, and everything beside it if it is temporary. */
  remove(): void {
    removeFolder(this.#removed);
  }
}

/** Folders that tests had removed. */
const removed = new Set<string>();
process.once('exit', () => {
  for (const path of removed) rmSync(path, { recursive: true, force: true });
});

/**
 * Removes a folder when its test ends, and once more when the process exits: a catalogue that a later hook closes may still
 * write into it. A hook that fails would keep the later ones from running, and what they close would keep the process alive.
 */
export function removeFolder(path: string): void {
  removed.add(path);
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

/** Makes a temporary folder that stays until it is removed. */
export function makeLastingFolder(content: FolderContent): CatalogueFolder {
  const home = realpathSync(mkdtempSync(join(temporaryParent(), 'catalogue-test-')));
  return new CatalogueFolder(join(home, 'data'), content, home);
}

/** Makes a temporary folder that is removed at the end of the test, or of all tests in the file. */
export function makeFolder(content: FolderContent = {}, test?: TestContext): CatalogueFolder {
  const folder = makeLastingFolder(content);
  if (test) test.after(() => folder.remove());
  else after(() => folder.remove());
  return folder;
}

/** Text of a dataset's record. */
export const datasetText = (label: string): string => `label: ${label}\ndescription: Of no interest\n`;
/** Text of a version's record, without payload. */
export const versionText = (label: string): string => `label: ${label}\ndatetime: 2024-01-31T12:00:00Z\nready: false\n`;

function filesOf(content: FolderContent): Record<string, string | Uint8Array> {
  const { settings = {}, namespaces = {}, datasets = {}, versions = {}, files = {} } = content;
  const entries: (readonly [string, Fields])[] = [
    ['catalogue.yaml', settings],
    ...Object.entries(namespaces).map(([slug, record]) => [`namespaces/${slug}/namespace.yaml`, record] as const),
    ...Object.entries(datasets).map(([name, record]) => [`${homeOf(name)}/dataset.yaml`, record] as const),
    ...Object.entries(versions).map(([name, record]) => {
      const [dataset = '', slug] = name.split('@');
      return [`${homeOf(dataset)}/versions/${slug}.yaml`, record] as const;
    }),
    ...(['groups', 'users', 'queries'] as const).flatMap((kind) =>
      Object.entries(content[kind] ?? {}).map(([name, record]) => [`${kind}/${name}.yaml`, record] as const),
    ),
  ];
  return { ...Object.fromEntries(entries.map(([path, record]) => [path, stringify(record)])), ...files };
}

/** The folder of a dataset `<namespace>/<dataset>`, relative to the catalogue's. */
export function homeOf(name: string): string {
  const [namespace, dataset] = name.split('/');
  return `namespaces/${namespace}/datasets/${dataset}`;
}

/**
 * Waits until a condition holds, and returns its result.
 * @param condition called again and again until it neither throws nor returns false
 * @param timeout in milliseconds
 */
export async function until<T>(condition: () => Promise<T> | T, timeout = 20_000): Promise<Exclude<T, false>> {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      const result = await condition();
      if (result !== false) return result as Exclude<T, false>;
      if (Date.now() > deadline) throw new Error(`This never held within ${timeout} ms: ${condition}`);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(5);
  }
}

/**
 * Parent of temporary folders, whose many small files need not survive: in memory where that is possible, as on Linux. To make a
 * folder on a disk takes twenty times as long.
 */
export function temporaryParent(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 1e9 ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}
