/** Folders for what is derived from payloads, columnar copies and files: in the catalogue folder, or outside of it if that can't be written. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateFolder } from '../catalogue/layout.ts';
import { TableStore } from '../data/table/table-store.ts';
import { errorCode, temporaryName } from '../disk/durable.ts';
import { makeFolderInPrivateFolder } from '../disk/private-folder.ts';
import type { CatalogueFiles } from './catalogue-files.ts';

/** Folder of the columnar copies in a catalogue folder. */
export const tableFolder = (root: string): string => join(root, privateFolder, 'cache', 'tables');

/**
 * Makes a folder for columnar copies in the system's folder for temporary files. Only this user may read it, and it is the
 * same one the next time, unless another user has taken its name.
 */
export async function ensureFallbackTableFolder(root: string): Promise<string> {
  const uid = process.getuid?.();
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const path = join(tmpdir(), `catalogue-${uid ?? 'tables'}-${hash}`);
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  const found = await lstat(path);
  const isOwn = uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0);
  return found.isDirectory() && isOwn ? path : mkdtemp(`${path}-`);
}

type Folder = Pick<CatalogueFiles, 'root' | 'options'>;

/** Files derived from the payloads of a catalogue folder. If its cache can't be written, they are in a temporary folder. */
export const openDerivedFileFolder = (files: Folder): Promise<string> => openCacheFolder(files, 'files');

/** Copies of payloads that lie in the object store. If the folder's cache can't be written, they are in a temporary folder. */
export const openPayloadCacheFolder = (files: Folder): Promise<string> => openCacheFolder(files, 'payloads');

async function openCacheFolder({ root, options }: Folder, name: string): Promise<string> {
  if (!options.readOnly)
    try {
      const folder = await makeFolderInPrivateFolder(root, 'cache', name);
      await access(folder, constants.W_OK);
      return folder;
    } catch {
      // It is read-only, or the catalogue folder is gone.
    }
  const folder = join(await ensureFallbackTableFolder(root), name);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Tables of a catalogue folder. If its cache can't be written, the copies are made in a temporary folder, and that is logged. */
export async function openTableStore({ root, options }: Folder): Promise<TableStore> {
  const { ingest, workers } = options;
  if (options.readOnly)
    return new TableStore({
      folder: await ensureFallbackTableFolder(root),
      stagingName: temporaryName,
      ingest,
      workers,
    });
  return new TableStore({
    folder: tableFolder(root),
    stagingName: temporaryName,
    ingest,
    workers,
    async fallback(error) {
      const folder = await ensureFallbackTableFolder(root);
      const code = await access(root, constants.W_OK).then(() => errorCode(error), errorCode);
      options.log?.(`${join(root, privateFolder)} can't be written (${code}): rows are cached in ${folder}.`);
      return folder;
    },
  });
}
