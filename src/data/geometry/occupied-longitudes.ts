/** The longitudes at which geometries lie, and the narrowest box around them: it may cross the antimeridian. */
import { bboxOfGeometry } from './bounding-box.ts';
import type { Bbox, Geometry } from './geometry.ts';

/** A geometry whose box is wider, in degrees, is taken in parts: it may have been cut at the antimeridian. */
const widestPart = 180;

const degreeOf = (longitude: number) => Math.min(359, Math.max(0, Math.floor(longitude + 180)));

/** Which of the 360 degrees of longitude have a geometry. */
export class OccupiedLongitudes {
  readonly #isOccupied = new Uint8Array(360);
  /** The westernmost side of the boxes that begin in a degree, and the easternmost of those that end in it. */
  readonly #west = new Float64Array(360).fill(Infinity);
  readonly #east = new Float64Array(360).fill(-Infinity);
  #free = 360;

  /** Adds a box. @param west at most `east` */
  add(west: number, east: number): void {
    if (this.#free === 0) return;
    const [first, last] = [degreeOf(west), degreeOf(east)];
    if (west < (this.#west[first] as number)) this.#west[first] = west;
    if (east > (this.#east[last] as number)) this.#east[last] = east;
    for (let degree = first; degree <= last; degree++) {
      if (this.#isOccupied[degree] === 1) continue;
      this.#isOccupied[degree] = 1;
      this.#free--;
    }
  }

  /** Adds a geometry, in parts if its box is wide: one that is cut at the antimeridian lies on both sides of it (RFC 7946, section 3.1.9). */
  addGeometry(geometry: Geometry, [west, , east]: Bbox): void {
    if (east - west <= widestPart) this.add(west, east);
    else
      for (const part of partsOf(geometry)) {
        const box = bboxOfGeometry(part);
        if (box) this.add(box[0], box[2]);
      }
  }

  /**
   * The box around all geometries: west > east if that makes it at most half as wide (RFC 7946, section 5.2).
   * @param plain the box with west <= east
   */
  narrowest(plain: Bbox): Bbox {
    const [west, south, east, north] = plain;
    let widest = { gap: 0, west, east };
    let end = Number.NaN;
    for (let degree = 0; degree < 360; degree++) {
      if (this.#isOccupied[degree] === 0) continue;
      if (this.#isOccupied[degree - 1] === 0) {
        const start = this.#west[degree] as number;
        if (start - end > widest.gap) widest = { gap: start - end, west: start, east: end };
      }
      end = this.#east[degree] as number;
    }
    return 360 - widest.gap <= (east - west) / 2 ? [widest.west, south, widest.east, north] : plain;
  }
}

function* partsOf(geometry: Geometry): Generator<Geometry> {
  switch (geometry.type) {
    case 'MultiPoint':
      for (const coordinates of geometry.coordinates) yield { type: 'Point', coordinates };
      break;
    case 'MultiLineString':
      for (const coordinates of geometry.coordinates) yield { type: 'LineString', coordinates };
      break;
    case 'MultiPolygon':
      for (const coordinates of geometry.coordinates) yield { type: 'Polygon', coordinates };
      break;
    case 'GeometryCollection':
      for (const part of geometry.geometries) yield* partsOf(part);
      break;
    default:
      yield geometry;
  }
}
