/**
 * Spatial predicates, exactly, in the plane of longitude and latitude. The row's bounding box decides where it can,
 * and its geometry is read only where it can't.
 *
 * Of no geometry (null) everything is unknown; an empty geometry is disjoint from all and nothing else. A query that
 * reaches beyond 180 degrees is asked a turn around the earth away as well. One limit: `contains` of a query that
 * crosses the antimeridian in one piece doesn't find a feature that was cut there; cut the query too (a bounding box
 * with west > east is).
 */
import { ValidationError } from '../../catalogue/errors.ts';
import { type Box, bboxGeometry, boxOf, lies, splitBbox, touches, turns, widened } from '../geometry/bounding-box.ts';
import { geodesicJudge } from '../geometry/geodesic.ts';
import { type Bbox, type Geometry, moved, together } from '../geometry/geometry.ts';
import { ask, type Geos, invalidity, loadGeos, Prepared, verdict } from '../geometry/geos.ts';
import type { Row } from '../row.ts';
import type { DistanceWithin, InBbox, Spatial } from './predicate.ts';
import { reach } from './search-boxes.ts';

/** null: unknown. */
export type Verdict = boolean | null;
export type RowJudge = (row: Row) => Verdict;
export type SpatialJudge = (predicate: Spatial | DistanceWithin | InBbox) => RowJudge;

/** How to judge a geometry that is near: its bounding box touches one of the boxes. */
interface Near {
  readonly boxes: readonly Box[];
  /** What holds for every other. */
  readonly elsewhere: boolean;
  /** From the bounding box alone; undefined where that can't tell. */
  byBox?(bbox: Bbox): Verdict | undefined;
  exactly(geometry: Geometry): Verdict;
}

/**
 * What makes judges; loads GEOS the first time.
 * The judges throw ValidationError when made of a geometry that isn't valid, under its parameter's name.
 */
export async function loadSpatial(): Promise<SpatialJudge> {
  const geos = await loadGeos();
  return (predicate) => {
    if (predicate.op === 'bbox') return judge(bboxNear(geos, predicate.bbox));
    const box = boxOf(predicate.geometry);
    if (box === null) return judge(nowhere(predicate));
    refuseInvalid(geos, predicate);
    if (predicate.op === 'spatial') {
      return judge(predicate.buffer ? circleNear(predicate, box, predicate.buffer) : spatialNear(geos, predicate, box));
    }
    if (predicate.unit === 'degree') return judge(degreesNear(geos, predicate, box));
    return judge({ boxes: reach(predicate), elsewhere: false, ...geodesicJudge(geos, predicate) });
  };
}

function judge(near: Near): RowJudge {
  const { boxes, elsewhere } = near;
  return (row) => {
    const bbox = row.bbox();
    if (bbox === null) return row.geometry() === null ? null : elsewhere;
    if (!boxes.some((box) => touches(bbox, box))) return elsewhere;
    const known = near.byBox?.(bbox);
    if (known !== undefined) return known;
    const geometry = row.geometry();
    return geometry === null ? null : near.exactly(geometry);
  };
}

/** @throws ValidationError where what the geometry covers is ambiguous, such as a ring that crosses itself */
function refuseInvalid(geos: Geos, { geometry, parameter }: Spatial | DistanceWithin): void {
  const reason = invalidity(geos, geometry);
  if (reason !== null) {
    throw new ValidationError({ [parameter ?? 'non_field_errors']: [`The geometry is not valid: ${reason}.`] });
  }
}

const isPoint = (bbox: Bbox) => bbox[0] === bbox[2] && bbox[1] === bbox[3];

function nowhere(predicate: Spatial | DistanceWithin): Near {
  const disjoint = predicate.op === 'spatial' && predicate.test === 'disjoint';
  return { boxes: [], elsewhere: disjoint, exactly: () => disjoint };
}

function bboxNear(geos: Geos, bbox: Bbox): Near {
  const boxes = splitBbox(bbox);
  const areas = bbox[0] > bbox[2] ? [bboxGeometry(bbox)] : boxes.map(bboxGeometry);
  const area = new Prepared(geos, together(areas));
  return {
    boxes,
    elsewhere: false,
    byBox: (found) => (boxes.some((box) => lies(found, box)) ? true : undefined),
    exactly: (geometry) => ask(geos, geometry, (pointer) => geos.GEOSPreparedIntersects(area.prepared, pointer)),
  };
}

/** The geometry, and copies of it a turn away where a box around it reaches beyond 180 degrees. */
function copies(geometry: Geometry, box: Box): Geometry[] {
  return turns(box).map((turn) => (turn === 0 ? geometry : moved(geometry, (x, y) => [x + turn, y])));
}

function spatialNear(geos: Geos, predicate: Spatial, around: Box): Near {
  const boxes = reach(predicate);
  const all = copies(predicate.geometry, around);
  if (predicate.test === 'contains') {
    const each = all.map((copy) => new Prepared(geos, copy));
    return {
      boxes,
      elsewhere: false,
      byBox: (bbox) => (bbox[0] > bbox[2] || boxes.some((box) => lies(box, bbox)) ? undefined : false),
      exactly: (geometry) =>
        each.some((one) => ask(geos, geometry, (pointer) => geos.GEOSPreparedWithin(one.prepared, pointer))),
    };
  }
  const query = new Prepared(geos, together(all));
  if (predicate.test === 'within') {
    return {
      boxes,
      elsewhere: false,
      byBox: (bbox) => {
        if (isPoint(bbox)) return verdict(geos.GEOSPreparedContainsXY(query.prepared, bbox[0], bbox[1]));
        return boxes.length > 1 || bbox[0] > bbox[2] || lies(bbox, around) ? undefined : false;
      },
      exactly: (geometry) => ask(geos, geometry, (pointer) => geos.GEOSPreparedContains(query.prepared, pointer)),
    };
  }
  const disjoint = predicate.test === 'disjoint';
  const turn = (met: Verdict) => (met === null ? null : met !== disjoint);
  return {
    boxes,
    elsewhere: disjoint,
    byBox: (bbox) =>
      isPoint(bbox) ? turn(verdict(geos.GEOSPreparedIntersectsXY(query.prepared, bbox[0], bbox[1]))) : undefined,
    exactly: (geometry) => turn(ask(geos, geometry, (pointer) => geos.GEOSPreparedIntersects(query.prepared, pointer))),
  };
}

function degreesNear(geos: Geos, predicate: DistanceWithin, box: Box): Near {
  const { geometry: wanted, distance } = predicate;
  const query = new Prepared(geos, together(copies(wanted, widened(box, distance, 'degree'))));
  const test = (pointer: number) => geos.GEOSPreparedDistanceWithin(query.prepared, pointer, distance);
  return {
    boxes: reach(predicate),
    elsewhere: false,
    byBox: (bbox) => {
      if (!isPoint(bbox)) return undefined;
      const point = geos.GEOSGeom_createPointFromXY(bbox[0], bbox[1]);
      try {
        return verdict(test(point));
      } finally {
        geos.GEOSGeom_destroy(point);
      }
    },
    exactly: (geometry) => ask(geos, geometry, test),
  };
}

/**
 * Within a circle of degrees around a point: no position is farther away (a disc is convex, so what lies between two
 * positions in it is in it too); points on the very rim touch it from outside.
 */
function circleNear(predicate: Spatial, point: Box, radius: number): Near {
  const centres = turns(widened(point, radius, 'degree')).map((turn) => point[0] + turn);
  const distances = (geometry: Geometry, x: number): number[] => {
    const found: number[] = [];
    moved(geometry, (px, py) => {
      found.push(Math.sqrt((px - x) ** 2 + (py - point[1]) ** 2));
      return [];
    });
    return found;
  };
  return {
    boxes: reach(predicate),
    elsewhere: false,
    exactly: (geometry) =>
      centres.some((x) => {
        const all = distances(geometry, x);
        const onlyPoints = geometry.type === 'Point' || geometry.type === 'MultiPoint';
        return all.every((d) => d <= radius) && (!onlyPoints || all.some((d) => d < radius));
      }),
  };
}
