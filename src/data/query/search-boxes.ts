/** Bounding boxes that a spatial index is searched for before the predicate itself is tested. */
import {
  bboxOfGeometry,
  bboxWithWrappedCopies,
  expandBboxByDistance,
  type PlanarBbox,
  splitAtAntimeridian,
} from '../geometry/bounding-box.ts';
import type { DistanceWithin, Predicate, SpatialPredicate } from './predicate.ts';

/**
 * Boxes such that the bounding box of every matching row intersects at least one of them; they may be larger than
 * necessary.
 * @returns null if every row has to be tested, [] if no row can match
 */
export function boxesToSearch(predicate: Predicate): PlanarBbox[] | null {
  return nodeBoxes(predicate, false);
}

/** @param negated true for the rows for which the predicate is false */
function nodeBoxes(predicate: Predicate, negated: boolean): PlanarBbox[] | null {
  switch (predicate.op) {
    case 'and':
    case 'or': {
      const parts = predicate.of.map((part) => nodeBoxes(part, negated));
      return (predicate.op === 'and') === negated ? unionBoxes(parts) : smallestBoxes(parts);
    }
    case 'not':
      return nodeBoxes(predicate.of, !negated);
    case 'bbox':
      return negated ? null : splitAtAntimeridian(predicate.bbox);
    case 'dwithin':
      return negated ? null : boxesAroundPredicate(predicate);
    case 'spatial':
      return (predicate.test === 'disjoint') === negated ? boxesAroundPredicate(predicate) : null;
    default:
      return null;
  }
}

/** Boxes around a spatial predicate's geometry, with its buffer or distance, on both sides of the antimeridian. */
export function boxesAroundPredicate(predicate: SpatialPredicate | DistanceWithin): PlanarBbox[] {
  const box = bboxOfGeometry(predicate.geometry);
  if (!box) return [];
  if (predicate.op === 'dwithin')
    return bboxWithWrappedCopies(expandBboxByDistance(box, predicate.distance, predicate.unit));
  return bboxWithWrappedCopies(predicate.buffer ? expandBboxByDistance(box, predicate.buffer, 'degree') : box);
}

function unionBoxes(parts: (PlanarBbox[] | null)[]): PlanarBbox[] | null {
  const boxes: PlanarBbox[] = [];
  for (const part of parts) {
    if (!part) return null;
    boxes.push(...part);
  }
  return boxes;
}

/**
 * The list that covers the smallest area. Not the intersections of the boxes: a large polygon may intersect two boxes and
 * not their intersection.
 */
function smallestBoxes(parts: (PlanarBbox[] | null)[]): PlanarBbox[] | null {
  return parts.reduce((best, part) => (part && (!best || area(part) < area(best)) ? part : best), null);
}

const area = (boxes: PlanarBbox[]) =>
  boxes.reduce((sum, [west, south, east, north]) => sum + (east - west) * (north - south), 0);
