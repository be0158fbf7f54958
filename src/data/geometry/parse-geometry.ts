/**
 * Geometries in a parameter: as WKT, GeoJSON, `minx,miny,maxx,maxy`, or the constructor expression that older clients
 * send, `Point([-66.1,18.4]).buffer(0.05)`. The grammar is closed: nothing is ever evaluated.
 */

import { closestWord } from '../../catalogue/closest.ts';
import { excerpt } from '../../catalogue/errors.ts';
import { ParameterError } from '../errors.ts';
import { type ParseBudget, Scanner } from '../scanner.ts';
import { bboxToGeometry } from './bounding-box.ts';
import { type Bbox, coordinateDepth, type Geometry, type SimpleGeometry } from './geometry.ts';
import { parseWkt, wktTypes } from './wkt.ts';

/** A geometry and the buffer around it. */
export interface BufferedGeometry {
  readonly geometry: Geometry;
  /** In degrees; 0 if there is none. */
  readonly buffer: number;
}

type SimpleType = SimpleGeometry['type'];

/** Types by their constructor's name in lower case. */
const constructorTypes: ReadonlyMap<string, SimpleType> = new Map(
  (Object.keys(coordinateDepth) as SimpleType[]).map((type) => [type.toLowerCase(), type]),
);

/**
 * Parses a geometry in any of these forms. Coordinates are longitude, latitude in degrees (WGS 84).
 * @throws ParameterError
 */
export function parseGeometry(text: string, budget: ParseBudget = { vertices: Infinity, depth: 8 }): BufferedGeometry {
  const scanner = new Scanner(text);
  const first = scanner.peek();
  if (first === '') scanner.fail('Expected a geometry but found nothing');
  if (first === '{') return unbuffered(parseGeoJson(text, budget));
  if (/[-+.\d]/.test(first)) return unbuffered(bboxToGeometry(parseBbox(text)));
  const start = scanner.at;
  const word = scanner.word();
  const type = constructorTypes.get(word.toLowerCase());
  if (type && scanner.accept('(') && scanner.peek() === '[') return readConstructor(scanner, type, budget);
  const name = word.toUpperCase().replace(/(?:ZM|Z|M)$/, '');
  if (!wktTypes.includes(name) && name !== 'SRID') {
    const near = closestWord(name, wktTypes);
    const hint = near ? ` Did you mean ${near}?` : ' Write WKT, GeoJSON, or minx,miny,maxx,maxy.';
    scanner.fail(`Unknown geometry "${excerpt(word || first)}"`, start, hint);
  }
  return unbuffered(parseWkt(text, budget));

  function unbuffered(geometry: Geometry): BufferedGeometry {
    assertGeometryWellFormed(geometry);
    return { geometry, buffer: 0 };
  }
}

/**
 * Parses `west,south,east,north` in degrees; west > east crosses the antimeridian. Of six numbers (with heights) the
 * third and sixth are ignored, as OGC 17-069r4, section 7.15.3, allows.
 * @throws ParameterError
 */
export function parseBbox(text: string): Bbox {
  const scanner = new Scanner(text);
  const numbers = [scanner.number()];
  while (scanner.accept(',')) numbers.push(scanner.number());
  scanner.expectEnd();
  return bboxFromNumbers(numbers);
}

/** Like `parseBbox`, for numbers. */
export function bboxFromNumbers(numbers: readonly number[]): Bbox {
  const [west, south, east, north] = numbers.length === 6 ? numbers.filter((_, i) => i % 3 !== 2) : numbers;
  if ((numbers.length !== 4 && numbers.length !== 6) || [west, south, east, north].includes(undefined)) {
    throw new ParameterError(
      `A bounding box has 4 numbers, minx,miny,maxx,maxy (or 6, with heights), not ${numbers.length}.`,
    );
  }
  const box = [west, south, east, north] as unknown as Bbox;
  if (box[1] > box[3])
    throw new ParameterError(`The bounding box's miny ${box[1]} is greater than its maxy ${box[3]}.`);
  return box;
}

/** Reads coordinates, `)`, and an optional `.buffer(degrees)`; the type's name and `(` are consumed already. */
function readConstructor(scanner: Scanner, type: SimpleType, budget: ParseBudget): BufferedGeometry {
  const start = scanner.at;
  const read = (depth: number): unknown[] => {
    // Python's lists or tuples.
    const isTuple = scanner.accept('(');
    if (!isTuple) scanner.expect('[');
    const close = isTuple ? ')' : ']';
    if (depth === 0 && --budget.vertices < 0) scanner.fail('The geometry has too many positions');
    const parts: unknown[] = [];
    do {
      if (scanner.peek() === close) break;
      if (depth === 0) parts.push(scanner.number());
      else parts.push(read(depth - 1));
    } while (scanner.accept(','));
    scanner.expect(close);
    return parts;
  };
  // Polygon([[0,0],[1,0],[1,1]]), of one ring only, means Polygon([[[0,0],[1,0],[1,1]]]).
  const isOneRing = type === 'Polygon' && /^[[(]\s*[[(]\s*[-+.\d]/.test(scanner.text.slice(start));
  const coordinates = isOneRing ? [read(1)] : read(coordinateDepth[type]);
  scanner.expect(')');
  let buffer = 0;
  if (scanner.accept('.')) {
    if (scanner.word() !== 'buffer') scanner.fail('Only .buffer(degrees) can follow a geometry');
    scanner.expect('(');
    buffer = scanner.number();
    if (buffer < 0) scanner.fail('A buffer has no negative distance');
    scanner.expect(')');
  }
  scanner.expectEnd();
  const geometry = closeRings({ type, coordinates } as SimpleGeometry);
  assertGeometryWellFormed(geometry);
  return { geometry, buffer };
}

/** Closes open rings, as the libraries of the older clients do. */
function closeRings(geometry: SimpleGeometry): Geometry {
  const closed = (ring: number[][]) =>
    ring.length > 2 && ring[0] && !samePosition(ring[0], ring.at(-1)) ? [...ring, ring[0]] : ring;
  if (geometry.type === 'Polygon') return { type: geometry.type, coordinates: geometry.coordinates.map(closed) };
  if (geometry.type === 'MultiPolygon') {
    return { type: geometry.type, coordinates: geometry.coordinates.map((polygon) => polygon.map(closed)) };
  }
  return geometry;
}

function parseGeoJson(text: string, budget: ParseBudget): Geometry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ParameterError(`The geometry is not JSON: ${(error as Error).message}.`);
  }
  return validateGeoJson(value, budget);
}

/**
 * Checks that a value is a GeoJSON geometry (RFC 7946, section 3.1), or a feature that has one; returns the geometry.
 * @throws ParameterError
 */
export function validateGeoJson(value: unknown, budget: ParseBudget): Geometry {
  if (typeof value !== 'object' || value === null)
    throw new ParameterError('A GeoJSON geometry is an object with a type.');
  const { type, coordinates, geometries, geometry } = value as Record<string, unknown>;
  if (type === 'Feature') return validateGeoJson(geometry, budget);
  if (type === 'GeometryCollection' && Array.isArray(geometries)) {
    if (budget.depth <= 0) throw new ParameterError('Geometries are nested too deeply.');
    const inner = { vertices: budget.vertices, depth: budget.depth - 1 };
    const parts = geometries.map((part) => validateGeoJson(part, inner));
    budget.vertices = inner.vertices;
    return { type, geometries: parts };
  }
  if (typeof type !== 'string' || !Object.hasOwn(coordinateDepth, type)) {
    const names = [...Object.keys(coordinateDepth), 'GeometryCollection'];
    const near = typeof type === 'string' ? closestWord(type, names) : undefined;
    const found = typeof type === 'string' ? `"${excerpt(type)}"` : 'none';
    throw new ParameterError(`Unknown GeoJSON geometry type ${found}.${near ? ` Did you mean "${near}"?` : ''}`);
  }
  assertCoordinates(coordinates, coordinateDepth[type as SimpleType], type, budget);
  return { type, coordinates } as Geometry;
}

function assertCoordinates(value: unknown, depth: number, type: string, budget: ParseBudget): void {
  if (!Array.isArray(value)) throw new ParameterError(`The coordinates are not those of a ${type}.`);
  if (depth > 0) for (const part of value) assertCoordinates(part, depth - 1, type, budget);
  else if (--budget.vertices < 0) throw new ParameterError('The geometry has too many positions.');
  else if (value.length === 1 || !value.every(Number.isFinite)) {
    const found = value.map((part) => (typeof part === 'number' ? part : typeof part)).join(', ');
    throw new ParameterError(`A position is two numbers or more, not ${found.slice(0, 40) || 'nothing'}.`);
  }
}

/**
 * Checks that lines have at least two positions, rings at least four of which the last is the first, and that no position
 * is empty.
 * @throws ParameterError
 */
export function assertGeometryWellFormed(geometry: Geometry): void {
  switch (geometry.type) {
    case 'GeometryCollection':
      for (const part of geometry.geometries) assertGeometryWellFormed(part);
      break;
    case 'LineString':
      assertLine(geometry.coordinates);
      break;
    case 'MultiLineString':
      geometry.coordinates.forEach(assertLine);
      break;
    case 'Polygon':
      geometry.coordinates.forEach(assertClosedRing);
      break;
    case 'MultiPolygon':
      for (const polygon of geometry.coordinates) polygon.forEach(assertClosedRing);
      break;
    case 'MultiPoint':
      geometry.coordinates.forEach(assertPosition);
      break;
    case 'Point':
      if (geometry.coordinates.length > 0) assertPosition(geometry.coordinates);
  }
}

function assertPosition(position: number[]): void {
  if (position.length < 2) throw new ParameterError('A position is two numbers or more.');
}

function assertLine(line: number[][]): void {
  line.forEach(assertPosition);
  if (line.length === 1) throw new ParameterError('A line needs two positions or more.');
}

function assertClosedRing(ring: number[][]): void {
  ring.forEach(assertPosition);
  if (ring.length === 0) return;
  const [first] = ring;
  if (!first || !samePosition(first, ring.at(-1)))
    throw new ParameterError('A ring of a polygon ends where it begins.');
  if (ring.length < 4) throw new ParameterError('A ring of a polygon needs four positions or more.');
}

const samePosition = (a: number[], b: number[] | undefined) => a[0] === b?.[0] && a[1] === b?.[1];
