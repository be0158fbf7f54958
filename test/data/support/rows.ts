/** Rows for tests, made of plain values. */
import { readFileSync } from 'node:fs';
import { bboxOfGeometry } from '../../../src/data/geometry/bounding-box.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import type { Row, TableColumn, TableSchema, Value } from '../../../src/data/row.ts';

/** A row of these values, in the order of the columns. */
export function rowOf(values: readonly Value[], geometry: Geometry | null = null): Row {
  const bbox = geometry && bboxOfGeometry(geometry);
  return { value: (column) => values[column] ?? null, geometry: () => geometry, bbox: () => bbox, id: () => undefined };
}

/** A table with geometry, and with these columns: `schema({ height: 'float' })`. */
export function schemaOf(columns: Readonly<Record<string, TableColumn['type']>>, hasGeometry = true): TableSchema {
  return { hasGeometry, columns: Object.entries(columns).map(([name, type]) => ({ name, type })) };
}

export interface Feature {
  readonly properties: Readonly<Record<string, Value>>;
  readonly geometry: Geometry;
}

/** The features of a layer of test/fixtures/natural-earth. */
export function layer(name: 'countries' | 'lakes' | 'places' | 'rivers'): Feature[] {
  const url = new URL(`../../fixtures/natural-earth/${name}.geojson`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')).features;
}
