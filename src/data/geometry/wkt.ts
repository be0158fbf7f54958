/**
 * Well-known text (WKT) of geometries: OGC 06-103r4, section 7; ISO 19125. Not by a library: betterknown and
 * \@terraformer/wkt accept `POINT(1 2) and more`, and read a mistyped number as NaN. A filter has to refuse both.
 */
import { excerpt } from '../../catalogue/errors.ts';
import { type ParseBudget, Scanner } from '../scanner.ts';
import { coordinateDepth, type Geometry, hasZ } from './geometry.ts';

/** Numbers in nested arrays, while they are read or written. */
type NestedNumbers = number | NestedNumbers[];

const types: Readonly<Record<string, Geometry['type']>> = {
  POINT: 'Point',
  LINESTRING: 'LineString',
  POLYGON: 'Polygon',
  MULTIPOINT: 'MultiPoint',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
  GEOMETRYCOLLECTION: 'GeometryCollection',
};

/** Names of the geometry types, in capitals. */
export const wktTypes = Object.keys(types);

/**
 * Parses one geometry; EMPTY gives empty coordinates. Z is kept, M dropped. A prefix `SRID=4326;` is accepted.
 * @throws ParameterError with the position of the error
 */
export function parseWkt(text: string, budget: ParseBudget = { vertices: Infinity, depth: 8 }): Geometry {
  const scanner = new Scanner(text);
  const start = scanner.peek() && scanner.at;
  const srid = scanner.match(/SRID=\d+;/iy);
  if (srid && !/=4326;/.test(srid)) scanner.fail('Only WGS 84 (SRID=4326) is understood', start || 0);
  const geometry = readWkt(scanner, budget);
  scanner.expectEnd();
  return geometry;
}

/** Reads a geometry at the scanner's position, and takes its vertices off the budget. */
export function readWkt(scanner: Scanner, budget: ParseBudget): Geometry {
  scanner.skipBlanks();
  const start = scanner.at;
  const word = scanner.word().toUpperCase();
  const [, name = '', suffix = ''] = /^(.*?)(ZM|Z|M)?$/.exec(word) ?? [];
  const type = types[name];
  if (!type)
    scanner.fail(
      `Expected a geometry such as POINT(1 2) but found ${word ? `"${excerpt(word)}"` : scanner.describeNext()}`,
      start,
    );
  const dimensions = suffix || scanner.match(/(?:ZM|Z|M)(?=[\s(])/iy)?.toUpperCase() || '';
  const empty = scanner.match(/EMPTY(?!\w)/iy) !== undefined;
  if (type === 'GeometryCollection') {
    if (empty) return { type, geometries: [] };
    if (budget.depth <= 0) scanner.fail('Geometries are nested too deeply', start);
    const inner = { ...budget, depth: budget.depth - 1 };
    const geometries = readList(scanner, () => readWkt(scanner, inner));
    budget.vertices = inner.vertices;
    return { type, geometries };
  }
  if (empty) return { type, coordinates: [] } as Geometry;
  const position = () => readPosition(scanner, dimensions, budget);
  const read = (depth: number): NestedNumbers => {
    if (depth === 0) return position();
    return readList(scanner, () => {
      if (depth > 1 && scanner.match(/EMPTY(?!\w)/iy)) return [];
      // Both MULTIPOINT((1 2), (3 4)) and the older MULTIPOINT(1 2, 3 4).
      if (type === 'MultiPoint' && scanner.peek() === '(') return readParenthesized(scanner, position);
      return read(depth - 1);
    });
  };
  const coordinates = type === 'Point' ? readParenthesized(scanner, position) : read(coordinateDepth[type]);
  return { type, coordinates } as Geometry;
}

function readParenthesized<T>(scanner: Scanner, read: () => T): T {
  scanner.expect('(');
  const value = read();
  scanner.expect(')');
  return value;
}

function readList<T>(scanner: Scanner, read: () => T): T[] {
  return readParenthesized(scanner, () => {
    const values = [read()];
    while (scanner.accept(',')) values.push(read());
    return values;
  });
}

function readPosition(scanner: Scanner, dimensions: string, budget: ParseBudget): number[] {
  if (--budget.vertices < 0) scanner.fail('The geometry has too many positions');
  const start = scanner.at;
  const position = [scanner.number(), scanner.number()];
  while (/[-+.\d]/.test(scanner.peek())) position.push(scanner.number());
  const needed = 2 + dimensions.length;
  if (position.length > 4 || (dimensions && position.length !== needed)) {
    scanner.fail(`Expected ${dimensions ? needed : '2, 3 or 4'} numbers but found ${position.length}`, start);
  }
  return position.slice(0, dimensions === 'M' ? 2 : 3);
}

/**
 * The geometry as WKT: type in capitals, `Z` where positions have a third number, `EMPTY` if there are no positions. Numbers
 * have as few digits as read back exactly.
 */
export function toWkt(geometry: Geometry): string {
  const name = geometry.type.toUpperCase();
  if (geometry.type === 'GeometryCollection') {
    if (geometry.geometries.length === 0) return `${name} EMPTY`;
    return `${name} (${geometry.geometries.map(toWkt).join(', ')})`;
  }
  if (geometry.coordinates.length === 0) return `${name} EMPTY`;
  const z = hasZ(geometry);
  const write = (value: NestedNumbers, depth: number): string => {
    const parts = value as NestedNumbers[];
    if (depth === 0) return (z ? [...parts, 0] : parts).slice(0, z ? 3 : 2).join(' ');
    if (parts.length === 0) return 'EMPTY';
    return `(${parts.map((part) => (depth === 1 && geometry.type === 'MultiPoint' ? `(${write(part, 0)})` : write(part, depth - 1))).join(', ')})`;
  };
  const text = write(geometry.coordinates, coordinateDepth[geometry.type]);
  return `${name}${z ? ' Z' : ''} ${geometry.type === 'Point' ? `(${text})` : text}`;
}
