/** Columns of a Parquet file: their types, and their values until the row group is written. */
import type { SchemaElement } from 'hyparquet';
import type { ColumnSource } from 'hyparquet-writer';
import { fitsTableField, type TableField, type TableFieldType } from '../../../catalogue/table-fields.ts';
import { parseDateTime, parseTimeOfDay } from '../../date-time.ts';
import { type Coordinates, type Geometry, hasZ } from '../../geometry/geometry.ts';
import { toWkb } from '../../geometry/wkb.ts';
import type { Row, TableColumn, Value } from '../../row.ts';
import { type SelectedColumn, unusedColumnName } from '../selected-columns.ts';

const dayInMilliseconds = 86_400_000;
/** One more than the greatest 64-bit integer. */
const integerBound = 2n ** 63n;
const offsetPattern = /([Zz]|[+-]\d\d:?\d\d)$/;

export interface ParquetColumnWriter {
  readonly element: SchemaElement;
  /** Adds the row's value; returns its approximate size in bytes. */
  add(row: Row): number;
  /** Returns the values since the last call. */
  take(): ColumnSource;
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
  let data: (Uint8Array | null)[] = [];
  return {
    element: { name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
    add(row) {
      const geometry = row.geometry();
      if (geometry) metadata.add(geometry);
      const wkb = geometry && toWkb(geometry);
      data.push(wkb);
      return wkb?.length ?? 0;
    },
    take() {
      // Statistics of WKB are useless: the order of bytes is not one of positions.
      const column: ColumnSource = { name, data, encoding: 'PLAIN', statistics: false };
      data = [];
      return column;
    },
    finish: () => metadata.json(name),
  };
}

/** @param fieldType if the column is one of a table, whose type decides whether datetimes have a zone */
function valueColumnWriter(
  { name, type }: TableColumn,
  index: number,
  fieldType: TableFieldType | undefined,
): ParquetColumnWriter {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', ...elementFor(type) };
  const convert = converterFor(type);
  // Known after the last row only: the column's type doesn't tell. The schema is in the footer, which is written last.
  let hasOffsets = false;
  let data: unknown[] = [];
  return {
    element,
    add(row) {
      const value = row.value(index);
      if (value === null) {
        data.push(null);
        return 1;
      }
      const converted = convert(value);
      if (converted === undefined) throw new TypeError(`${JSON.stringify(value)} in column ${name} is no ${type}.`);
      if (type === 'datetime' && !hasOffsets) hasOffsets = offsetPattern.test(value as string);
      data.push(converted);
      return typeof value === 'string' ? value.length : 8;
    },
    take() {
      // Minimum and maximum of JSON texts would be kept in memory until the footer.
      const statistics = type !== 'object' && type !== 'array';
      const column: ColumnSource = { name, data, statistics };
      data = [];
      return column;
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

type Converter = (value: Exclude<Value, null>) => unknown;

/** The conversion of a column's values to stored ones; undefined if a value isn't of the column's type. */
function converterFor(type: TableColumn['type']): Converter {
  switch (type) {
    case 'integer':
      return toInteger;
    case 'float':
      return (value) => (typeof value === 'number' ? value : undefined);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : undefined);
    case 'string':
      return (value) => (typeof value === 'string' ? value : undefined);
    case 'date':
      return (value) => numberOrUndefined(parseDateTime(String(value)) / dayInMilliseconds);
    case 'datetime':
      return (value) => microsecondsOrUndefined(parseDateTime(String(value)) * 1000);
    case 'time':
      return (value) => microsecondsOrUndefined(parseTimeOfDay(String(value)) * 1e6);
    case 'object':
    case 'array':
      return (value) => value;
  }
}

/** An integer beyond 2^53 is a string. */
function toInteger(value: Exclude<Value, null>): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer >= -integerBound && integer < integerBound ? integer : undefined;
}

const numberOrUndefined = (value: number) => (Number.isNaN(value) ? undefined : value);
const microsecondsOrUndefined = (value: number) => (Number.isNaN(value) ? undefined : BigInt(Math.round(value)));

/** Metadata of a geometry column for the file's `geo` key (GeoParquet 1.1), collected while rows are written. */
export class GeoMetadataBuilder {
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
