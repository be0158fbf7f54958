/** Reading KML, KMZ and GPX: their texts have types like those of CSV. */
import { createReadStream } from 'node:fs';
import { PayloadError } from '../../errors.ts';
import { batchFeatures, type ReadFeature } from '../feature-batches.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { ZipArchive } from '../zip-archive.ts';
import { GpxHandler } from './gpx.ts';
import { KmlHandler } from './kml.ts';
import { XmlStream } from './xml-stream.ts';

/** @param path of a KML file, or a KMZ archive; @throws PayloadError if it is broken */
export async function* readKml(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  info.textual = true;
  yield* batchFeatures(readXmlFeatures(bytesOfKml(path), new KmlHandler()), true);
}

/** @throws PayloadError if it is broken */
export async function* readGpx(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  info.textual = true;
  yield* batchFeatures(readXmlFeatures(createReadStream(path), new GpxHandler(info)), true);
}

/** The text of a KML file; of an archive, that of its first one (OGC 12-007r2, annex C). */
async function* bytesOfKml(path: string): AsyncGenerator<Buffer, void, undefined> {
  let isArchive: boolean | undefined;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    isArchive ??= chunk.toString('latin1', 0, 2) === 'PK';
    if (isArchive) break;
    yield chunk;
  }
  if (!isArchive) return;
  const archive = await ZipArchive.open(path);
  try {
    const name = archive.names.find((one) => /\.kml$/i.test(one));
    if (name === undefined) throw new PayloadError('the KMZ archive has no .kml file');
    yield* archive.read(name);
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
