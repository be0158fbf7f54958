/** Checksums of bytes and files: SHA-256 in hexadecimal. */
import { createHash, hash as digest } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export const computeChecksum = (bytes: string | Uint8Array): string => digest('sha256', bytes);

/** @throws the error of the file system if the file can't be read */
export async function fileChecksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
