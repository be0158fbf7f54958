/**
 * `csvt`: the types of the CSV's columns, which GDAL and QGIS look for beside it (GDAL, CSV driver; the geometry types
 * are those of GeoCSV). With it, a table of strings becomes typed columns with a geometry.
 */
import { csvColumns } from './csv-columns.ts';

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
