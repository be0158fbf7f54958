/** Geometries of one batch that are all points of two dimensions: their coordinates, without an object for each. */
import type { Geometry } from '../geometry/geometry.ts';

export class Points {
  /** Coordinates by row; NaN where there is no geometry. */
  readonly x: Float64Array;
  readonly y: Float64Array;

  constructor(x: Float64Array, y: Float64Array) {
    this.x = x;
    this.y = y;
  }

  slice(start: number, end: number): Points {
    return new Points(this.x.subarray(start, end), this.y.subarray(start, end));
  }

  toArray(): (Geometry | null)[] {
    return Array.from(this.x, (x, row) =>
      Number.isNaN(x) ? null : { type: 'Point', coordinates: [x, this.y[row] as number] },
    );
  }
}

/** Collects geometries: as points as long as all of them are, else as objects. */
export class GeometriesBuilder {
  #x: Float64Array;
  #y: Float64Array;
  #length = 0;
  #geometries: (Geometry | null)[] | null = null;

  /** @param expectedRows number of rows for which memory is taken at first */
  constructor(expectedRows = 16) {
    this.#x = new Float64Array(expectedRows);
    this.#y = new Float64Array(expectedRows);
  }

  /** Adds a point of the next row. */
  addPoint(x: number, y: number): void {
    if (this.#geometries) {
      this.#geometries.push({ type: 'Point', coordinates: [x, y] });
      return;
    }
    const row = this.#length++;
    if (row >= this.#x.length) {
      this.#x = grown(this.#x);
      this.#y = grown(this.#y);
    }
    this.#x[row] = x;
    this.#y[row] = y;
  }

  /** Adds the geometry of the next row, as it was read: it may be invalid. */
  add(geometry: Geometry | null): void {
    if (this.#geometries) this.#geometries.push(geometry);
    else if (geometry === null) this.addPoint(Number.NaN, Number.NaN);
    else if (geometry.type === 'Point' && isPlanar(geometry.coordinates))
      this.addPoint(geometry.coordinates[0] as number, geometry.coordinates[1] as number);
    else {
      this.#geometries = (this.take() as Points).toArray();
      this.#geometries.push(geometry);
    }
  }

  /** The geometries. Nothing may be added afterwards. */
  take(): Points | (Geometry | null)[] {
    return this.#geometries ?? new Points(this.#x.subarray(0, this.#length), this.#y.subarray(0, this.#length));
  }
}

const isPlanar = (coordinates: unknown): boolean =>
  Array.isArray(coordinates) &&
  coordinates.length === 2 &&
  coordinates.every((number) => typeof number === 'number' && !Number.isNaN(number));

function grown(numbers: Float64Array): Float64Array {
  const larger = new Float64Array(2 * numbers.length + 16);
  larger.set(numbers);
  return larger;
}
