/** The exact shapes of large rows, kept while many tiles are drawn: reading one again for each tile would take most of the time. */
import { bboxToGeometry, type PlanarBbox } from '../geometry/bounding-box.ts';
import { countVertices, type Geometry } from '../geometry/geometry.ts';
import { type Geos, PreparedGeometry, testWithGeosGeometry } from '../geometry/geos.ts';

/** Fewest vertices of a shape that is kept, and most of all together: each takes some 100 bytes. */
const fewest = 500;
const most = 1_000_000;

/** Tests whether a shape has a point in common with a box; null where GEOS fails. */
export type BoxTest = (box: PlanarBbox) => boolean | null;

interface KeptShape {
  readonly vertices: number;
  readonly test: BoxTest;
}

export class LargeShapes {
  readonly #shapes = new Map<number, KeptShape>();
  #vertices = 0;

  /** The test of a row whose shape is kept. */
  get(row: number): BoxTest | undefined {
    const kept = this.#shapes.get(row);
    if (!kept) return undefined;
    this.#shapes.delete(row);
    this.#shapes.set(row, kept);
    return kept.test;
  }

  /** Keeps a shape if it is large, and returns its test. The shapes that were used least recently are dropped. */
  add(geos: Geos, row: number, geometry: Geometry): BoxTest | undefined {
    const vertices = countVertices(geometry);
    if (vertices < fewest || vertices > most) return undefined;
    const prepared = new PreparedGeometry(geos, geometry);
    if (!prepared.isReadable) return undefined;
    const test: BoxTest = (box) => {
      const area = bboxToGeometry(box);
      const intersects = testWithGeosGeometry(geos, area, (pointer) =>
        geos.GEOSPreparedIntersects(prepared.pointer, pointer),
      );
      if (intersects !== null) return intersects;
      // As for a shape that isn't kept: one on which the test fails is repaired.
      const preparedArea = new PreparedGeometry(geos, area);
      return testWithGeosGeometry(geos, geometry, (pointer) =>
        geos.GEOSPreparedIntersects(preparedArea.pointer, pointer),
      );
    };
    for (const [oldest, kept] of this.#shapes) {
      if (this.#vertices + vertices <= most) break;
      this.#shapes.delete(oldest);
      this.#vertices -= kept.vertices;
    }
    this.#shapes.set(row, { vertices, test });
    this.#vertices += vertices;
    return test;
  }
}
