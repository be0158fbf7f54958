/**
 * Geometries as WKB: ISO 13249-3 (also OGC 06-103r4), with Z as 1000 more than the type's number; written little-endian. EWKB
 * of PostGIS is read, too.
 */
import { type Geometry, hasZ, toPosition } from './geometry.ts';
import { emptyExtent, InvalidGeometryError, isEmptyPoint, validateAndMeasureGeometry } from './validate.ts';

/** Type codes. */
const typeCodes = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
  GeometryCollection: 7,
} as const;

/**
 * The geometry as WKB. Where some positions have a Z, those without get 0, as in WKT and in GDAL; numbers beyond the
 * third are left out. An empty point has NaN for each number, as GEOS, PostGIS and GeoParquet have it.
 */
export function toWkb(geometry: Geometry): Uint8Array {
  const dimensions = hasZ(geometry) ? 3 : 2;
  // From Node's pool: an ArrayBuffer for each point would cost more than writing it.
  const bytes = Buffer.allocUnsafe(lengthOf(geometry, dimensions));
  writeWkb(bytes, 0, geometry, dimensions);
  return bytes;
}

/** The parts of a geometry that WKB writes as geometries of their own. */
function members(geometry: Geometry): readonly Geometry[] {
  switch (geometry.type) {
    case 'MultiPoint':
      return geometry.coordinates.map((coordinates) => ({ type: 'Point', coordinates }));
    case 'MultiLineString':
      return geometry.coordinates.map((coordinates) => ({ type: 'LineString', coordinates }));
    case 'MultiPolygon':
      return geometry.coordinates.map((coordinates) => ({ type: 'Polygon', coordinates }));
    case 'GeometryCollection':
      return geometry.geometries;
    default:
      return [];
  }
}

/** Length in bytes: byte order and type take 5, each count 4, each number 8. */
function lengthOf(geometry: Geometry, dimensions: number): number {
  if (geometry.type === 'Point') return 5 + 8 * dimensions;
  if (geometry.type === 'LineString') return 5 + lineLength(geometry.coordinates, dimensions);
  if (geometry.type === 'Polygon')
    return geometry.coordinates.reduce((sum, ring) => sum + lineLength(ring, dimensions), 9);
  return members(geometry).reduce((sum, member) => sum + lengthOf(member, dimensions), 9);
}

const lineLength = (positions: readonly unknown[], dimensions: number) => 4 + 8 * dimensions * positions.length;

/** Writes a geometry at an offset; returns the offset behind it. */
function writeWkb(bytes: Buffer, at: number, geometry: Geometry, dimensions: number): number {
  bytes.writeUInt8(1, at);
  bytes.writeUInt32LE(typeCodes[geometry.type] + (dimensions === 3 ? 1000 : 0), at + 1);
  const start = at + 5;
  if (geometry.type === 'Point') return writePosition(bytes, start, geometry.coordinates, dimensions);
  if (geometry.type === 'LineString') return writeLine(bytes, start, geometry.coordinates, dimensions);
  if (geometry.type === 'Polygon') {
    let next = writeCount(bytes, start, geometry.coordinates);
    for (const ring of geometry.coordinates) next = writeLine(bytes, next, ring, dimensions);
    return next;
  }
  const parts = members(geometry);
  let next = writeCount(bytes, start, parts);
  for (const part of parts) next = writeWkb(bytes, next, part, dimensions);
  return next;
}

function writeCount(bytes: Buffer, at: number, items: readonly unknown[]): number {
  bytes.writeUInt32LE(items.length, at);
  return at + 4;
}

function writePosition(bytes: Buffer, at: number, position: readonly number[], dimensions: number): number {
  const missing = position.length === 0 ? Number.NaN : 0;
  for (let i = 0; i < dimensions; i++) bytes.writeDoubleLE(position[i] ?? missing, at + 8 * i);
  return at + 8 * dimensions;
}

function writeLine(bytes: Buffer, at: number, positions: readonly (readonly number[])[], dimensions: number): number {
  let next = writeCount(bytes, at, positions);
  for (const position of positions) next = writePosition(bytes, next, position, dimensions);
  return next;
}

/** Deepest nesting of collections. */
const maxDepth = 16;

/** Flags of EWKB in the number of the type. */
const ewkb = { z: 0x80000000, m: 0x40000000, srid: 0x20000000 };

/** All of them, in the highest byte of that number. */
const ewkbMask = 0xe0;

/**
 * The geometry of WKB, also of EWKB: that of PostGIS, GEOS and shapely, with flags for Z, M and a reference system (`sridOfEwkb`).
 * Z is kept unless it is NaN, M dropped.
 * @throws InvalidGeometryError if it is broken, or has curves or surfaces, which GeoJSON doesn't have
 */
export const readWkb = (bytes: Uint8Array): Geometry => new WkbReader(bytes).geometry(0);

/**
 * The geometry of all bytes, as `readWkb`, with its structure checked.
 * @throws InvalidGeometryError also if bytes follow, or the byte order is neither 0 (XDR) nor 1 (NDR)
 */
export function readExactWkb(bytes: Uint8Array): Geometry {
  const reader = new WkbReader(bytes);
  if ((bytes[0] as number) > 1) throw new InvalidGeometryError(`the WKB has a byte order of ${bytes[0]}, not 0 or 1`);
  const geometry = reader.geometry(0);
  if (!reader.isAtEnd) throw new InvalidGeometryError('bytes follow the WKB');
  if (!isEmptyPoint(geometry)) validateAndMeasureGeometry(geometry, emptyExtent());
  return geometry;
}

/** The number of the reference system (SRID) that EWKB names, 0 if it names none; null for ISO WKB. */
export function sridOfEwkb(bytes: Uint8Array): number | null {
  const isLittle = bytes[0] === 1;
  if (bytes.length < 9 || ((bytes[isLittle ? 4 : 1] as number) & ewkbMask) === 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (view.getUint32(1, isLittle) & ewkb.srid) === 0 ? 0 : view.getUint32(5, isLittle);
}

/** Arrays are filled by loops: `Array.from` with a function takes five times as long. */
class WkbReader {
  readonly #view: DataView;
  #at = 0;
  #isLittle = true;
  #hasZ = false;
  /** Bytes of a position: those of M, which is dropped, are among them. */
  #stride = 16;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#view.byteLength;
  }

  geometry(depth: number): Geometry {
    if (depth > maxDepth) throw new InvalidGeometryError('the WKB has too many nested collections');
    this.#need(5);
    this.#isLittle = this.#view.getUint8(this.#at++) === 1;
    const code = this.#uint();
    const type = (code & 0x0fffffff) % 1000;
    const dimensions = Math.floor((code & 0x0fffffff) / 1000);
    const hasM = dimensions >= 2 || (code & ewkb.m) !== 0;
    this.#hasZ = dimensions === 1 || dimensions === 3 || (code & ewkb.z) !== 0;
    this.#stride = 16 + (this.#hasZ ? 8 : 0) + (hasM ? 8 : 0);
    if ((code & ewkb.srid) !== 0) this.#uint();
    switch (type) {
      case 1:
        this.#need(this.#stride);
        return { type: 'Point', coordinates: this.#position() };
      case 2:
        return { type: 'LineString', coordinates: this.#line() };
      case 3:
        return { type: 'Polygon', coordinates: this.#lines() };
      case 4:
        return { type: 'MultiPoint', coordinates: this.#coordinatesOfParts(depth) };
      case 5:
        return { type: 'MultiLineString', coordinates: this.#coordinatesOfParts(depth) };
      case 6:
        return { type: 'MultiPolygon', coordinates: this.#coordinatesOfParts(depth) };
      case 7:
        return { type: 'GeometryCollection', geometries: this.#parts(depth) };
      default:
        throw new InvalidGeometryError(`geometries of type ${type} in WKB (curves and surfaces) are not read`);
    }
  }

  #parts(depth: number): Geometry[] {
    const parts: Geometry[] = [];
    for (let left = this.#count(5); left > 0; left--) {
      const part = this.geometry(depth + 1);
      parts.push(isEmptyPoint(part) ? { type: 'Point', coordinates: [] } : part);
    }
    return parts;
  }

  /** Coordinates of the parts of a Multi geometry, but empty points: parts of a wrong type are found when the structure is checked. */
  #coordinatesOfParts<T>(depth: number): T[] {
    const coordinates: T[] = [];
    for (let left = this.#count(5); left > 0; left--) {
      const part = this.geometry(depth + 1);
      if (!isEmptyPoint(part)) coordinates.push((part as unknown as { coordinates: T }).coordinates);
    }
    return coordinates;
  }

  #lines(): number[][][] {
    const lines: number[][][] = [];
    for (let left = this.#count(4); left > 0; left--) lines.push(this.#line());
    return lines;
  }

  #line(): number[][] {
    const line: number[][] = [];
    for (let left = this.#count(this.#stride); left > 0; left--) line.push(this.#position());
    return line;
  }

  /** Its bytes must be there. */
  #position(): number[] {
    const [view, at, isLittle] = [this.#view, this.#at, this.#isLittle];
    this.#at += this.#stride;
    const [x, y] = [view.getFloat64(at, isLittle), view.getFloat64(at + 8, isLittle)];
    const z = this.#hasZ ? view.getFloat64(at + 16, isLittle) : Number.NaN;
    return toPosition(x, y, z);
  }

  /** A number of parts. @param size least bytes of one: a claim of more than there are is refused */
  #count(size: number): number {
    const count = this.#uint();
    this.#need(count * size);
    return count;
  }

  #need(length: number): void {
    if (this.#at + length > this.#view.byteLength) throw new InvalidGeometryError('the WKB breaks off');
  }

  #uint(): number {
    this.#need(4);
    const at = this.#at;
    this.#at += 4;
    return this.#view.getUint32(at, this.#isLittle);
  }
}
