/**
 * Well-known text of geometries (OGC 06-103r4, section 7; ISO 19125). Of the libraries, betterknown and
 * \@terraformer/wkt read `POINT(1 2) and more`, and NaN where a number was mistyped: a filter has to refuse that.
 */
import { type Budget, Scanner } from '../scanner.ts';
import { type Geometry, nesting } from './geometry.ts';

type SimpleType = keyof typeof nesting;
type Coordinates = number | Coordinates[];

const types: Readonly<Record<string, Geometry['type']>> = {
  POINT: 'Point',
  LINESTRING: 'LineString',
  POLYGON: 'Polygon',
  MULTIPOINT: 'MultiPoint',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
  GEOMETRYCOLLECTION: 'GeometryCollection',
};

/** Names of the types, in capitals. */
export const wktTypes = Object.keys(types);

/**
 * Reads one geometry; EMPTY gives empty coordinates. Z is kept, M dropped. `SRID=4326;` before it is taken.
 * @throws TextError with the place of what is wrong
 */
export function parseWkt(text: string, budget: Budget = { vertices: Infinity, depth: 8 }): Geometry {
  const scanner = new Scanner(text);
  const start = scanner.peek() && scanner.at;
  const srid = scanner.match(/SRID=\d+;/iy);
  if (srid && !/=4326;/.test(srid)) scanner.fail('Only WGS 84 (SRID=4326) is understood', start || 0);
  const geometry = readWkt(scanner, budget);
  scanner.end();
  return geometry;
}

/** Reads a geometry from where a scanner stands, and takes its positions off the budget. */
export function readWkt(scanner: Scanner, budget: Budget): Geometry {
  scanner.blanks();
  const start = scanner.at;
  const word = scanner.word().toUpperCase();
  const [, name = '', suffix = ''] = /^(.*?)(ZM|Z|M)?$/.exec(word) ?? [];
  const type = types[name];
  if (!type)
    scanner.fail(`Expected a geometry such as POINT(1 2) but found ${word ? `"${word}"` : scanner.found()}`, start);
  const dimensions = suffix || scanner.match(/(?:ZM|Z|M)(?=[\s(])/iy)?.toUpperCase() || '';
  const empty = scanner.match(/EMPTY(?!\w)/iy) !== undefined;
  if (type === 'GeometryCollection') {
    if (empty) return { type, geometries: [] };
    if (budget.depth <= 0) scanner.fail('Geometries are nested too deeply', start);
    const inner = { ...budget, depth: budget.depth - 1 };
    const geometries = list(scanner, () => readWkt(scanner, inner));
    budget.vertices = inner.vertices;
    return { type, geometries };
  }
  if (empty) return { type, coordinates: [] } as Geometry;
  const position = () => readPosition(scanner, dimensions, budget);
  const read = (levels: number): Coordinates => {
    if (levels === 0) return position();
    return list(scanner, () => {
      if (levels > 1 && scanner.match(/EMPTY(?!\w)/iy)) return [];
      // Both MULTIPOINT((1 2), (3 4)) and the older MULTIPOINT(1 2, 3 4).
      if (type === 'MultiPoint' && scanner.peek() === '(') return bracketed(scanner, position);
      return read(levels - 1);
    });
  };
  const coordinates = type === 'Point' ? bracketed(scanner, position) : read(nesting[type]);
  return { type, coordinates } as Geometry;
}

function bracketed<T>(scanner: Scanner, read: () => T): T {
  scanner.expect('(');
  const value = read();
  scanner.expect(')');
  return value;
}

function list<T>(scanner: Scanner, read: () => T): T[] {
  return bracketed(scanner, () => {
    const values = [read()];
    while (scanner.take(',')) values.push(read());
    return values;
  });
}

function readPosition(scanner: Scanner, dimensions: string, budget: Budget): number[] {
  if (--budget.vertices < 0) scanner.fail('The geometry has too many positions');
  const start = scanner.at;
  const position = [scanner.number(), scanner.number()];
  while (/[-+.\d]/.test(scanner.peek())) position.push(scanner.number());
  const least = 2 + dimensions.length;
  if (position.length > 4 || (dimensions && position.length !== least)) {
    scanner.fail(`Expected ${dimensions ? least : '2, 3 or 4'} numbers but found ${position.length}`, start);
  }
  return position.slice(0, dimensions === 'M' ? 2 : 3);
}

/**
 * Writes a geometry as WKT: type in capitals, `Z` where positions have a third number, `EMPTY` where there are none.
 * Numbers are written as briefly as they can be read back exactly.
 */
export function toWkt(geometry: Geometry): string {
  const name = geometry.type.toUpperCase();
  if (geometry.type === 'GeometryCollection') {
    if (geometry.geometries.length === 0) return `${name} EMPTY`;
    return `${name} (${geometry.geometries.map(toWkt).join(', ')})`;
  }
  if (geometry.coordinates.length === 0) return `${name} EMPTY`;
  const levels = nesting[geometry.type as SimpleType];
  const z = hasZ(geometry.coordinates, levels);
  const write = (value: Coordinates, level: number): string => {
    const parts = value as Coordinates[];
    if (level === 0) return (z ? [...parts, 0] : parts).slice(0, z ? 3 : 2).join(' ');
    if (parts.length === 0) return 'EMPTY';
    return `(${parts.map((part) => (level === 1 && geometry.type === 'MultiPoint' ? `(${write(part, 0)})` : write(part, level - 1))).join(', ')})`;
  };
  const text = write(geometry.coordinates, levels);
  return `${name}${z ? ' Z' : ''} ${levels === 0 ? `(${text})` : text}`;
}

function hasZ(coordinates: Coordinates[], levels: number): boolean {
  if (levels === 0) return coordinates.length > 2;
  return coordinates.some((part) => hasZ(part as Coordinates[], levels - 1));
}
