/** The columns of a CSV file: what CSV has as columns is more than what a table has, where points become two of them. */
import type { TableColumn } from '../../row.ts';
import { freeName, select, withoutGeometry } from '../selected-columns.ts';
import type { RowsInput } from '../types.ts';

export type CsvColumn =
  | { readonly name: string; readonly type: TableColumn['type']; readonly index: number }
  /** A column of the data that is a number of the position, too. */
  | { readonly name: string; readonly type: TableColumn['type']; readonly index: number; readonly ordinate: 0 | 1 }
  | { readonly name: string; readonly type: 'wkt' }
  /** A number of a point's position: 0 is the longitude, 1 the latitude, 2 the altitude. */
  | { readonly name: string; readonly type: 'ordinate'; readonly ordinate: 0 | 1 | 2 };

const ordinates = ['longitude', 'latitude', 'altitude'] as const;

/**
 * The columns in their order, where the geometry has one column of WKT, or, if all geometries are known to be points,
 * one each for longitude, latitude and (where some have it) altitude. Points that were made of columns of these very
 * names are there already.
 */
export function csvColumns(table: Pick<RowsInput, 'shape' | 'fields' | 'geometryKinds' | 'pointColumns'>): CsvColumn[] {
  const kinds = table.geometryKinds ?? [];
  const points = kinds.length > 0 && kinds.every((kind) => kind === 'Point' || kind === 'Point Z');
  const dimensions = kinds.includes('Point Z') ? ordinates : ordinates.slice(0, 2);
  const shown = select(table);
  const pair = table.pointColumns?.every((name, i) => name === ordinates[i]) ? table.pointColumns : [];
  const isThere = pair.length > 0 && pair.every((name) => withoutGeometry(shown).some((each) => each.name === name));
  return shown.flatMap((each): CsvColumn[] => {
    if (each.kind === 'column') {
      const ordinate = isThere ? pair.indexOf(each.name) : -1;
      return [ordinate < 0 ? each : { ...each, ordinate: ordinate as 0 | 1 }];
    }
    if (isThere) return [];
    if (!points) return [{ name: freeName('geometry', shown), type: 'wkt' }];
    return dimensions.map((name, i) => ({
      name: freeName(name, shown),
      type: 'ordinate',
      ordinate: i as 0 | 1 | 2,
    }));
  });
}

/**
 * `csvt`: the types of the CSV's columns, which GDAL and QGIS look for beside it (GDAL, CSV driver; the geometry types
 * are those of GeoCSV). With it, a table of strings becomes typed columns with a geometry.
 */

const types = {
  // The values aren't known here, so that 32 bits can't be promised.
  integer: 'Integer64',
  float: 'Real',
  string: 'String',
  boolean: 'Integer(Boolean)',
  date: 'Date',
  datetime: 'DateTime',
  time: 'Time',
  object: 'String',
  array: 'String',
  wkt: 'WKT',
} as const;

const ordinateTypes = ['CoordX', 'CoordY', 'CoordZ'] as const;

/** One line, a quoted type for each column of the CSV that the same input gives. */
export function csvt(table: Parameters<typeof csvColumns>[0]): string {
  const names = csvColumns(table).map((column) =>
    'ordinate' in column ? ordinateTypes[column.ordinate] : types[column.type],
  );
  return `${names.map((name) => `"${name}"`).join(',')}\r\n`;
}

/**
 * `prj`: the coordinate reference system of the CSV's geometries, which GDAL and QGIS look for beside it, as WKT 1.
 * It is EPSG:4326, by which tools know WGS 84; of such files they all expect longitude before latitude, as CRS84 has it.
 */
export const prj =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],' +
  'AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],' +
  'UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]\n';
