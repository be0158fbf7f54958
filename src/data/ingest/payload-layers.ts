/** The tables of a file that may have several: sheets of a workbook, layers of a GeoPackage, shapefiles of an archive. */
import { open } from 'node:fs/promises';
import { detectFormat } from '../formats/detect-format.ts';
import { formatOfArchive, isZipArchive } from '../formats/foreign-file.ts';

/**
 * Names of the tables of a file; empty if its format has one table only, or isn't read.
 * @throws PayloadError if the file is broken
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
