/** Moves payloads between the folder and its object store, and compares the store with the records. */
import { constants } from 'node:fs';
import { chmod, copyFile, open, rm } from 'node:fs/promises';
import { forEachConcurrent } from '../../catalogue/concurrency.ts';
import { DamagedObjectError } from '../../catalogue/errors.ts';
import { payloadPath } from '../../catalogue/layout.ts';
import { allEntities } from '../../catalogue/listing.ts';
import { fileChecksum } from '../../disk/checksum.ts';
import { flushFileToDisk, temporaryPathBeside } from '../../disk/durable.ts';
import { inheritOwner } from '../../disk/owner.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { type FileCatalogue, openFileCatalogue } from '../file-catalogue.ts';
import { commitSingleStep } from '../transaction.ts';
import type { PayloadPointer } from '../tree/payload-pointer.ts';
import { isSameFile } from '../tree/stamps.ts';
import { type Change, lockNamesOfWriteChange } from '../writing/change.ts';
import { missingObjectError, wrongBytesError } from './store-errors.ts';
import { storedPayloadsOf, writePointer } from './stored-payloads.ts';

/** A payload of the folder, by its path. */
export interface PayloadAt extends PayloadPointer {
  readonly path: string;
  /** True if it lies in the object store. */
  readonly isStored: boolean;
}

export interface PayloadProblem {
  readonly path: string;
  readonly message: string;
}

export interface MoveOptions {
  /** `store` moves the payloads that are larger than the settings say; `folder` moves all that are stored back. */
  readonly to: 'store' | 'folder';
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each payload. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface Moved {
  readonly moved: readonly PayloadAt[];
  readonly problems: readonly PayloadProblem[];
}

/** Payloads of the versions of a folder, each once; without those that are missing, damaged or links. */
export async function* listPayloads(files: CatalogueFiles): AsyncGenerator<PayloadAt, void, undefined> {
  await files.load();
  const { tree } = files.store;
  const seen = new Set<string>();
  for (const { namespace, dataset, file, checksum, size, href } of allEntities(files.snapshot, 'version')) {
    const path = payloadPath(namespace, dataset, file);
    if (!file || href || !checksum || size === null || seen.has(path) || tree.linkTarget(path) !== path) continue;
    seen.add(path);
    const pointer = tree.pointer(path);
    if (pointer ? pointer.checksum === checksum : tree.size(path) === size)
      yield { path, checksum, size, isStored: pointer !== null };
  }
}

/** A payload with the place of its bytes. */
export interface PlacedPayload extends PayloadPointer {
  readonly path: string;
  readonly place: 'folder' | 'store';
  /** True if there is a copy of a stored one in the cache. */
  readonly cached: boolean;
}

/** The payloads of a folder with the places of their bytes, the largest first. Needs no connection. */
export async function locatePayloads(root: string): Promise<readonly PlacedPayload[]> {
  const catalogue = await openFileCatalogue(root);
  const { cache } = storedPayloadsOf(catalogue);
  try {
    const payloads: PlacedPayload[] = [];
    for await (const { path, checksum, size, isStored } of listPayloads(catalogue)) {
      const cached = isStored && (await cache.has({ checksum, size }));
      payloads.push({ path, size, checksum, place: isStored ? 'store' : 'folder', cached });
    }
    return payloads.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1));
  } finally {
    await catalogue.close();
  }
}

/**
 * Moves payloads, one by one: each is in its new place before it leaves the old one.
 * @throws NotFoundError without a store; ObjectStoreError, UnavailableError, UnusableCatalogueError; the reason of the signal
 */
export async function movePayloads(root: string, options: MoveOptions): Promise<Moved> {
  const { to, dryRun, signal, onProgress } = options;
  const catalogue = await openFileCatalogue(root);
  const payloads = storedPayloadsOf(catalogue);
  try {
    await payloads.requireStore();
    const wanted: PayloadAt[] = [];
    for await (const payload of listPayloads(catalogue))
      if (to === 'store' ? !payload.isStored && (await payloads.keeps(payload.size)) : payload.isStored)
        wanted.push(payload);
    const moved: PayloadAt[] = [];
    const problems: PayloadProblem[] = [];
    for (const [i, payload] of wanted.entries()) {
      onProgress?.(i, wanted.length);
      signal?.throwIfAborted();
      try {
        if (!dryRun) await movePayload(catalogue, payload, to, signal);
        moved.push(payload);
      } catch (error) {
        if (!(error instanceof DamagedObjectError)) throw error;
        problems.push({ path: payload.path, message: error.message });
      }
    }
    onProgress?.(wanted.length, wanted.length);
    return { moved, problems };
  } finally {
    await catalogue.close();
  }
}

async function movePayload(
  catalogue: FileCatalogue,
  { path, checksum, size }: PayloadAt,
  to: MoveOptions['to'],
  signal: AbortSignal | undefined,
): Promise<void> {
  const payloads = storedPayloadsOf(catalogue);
  const { tree } = catalogue.store;
  const place = tree.absolute(path);
  const before = tree.stamp(path);
  const pointer = { checksum, size };
  const aside = temporaryPathBeside(place);
  try {
    if (to === 'store') {
      if ((await fileChecksum(place)) !== checksum)
        throw new DamagedObjectError('It is not the file that was published: its checksum differs.');
      await (await payloads.store()).write(place, pointer, signal);
      await writePointer(aside, pointer);
    } else {
      await payloads.use(pointer, (copy) => copyAsNewFile(copy, aside));
      await flushFileToDisk(aside);
    }
    const add: Change = { do: 'add', path, from: aside, size, replace: true };
    const changes = () => {
      const now = tree.stamp(path);
      if (before && now && isSameFile(before, now)) return [add];
      const found = tree.pointer(path);
      // Another process may have moved it meanwhile.
      if (to === 'store' ? found?.checksum === checksum : found === null && now?.size === size) return [];
      throw new DamagedObjectError('It was changed while it was moved, and stays as it is: move it again.');
    };
    const step = { locks: lockNamesOfWriteChange(add), changes };
    await commitSingleStep(catalogue.access(), step, { message: () => `Move ${path}` });
  } finally {
    await rm(aside, { force: true }).catch(() => {});
  }
}

/** Copies a file with the permissions of a new one: `copyFile` copies those of the file, too. */
async function copyAsNewFile(from: string, to: string): Promise<void> {
  const file = await open(to, 'wx');
  const { mode } = await file.stat();
  await file.close();
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  inheritOwner(to);
  await chmod(to, mode);
}

/**
 * Compares the objects that the payloads of a folder need with the object store.
 * @param isDeep true to read all bytes; else sizes are compared
 * @returns the number of payloads that lie there, and what is wrong with them
 */
export async function verifyPayloads(
  root: string,
  isDeep: boolean,
  onProgress?: (done: number, total: number) => void,
): Promise<{ readonly payloads: number; readonly problems: readonly PayloadProblem[] }> {
  const catalogue = await openFileCatalogue(root);
  const payloads = storedPayloadsOf(catalogue);
  try {
    const store = await payloads.requireStore();
    const stored: PayloadAt[] = [];
    for await (const payload of listPayloads(catalogue)) if (payload.isStored) stored.push(payload);
    const problems: PayloadProblem[] = [];
    let done = 0;
    await forEachConcurrent(stored, 4, async ({ path, checksum, size }) => {
      try {
        const found = await store.find(checksum);
        if (!found) {
          // No bucket lacks its objects, too.
          await store.assertBucket();
          throw missingObjectError(checksum);
        }
        if (found.size !== size) throw wrongBytesError(checksum);
        if (isDeep) await payloads.verify({ checksum, size });
      } catch (error) {
        if (!(error instanceof DamagedObjectError)) throw error;
        problems.push({ path, message: error.message });
      }
      onProgress?.(++done, stored.length);
    });
    return { payloads: stored.length, problems: problems.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  } finally {
    await catalogue.close();
  }
}
