/**
 * The geometries of a payload during ingestion: their structure is checked, and their positions are converted to longitude
 * and latitude in WGS 84. Positions beyond ±180, ±90 degrees are refused.
 */
import { excerpt } from '../../catalogue/errors.ts';
import { PayloadError } from '../errors.ts';
import { Points } from '../formats/points.ts';
import { countRepair, type PayloadInfo, type RowBatch } from '../formats/types.ts';
import {
  type Conversion,
  convertGeometryToWgs84,
  isWgs84,
  jumpsOverAntimeridian,
  loadCrsConversion,
  normalizeCrsName,
  ogr2ogrLine,
} from '../geometry/crs.ts';
import { type Bbox, type Geometry, type GeometryKind, hasZ } from '../geometry/geometry.ts';
import { OccupiedLongitudes } from '../geometry/occupied-longitudes.ts';
import { countMisdirectedRings } from '../geometry/ring-direction.ts';
import {
  assertLengthsAndCloseRings,
  type Extent,
  emptyExtent,
  InvalidGeometryError,
  isEmptyPoint,
  validateAndMeasureGeometry,
} from '../geometry/validate.ts';
import type { ChunkKind } from '../table/column-chunk.ts';
import { encodeGeometryChunk, encodePoints } from '../table/geometry-chunk.ts';

/** Encodes the geometries of a row group for the columnar copy. */
type EncodeGeometries = () => { readonly kind: ChunkKind; readonly bytes: Buffer[] };

/** Degrees beyond ±180, ±90 that are taken for a rounding error. */
const tolerance = 1e-6;

const isOutside = ([west, south, east, north]: Extent) =>
  west < -180 - tolerance || east > 180 + tolerance || south < -90 - tolerance || north > 90 + tolerance;

export class GeometryReader {
  readonly #info: PayloadInfo;
  readonly #conversions = new Map<string, Conversion>();
  readonly #kinds = new Set<GeometryKind>();
  readonly #locatedKinds = new Set<GeometryKind>();
  readonly #extent: Extent = emptyExtent();
  readonly #longitudes = new OccupiedLongitudes();
  /** Extent of projected coordinates before their conversion. */
  readonly #unconverted: Extent = emptyExtent();
  readonly #crs = new Set<string>();
  #outside: PayloadError | undefined;
  /** True if the payload has geometries, even if all are null. */
  isPresent = false;
  /** True if points without a position became null. */
  hasEmptyPoints = false;
  /** Number of rows with a geometry. */
  count = 0;

  constructor(info: PayloadInfo) {
    this.#info = info;
  }

  get kinds(): readonly GeometryKind[] {
    return [...this.#kinds].sort();
  }

  /** Those of geometries that have a position: an empty polygon says nothing of what the rows are. */
  get locatedKinds(): readonly GeometryKind[] {
    return [...this.#locatedKinds].sort();
  }

  /** The extent of all geometries, west <= east; null if there are no positions. */
  get extent(): Extent | null {
    return this.#extent[0] <= this.#extent[2] ? this.#extent : null;
  }

  /** The box around all geometries, which may cross the antimeridian (west > east); null if there are no positions. */
  get bbox(): Bbox | null {
    return this.extent && this.#longitudes.narrowest(this.extent);
  }

  /** The reference systems from which geometries were converted, comma-separated; null if there are none. */
  get crs(): string | null {
    return this.#crs.size > 0 ? [...this.#crs].join(', ') : null;
  }

  /**
   * Reads the geometries of a row group.
   * @throws PayloadError if a geometry is invalid, or its reference system is unknown
   */
  async read(batch: RowBatch, start: number, end: number): Promise<EncodeGeometries> {
    const rows = end - start;
    const given = (batch.geometries ?? []).slice(start, end);
    if (given instanceof Points && this.#readPoints(given, batch, start)) return () => encodePoints(given);
    const geometries = given instanceof Points ? given.toArray() : given;
    const boxes = new Float64Array(4 * rows).fill(Number.NaN);
    const dimensions = new Uint8Array(rows);
    for (let row = 0; row < rows; row++) {
      let geometry = geometries[row] ?? null;
      if (!geometry) continue;
      if (isEmptyPoint(geometry)) {
        geometries[row] = null;
        this.hasEmptyPoints = true;
        continue;
      }
      let box = emptyExtent();
      try {
        dimensions[row] = Math.min(validateAndMeasureGeometry(geometry, box), 255);
        for (let closed = assertLengthsAndCloseRings(geometry); closed > 0; closed--)
          countRepair(this.#info, 'unclosed_rings', batch.errorAt(start + row, '').line);
      } catch (error) {
        if (error instanceof InvalidGeometryError) throw batch.errorAt(start + row, error.message);
        throw error;
      }
      const own = batch.crs?.[start + row];
      const crs = own ?? this.#info.crs ?? this.#info.reading.crs;
      if (crs !== undefined && !isWgs84(crs)) {
        const conversion = await this.#conversionFrom(crs, (reason) =>
          own === undefined ? new PayloadError(reason) : batch.errorAt(start + row, reason),
        );
        if (!conversion.isGeographic) extend(this.#unconverted, box);
        const converted = convertGeometryToWgs84(geometry, conversion);
        if (!converted)
          throw batch.errorAt(
            start + row,
            `the position ${box[0]} ${box[1]} does not exist in ${normalizeCrsName(crs)}`,
          );
        if (jumpsOverAntimeridian(geometry, converted, conversion))
          throw batch.errorAt(
            start + row,
            `the geometry crosses the antimeridian, or surrounds a pole, after conversion from ${normalizeCrsName(crs)}. ` +
              `Convert the file with GDAL, which cuts it there: ${ogr2ogrLine(crs)}`,
          );
        geometry = converted;
        geometries[row] = geometry;
        box = emptyExtent();
        validateAndMeasureGeometry(geometry, box);
      }
      this.#countMisdirectedRings(geometry, batch, start + row);
      if (isOutside(box)) this.#outside ??= batch.errorAt(start + row, outsideMessage(box, crs));
      this.count++;
      const isZ = (dimensions[row] as number) > 2 || (dimensions[row] === 0 && hasZ(geometry));
      const kind: GeometryKind = isZ ? `${geometry.type} Z` : geometry.type;
      this.#kinds.add(kind);
      if (box[0] > box[2]) continue;
      this.#locatedKinds.add(kind);
      boxes.set(box, 4 * row);
      extend(this.#extent, box);
      this.#longitudes.addGeometry(geometry, box);
    }
    return () => encodeGeometryChunk({ rows, geometries, boxes, dimensions });
  }

  #countMisdirectedRings(geometry: Geometry, batch: RowBatch, row: number): void {
    const count = countMisdirectedRings(geometry);
    if (count === 0) return;
    this.#info.misdirectedRings ??= { count: 0, line: batch.errorAt(row, '').line };
    this.#info.misdirectedRings.count += count;
  }

  /** Reads points that need no conversion. @returns false if they do, or there are none; nothing has changed then */
  #readPoints({ x, y }: Points, batch: RowBatch, start: number): boolean {
    const crs = this.#info.crs ?? this.#info.reading.crs;
    if (batch.crs !== undefined || (crs !== undefined && !isWgs84(crs))) return false;
    const extent = this.#extent;
    let count = 0;
    for (let row = 0; row < x.length; row++) {
      const [east, north] = [x[row] as number, y[row] as number];
      if (Number.isNaN(east)) continue;
      count++;
      if (Math.abs(east) > 180 + tolerance || Math.abs(north) > 90 + tolerance)
        this.#outside ??= batch.errorAt(start + row, outsideMessage([east, north, east, north], crs));
      if (east < extent[0]) extent[0] = east;
      if (north < extent[1]) extent[1] = north;
      if (east > extent[2]) extent[2] = east;
      if (north > extent[3]) extent[3] = north;
      this.#longitudes.add(east, east);
    }
    if (count === 0) return false;
    this.#kinds.add('Point');
    this.#locatedKinds.add('Point');
    this.count += count;
    return true;
  }

  /**
   * Called after the last row.
   * @throws PayloadError if a position is outside of ±180, ±90, or projected coordinates turn out to be degrees
   */
  end(): void {
    if (this.#outside) throw this.#outside;
    const { crs } = this.#info.reading;
    if (crs === undefined || this.#info.crs !== undefined || this.#unconverted[0] > this.#unconverted[2]) return;
    if (isOutside(this.#unconverted)) return;
    throw new PayloadError(
      `the coordinates are degrees and not ${normalizeCrsName(crs)}: they are within ±180, ±90. Leave the option out; if the ` +
        'dataset remembers it, forget it with --crs ""',
    );
  }

  /** @param errorOf the error for a system that is unknown */
  async #conversionFrom(name: string, errorOf: (reason: string) => PayloadError): Promise<Conversion> {
    const known = this.#conversions.get(name);
    if (known) return known;
    const crs = normalizeCrsName(name);
    const conversion = await loadCrsConversion(name);
    if (!conversion) {
      throw errorOf(
        `the coordinate reference system ${excerpt(crs)} is not one of those that can be converted. Convert the file: ${ogr2ogrLine(name)}`,
      );
    }
    this.#conversions.set(name, conversion);
    this.#crs.add(crs);
    return conversion;
  }
}

function extend(total: Extent, box: Extent): void {
  if (box[0] < total[0]) total[0] = box[0];
  if (box[1] < total[1]) total[1] = box[1];
  if (box[2] > total[2]) total[2] = box[2];
  if (box[3] > total[3]) total[3] = box[3];
}

function outsideMessage([west, south, east, north]: Extent, crs: string | undefined): string {
  const corner = [Math.abs(west) > 180 ? west : east, Math.abs(south) > 90 ? south : north].join(' ');
  const place = `the position ${corner} is outside of ±180, ±90 degrees`;
  if (crs !== undefined && !isWgs84(crs)) return `${place} after conversion from ${normalizeCrsName(crs)}`;
  if (Math.max(-south, north) <= 90 && Math.max(-west, east) <= 360) {
    return `${place}. Convert the file: ogr2ogr -wrapdateline -t_srs EPSG:4326 converted.geojson FILE`;
  }
  return (
    `${place}. If the coordinates are in another reference system, name it, as in --crs EPSG:25833, ` +
    `or convert the file: ${ogr2ogrLine()}`
  );
}
