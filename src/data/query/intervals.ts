/** Relations of instants and intervals (OGC 21-065r2, section 7.8; OWL-Time). */

/** Instants as numbers that compare like them (`parseDateTime`), both ends included; infinite where an end is open. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** An instant is an interval that begins where it ends. */
export const toInterval = (value: number | Interval): Interval =>
  typeof value === 'number' ? { start: value, end: value } : value;

type IntervalRelation = (a: Interval, b: Interval) => boolean;

const isBefore: IntervalRelation = (a, b) => a.end < b.start;
const isDuring: IntervalRelation = (a, b) => a.start > b.start && a.end < b.end;
const doesFinish: IntervalRelation = (a, b) => a.start > b.start && a.end === b.end;
const doesMeet: IntervalRelation = (a, b) => a.end === b.start;
const doesOverlap: IntervalRelation = (a, b) => a.start < b.start && a.end > b.start && a.end < b.end;
const doesStart: IntervalRelation = (a, b) => a.start === b.start && a.end < b.end;
const areDisjoint: IntervalRelation = (a, b) => isBefore(a, b) || isBefore(b, a);

/** Relations by the temporal operators of CQL2. */
export const intervalRelations: Readonly<Record<string, IntervalRelation>> = {
  t_after: (a, b) => isBefore(b, a),
  t_before: isBefore,
  t_disjoint: areDisjoint,
  t_equals: (a, b) => a.start === b.start && a.end === b.end,
  t_intersects: (a, b) => !areDisjoint(a, b),
  t_contains: (a, b) => isDuring(b, a),
  t_during: isDuring,
  t_finishedBy: (a, b) => doesFinish(b, a),
  t_finishes: doesFinish,
  t_meets: doesMeet,
  t_metBy: (a, b) => doesMeet(b, a),
  t_overlappedBy: (a, b) => doesOverlap(b, a),
  t_overlaps: doesOverlap,
  t_startedBy: (a, b) => doesStart(b, a),
  t_starts: doesStart,
};
