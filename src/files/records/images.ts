/**
 * Images among the fields of a dataset: each is stored in site_media/ under a name made of its checksum, so that equal
 * images are stored once. An image stays when a dataset gets another one: older commits and descriptions may name it.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readImageInfo } from '../../catalogue/image.ts';
import { mediaPath } from '../../catalogue/layout.ts';
import { computeChecksum } from '../../disk/checksum.ts';
import { makeFoldersDurably, temporaryPathBeside, writeDurably } from '../../disk/durable.ts';
import { nameUnwritable } from '../../disk/not-writable.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { checksumInName } from '../shown-images.ts';
import type { Change } from '../writing/change.ts';
import { assertPathStaysInFolder } from '../writing/record-file.ts';

type RecordFields = Readonly<Record<string, unknown>>;

/** The path of an image in a catalogue folder. */
export function imagePath(bytes: Uint8Array): string {
  const name = computeChecksum(bytes).slice(0, 32);
  return mediaPath(`images/${name}.${readImageInfo(bytes)?.extension ?? 'bin'}`);
}

/** True if the name in a path is the checksum of an image, and differs from the given one. */
export function isImageNamedByOtherChecksum(path: string, checksum: string): boolean {
  const name = checksumInName(path);
  return name !== undefined && !checksum.startsWith(name);
}

/**
 * Stores the images among fields, and writes the record that names them.
 * @param write receives the fields with addresses in place of bytes, and the changes that add the images
 * @throws ConflictError if the images would lie outside of the folder; UnavailableError; and what `write` throws
 */
export async function storeImagesAndWrite<T>(
  { store: { tree } }: CatalogueFiles,
  fields: RecordFields,
  dryRun: boolean | undefined,
  write: (fields: RecordFields, images: readonly Change[]) => Promise<T>,
): Promise<T> {
  const images = Object.entries(fields).filter(
    (entry): entry is [string, Uint8Array] => entry[1] instanceof Uint8Array,
  );
  const addresses = Object.fromEntries(images.map(([name, bytes]) => [name, `/${imagePath(bytes)}`]));
  const changes: Change[] = [];
  const stored: string[] = [];
  try {
    for (const [path, bytes] of new Map(images.map(([, bytes]) => [imagePath(bytes), bytes]))) {
      assertPathStaysInFolder(tree, path);
      // Also where there is one: another request that has added it may take it back before this one holds the lock.
      const aside = dryRun ? null : temporaryPathBeside(tree.absolute(path));
      if (aside !== null) {
        await writeAside(aside, bytes).catch((error) => {
          throw nameUnwritable(error, path);
        });
        stored.push(aside);
      }
      changes.push({ do: 'add', path, from: aside, size: bytes.length, replace: true });
    }
    return await write({ ...fields, ...addresses }, changes);
  } finally {
    for (const aside of stored) await rm(aside, { force: true }).catch(() => {});
  }
}

async function writeAside(aside: string, bytes: Uint8Array): Promise<void> {
  await makeFoldersDurably(dirname(aside));
  await writeDurably(aside, bytes);
}
