/** Reads a file line by line, so that a large one is never in memory as a whole. */
import { open } from 'node:fs/promises';

/** Bytes that are read at once. */
const readSize = 1 << 20;

/** The lines of a file that have an end. Each is in a buffer that is used again for the next ones. */
export async function* readLines(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    let buffer = Buffer.allocUnsafe(readSize);
    let length = 0;
    for (;;) {
      if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length);
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) return;
      length += bytesRead;
      const read = buffer.subarray(0, length);
      let start = 0;
      for (let end = read.indexOf(10); end >= 0; start = end + 1, end = read.indexOf(10, start))
        yield read.subarray(start, end);
      buffer.copyWithin(0, start, length);
      length -= start;
    }
  } finally {
    await file.close();
  }
}
