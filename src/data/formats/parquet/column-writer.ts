/** Columns of a Parquet file: their types, and their values until the row group is written. */
import type { SchemaElement } from 'hyparquet';
import { fitsTableField, type TableField, type TableFieldType } from '../../../catalogue/table-fields.ts';
import { type Coordinates, type Geometry, hasZ } from '../../geometry/geometry.ts';
import { toWkb } from '../../geometry/wkb.ts';
import type { Row, TableColumn, Value } from '../../row.ts';
import { type SelectedColumn, unusedColumnName } from '../selected-columns.ts';
import { type ColumnEncoder, type EncodedColumn, joinBytes } from './encode-column.ts';

export interface ParquetColumnWriter {
  readonly element: SchemaElement;
  /** Adds the row's value; returns its approximate size in bytes. */
  add(row: Row): number;
  /** Encodes the values since the last call, for bytes that start there in the file. @throws TypeError if one isn't of the column's type */
  encode(encoder: ColumnEncoder, start: number): Promise<EncodedColumn>;
  /** Called after the last row; completes the schema element. Returns the `geo` metadata of a geometry. */
  finish(): string | undefined;
}

/**
 * Writers of the selected columns; the geometry is `geometry`, or `geometry_1` … if a column has that name.
 * @param tableFields fields whose ids the columns of the same name and type get
 */
export function parquetColumnWriters(
  selected: readonly SelectedColumn[],
  tableFields: readonly TableField[] = [],
): ParquetColumnWriter[] {
  const fields = new Map(tableFields.map((field) => [field.name, field]));
  return selected.map((column) => {
    const isGeometry = column.kind === 'geometry';
    const name = isGeometry ? unusedColumnName('geometry', selected) : column.name;
    const named = fields.get(name);
    const field = named && fitsTableField(isGeometry ? 'geometry' : column.type, named.type) ? named : undefined;
    const writer = isGeometry ? geometryColumnWriter(name) : valueColumnWriter(column, column.index, field?.type);
    if (field) writer.element.field_id = field.id;
    return writer;
  });
}

function geometryColumnWriter(name: string): ParquetColumnWriter {
  const metadata = new GeoMetadataBuilder();
  const element: SchemaElement = { name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' };
  let data: (Uint8Array | null)[] = [];
  return {
    element,
    add(row) {
      const geometry = row.geometry();
      if (geometry) metadata.add(geometry);
      const wkb = geometry && toWkb(geometry);
      data.push(wkb);
      return wkb?.length ?? 0;
    },
    encode(encoder, start) {
      const values = joinBytes(data);
      data = [];
      return Promise.resolve(encoder({ start, element, type: 'geometry', values }));
    },
    finish: () => metadata.json(name),
  };
}

/**
 * @param fieldType type of the column's field in an Iceberg table, which decides whether datetimes have a time zone; undefined if the
 *   column is of no table
 */
function valueColumnWriter(
  { name, type }: TableColumn,
  index: number,
  fieldType: TableFieldType | undefined,
): ParquetColumnWriter {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', ...elementFor(type) };
  // Only known after the last row, as the column's type doesn't say it. The schema is in the footer, which is written last.
  let hasOffsets = false;
  let values: Value[] = [];
  return {
    element,
    add(row) {
      const value = row.value(index);
      values.push(value);
      if (value === null) return 1;
      return typeof value === 'string' ? value.length : 8;
    },
    async encode(encoder, start) {
      const taken = values;
      values = [];
      const encoded = await encoder({ start, element, type, values: taken });
      hasOffsets ||= encoded.hasOffsets;
      return encoded;
    },
    finish() {
      const isAdjustedToUTC = fieldType ? fieldType === 'timestamptz' : hasOffsets;
      if (type === 'datetime') element.logical_type = { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' };
      return undefined;
    },
  };
}

function elementFor(type: TableColumn['type']): Partial<SchemaElement> {
  switch (type) {
    case 'integer':
      return { type: 'INT64' };
    case 'float':
      return { type: 'DOUBLE' };
    case 'boolean':
      return { type: 'BOOLEAN' };
    case 'date':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } };
    case 'datetime':
      return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } };
    case 'time':
      return { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } };
    case 'string':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'object':
    case 'array':
      return { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } };
  }
}

/** Metadata of a geometry column for the file's `geo` key (GeoParquet 1.1), collected while rows are written. */
class GeoMetadataBuilder {
  private readonly kinds = new Set<string>();
  /** Minimum and maximum x, y, z. */
  private readonly min = [Infinity, Infinity, Infinity];
  private readonly max = [-Infinity, -Infinity, -Infinity];

  add(geometry: Geometry): void {
    this.kinds.add(hasZ(geometry) ? `${geometry.type} Z` : geometry.type);
    this.extend(geometry);
  }

  /**
   * The metadata as JSON. No `crs` means longitude and latitude (OGC:CRS84). There is no `bbox` if no geometry has a
   * position. A geometry that crosses the antimeridian in one piece makes it span the world.
   */
  json(column: string): string {
    const dimensions = Number.isFinite(this.min[2]) ? 3 : 2;
    const bbox = [...this.min.slice(0, dimensions), ...this.max.slice(0, dimensions)];
    return JSON.stringify({
      version: '1.1.0',
      primary_column: column,
      columns: {
        [column]: {
          encoding: 'WKB',
          geometry_types: [...this.kinds].sort(),
          bbox: bbox.every(Number.isFinite) ? bbox : undefined,
        },
      },
    });
  }

  private extend(geometry: Geometry): void {
    if (geometry.type === 'GeometryCollection') for (const member of geometry.geometries) this.extend(member);
    else this.extendBy(geometry.coordinates);
  }

  private extendBy(coordinates: Coordinates): void {
    if (typeof coordinates[0] !== 'number') {
      for (const part of coordinates) this.extendBy(part as Coordinates);
      return;
    }
    for (let i = 0; i < 3 && i < coordinates.length; i++) {
      const number = coordinates[i] as number;
      if (number < (this.min[i] as number)) this.min[i] = number;
      if (number > (this.max[i] as number)) this.max[i] = number;
    }
  }
}
