/** Space on disks, for files that are made of rows. */
import { statfs } from 'node:fs/promises';

/** Bytes that stay free on the disk: a cache must not be what hinders a write. */
export const reservedBytes = 256 * 1024 ** 2;
/** Bytes between two looks at the disk. */
export const checkEvery = 16 * 1024 ** 2;

/** In bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** The space on the disk of a folder. */
export async function diskSpaceOf(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}
