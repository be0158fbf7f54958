/** The tables of a file that may have several: sheets of a workbook, layers of a GeoPackage, shapefiles or other files of an archive. */
import { open } from 'node:fs/promises';
import { PayloadError } from '../errors.ts';
import { detectFormat, isZipArchive } from '../formats/detect-format.ts';
import { formatOfArchive } from '../formats/foreign-file.ts';
import { listArchiveTables } from './archive-tables.ts';

/**
 * Names of the tables of a file; empty if its format has one table only, or isn't read.
 * @throws PayloadError if the file is broken, or an archive without a file whose rows can be read
 */
export async function listPayloadLayers(path: string): Promise<readonly string[]> {
  const handle = await open(path);
  let head: Buffer;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    head = buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
  const tables = isZipArchive(head) ? await listArchiveTables(path) : null;
  if (tables?.length === 0) throw new PayloadError('the ZIP archive has no file whose rows can be read');
  if (tables) return tables;
  const { format, compression } = detectFormat(head, { fileName: path });
  if (compression !== null) return [];
  switch (format ?? (isZipArchive(head) ? await formatOfArchive(path) : null)) {
    case 'xlsx':
      return (await import('../formats/xlsx/reader.ts')).listSheets(path);
    case 'gpkg':
      return (await import('../formats/geopackage/reader.ts')).listGeoPackageLayers(path);
    case 'shp':
      return (await import('../formats/shapefile/reader.ts')).listShapefiles(path);
    default:
      return [];
  }
}
