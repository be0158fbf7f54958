/** Compressed copies of an export's text files, `index.html.gz` beside `index.html`, which hosts send in place of compressing each response. */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';

/** In bytes; a smaller file has no copy. */
const leastCompressed = 1024;

const compressible =
  /\.(html|json|jsonld|geojson|geojsonl|ndjson|objects|xml|atom|svg|js|css|csv|excel|tsv|ttl|md|txt|kml|gpx)$/i;

/** True for the name of a text. */
export const isCompressible = (file: string): boolean => compressible.test(file);

/** Path of the copy of a file. */
export const compressedCopyOf = (file: string): string => `${file}.gz`;

/** The bytes of a copy, without name and time in its header (RFC 1952); null if they would not be fewer. */
export function compressBytes(bytes: Buffer): Buffer | null {
  if (bytes.length < leastCompressed) return null;
  const compressed = gzipSync(bytes, { level: 6 });
  // The operating system, which zlib writes there, is "unknown": 255.
  compressed[9] = 255;
  return compressed.length < bytes.length ? compressed : null;
}

/** Writes the copy of a large file. */
export async function compressFile(path: string, to: string): Promise<void> {
  const gzip = createGzip({ level: 6 });
  let isFirst = true;
  await pipeline(
    createReadStream(path, { highWaterMark: 1024 * 1024 }),
    gzip,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        if (isFirst) chunk[9] = 255;
        isFirst = false;
        yield chunk;
      }
    },
    createWriteStream(to),
  );
}
