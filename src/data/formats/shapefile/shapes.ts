/**
 * The geometries of a shapefile (ESRI Shapefile Technical Description, 1998). Not by the packages `shapefile`, which drops
 * heights, and `shpjs`, which holds all rows in memory.
 */
import { PayloadError } from '../../errors.ts';
import { polygonOfRings } from '../../geometry/esri.ts';
import { type Geometry, toPosition } from '../../geometry/geometry.ts';
import { InvalidGeometryError } from '../../geometry/validate.ts';
import { ByteSource } from '../byte-source.ts';

const shapeHeaderBytes = 100;

/** The records of a .shp file in their order: a geometry, or null. */
export class ShapeReader {
  readonly #source: ByteSource;
  #count = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#source = new ByteSource(chunks);
  }

  /** Reads the head. @throws PayloadError if it is no .shp file */
  async begin(): Promise<void> {
    const head = await this.#source.takeWhole(shapeHeaderBytes, 'the .shp file');
    if (head.readUInt32BE(0) !== 9994) throw new PayloadError('the .shp file is no shapefile');
  }

  /** Bytes of the next record behind its head; undefined behind the last one. */
  async next(): Promise<Buffer | undefined> {
    const source = this.#source;
    if (source.available < 8 && !(await source.wait(8))) {
      if (source.available > 0) throw new PayloadError('the .shp file breaks off');
      return undefined;
    }
    const length = 2 * source.take(8).readUInt32BE(4);
    this.#count++;
    if (length < 4) throw new PayloadError(`feature ${this.#count}: its record in the .shp file is too short`);
    if (source.available < length && !(await source.wait(length))) throw new PayloadError('the .shp file breaks off');
    return source.take(length);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

const types: Readonly<Record<number, string>> = { 1: 'point', 3: 'line', 5: 'polygon', 8: 'points' };

/** The geometry of a record; null if it has none. Z is kept, M dropped. @throws InvalidGeometryError */
export function geometryOfShape(record: Buffer): Geometry | null {
  const code = record.readUInt32LE(0);
  if (code === 0) return null;
  const type = types[code % 10];
  if (code > 28 || type === undefined)
    throw new InvalidGeometryError(`shapes of type ${code} (MultiPatch) are not read`);
  const hasZ = code > 10 && code < 20;
  try {
    if (type === 'point') {
      const [x, y] = [record.readDoubleLE(4), record.readDoubleLE(12)];
      if (Number.isNaN(x) || Number.isNaN(y)) return null;
      return { type: 'Point', coordinates: toPosition(x, y, hasZ ? heightAt(record, 20) : Number.NaN) };
    }
    return geometryOfParts(record, type, hasZ);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidGeometryError('its record in the .shp file breaks off');
    throw error;
  }
}

/** A height; NaN if it is missing, for which the format has numbers below -10^38. */
function heightAt(record: Buffer, at: number): number {
  const z = record.readDoubleLE(at);
  return z < -1e38 ? Number.NaN : z;
}

function geometryOfParts(record: Buffer, type: string, hasZ: boolean): Geometry | null {
  const partCount = type === 'points' ? 0 : record.readUInt32LE(36);
  const pointCount = record.readUInt32LE(type === 'points' ? 36 : 40);
  const parts = type === 'points' ? 40 : 44;
  const points = parts + 4 * partCount;
  const heights = points + 16 * pointCount + 16;
  if ((hasZ ? heights + 8 * pointCount : heights - 16) > record.length)
    throw new InvalidGeometryError('its record in the .shp file claims more points than it has');
  if (pointCount === 0) return null;
  const positions = Array.from({ length: pointCount }, (_, i) => {
    const at = points + 16 * i;
    const z = hasZ ? heightAt(record, heights + 8 * i) : Number.NaN;
    return toPosition(record.readDoubleLE(at), record.readDoubleLE(at + 8), z);
  });
  if (type === 'points') return { type: 'MultiPoint', coordinates: positions };
  const starts = Array.from({ length: partCount }, (_, i) => record.readUInt32LE(parts + 4 * i));
  const lines = starts
    .map((start, i) => positions.slice(start, starts[i + 1] ?? pointCount))
    .filter((line) => line.length > 0);
  const [first] = lines;
  if (first === undefined) return null;
  if (type === 'polygon') return polygonOfRings(lines);
  return lines.length === 1
    ? { type: 'LineString', coordinates: first }
    : { type: 'MultiLineString', coordinates: lines };
}
