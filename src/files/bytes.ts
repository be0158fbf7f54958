/** Payloads and media: files that are served byte for byte. */
import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { NotFoundError, UnavailableError } from '../catalogue/errors.ts';
import { mediaPath, payloadPath } from '../catalogue/layout.ts';
import { mediaTypeOf } from '../catalogue/media-types.ts';
import type { ByteRange, Media, Payload } from '../catalogue/open-file.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { downloadFileName } from '../catalogue/urls.ts';
import { folderIsGone } from '../disk/private-folder.ts';
import type { CatalogueFiles } from './catalogue-files.ts';
import type { DiskTree } from './tree/disk-tree.ts';
import { UnreadableFileError } from './tree/file-tree.ts';
import type { PayloadPointer } from './tree/payload-pointer.ts';

/**
 * Opens the payload of a version. One in the object store is read from there when its stream is asked for.
 * @throws NotFoundError that says why there is none
 */
export async function openPayload(files: CatalogueFiles, version: Version): Promise<Payload> {
  const { tree } = files.store;
  const path = pathOfReadyPayload(version);
  const mediaType = version.media_type || mediaTypeOf(version.format || version.file);
  const named = { version, fileName: downloadFileName(version), mediaType };
  const pointer = tree.pointer(path);
  if (pointer) return { ...named, ...(await openStoredPayload(files, version, pointer)) };
  const file = await openFileWithinFolder(tree, path);
  const { size, mtime } = await file.stat();
  try {
    assertSizeOfVersion(version, size);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { ...named, size, modified: mtime, ...streamsOfFile(file, size) };
}

/**
 * Checks that the payload of a version could be opened.
 * @returns facts about the file; null if it lies in the object store
 * @throws as `openPayload`
 */
export function assertPayloadOpens({ store: { tree } }: CatalogueFiles, version: Version): Stats | null {
  const path = pathOfReadyPayload(version);
  const pointer = tree.pointer(path);
  if (pointer) {
    assertPointerOfVersion(version, pointer);
    return null;
  }
  try {
    const real = realpathSync.native(tree.absolute(path));
    const found = statSync(real);
    if (!tree.mayFollow(path, real) || !found.isFile()) throw new NotFoundError();
    accessSync(real, constants.R_OK);
    assertSizeOfVersion(version, found.size);
    return found;
  } catch (error) {
    throw toReadingError(tree, error, path);
  }
}

function pathOfReadyPayload(version: Version): string {
  if (!version.file)
    throw new NotFoundError(
      version.href ? `The payload is at another address: ${version.href}` : 'This version has no payload.',
    );
  if (!version.ready) throw new NotFoundError('This version is not ready.');
  return payloadPath(version.namespace, version.dataset, version.file);
}

function assertSizeOfVersion(version: Version, size: number): void {
  if (version.size !== null && size !== version.size)
    throw new NotFoundError(`The payload has ${size} bytes, not ${version.size}: it is being changed or is damaged.`);
}

async function openStoredPayload(files: CatalogueFiles, version: Version, pointer: PayloadPointer) {
  assertPointerOfVersion(version, pointer);
  const { tree } = files.store;
  const path = payloadPath(version.namespace, version.dataset, version.file);
  const { mtime } = await stat(tree.absolute(path));
  const { storedPayloadsOf } = await import('./payloads/stored-payloads.ts');
  const payloads = storedPayloadsOf(files);
  const type = version.media_type || mediaTypeOf(version.format || version.file);
  return {
    size: pointer.size,
    modified: mtime,
    open: (range?: ByteRange) => payloads.read(pointer, range),
    stream: (range?: ByteRange) => readLazily(() => payloads.read(pointer, range)),
    close: async () => {},
    address: (disposition: string) => payloads.address(pointer, { type, disposition }),
  };
}

/** A stream that is opened when it is read. */
function readLazily(open: () => Promise<Readable>): Readable {
  async function* bytes() {
    yield* (await open()) as AsyncIterable<Buffer>;
  }
  return Readable.from(bytes(), { objectMode: false });
}

/** @throws NotFoundError if the pointer in the place of a payload is not to the bytes that the record says */
function assertPointerOfVersion({ file, checksum, size }: Version, pointer: PayloadPointer): void {
  if (checksum && checksum !== pointer.checksum)
    throw new NotFoundError(`The payload is not the one that was published: data/${file} points to other bytes.`);
  if (size !== null && size !== pointer.size)
    throw new NotFoundError(`The payload has ${pointer.size} bytes, not ${size}: it is being changed or is damaged.`);
}

/** @throws NotFoundError that says what to run if the payload of a version is a Git LFS pointer */
export function assertNotLfsPointer(tree: DiskTree, version: Version): void {
  const path = payloadPath(version.namespace, version.dataset, version.file);
  if (!version.file || !tree.isLfsPointer(path)) return;
  throw new NotFoundError(
    `The payload of version ${version.slug} is a Git LFS pointer, and not the file itself. Run "git lfs pull" in the folder of the catalogue.`,
  );
}

/** @throws NotFoundError that says what to run if a dataset has no ready version, and payloads are Git LFS pointers */
export function assertNoLfsPointers(tree: DiskTree, dataset: Dataset | undefined): void {
  if (!dataset || latestReadyVersion(dataset)) return;
  for (const version of dataset.versions) assertNotLfsPointer(tree, version);
}

/**
 * Opens a file in site_media/.
 * @param path relative to site_media/, with slashes
 * @throws NotFoundError
 */
export async function openMediaFile(tree: DiskTree, path: string): Promise<Media> {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part.startsWith('.') || part.includes('\0') || part.includes('\\')))
    throw new NotFoundError();
  const file = await openFileWithinFolder(tree, mediaPath(path));
  const { size, mtime, mtimeMs, ino } = await file.stat();
  const { createHash } = await import('node:crypto');
  const tag = createHash('sha256').update(`${ino}-${size}-${mtimeMs}`).digest('base64url').slice(0, 27);
  return { mediaType: mediaTypeOf(basename(path)), size, modified: mtime, tag, ...streamsOfFile(file, size) };
}

/**
 * Opens a regular file. Links are followed only to what the same rule shows, and to no hidden folder.
 * @throws NotFoundError, UnavailableError
 */
export async function openFileWithinFolder(tree: DiskTree, path: string): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    const real = await realpath(tree.absolute(path));
    if (!tree.mayFollow(path, real)) throw new NotFoundError();
    file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) throw new NotFoundError();
    return file;
  } catch (error) {
    await file?.close();
    throw toReadingError(tree, error, path);
  }
}

/** A NotFoundError or UnavailableError for an error of opening a file. Nothing counts as removed while the whole folder is gone. */
function toReadingError(tree: DiskTree, error: unknown, path: string): unknown {
  if (error instanceof NotFoundError || error instanceof UnreadableFileError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP')
    return tree.isCatalogue() ? new NotFoundError() : folderIsGone();
  return new UnavailableError(`The file ${path} can't be read (${code}).`, { cause: error });
}

/** Streams of a file. They end at the size that it had when it was opened, which is the announced Content-Length. */
export function streamsOfFile(file: FileHandle, size: number): Pick<Media, 'stream' | 'close'> {
  const whole = { start: 0, end: Math.max(0, size - 1) };
  return {
    stream: ({ start, end, staysOpen = false }: ByteRange = whole) =>
      file.createReadStream({ start, end, autoClose: !staysOpen, highWaterMark: 256 * 1024 }),
    close: () => file.close(),
  };
}
