/** Payloads and media: files that are served byte for byte. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, sep } from 'node:path';
import type { Media, Payload } from '../catalogue/catalogue.ts';
import { NotFoundError, UnavailableError } from '../catalogue/errors.ts';
import { mediaPath, payloadPath } from '../catalogue/layout.ts';
import { mediaTypeOf } from '../catalogue/media-types.ts';
import type { Version } from '../catalogue/types.ts';
import type { DiskTree } from './tree/disk-tree.ts';
import { UnreadableFileError } from './tree/file-tree.ts';

/**
 * Opens the payload of a version.
 * @throws NotFoundError that says why there is none
 */
export async function openPayload(folder: DiskTree, version: Version): Promise<Payload> {
  if (!version.file)
    throw new NotFoundError(
      version.href ? `The payload lies elsewhere: ${version.href}` : 'This version has no payload.',
    );
  if (!version.ready) throw new NotFoundError('This version is not ready.');
  const path = payloadPath(version.namespace, version.dataset, version.file);
  const file = await openWithin(folder, path);
  const { size, mtime } = await file.stat();
  if (version.size !== null && size !== version.size) {
    await file.close();
    throw new NotFoundError(`The payload has ${size} bytes, not ${version.size}: it is being changed or is damaged.`);
  }
  return {
    version,
    fileName: `${version.dataset}-${version.slug}${extensionOf(version.file)}`,
    mediaType: version.media_type || mediaTypeOf(version.format || version.file),
    size,
    modified: mtime,
    ...streaming(file, size),
  };
}

/** Everything from the first dot of the last two that looks like an extension: `.geojson`, `.csv.gz`. */
function extensionOf(name: string): string {
  return /(\.[A-Za-z0-9]{1,10}){1,2}$/.exec(name)?.[0] ?? '';
}

/**
 * Opens a file below site_media/.
 * @param path relative to it, with slashes
 * @throws NotFoundError
 */
export async function openMedia(folder: DiskTree, path: string): Promise<Media> {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part.startsWith('.') || part.includes('\0') || part.includes('\\')))
    throw new NotFoundError();
  const file = await openWithin(folder, mediaPath(path));
  const { size, mtime, mtimeMs, ino } = await file.stat();
  const tag = createHash('sha256').update(`${ino}-${size}-${mtimeMs}`).digest('base64url').slice(0, 27);
  return { mediaType: mediaTypeOf(basename(path)), size, modified: mtime, tag, ...streaming(file, size) };
}

/**
 * Opens a regular file that lies, links followed, within the catalogue folder and in nothing hidden of it.
 * @throws NotFoundError, UnavailableError
 */
export async function openWithin(folder: DiskTree, path: string): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    const [root, real] = await Promise.all([realpath(folder.root), realpath(folder.absolute(path))]);
    if (!real.startsWith(root + sep) || real.includes(`${sep}.`, root.length)) throw new NotFoundError();
    file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) throw new NotFoundError();
    return file;
  } catch (error) {
    await file?.close();
    if (error instanceof NotFoundError || error instanceof UnreadableFileError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP')
      throw new NotFoundError();
    throw new UnavailableError(`The file ${path} can't be read (${code}).`, { cause: error });
  }
}

/** Never more than the bytes there were when it was opened: as many were promised to the client. */
function streaming(file: FileHandle, size: number): Pick<Media, 'stream' | 'close'> {
  const whole = { start: 0, end: Math.max(0, size - 1) };
  return {
    stream: (range = whole) => file.createReadStream({ ...range, highWaterMark: 256 * 1024 }),
    close: () => file.close(),
  };
}
