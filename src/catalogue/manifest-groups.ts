/**
 * Groups of the files that are synchronised, by which two manifests are compared without sending either: files fall into a
 * number of groups by a hash of their path, each group has a digest, and only the files of groups whose digests differ are
 * listed. Files in the folder of a dataset are in one group. Pure: the hash function for digests is a parameter.
 */
import { enclosingContainerFolders, parseCataloguePath } from './layout.ts';
import type { FileEntry } from './replica.ts';

/** Maximum number of groups. */
export const maxGroups = 8192;
/** Number of hexadecimal digits of a digest: 128 bits of a SHA-256. */
const digestLength = 32;

/** True for files that are synchronised: all but the settings, which each catalogue has of its own, and unknown files. */
export const isSynced = (path: string): boolean => !['settings', 'unknown'].includes(parseCataloguePath(path).kind);

/** Index of the group of a file. */
export function digestGroupOfPath(path: string, count: number): number {
  const [first = path, second] = enclosingContainerFolders(path);
  // FNV-1a, 32 bits, of the folder of the dataset; of the path of a file that is in none.
  const key = second === undefined ? path : first;
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  // The lowest bits of the hash alone vary little.
  return ((hash ^ (hash >>> 15)) >>> 0) % count;
}

/** Number of groups with which the digests, and then the files of a few groups, are the least to send. */
export function chooseDigestGroupCount(files: number): number {
  const wanted = 2 ** Math.ceil(Math.log2(Math.sqrt(Math.max(1, files))));
  return Math.min(Math.max(16, wanted), maxGroups);
}

/** Collects files, in any order, and computes the digest of each group. */
export class GroupDigests {
  readonly #groups: string[][];

  constructor(count: number) {
    this.#groups = Array.from({ length: count }, () => []);
  }

  add({ path, checksum, size }: Pick<FileEntry, 'path' | 'checksum' | 'size'>): void {
    if (isSynced(path))
      this.#groups[digestGroupOfPath(path, this.#groups.length)]?.push(`${checksum} ${size} ${path}\n`);
  }

  /**
   * The digests, by group.
   * @param computeChecksum SHA-256 of a text, in hexadecimal
   */
  compute(computeChecksum: (text: string) => string): readonly string[] {
    return this.#groups.map((lines) => computeChecksum(lines.sort().join('')).slice(0, digestLength));
  }
}
