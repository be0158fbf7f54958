/** Catalogue folders for tests: temporary, written from what a test says, and removed at its end. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, type TestContext } from 'node:test';
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

export interface CatalogueFolder {
  readonly root: string;
  path(relative: string): string;
  write(relative: string, content: string | Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

/** Makes a folder that is removed when the test, or all of the file's tests, end. */
export async function makeFolder(content: FolderContent = {}, test?: TestContext): Promise<CatalogueFolder> {
  const folder = await writeFolder(content);
  if (test) test.after(folder.remove);
  else after(folder.remove);
  return folder;
}

/** Makes a folder that stays until it is removed. */
export async function writeFolder(content: FolderContent): Promise<CatalogueFolder> {
  const root = await mkdtemp(join(tmpdir(), 'catalogue-test-'));
  return writeContent(root, content);
}

/** Writes a catalogue into a folder, which is made where it isn't there. */
export async function writeContent(root: string, content: FolderContent): Promise<CatalogueFolder> {
  const folder: CatalogueFolder = {
    root,
    path: (relative) => join(root, relative),
    async write(relative, text) {
      await mkdir(dirname(join(root, relative)), { recursive: true });
      await writeFile(join(root, relative), text);
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
  for (const [path, text] of Object.entries(filesOf(content))) await folder.write(path, text);
  return folder;
}

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
 * Waits until something holds.
 * @param look what is asked again and again; it may throw, and is right when it neither throws nor says false
 */
export async function until<T>(look: () => Promise<T> | T, deadline = 10_000): Promise<Exclude<T, false>> {
  const end = Date.now() + deadline;
  for (;;) {
    try {
      const found = await look();
      if (found !== false) return found as Exclude<T, false>;
      if (Date.now() > end) throw new Error(`This never held within ${deadline} ms: ${look}`);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
