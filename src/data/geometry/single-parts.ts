/**
 * The points, lines and areas that a geometry consists of. GEOS compares each point and line of one geometry with all of another: some
 * tens of nanoseconds a pair, by no index.
 */
import Flatbush from 'flatbush';
import { bboxOfGeometry, type PlanarBbox, widthOfBoth } from './bounding-box.ts';
import { type Geometry, isArea, partsOfGeometry, type SimpleGeometry } from './geometry.ts';

/** Numbers of points, lines and areas. */
export function countParts(geometry: Geometry): Readonly<Record<'points' | 'lines' | 'areas', number>> {
  const counts = { points: 0, lines: 0, areas: 0 };
  for (const part of partsOfGeometry(geometry)) {
    const count = part.type.startsWith('Multi') ? part.coordinates.length : 1;
    if (isArea(part)) counts.areas += count;
    else counts[part.type.endsWith('Point') ? 'points' : 'lines'] += count;
  }
  return counts;
}

/** The points, lines and polygons of a geometry. */
function singleParts(geometry: Geometry): readonly SimpleGeometry[] {
  return partsOfGeometry(geometry).flatMap((part) => {
    if (!part.type.startsWith('Multi')) return [part];
    const type = part.type.slice('Multi'.length);
    return (part.coordinates as readonly unknown[]).map((coordinates) => ({ type, coordinates }) as SimpleGeometry);
  });
}

/** Pairs of boxes that are looked at, at most; the parts that remain count as near. */
const mostPairs = 2_000_000;

/** A geometry whose parts are found by where they are. */
export class PartsByPlace {
  readonly #boxes: readonly PlanarBbox[];
  readonly #index: Flatbush;

  constructor(geometry: Geometry) {
    this.#boxes = singleParts(geometry)
      .map(bboxOfGeometry)
      .filter((box) => box !== null);
    this.#index = new Flatbush(this.#boxes.length);
    for (const box of this.#boxes) this.#index.add(...box);
    this.#index.finish();
  }

  /**
   * The points and lines of another geometry whose boxes are within a distance of a part's box, and all of its areas; false if it has
   * neither, true if one of them is surely within the distance.
   */
  near(geometry: Geometry, distance: number): Geometry | boolean {
    let pairs = 0;
    let isSure = false;
    const isNear = (part: SimpleGeometry): boolean => {
      const box = bboxOfGeometry(part);
      if (box === null || pairs >= mostPairs) return box !== null;
      const before = pairs;
      const [west, south, east, north] = box;
      this.#index.search(west - distance, south - distance, east + distance, north + distance, (other) => {
        pairs++;
        const width = widthOfBoth(box, this.#boxes[other] as PlanarBbox);
        if (width < distance || width === 0) isSure = true;
        return false;
      });
      return pairs > before;
    };
    const geometries: Geometry[] = [];
    for (const part of partsOfGeometry(geometry))
      if (isArea(part)) geometries.push(part);
      else
        for (const single of singleParts(part)) {
          if (isNear(single)) geometries.push(single);
          if (isSure) return true;
        }
    return geometries.length > 0 && { type: 'GeometryCollection', geometries };
  }
}
