/**
 * Images that come with a dataset's fields: each lies in site_media/ under a name made of its bytes, so that the same
 * are there once. They stay when a dataset has another by now: older commits, and what people wrote, may lead to them.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Input } from '../../catalogue/catalogue.ts';
import { ConflictError } from '../../catalogue/errors.ts';
import { imageFacts } from '../../catalogue/image.ts';
import { mediaFolder } from '../../catalogue/layout.ts';
import { makeFolders, writeDurably } from '../../disk/durable.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { locked } from './names.ts';
import { touched } from './trail.ts';

/** The path at which an image lies in a catalogue folder, relative to it. */
export function imagePath(bytes: Uint8Array): string {
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return `${mediaFolder}/images/${name}.${imageFacts(bytes)?.extension ?? 'bin'}`;
}

/** Whether a path names an image by its bytes, and by others than those of the checksum: nobody may lay it there. */
export function isOfOtherBytes(path: string, checksum: string): boolean {
  const name = /^site_media\/images\/([0-9a-f]{32})\.[^/]*$/.exec(path)?.[1];
  return name !== undefined && !checksum.startsWith(name);
}

/** The fields with the addresses of images in the place of their bytes. */
export function withAddresses(fields: Input): Input {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Uint8Array ? `/${imagePath(value)}` : value]),
  );
}

/**
 * Stores the images among a record's fields, and then has the record written that names them. Where that is refused,
 * those that weren't there before are gone again.
 * @param write gets the fields with addresses in the place of bytes; nothing follows in it that may fail when it is done
 * @throws ConflictError where images would lie outside of the folder; UnavailableError; and what `write` throws
 */
export async function storingImages(
  files: FileCatalogue,
  fields: Input,
  write: (fields: Input) => Promise<unknown>,
): Promise<void> {
  const images = Object.values(fields).filter((value) => value instanceof Uint8Array);
  const byPath = new Map(images.map((bytes) => [imagePath(bytes), bytes]));
  // Meanwhile nobody else relies on one that may go again.
  await locked(files, [...byPath.keys()].sort(), async () => {
    const made: string[] = [];
    try {
      for (const [path, bytes] of byPath) await store(files, path, bytes, made);
      await write(withAddresses(fields));
    } catch (error) {
      for (const path of made) await rm(path, { force: true });
      throw error;
    }
    // After the record: it says when this write was, among those to be committed.
    for (const path of byPath.keys()) touched(path);
  });
}

async function store({ store: { tree: folder } }: FileCatalogue, path: string, bytes: Uint8Array, made: string[]) {
  for (const home of [mediaFolder, dirname(path)])
    if (folder.leadsOutside(home))
      throw new ConflictError(`${home} is a link that leaves the catalogue folder: put a folder in its place.`);
  const target = folder.absolute(path);
  const there = folder.size(path);
  // One of another size is none of ours: what Git LFS has in the place of a file, or what somebody has cut short.
  if (there === bytes.length) return;
  if (there === null) made.push(target);
  await makeFolders(dirname(target));
  await writeDurably(target, bytes);
}
