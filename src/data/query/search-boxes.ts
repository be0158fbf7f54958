/** Where the rows that a predicate finds can lie: what a spatial index is asked before the predicate itself. */
import { type Box, boxOf, splitBbox, turned, widened } from '../geometry/bounding-box.ts';
import type { DistanceWithin, Predicate, Spatial } from './predicate.ts';

/**
 * Boxes of which one at least has a point in common with the bounding box of every row for which the predicate is
 * true; they may be larger than need be. Each has west <= east.
 * @returns null where nothing can be said (look at every row), [] where no row can be found
 */
export function boundsOf(predicate: Predicate): Box[] | null {
  return bounds(predicate, false);
}

/** @param negated whether the rows wanted are those for which the predicate is false */
function bounds(predicate: Predicate, negated: boolean): Box[] | null {
  switch (predicate.op) {
    case 'and':
    case 'or': {
      const parts = predicate.of.map((part) => bounds(part, negated));
      return (predicate.op === 'and') === negated ? anyOf(parts) : allOf(parts);
    }
    case 'not':
      return bounds(predicate.of, !negated);
    case 'bbox':
      return negated ? null : splitBbox(predicate.bbox);
    case 'dwithin':
      return negated ? null : reach(predicate);
    case 'spatial':
      return (predicate.test === 'disjoint') === negated ? reach(predicate) : null;
    default:
      return null;
  }
}

/** Around the geometry of a spatial predicate, and as far as it reaches; on both sides of the antimeridian. */
export function reach(predicate: Spatial | DistanceWithin): Box[] {
  const box = boxOf(predicate.geometry);
  if (!box) return [];
  if (predicate.op === 'dwithin') return turned(widened(box, predicate.distance, predicate.unit));
  return turned(predicate.buffer ? widened(box, predicate.buffer, 'degree') : box);
}

function anyOf(parts: (Box[] | null)[]): Box[] | null {
  const boxes: Box[] = [];
  for (const part of parts) {
    if (!part) return null;
    boxes.push(...part);
  }
  return boxes;
}

/**
 * The list that covers less. Not what lies in one box of each: a large polygon may meet two boxes and not what they
 * have in common.
 */
function allOf(parts: (Box[] | null)[]): Box[] | null {
  return parts.reduce((best, part) => (part && (!best || area(part) < area(best)) ? part : best), null);
}

const area = (boxes: Box[]) =>
  boxes.reduce((sum, [west, south, east, north]) => sum + (east - west) * (north - south), 0);
