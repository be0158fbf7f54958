/**
 * The pointer in the place of a payload that lies in the object store: a text of three lines, in the grammar of Git LFS
 * pointers (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md), with a version of its own. With that of Git LFS,
 * its hooks would take the pointer for theirs, and refuse to push it.
 *
 *     version catalogue-payload/1
 *     oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
 *     size 12345678
 */

/** Facts about a payload that is named by its checksum. */
export interface PayloadPointer {
  /** SHA-256 in hexadecimal. */
  readonly checksum: string;
  /** In bytes. */
  readonly size: number;
}

const version = 'version catalogue-payload/1';
const pattern = new RegExp(`^${version}\noid sha256:([0-9a-f]{64})\nsize (0|[1-9]\\d{0,15})\n$`);

/** Text of a pointer. */
export const pointerText = ({ checksum, size }: PayloadPointer): string =>
  `${version}\noid sha256:${checksum}\nsize ${size}\n`;

const minLength = pointerText({ checksum: '0'.repeat(64), size: 0 }).length;

/** True if a file of this length, in bytes, can be a pointer: most files needn't be read to know that they are none. */
export const mayBePointer = (length: number): boolean => length >= minLength && length <= minLength + 15;

/** Reads a pointer; null if the bytes are those of any other file. */
export function parsePointer(bytes: Uint8Array): PayloadPointer | null {
  if (!mayBePointer(bytes.length)) return null;
  const [, checksum, size] = pattern.exec(Buffer.from(bytes).toString('latin1')) ?? [];
  return checksum === undefined ? null : { checksum, size: Number(size) };
}
