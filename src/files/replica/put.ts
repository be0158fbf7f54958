/** Addition of a payload or an image: its bytes never change, and are not served before a record names them. */
import { createHash } from 'node:crypto';
import { open, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { ConflictError, excerpt, NotFoundError, UnavailableError, ValidationError } from '../../catalogue/errors.ts';
import { isPortablePath, siblingsFolder, unitKey } from '../../catalogue/layout.ts';
import { localAdmin } from '../../catalogue/permissions.ts';
import type { FileBytes } from '../../catalogue/replica.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { errorCode, makeFoldersDurably, temporaryPathBeside } from '../../disk/durable.ts';
import { withLocks } from '../../disk/lock.ts';
import { nameUnwritable, toUnavailableError } from '../../disk/not-writable.ts';
import { inheritOwner } from '../../disk/owner.ts';
import type { Access } from '../catalogue-files.ts';
import { payloadCommitMessage } from '../git/commit-messages.ts';
import { isImageNamedByOtherChecksum } from '../records/images.ts';
import { commitSingleStep } from '../transaction.ts';
import { findRecordFile, lfsPointer, maxLfsPointerSize } from '../tree/file-tree.ts';
import type { Change, Step } from '../writing/change.ts';
import { assertPathStaysInFolder } from '../writing/record-file.ts';
import { assertChangePermitted } from '../writing/rights.ts';
import type { ChecksumCache } from './checksums.ts';

type Target = Extract<NonNullable<ReturnType<typeof parseUntrustedCataloguePath>>, { kind: 'payload' | 'media' }>;

/**
 * Adds bytes; does nothing if the same bytes are there.
 * @throws ValidationError if the bytes don't have the checksum, or the path is not one of a payload or an image;
 *   ConflictError if other bytes are there; NotPermittedError; UnavailableError; the reason of the signal
 */
export async function storePayloadOrMedia(
  access: Access,
  checksums: ChecksumCache,
  path: string,
  bytes: FileBytes,
): Promise<void> {
  const target = parseTarget(path);
  const { checksum, size } = bytes;
  const { tree } = access.files.store;
  const add: Change = { do: 'add', path, from: temporaryPathBeside(tree.absolute(path)), size };
  assertChangePermitted(access, add);
  if (!/^[0-9a-f]{64}$/.test(checksum))
    throw new ValidationError({ checksum: ['It is not a SHA-256 checksum in hexadecimal.'] });
  if (isImageNamedByOtherChecksum(path, checksum))
    throw new ValidationError({ path: ['The name of the image is the checksum of other bytes.'] });
  if (!Number.isSafeInteger(size) || size < 0) throw new ValidationError({ size: ['It is not a number of bytes.'] });
  assertPathStaysInFolder(tree, path);
  assertHasNamespace(access, target);
  tree.assertCatalogue();
  if (await hasBytes(checksums, path, bytes)) return;
  await receiveAndAdd(access, checksums, target, add, bytes);
}

function parseTarget(path: string): Target {
  const info = parseUntrustedCataloguePath(path);
  if ((info?.kind === 'payload' || info?.kind === 'media') && isPortablePath(path)) return info;
  throw new ValidationError({
    path: [`${excerpt(JSON.stringify(path))} is not the path of a payload or an image.`],
  });
}

function assertHasNamespace({ files }: Access, target: Target): void {
  if (target.kind === 'media') return;
  const { namespace } = target.dataset;
  if (!findRecordFile(files.store.tree, { kind: 'namespace', slug: namespace }))
    throw new ConflictError(`There is no namespace ${namespace}: add it first.`);
}

/** True if the file exists with these bytes. @throws ConflictError if it has other bytes */
async function hasBytes(checksums: ChecksumCache, path: string, { checksum }: FileBytes): Promise<boolean> {
  const existing = await checksums.ofFile(path);
  if (existing === null) return false;
  if (existing.checksum === checksum) return true;
  throw new ConflictError(`${path} exists already, with other bytes, and can't be changed. Choose another name.`);
}

async function receiveAndAdd(
  access: Access,
  checksums: ChecksumCache,
  target: Target,
  add: Extract<Change, { do: 'add' }>,
  bytes: FileBytes,
): Promise<void> {
  const { path } = add;
  const aside = add.from ?? '';
  const folder = dirname(aside);
  const isNew = (await stat(folder).catch(() => null)) === null;
  let isDone = false;
  try {
    await makeFoldersDurably(folder);
    const { storedPayloadsOf } = await import('../payloads/stored-payloads.ts');
    const payloads = target.kind === 'payload' ? storedPayloadsOf(access.files) : undefined;
    // Two catalogues may share a store.
    if (access.viewer !== localAdmin || !(await payloads?.pointToExisting(aside, bytes))) {
      await receiveBytes(aside, bytes);
      if (target.kind === 'payload') await assertNoLfsPointer(aside, bytes.size);
      await payloads?.replaceByPointer(aside, bytes, bytes.signal);
    }
    const step: Step = {
      locks: [target.kind === 'payload' ? unitKey(target.dataset) : path],
      async changes() {
        bytes.signal?.throwIfAborted();
        return (await hasBytes(checksums, path, bytes)) ? [] : [add];
      },
    };
    const message = () => (target.kind === 'payload' ? payloadCommitMessage(target.dataset) : `Add ${path}`);
    await commitSingleStep(access, step, { message });
    isDone = true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw target.kind === 'payload'
        ? new NotFoundError('The dataset was removed or renamed meanwhile.')
        : new UnavailableError(`The folder of ${path} was removed meanwhile. Try again.`);
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOTDIR')
      throw new ConflictError(`${path} can't be added: a file has the name of one of its folders.`);
    throw nameUnwritable(toUnavailableError(error, path), path);
  } finally {
    await rm(aside, { force: true }).catch(() => {});
    if (isNew && !isDone) await removeEmptyFolders(access, target, folder);
  }
}

/** @throws ValidationError for a Git LFS pointer: git would put the file that it names in its place, which may be private */
async function assertNoLfsPointer(path: string, size: number): Promise<void> {
  if (size > maxLfsPointerSize || !lfsPointer.test(await readFile(path, 'latin1'))) return;
  throw new ValidationError({ file: ['It is a Git LFS pointer, and not the file itself. Run "git lfs pull".'] });
}

async function receiveBytes(aside: string, { source, checksum, size, onProgress, signal }: FileBytes): Promise<void> {
  const hash = createHash('sha256');
  let length = 0;
  const file = await open(aside, 'wx');
  try {
    inheritOwner(aside);
    const stream = source();
    if (signal) addAbortSignal(signal, stream);
    const checked = async function* () {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > size) throw new ValidationError({ size: [`There are more bytes than the announced ${size}.`] });
        hash.update(chunk);
        yield chunk;
        onProgress?.(length);
      }
    };
    await writeFile(file, checked());
    if (length < size) throw new ValidationError({ size: [`There are ${length} bytes, not ${size}.`] });
    const found = hash.digest('hex');
    if (found !== checksum)
      throw new ValidationError({ checksum: [`The bytes have the checksum ${found}, not ${checksum}.`] });
    await file.sync();
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    await file.close();
  }
}

/** Removes the folders that were made for bytes that were refused, if they are empty. */
async function removeEmptyFolders({ files }: Access, target: Target, start: string): Promise<void> {
  const isPayload = target.kind === 'payload';
  const top = files.store.tree.absolute(isPayload ? siblingsFolder(target.dataset) : '');
  const locks = isPayload ? [unitKey(target.dataset), siblingsFolder(target.dataset)].sort() : [];
  await withLocks(files.root, locks, async () => {
    for (let folder = start; folder.length > top.length; folder = dirname(folder))
      if (await rmdir(folder).catch(() => true)) return;
  });
}
