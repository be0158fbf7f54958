/** Catalogue folders that are followed while a test changes them by hand, as people and git do. */
import type { TestContext } from 'node:test';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import type { Dataset } from '../../src/catalogue/types.ts';
import type { OpenOptions } from '../../src/files/catalogue-files.ts';
import { type FileCatalogue, openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { UnitStore } from '../../src/files/reading/unit-store.ts';
import { type CatalogueFolder, makeFolder, until } from './folder.ts';

/** A dataset in the current snapshot. */
export function served(catalogue: FileCatalogue, namespace: string, slug: string): Dataset | undefined {
  return catalogue.snapshot.folders.get(namespace)?.datasets.get(slug);
}

/** Makes a folder with the public namespace `a`. */
export const makeFollowedFolder = (test: TestContext): CatalogueFolder =>
  makeFolder({ settings: { title: 'Test' }, namespaces: { a: { label: 'a', visibility: 'public' } } }, test);

/** Opens a folder and follows it until the test ends; resolves when it is watched or polled. */
export async function follow(
  test: TestContext,
  folder: CatalogueFolder,
  options: OpenOptions = {},
): Promise<{ readonly catalogue: FileCatalogue; readonly log: readonly string[] }> {
  const log: string[] = [];
  const catalogue = await openFileCatalogue(folder.root, { watch: true, log: (line) => log.push(line), ...options });
  test.after(() => catalogue.close());
  await until(() => catalogue.following !== 'starting');
  return { catalogue, log };
}

/** Snapshot of a folder that is read now, without a cache or threads. */
export async function freshlyRead(folder: CatalogueFolder): Promise<Snapshot> {
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: '' }]));
  return store.snapshot;
}

/** Starts to count snapshots. @returns ends it, and returns their number */
export function countSnapshots(catalogue: FileCatalogue): () => number {
  const seen = new Set([catalogue.snapshot]);
  const timer = setInterval(() => seen.add(catalogue.snapshot), 1);
  return () => {
    clearInterval(timer);
    return seen.add(catalogue.snapshot).size - 1;
  };
}
