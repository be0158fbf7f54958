/** Geometries as WKB: ISO 13249-3 (also OGC 06-103r4), with Z as 1000 more than the type's number; written little-endian. */
import { type Geometry, hasZ } from './geometry.ts';
import { InvalidGeometryError } from './validate.ts';

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

/**
 * Reads WKB, also with flags of PostGIS for Z, M and the reference system (EWKB). Z is kept, M dropped.
 * @throws InvalidGeometryError if it is broken, or has curves or surfaces, which GeoJSON doesn't have
 */
export function readWkb(bytes: Buffer): Geometry {
  const reader = new WkbReader(bytes);
  return reader.geometry(0);
}

class WkbReader {
  readonly #bytes: Buffer;
  #at = 0;
  #isLittle = true;
  #skipped = 0;
  #hasZ = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  geometry(depth: number): Geometry {
    if (depth > maxDepth) throw new InvalidGeometryError('the WKB has too many nested collections');
    this.#need(5);
    this.#isLittle = this.#bytes[this.#at++] === 1;
    const code = this.#uint();
    const type = (code & 0x0fffffff) % 1000;
    const dimensions = Math.floor((code & 0x0fffffff) / 1000);
    this.#hasZ = dimensions === 1 || dimensions === 3 || (code & 0x80000000) !== 0;
    this.#skipped = dimensions >= 2 || (code & 0x40000000) !== 0 ? 8 : 0;
    if ((code & 0x20000000) !== 0) this.#uint();
    const parts = <T>(size: number, read: () => T): T[] => Array.from({ length: this.#count(size) }, read);
    const member = <T>() => (this.geometry(depth + 1) as unknown as { coordinates: T }).coordinates;
    switch (type) {
      case 1:
        return { type: 'Point', coordinates: this.#position() };
      case 2:
        return { type: 'LineString', coordinates: this.#line() };
      case 3:
        return { type: 'Polygon', coordinates: parts(4, () => this.#line()) };
      case 4:
        return { type: 'MultiPoint', coordinates: parts(5, () => member<number[]>()) };
      case 5:
        return { type: 'MultiLineString', coordinates: parts(5, () => member<number[][]>()) };
      case 6:
        return { type: 'MultiPolygon', coordinates: parts(5, () => member<number[][][]>()) };
      case 7:
        return { type: 'GeometryCollection', geometries: parts(5, () => this.geometry(depth + 1)) };
      default:
        throw new InvalidGeometryError(`geometries of type ${type} in WKB (curves and surfaces) are not read`);
    }
  }

  #line(): number[][] {
    return Array.from({ length: this.#count(this.#hasZ ? 24 : 16) }, () => this.#position());
  }

  #position(): number[] {
    const position = [this.#double(), this.#double()];
    if (this.#hasZ) position.push(this.#double());
    this.#at += this.#skipped;
    return position;
  }

  /** A number of parts. @param size least bytes of one: a claim of more than there are is refused */
  #count(size: number): number {
    const count = this.#uint();
    this.#need(count * size);
    return count;
  }

  #need(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new InvalidGeometryError('the WKB breaks off');
  }

  #uint(): number {
    this.#need(4);
    const at = this.#at;
    this.#at += 4;
    return this.#isLittle ? this.#bytes.readUInt32LE(at) : this.#bytes.readUInt32BE(at);
  }

  #double(): number {
    this.#need(8);
    const at = this.#at;
    this.#at += 8;
    return this.#isLittle ? this.#bytes.readDoubleLE(at) : this.#bytes.readDoubleBE(at);
  }
}
