/** One column of a Parquet file: its type, and its values until their row group is written. */
import type { SchemaElement } from 'hyparquet';
import type { ColumnSource } from 'hyparquet-writer';
import { instantOf, secondsOf } from '../../date-time.ts';
import { type Geometry, hasZ } from '../../geometry/geometry.ts';
import { toWkb } from '../../geometry/wkb.ts';
import type { Row, TableColumn, Value } from '../../row.ts';

import { freeName, type Shown } from '../selected-columns.ts';

const dayInMilliseconds = 86_400_000;
const greatestInteger = 2n ** 63n;
const offsetAtEnd = /([Zz]|[+-]\d\d:?\d\d)$/;

export interface ParquetColumn {
  readonly element: SchemaElement;
  /** Takes the row's value, and says how large it is, in bytes, roughly. */
  add(row: Row): number;
  /** The values since the last time. */
  take(): ColumnSource;
  /** To be called when all rows were added: what is only known now. Returns the `geo` metadata of a geometry. */
  finish(): string | undefined;
}

/** The columns of what is shown; the geometry is `geometry`, or `geometry_1` … where that is taken. */
export function parquetColumns(shown: readonly Shown[]): ParquetColumn[] {
  return shown.map((each) =>
    each.kind === 'geometry' ? geometryColumn(freeName('geometry', shown)) : valueColumn(each, each.index),
  );
}

function geometryColumn(name: string): ParquetColumn {
  const metadata = new GeoMetadata();
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
      // The order of bytes says nothing about where a geometry lies, so there is no use for statistics.
      const column: ColumnSource = { name, data, encoding: 'PLAIN', statistics: false };
      data = [];
      return column;
    },
    finish: () => metadata.json(name),
  };
}

function valueColumn({ name, type }: TableColumn, index: number): ParquetColumn {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', ...schema(type) };
  const convert = converter(type);
  // Whether times have an offset is not in the column's type; the schema is in the footer, and so can wait for it.
  let zoned = false;
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
      if (type === 'datetime' && !zoned) zoned = offsetAtEnd.test(value as string);
      data.push(converted);
      return typeof value === 'string' ? value.length : 8;
    },
    take() {
      // The least and greatest of JSON texts would be kept whole until the footer.
      const statistics = type !== 'object' && type !== 'array';
      const column: ColumnSource = { name, data, statistics };
      data = [];
      return column;
    },
    finish() {
      if (type === 'datetime') element.logical_type = { type: 'TIMESTAMP', isAdjustedToUTC: zoned, unit: 'MICROS' };
      return undefined;
    },
  };
}

function schema(type: TableColumn['type']): Partial<SchemaElement> {
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

/** From a value of a column to what is stored; undefined where it isn't of the column's type. */
function converter(type: TableColumn['type']): Converter {
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
      return (value) => ifNumber(instantOf(String(value)) / dayInMilliseconds);
    case 'datetime':
      return (value) => microseconds(instantOf(String(value)) * 1000);
    case 'time':
      return (value) => microseconds(secondsOf(String(value)) * 1e6);
    case 'object':
    case 'array':
      return (value) => value;
  }
}

/** An integer is a string where it is beyond 2^53. */
function toInteger(value: Exclude<Value, null>): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer >= -greatestInteger && integer < greatestInteger ? integer : undefined;
}

const ifNumber = (value: number) => (Number.isNaN(value) ? undefined : value);
const microseconds = (value: number) => (Number.isNaN(value) ? undefined : BigInt(Math.round(value)));

/** What GeoParquet 1.1 says of a geometry column in the file's `geo` metadata, gathered while the rows go by. */

type Coordinates = readonly (number | Coordinates)[];

export class GeoMetadata {
  private readonly kinds = new Set<string>();
  /** Least and greatest x, y, z. */
  private readonly least = [Infinity, Infinity, Infinity];
  private readonly greatest = [-Infinity, -Infinity, -Infinity];

  add(geometry: Geometry): void {
    this.kinds.add(hasZ(geometry) ? `${geometry.type} Z` : geometry.type);
    this.extend(geometry);
  }

  /**
   * The metadata as JSON. There is no `crs`, which means longitude and latitude (OGC:CRS84), and no `bbox` where no
   * geometry has a position. A geometry that crosses the antimeridian in one piece has a box from end to end.
   */
  json(column: string): string {
    const dimensions = Number.isFinite(this.least[2]) ? 3 : 2;
    const bbox = [...this.least.slice(0, dimensions), ...this.greatest.slice(0, dimensions)];
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
      for (const each of coordinates) this.extendBy(each as Coordinates);
      return;
    }
    for (let i = 0; i < 3 && i < coordinates.length; i++) {
      const number = coordinates[i] as number;
      if (number < (this.least[i] as number)) this.least[i] = number;
      if (number > (this.greatest[i] as number)) this.greatest[i] = number;
    }
  }
}
