/** Numbers without a pattern for the choice of some rows: the same in each picture. */

/** A number from 0 to 1 for a position, always the same (the end of MurmurHash3). */
export function randomOf(position: number): number {
  let hash = position + 0x9e3779b9;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
