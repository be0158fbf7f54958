/** The entry and the bytes of a file of a replica. */
import { Readable } from 'node:stream';
import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import { mediaTypeOf } from '../../catalogue/media-types.ts';
import type { FileEntry, Replica } from '../../catalogue/replica.ts';
import { computeChecksum } from '../../disk/checksum.ts';
import { openFileWithinFolder } from '../bytes.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import type { ReplicaFile } from './items.ts';
import { fileEntry, type Inventory } from './manifest.ts';

/** The entry of a file. @throws NotFoundError */
export async function getReplicaFileEntry(inventory: Inventory, item: ReplicaFile): Promise<FileEntry> {
  const found = await inventory.checksum(item);
  if (!found?.checksum) throw new NotFoundError();
  const entry = fileEntry({ ...item, ...found });
  return item.kind === 'record' ? entry : { ...entry, mediaType: itemMediaType(item) };
}

function itemMediaType(item: ReplicaFile): string {
  if (item.kind !== 'payload') return mediaTypeOf(item.path);
  const { media_type, format, file } = item.version;
  return media_type || mediaTypeOf(format || file);
}

/**
 * The bytes of a file.
 * @throws NotFoundError; ConflictError if they don't have the checksum
 */
export async function readItemBytes(
  files: CatalogueFiles,
  inventory: Inventory,
  item: ReplicaFile,
  { checksum, start = 0, end = Number.POSITIVE_INFINITY }: NonNullable<Parameters<Replica['read']>[1]> = {},
): Promise<Readable> {
  const folder = files.store.tree;
  if (item.kind === 'record' && checksum !== undefined) return readRecord(folder, item.path, checksum, start, end);
  if (checksum !== undefined && (await inventory.checksum(item))?.checksum !== checksum)
    throw changedFileError(item.path);
  const pointer = folder.pointer(item.path);
  if (pointer) {
    if (checksum !== undefined && checksum !== pointer.checksum) throw changedFileError(item.path);
    const last = Math.min(end, pointer.size - 1);
    if (start > last) return Readable.from([]);
    const { storedPayloadsOf } = await import('../payloads/stored-payloads.ts');
    return storedPayloadsOf(files).read(pointer, { start, end: last });
  }
  const file = await openFileWithinFolder(folder, item.path);
  const { size } = await file.stat();
  // A payload of another size is not the published file, and is not served.
  if (item.kind === 'payload' && size !== item.version.size) {
    await file.close();
    throw changedFileError(item.path);
  }
  const last = Math.min(end, size - 1);
  if (start <= last) return file.createReadStream({ start, end: last, highWaterMark: 256 * 1024 });
  await file.close();
  return Readable.from([]);
}

/** Reads a record and compares its checksum; it may be written at any moment. */
async function readRecord(folder: DiskTree, path: string, checksum: string, start: number, end: number) {
  const file = await openFileWithinFolder(folder, path);
  try {
    const bytes = await file.readFile();
    if (computeChecksum(bytes) !== checksum) throw changedFileError(path);
    const part = bytes.subarray(start, end + 1);
    return Readable.from(part.length ? [part] : [], { objectMode: false });
  } finally {
    await file.close();
  }
}

const changedFileError = (path: string) => new ConflictError(`${path} was changed meanwhile. Read the manifest again.`);
