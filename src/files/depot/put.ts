/** Adding a payload or a picture: bytes that are never changed, and that nobody sees before a record names them. */

import { createHash } from 'node:crypto';
import { link, open, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { ConflictError, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { isPortablePath, recordPaths, recordStem } from '../../catalogue/layout.ts';
import { mediaTypeOf } from '../../catalogue/media-types.ts';
import { mayWrite } from '../../catalogue/permissions.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { FileBytes } from '../../catalogue/replica.ts';
import { codeOf, makeFolders, syncFolder, temporaryBeside, toUnavailable } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { hasFile } from '../tree/file-tree.ts';
import { isOfOtherBytes } from '../writing/images.ts';
import { locked, parentOf } from '../writing/names.ts';
import { show } from '../writing/shown.ts';
import { touched } from '../writing/trail.ts';
import { mustStayWithin } from './disk.ts';
import { depotPlace, type MediaPlace, type PayloadPlace } from './place.ts';
import { type Access, mustOwn } from './rights.ts';
import type { Sums } from './sums.ts';

type Place = PayloadPlace | MediaPlace;

/**
 * @throws ValidationError where the bytes aren't those of the checksum, or the path is none that bytes may have;
 *   ConflictError where others are there; NotPermittedError; UnavailableError; the signal's reason
 */
export async function putBytes(access: Access, sums: Sums, path: string, bytes: FileBytes): Promise<void> {
  const place = placeToPut(path);
  mustBeAllowed(access, place);
  const { files, viewer } = access;
  const { checksum, size } = bytes;
  if (!/^[0-9a-f]{64}$/.test(checksum)) throw new ValidationError({ checksum: ['It is no SHA-256 in hexadecimal.'] });
  if (isOfOtherBytes(path, checksum))
    throw new ValidationError({ path: ['An image of that name is named by its bytes, and these are others.'] });
  if (!Number.isSafeInteger(size) || size < 0) throw new ValidationError({ size: ['It is no number of bytes.'] });
  mustStayWithin(files.store.tree, path);
  mustHaveHome(access, place);
  if (await isPut(sums, path, bytes)) return;
  await files.commits.during(
    viewer.username,
    () => takeIn(access, sums, place, bytes),
    () => (place.kind === 'payload' ? `Add data of dataset ${formatRef(place.unit)}` : `Add ${path}`),
  );
  if (place.kind === 'payload' && files.snapshot.folders.get(place.unit.namespace)?.datasets.has(place.unit.slug))
    await show(files, [place.unit]);
}

function placeToPut(path: string): Place {
  const place = depotPlace(path);
  if ((place?.kind === 'payload' || place?.kind === 'media') && isPortablePath(path)) return place;
  throw new ValidationError({ path: [`No payload or image has its place at ${JSON.stringify(path)}.`] });
}

/** Pictures belong to nobody: whoever may write somewhere may add one, as with a dataset that has one. */
function mustBeAllowed(access: Access, place: Place): void {
  const { folders } = access.visible();
  // An SVG is a program as well.
  const isPicture = /^image\/(?!svg)/.test(mediaTypeOf(place.path));
  const own = isPicture ? [...folders].find(([, folder]) => mayWrite(access.viewer, folder))?.[0] : undefined;
  mustOwn(access, place.kind === 'payload' ? place.unit.namespace : own);
}

function mustHaveHome({ files }: Access, place: Place): void {
  if (place.kind === 'media') return;
  const { namespace } = place.unit;
  const records = recordPaths({ kind: 'namespace', slug: namespace });
  if (!records.some((path) => hasFile(files.store.tree, path)))
    throw new ConflictError(`There is no namespace "${namespace}" yet: add it first.`);
}

/**
 * Whether the bytes are there already.
 * @throws ConflictError where others are
 */
async function isPut(sums: Sums, path: string, { checksum }: FileBytes): Promise<boolean> {
  const there = await sums.file(path);
  if (there === null) return false;
  if (there.checksum === checksum) return true;
  throw new ConflictError(`${path} is there, with other bytes: they never change. Choose another name.`);
}

async function takeIn({ files }: Access, sums: Sums, place: Place, bytes: FileBytes): Promise<void> {
  const { tree: folder } = files.store;
  const target = folder.absolute(place.path);
  const home = dirname(target);
  const aside = temporaryBeside(target);
  const isNew = (await stat(home).catch(() => null)) === null;
  let isDone = false;
  try {
    await makeFolders(home);
    await receive(aside, bytes);
    await withLock(files.root, place.kind === 'payload' ? recordStem(place.unit) : place.path, async (signal) => {
      bytes.signal?.throwIfAborted();
      signal.throwIfAborted();
      mustStayWithin(folder, place.path);
      if (await isPut(sums, place.path, bytes)) return;
      await nameFile(aside, target);
      touched(place.path);
      await syncFolder(home);
    });
    isDone = true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new NotFoundError('What it belongs to was removed or renamed meanwhile.');
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR')
      throw new ConflictError(`A file is in the way of ${place.path}.`);
    throw toUnavailable(error, target);
  } finally {
    await rm(aside, { force: true });
    if (isNew && !isDone) await tidy(files, place);
  }
}

async function receive(aside: string, { source, checksum, size, onProgress, signal }: FileBytes): Promise<void> {
  const hash = createHash('sha256');
  let length = 0;
  const file = await open(aside, 'wx');
  try {
    const stream = source();
    if (signal) addAbortSignal(signal, stream);
    const checked = async function* () {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > size) throw new ValidationError({ size: [`There are more than the ${size} bytes announced.`] });
        hash.update(chunk);
        yield chunk;
        onProgress?.(length);
      }
    };
    await writeFile(file, checked());
    if (length < size) throw new ValidationError({ size: [`There are ${length} bytes, and not ${size}.`] });
    const found = hash.digest('hex');
    if (found !== checksum)
      throw new ValidationError({ checksum: [`The bytes have the checksum ${found}, and not ${checksum}.`] });
    await file.sync();
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    await file.close();
  }
}

/** Gives a file its name, unless something has it; where the file system knows no links, by another way. */
async function nameFile(from: string, to: string): Promise<void> {
  await link(from, to).catch((error) => {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    return rename(from, to);
  });
}

/** Folders that were made for what didn't come: gone, as far as nothing is in them. */
async function tidy(files: FileCatalogue, place: Place): Promise<void> {
  const isPayload = place.kind === 'payload';
  const top = files.store.tree.absolute(isPayload ? parentOf(place.unit) : '');
  await locked(files, isPayload ? [recordStem(place.unit), parentOf(place.unit)] : [place.path], async () => {
    for (let home = dirname(files.store.tree.absolute(place.path)); home.length > top.length; home = dirname(home))
      if (await rmdir(home).catch(() => true)) return;
  });
}
