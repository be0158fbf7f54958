/** Limits of what GEOS compares at once: it can't be interrupted. */
import { ValidationError } from '../../catalogue/errors.ts';
import { bboxOfGeometry, type PlanarBbox } from '../geometry/bounding-box.ts';
import { Edges, freePairs } from '../geometry/edges.ts';
import { countVertices, type Geometry, isArea, partsOfGeometry } from '../geometry/geometry.ts';
import { countParts, PartsByPlace } from '../geometry/single-parts.ts';
import type { DistanceWithin, SpatialPredicate } from './predicate.ts';

/** The error of a query's geometry, under the name of its parameter. */
export const invalidGeometry = (parameter = 'non_field_errors', message: string) =>
  new ValidationError({ [parameter]: [message] });

/** Positions of an area that is wider than the globe, at most: all pairs of its edges may cross, each with the other a turn further. */
const mostPositionsOfTurns = 100;

/** @throws ValidationError if the areas would overlap their own copies with too many edges */
export function assertFewTurns({ geometry, parameter }: SpatialPredicate | DistanceWithin): void {
  const areas: Geometry = { type: 'GeometryCollection', geometries: partsOfGeometry(geometry).filter(isArea) };
  const [west = 0, , east = 0] = bboxOfGeometry(areas) ?? [];
  if (east - west > 360 && countVertices(areas) > mostPositionsOfTurns)
    throw invalidGeometry(
      parameter,
      `The area is more than 360 degrees wide and has more than ${mostPositionsOfTurns} positions: split it at 180 degrees, or give it fewer.`,
    );
}

/** Positions of one given geometry times those of another, at most: each pair of their edges may cross, and all that do are found at once. */
const mostPairsOfPositions = 10_000;

/** @throws ValidationError if two given geometries have too many positions */
export function assertFewPairs(first: Geometry, second: Geometry, parameter?: string): void {
  if (countVertices(first) * countVertices(second) > mostPairsOfPositions)
    throw invalidGeometry(
      parameter,
      'The two geometries have too many positions to be compared: give one of them fewer.',
    );
}

/** A geometry of so many positions has fewer pairs of edges. */
const fewPositions = Math.sqrt(mostPairsOfPositions);

const tooNear =
  'The geometry and that of a row cross, or come near each other, too often to be compared: give yours fewer positions, or filter for other rows.';

/**
 * A check that a query's geometry and that of a row can be compared in short time. GEOS finds all crossings of their edges at once.
 * @param decide finds a relation by an index of edges, or undefined: it is asked before a row is refused
 * @throws ValidationError if the edges of the query's geometry cross each other too often; the check, if those of both do
 * @returns the check; it returns what was found by the index, or undefined if the geometries can be compared
 */
export function limitOfCrossings(
  geometry: Geometry,
  boxes: readonly PlanarBbox[],
  { parameter, decide }: { parameter?: string | undefined; decide?: (row: Geometry) => boolean | undefined },
): (row: Geometry) => boolean | undefined {
  const positions = countVertices(geometry);
  const query = new Edges(geometry);
  if (positions > fewPositions && query.meetOften(query))
    throw invalidGeometry(parameter, 'The geometry crosses itself too often to be compared: give it fewer positions.');
  const assertFewLines = limitOfLines(geometry, decide !== undefined, parameter);
  return (row) => {
    assertFewLines(row);
    const positionsOfRow = countVertices(row);
    if (positionsOfRow <= fewPositions && positionsOfRow * positions <= mostPairsOfPositions) return undefined;
    const edges = new Edges(row, boxes);
    if (!edges.meetOften(query) && (edges.count <= fewPositions || !edges.meetOften(edges))) return undefined;
    const known = decide?.(row);
    if (known === undefined) throw invalidGeometry(parameter, tooNear);
    return known;
  };
}

/** Pairs of a point or line and another one, at most: two tenths of a second. (Whether lines meet, GEOS finds by an index of their edges.) */
const mostPairsOfParts = 2_500_000;

const tooManyParts =
  'The geometry and that of a row have too many points and lines to be compared: give yours fewer, or filter for other rows.';

/**
 * What GEOS finds in short time: whether a row's geometry meets a query's, or is within a distance of it.
 * @returns the part of a row's geometry that has to be compared; true or false if the boxes of parts decide
 * @throws ValidationError (the function) if many edges or parts come near each other, and hardly any pair decides
 */
export function narrowToNear(
  geometry: Geometry,
  boxes: readonly PlanarBbox[],
  distance: number,
  parameter?: string,
): (row: Geometry) => Geometry | boolean {
  const query = new Edges(geometry);
  const { points, lines } = countParts(geometry);
  const pairsOfPoints = (row: Geometry) => {
    const ofRow = countParts(row);
    return points * (ofRow.points + ofRow.lines) + lines * ofRow.points;
  };
  let byPlace: PartsByPlace | undefined;
  const parts = (row: Geometry) => {
    if (pairsOfPoints(row) <= mostPairsOfParts) return row;
    byPlace ??= new PartsByPlace(geometry);
    const near = byPlace.near(row, distance);
    if (typeof near !== 'boolean' && pairsOfPoints(near) > mostPairsOfParts)
      throw invalidGeometry(parameter, tooManyParts);
    return near;
  };
  return (row) => {
    const near = parts(row);
    if (typeof near === 'boolean' || query.count * countVertices(near) <= freePairs) return near;
    if (new Edges(near, boxes).areSlowToMeet(query, distance)) throw invalidGeometry(parameter, tooNear);
    return near;
  };
}

/**
 * A check that a query's lines and the parts of a row, and the other way round, are compared in short time.
 * @param hasIndex true for a relation for which GEOS finds the edges of areas by an index
 */
function limitOfLines(geometry: Geometry, hasIndex: boolean, parameter?: string): (row: Geometry) => void {
  const { points, lines, areas } = countParts(geometry);
  return (row) => {
    const ofRow = countParts(row);
    // A pair with a point takes a quarter of the time, one with an area a tenth.
    const pairs =
      lines * (ofRow.lines + ofRow.points / 4 + ofRow.areas / 10) +
      (points / 4 + (hasIndex ? 0 : areas / 10)) * ofRow.lines;
    if (pairs > mostPairsOfParts) throw invalidGeometry(parameter, tooManyParts);
  };
}

/** The error of too many points that are near those of a row, but not within the distance. */
export const tooManyPoints = ({ parameter }: DistanceWithin): ValidationError =>
  invalidGeometry(
    parameter,
    'The points and those of a row are too many to be compared: give fewer, or filter for other rows.',
  );
