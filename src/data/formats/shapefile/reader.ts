/** A reader of shapefiles in a ZIP archive: geometries of the .shp, attributes of the .dbf, the reference system of the .prj. */
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import { batchFeatures, type ReadFeature, readGeometryOf } from '../feature-batches.ts';
import { chooseLayer } from '../layers.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { ZipArchive } from '../zip-archive.ts';
import { AttributeReader, encodingOfCodePage } from './attributes.ts';
import { geometryOfShape, ShapeReader } from './shapes.ts';

/** Features that are read together. */
const chunkSize = 256;

/** Paths of the shapefiles of an archive, without extension. */
const shapefilesOf = (archive: ZipArchive): string[] =>
  archive.names.filter((name) => /\.shp$/i.test(name)).map((name) => name.slice(0, -4));

export async function listShapefiles(path: string): Promise<readonly string[]> {
  const archive = await ZipArchive.open(path);
  try {
    return shapefilesOf(archive);
  } finally {
    archive.close();
  }
}

/**
 * @param path of the ZIP archive
 * @param info filled in while reading
 * @throws PayloadError if it has no shapefile, or several and none is named
 */
export async function* readShapefile(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  const archive = await ZipArchive.open(path);
  try {
    const names = shapefilesOf(archive);
    const name = chooseLayer(names, names, info.reading.layer, 'shapefile');
    const part = (extension: string) =>
      archive.names.find((other) => other.toLowerCase() === `${name}.${extension}`.toLowerCase()) ?? '';
    const projection = (await archive.readText(part('prj'))).trim();
    if (projection) info.crs = projection;
    info.title = name.split('/').at(-1) as string;
    const codePage = (await archive.readText(part('cpg'))).trim();
    const encoding = info.reading.encoding ?? encodingOfCodePage(codePage);
    const shapes = new ShapeReader(archive.read(part('shp')));
    const attributes = part('dbf') ? new AttributeReader(archive.read(part('dbf'))) : null;
    try {
      await shapes.begin();
      await attributes?.begin(encoding);
      yield* batchFeatures(readFeatures(shapes, attributes), true);
      info.notes = [...(info.notes ?? []), ...notesOf(attributes, codePage)];
    } finally {
      await shapes.close();
      await attributes?.close();
    }
  } finally {
    archive.close();
  }
}

/** Remarks on attributes that were read. @param codePage text of the .cpg file */
function notesOf(attributes: AttributeReader | null, codePage: string): string[] {
  const notes: string[] = [];
  if (attributes?.hasMemos) notes.push('Memos of the .dbf file are in a file of their own, which is not read: null.');
  if (attributes?.hasGuessedTexts && (codePage !== '' || attributes.languageDriver !== 0)) {
    const name = codePage ? `"${excerpt(codePage)}" in the .cpg file` : `number ${attributes.languageDriver}`;
    notes.push(
      `Texts of the .dbf file: read as Windows-1252, since their encoding (${name}) is not known. If that is wrong, write --encoding`,
    );
  }
  return notes;
}

async function* readFeatures(
  shapes: ShapeReader,
  attributes: AttributeReader | null,
): AsyncGenerator<readonly ReadFeature[], void, undefined> {
  let several: ReadFeature[] = [];
  for (let number = 1; ; number++) {
    const record = await shapes.next();
    const geometry = record && readGeometryOf(number, () => geometryOfShape(record));
    const bytes = record?.length ?? 0;
    const properties = attributes ? await attributes.next() : record && {};
    if (record === undefined && properties === undefined) break;
    if (record === undefined || properties === undefined)
      throw new PayloadError(`the .shp file and the .dbf file differ: only one of them has a feature ${number}`);
    if (properties !== null) several.push({ geometry: geometry ?? null, properties, bytes });
    if (several.length < chunkSize) continue;
    yield several;
    several = [];
  }
  if (several.length) yield several;
}
