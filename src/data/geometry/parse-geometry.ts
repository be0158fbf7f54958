/**
 * The spellings of a geometry in a parameter: WKT, GeoJSON, `minx,miny,maxx,maxy`, and the expression that older
 * clients send, `Point([-66.1,18.4]).buffer(0.05)`. A closed grammar: nothing is ever evaluated.
 */
import { closest } from '../../catalogue/closest.ts';
import { TextError } from '../errors.ts';
import { type Budget, Scanner } from '../scanner.ts';
import { bboxGeometry } from './bounding-box.ts';
import { type Bbox, type Geometry, nesting } from './geometry.ts';
import { parseWkt, wktTypes } from './wkt.ts';

export { toWkt } from './wkt.ts';

/** A geometry, and how many degrees around it are meant as well. */
export interface QueryGeometry {
  readonly geometry: Geometry;
  readonly buffer: number;
}

type SimpleType = keyof typeof nesting;
type Simple = Exclude<Geometry, { type: 'GeometryCollection' }>;

const expressionTypes: ReadonlyMap<string, SimpleType> = new Map(
  (Object.keys(nesting) as SimpleType[]).map((type) => [type.toLowerCase(), type]),
);

/**
 * Reads a geometry of any spelling. Coordinates are longitude, latitude in degrees (WGS 84).
 * @throws TextError that says what is wrong and where
 */
export function parseGeometry(text: string, budget: Budget = { vertices: Infinity, depth: 8 }): QueryGeometry {
  const scanner = new Scanner(text);
  const first = scanner.peek();
  if (first === '') scanner.fail('Expected a geometry but found nothing');
  if (first === '{') return plain(parseGeoJson(text, budget));
  if (/[-+.\d]/.test(first)) return plain(bboxGeometry(parseBbox(text)));
  const start = scanner.at;
  const word = scanner.word();
  const type = expressionTypes.get(word.toLowerCase());
  if (type && scanner.take('(') && scanner.peek() === '[') return readExpression(scanner, type, budget);
  const name = word.toUpperCase().replace(/(?:ZM|Z|M)$/, '');
  if (!wktTypes.includes(name) && name !== 'SRID') {
    const near = closest(name, wktTypes);
    const hint = near ? ` Did you mean ${near}?` : ' Write WKT, GeoJSON, or minx,miny,maxx,maxy.';
    scanner.fail(`Unknown geometry "${word || first}"`, start, hint);
  }
  return plain(parseWkt(text, budget));

  function plain(geometry: Geometry): QueryGeometry {
    checkShape(geometry);
    return { geometry, buffer: 0 };
  }
}

/**
 * `west,south,east,north` in degrees; west > east crosses the antimeridian. Of six numbers (with heights) the third
 * and sixth are left aside, as OGC 17-069r4, section 7.15.3, allows.
 * @throws TextError
 */
export function parseBbox(text: string): Bbox {
  const scanner = new Scanner(text);
  const numbers = [scanner.number()];
  while (scanner.take(',')) numbers.push(scanner.number());
  scanner.end();
  return toBbox(numbers);
}

/** The same of numbers that were read already. */
export function toBbox(numbers: readonly number[]): Bbox {
  const [west, south, east, north] = numbers.length === 6 ? numbers.filter((_, i) => i % 3 !== 2) : numbers;
  if ((numbers.length !== 4 && numbers.length !== 6) || [west, south, east, north].includes(undefined)) {
    throw new TextError(
      `A bounding box has 4 numbers, minx,miny,maxx,maxy (or 6, with heights), not ${numbers.length}.`,
    );
  }
  const box = [west, south, east, north] as unknown as Bbox;
  if (box[1] > box[3]) throw new TextError(`The bounding box's miny ${box[1]} is greater than its maxy ${box[3]}.`);
  return box;
}

/** `(` coordinates `)`, and perhaps `.buffer(degrees)`; the type's name and `(` are read already. */
function readExpression(scanner: Scanner, type: SimpleType, budget: Budget): QueryGeometry {
  const start = scanner.at;
  const read = (levels: number): unknown[] => {
    // Lists or tuples, as Python writes them.
    const tuple = scanner.take('(');
    if (!tuple) scanner.expect('[');
    const close = tuple ? ')' : ']';
    if (levels === 0 && --budget.vertices < 0) scanner.fail('The geometry has too many positions');
    const parts: unknown[] = [];
    do {
      if (scanner.peek() === close) break;
      if (levels === 0) parts.push(scanner.number());
      else parts.push(read(levels - 1));
    } while (scanner.take(','));
    scanner.expect(close);
    return parts;
  };
  // Polygon([[0,0],[1,0],[1,1]]), its ring alone, is as good as Polygon([[[0,0],[1,0],[1,1]]]).
  const ringAlone = type === 'Polygon' && /^[[(]\s*[[(]\s*[-+.\d]/.test(scanner.text.slice(start));
  const coordinates = ringAlone ? [read(1)] : read(nesting[type]);
  scanner.expect(')');
  let buffer = 0;
  if (scanner.take('.')) {
    if (scanner.word() !== 'buffer') scanner.fail('Only .buffer(degrees) can follow a geometry');
    scanner.expect('(');
    buffer = scanner.number();
    if (buffer < 0) scanner.fail('A buffer has no negative distance');
    scanner.expect(')');
  }
  scanner.end();
  const geometry = closeRings({ type, coordinates } as Simple);
  checkShape(geometry);
  return { geometry, buffer };
}

/** The libraries of the older clients close rings by themselves. */
function closeRings(geometry: Simple): Geometry {
  const closed = (ring: number[][]) =>
    ring.length > 2 && ring[0] && !samePlace(ring[0], ring.at(-1)) ? [...ring, ring[0]] : ring;
  if (geometry.type === 'Polygon') return { type: geometry.type, coordinates: geometry.coordinates.map(closed) };
  if (geometry.type === 'MultiPolygon') {
    return { type: geometry.type, coordinates: geometry.coordinates.map((polygon) => polygon.map(closed)) };
  }
  return geometry;
}

function parseGeoJson(text: string, budget: Budget): Geometry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TextError(`The geometry is not JSON: ${(error as Error).message}.`);
  }
  return fromGeoJson(value, budget);
}

/**
 * Makes sure that a value is a GeoJSON geometry (RFC 7946, section 3.1), or a feature that has one.
 * @throws TextError
 */
export function fromGeoJson(value: unknown, budget: Budget): Geometry {
  if (typeof value !== 'object' || value === null) throw new TextError('A GeoJSON geometry is an object with a type.');
  const { type, coordinates, geometries, geometry } = value as Record<string, unknown>;
  if (type === 'Feature') return fromGeoJson(geometry, budget);
  if (type === 'GeometryCollection' && Array.isArray(geometries)) {
    if (budget.depth <= 0) throw new TextError('Geometries are nested too deeply.');
    const inner = { vertices: budget.vertices, depth: budget.depth - 1 };
    const parts = geometries.map((part) => fromGeoJson(part, inner));
    budget.vertices = inner.vertices;
    return { type, geometries: parts };
  }
  if (typeof type !== 'string' || !Object.hasOwn(nesting, type)) {
    const names = [...Object.keys(nesting), 'GeometryCollection'];
    const near = typeof type === 'string' ? closest(type, names) : undefined;
    const found = typeof type === 'string' ? `"${type}"` : 'none';
    throw new TextError(`Unknown GeoJSON geometry type ${found}.${near ? ` Did you mean "${near}"?` : ''}`);
  }
  checkCoordinates(coordinates, nesting[type as SimpleType], type, budget);
  return { type, coordinates } as Geometry;
}

function checkCoordinates(value: unknown, levels: number, type: string, budget: Budget): void {
  if (!Array.isArray(value)) throw new TextError(`The coordinates are not those of a ${type}.`);
  if (levels > 0) for (const part of value) checkCoordinates(part, levels - 1, type, budget);
  else if (--budget.vertices < 0) throw new TextError('The geometry has too many positions.');
  else if (value.length === 1 || !value.every(Number.isFinite)) {
    const found = value.map((part) => (typeof part === 'number' ? part : typeof part)).join(', ');
    throw new TextError(`A position is two numbers or more, not ${found.slice(0, 40) || 'nothing'}.`);
  }
}

/**
 * A line has two positions at least, a ring four with the last like the first, and no position in a list is empty.
 * @throws TextError
 */
export function checkShape(geometry: Geometry): void {
  switch (geometry.type) {
    case 'GeometryCollection':
      for (const part of geometry.geometries) checkShape(part);
      break;
    case 'LineString':
      checkLine(geometry.coordinates);
      break;
    case 'MultiLineString':
      geometry.coordinates.forEach(checkLine);
      break;
    case 'Polygon':
      geometry.coordinates.forEach(checkRing);
      break;
    case 'MultiPolygon':
      for (const polygon of geometry.coordinates) polygon.forEach(checkRing);
      break;
    case 'MultiPoint':
      geometry.coordinates.forEach(checkPosition);
      break;
    case 'Point':
      if (geometry.coordinates.length > 0) checkPosition(geometry.coordinates);
  }
}

function checkPosition(position: number[]): void {
  if (position.length < 2) throw new TextError('A position is two numbers or more.');
}

function checkLine(line: number[][]): void {
  line.forEach(checkPosition);
  if (line.length === 1) throw new TextError('A line needs two positions or more.');
}

function checkRing(ring: number[][]): void {
  ring.forEach(checkPosition);
  if (ring.length === 0) return;
  const [first] = ring;
  if (!first || !samePlace(first, ring.at(-1))) throw new TextError('A ring of a polygon ends where it begins.');
  if (ring.length < 4) throw new TextError('A ring of a polygon needs four positions or more.');
}

const samePlace = (a: number[], b: number[] | undefined) => a[0] === b?.[0] && a[1] === b?.[1];
