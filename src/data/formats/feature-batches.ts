/** Batches of rows from the features of a format that is not JSON: Shapefile, GeoPackage, FlatGeobuf, KML, GPX. */
import { PayloadError } from '../errors.ts';
import type { Geometry } from '../geometry/geometry.ts';
import { InvalidGeometryError, isEmptyPoint } from '../geometry/validate.ts';
import { JsonBatchBuilder } from './json/batch-builder.ts';
import type { RowBatch } from './types.ts';

/** A feature as a reader returns it. Members of `properties` are columns; those that are missing are null. */
export interface ReadFeature {
  readonly geometry: Geometry | null;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly id?: string | number | undefined;
  /** Bytes that it was read from. */
  readonly bytes: number;
}

/**
 * @param features in their order; several at a time
 * @param hasGeometry true if rows have a geometry, even if all are null
 * @param noun name of a feature in errors: feature, row
 */
export async function* batchFeatures(
  features: AsyncIterable<readonly ReadFeature[]> | Iterable<readonly ReadFeature[]>,
  hasGeometry: boolean,
  noun = 'feature',
): AsyncGenerator<RowBatch, void, undefined> {
  const builder = new JsonBatchBuilder();
  builder.hasGeometry = hasGeometry;
  let count = 0;
  let first = 0;
  const take = (allowEmpty: boolean): RowBatch | null => {
    const batch = builder.takeBatch(allowEmpty);
    const before = first;
    first = count;
    return (
      batch && {
        ...batch,
        rowOffsets: null,
        errorAt: (row, reason) => new PayloadError(`${noun} ${before + row + 1}: ${reason}`),
      }
    );
  };
  for await (const several of features)
    for (const { geometry, properties, id, bytes } of several) {
      count++;
      if (geometry && !isEmptyPoint(geometry) && !hasFiniteNumbers(geometry))
        throw new PayloadError(`${noun} ${count}: a coordinate is not a number`);
      const feature = hasGeometry
        ? { type: 'Feature', geometry, properties, ...(id !== undefined && { id }) }
        : { type: 'Feature', properties, ...(id !== undefined && { id }) };
      builder.addFeature(feature, count, bytes);
      if (!hasGeometry) builder.hasGeometry = false;
      if (builder.isFull) yield take(false) as RowBatch;
    }
  const last = take(count === 0);
  if (last) yield last;
}

/** Reads a geometry. @throws PayloadError that names the feature, if it is invalid */
export function readGeometryOf<T>(number: number, read: () => T, noun = 'feature'): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidGeometryError) throw new PayloadError(`${noun} ${number}: ${error.message}`);
    throw error;
  }
}

/** True if all numbers of a geometry are finite. */
function hasFiniteNumbers(geometry: Geometry): boolean {
  const areFinite = (value: unknown): boolean =>
    Array.isArray(value) ? value.every(areFinite) : Number.isFinite(value);
  return geometry.type === 'GeometryCollection'
    ? geometry.geometries.every(hasFiniteNumbers)
    : areFinite(geometry.coordinates);
}
