/**
 * Files with rows in a ZIP archive, such as the one CSV that portals like to pack. Archives that are a format of their own
 * (workbooks, shapefiles, KMZ) are read as such, and have none here.
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { PayloadError } from '../errors.ts';
import { fileExtension, formatByExtensionOrMediaType } from '../formats/detect-format.ts';
import { formatOfArchive } from '../formats/foreign-file.ts';
import { chooseLayer } from '../formats/layers.ts';
import { isZipFile, ZipArchive } from '../formats/zip-archive.ts';

/** Most bytes of a file that is unpacked. */
const maxUnpacked = 4 * 1024 * 1024 * 1024;

/**
 * Names of the files with rows in an archive; null for a file that is no archive, or one that is a format of its own.
 * @throws PayloadError if it is broken, one of them has a password, or inflates too much
 */
export async function listArchiveTables(path: string): Promise<readonly string[] | null> {
  if (!(await isPlainArchive(path))) return null;
  const archive = await ZipArchive.open(path);
  try {
    const tables = tablesOf(archive);
    for (const name of tables) archive.assertReadable(name);
    return tables;
  } finally {
    archive.close();
  }
}

/**
 * Unpacks a file with rows.
 * @param layer its name in the archive; undefined for the only one
 * @param target path of the file that is written
 * @returns its name in the archive, without folders; null as `listArchiveTables`
 * @throws PayloadError as `listArchiveTables`, or if there is no file with rows, or several and none is named
 */
export async function unpackTable(path: string, layer: string | undefined, target: string): Promise<string | null> {
  if (!(await isPlainArchive(path))) return null;
  const archive = await ZipArchive.open(path);
  try {
    const tables = tablesOf(archive);
    if (tables.length === 0) throw new PayloadError('the ZIP archive has no file whose rows can be read');
    const name = chooseLayer(tables, tables, layer, 'file');
    archive.assertReadable(name);
    if (archive.sizeOf(name) > maxUnpacked)
      throw new PayloadError(`the file ${name} in the ZIP archive has more than ${maxUnpacked} bytes`);
    await pipeline(archive.read(name), createWriteStream(target, { mode: 0o600 }));
    return name.split('/').at(-1) ?? name;
  } finally {
    archive.close();
  }
}

const isPlainArchive = async (path: string): Promise<boolean> =>
  (await isZipFile(path)) && (await formatOfArchive(path)) === null;

/** Files of formats that are read. JSON may be a description: it counts if there is nothing else. */
function tablesOf(archive: ZipArchive): readonly string[] {
  const formatOf = (name: string) => {
    const isZipped = /\.gz(?:ip)?$/i.test(name);
    return /\.(?:zip|shz)$/i.test(name) ? null : formatByExtensionOrMediaType(fileExtension(name, isZipped), '');
  };
  const readable = archive.names.filter((name) => formatOf(name) !== null);
  const others = readable.filter((name) => formatOf(name) !== 'json');
  return (others.length ? others : readable).sort();
}
