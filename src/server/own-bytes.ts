/** Bytes that are kept for long. */

/** Length in bytes from which what a larger block adds doesn't count. */
const large = 256 * 1024;

/**
 * The same bytes in memory of their own. A Buffer of less than 4 kB is else a part of a block of 8 kB that Node shares among
 * small ones, and what zlib returns is a part of its 16 kB: as long as the Buffer is kept, all of the block is.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength || bytes.length >= large) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
