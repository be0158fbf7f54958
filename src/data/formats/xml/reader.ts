/** Reading KML, KMZ and GPX: their texts have types like those of CSV. */
import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import { batchFeatures, type ReadFeature } from '../feature-batches.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { isZipFile, ZipArchive } from '../zip-archive.ts';
import { GpxHandler } from './gpx.ts';
import { KmlHandler } from './kml.ts';
import { XmlStream } from './xml-stream.ts';

/** @param path of a KML file, or a KMZ archive; @throws PayloadError if it is broken */
export async function* readKml(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  info.textual = true;
  const isArchive = await isZipFile(path);
  const unread: string[] = [];
  yield* batchFeatures(isArchive ? readKmz(path, unread) : readKmlFile(path, unread), true);
  const [first] = unread;
  if (first === undefined) return;
  const links = unread.length === 1 ? '1 is' : `${unread.length} are`;
  const remark = `Network links: ${links} not read (${unread.length === 1 ? '' : 'first: '}${excerpt(first)}). Publish the file that it leads to`;
  info.notes = [...(info.notes ?? []), remark];
}

/** @param unread gets the addresses of network links */
async function* readKmlFile(path: string, unread: string[]) {
  const handler = new KmlHandler();
  yield* readXmlFeatures(createReadStream(path), handler);
  for (const link of handler.networkLinks) unread.push(link);
}

/** @throws PayloadError if it is broken */
export async function* readGpx(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  info.textual = true;
  yield* batchFeatures(readXmlFeatures(createReadStream(path), new GpxHandler(info)), true);
}

/**
 * The features of the first KML file of an archive (OGC 12-007r2, annex C), and of those in the archive that network links name:
 * GDAL writes a file for each layer, and a first one that has links only.
 * @param unread gets the addresses of links that lead out of the archive
 */
async function* readKmz(path: string, unread: string[]): AsyncGenerator<readonly ReadFeature[], void, undefined> {
  const archive = await ZipArchive.open(path);
  try {
    const first = archive.names.find((one) => /\.kml$/i.test(one));
    if (first === undefined) throw new PayloadError('the KMZ archive has no .kml file');
    // Files that are added meanwhile are visited, too, and each once.
    const files = new Set([first]);
    for (const file of files) {
      const handler = new KmlHandler();
      yield* readXmlFeatures(archive.read(file), handler);
      for (const link of handler.networkLinks) {
        const linked = posix.join(posix.dirname(file), link);
        if (/\.kml$/i.test(linked) && archive.has(linked)) files.add(linked);
        else unread.push(link);
      }
    }
  } finally {
    archive.close();
  }
}

async function* readXmlFeatures(
  chunks: AsyncIterable<Buffer>,
  handler: KmlHandler | GpxHandler,
): AsyncGenerator<readonly ReadFeature[], void, undefined> {
  const xml = new XmlStream(handler);
  for await (const chunk of chunks) {
    xml.push(chunk);
    yield handler.take();
  }
  xml.end();
  yield handler.take();
}
