/** The columns of a CSV file, where points become several columns, and the sidecar files that describe them to GIS programs. */
import type { TableColumn } from '../../row.ts';
import { columnsToWrite, columnsWithoutGeometry, unusedColumnName } from '../selected-columns.ts';
import type { RowsInput } from '../types.ts';

export type CsvColumn =
  | { readonly name: string; readonly type: TableColumn['type']; readonly index: number }
  /** A column of the table from which points are made: 0 is the longitude, 1 the latitude. */
  | { readonly name: string; readonly type: TableColumn['type']; readonly index: number; readonly ordinate: 0 | 1 }
  | { readonly name: string; readonly type: 'wkt' }
  /** An ordinate of a point: 0 is the longitude, 1 the latitude, 2 the altitude. */
  | { readonly name: string; readonly type: 'ordinate'; readonly ordinate: 0 | 1 | 2 };

const ordinates = ['longitude', 'latitude', 'altitude'] as const;

/**
 * The columns in order. The geometry is one column of WKT or, if all geometries are known to be points, one each for
 * longitude, latitude and (if some have it) altitude; none are added if the points were made from columns with these
 * names, and those are selected. If other columns have these names, points are WKT, too: readers would take those columns,
 * or one of them, for the position.
 */
export function csvColumnsToWrite(
  table: Pick<RowsInput, 'schema' | 'fields' | 'geometryKinds' | 'pointColumns'>,
): CsvColumn[] {
  const kinds = table.geometryKinds ?? [];
  const areAllPoints = kinds.length > 0 && kinds.every((kind) => kind === 'Point' || kind === 'Point Z');
  const dimensions = kinds.includes('Point Z') ? ordinates : ordinates.slice(0, 2);
  const selected = columnsToWrite(table);
  // Programs that read the file make no points of texts such as 52°31'12"N.
  const isText = (name: string) =>
    table.schema.columns.some((column) => column.name === name && column.type === 'string');
  const areLonLat = table.pointColumns?.every((name, i) => name === ordinates[i] && !isText(name));
  const lonLat = areLonLat ? (table.pointColumns ?? []) : [];
  const isSelected = (name: string) => columnsWithoutGeometry(selected).some((column) => column.name === name);
  const hasLonLat = lonLat.length > 0 && lonLat.every(isSelected);
  const isTaken = columnsWithoutGeometry(selected).some(
    ({ name }) => !lonLat.includes(name) && isLonOrLat(name.trim().toLowerCase()),
  );
  return selected.flatMap((column): CsvColumn[] => {
    if (column.kind === 'column') {
      const ordinate = hasLonLat ? lonLat.indexOf(column.name) : -1;
      return [ordinate < 0 ? column : { ...column, ordinate: ordinate as 0 | 1 }];
    }
    if (hasLonLat) return [];
    if (!areAllPoints || isTaken) return [{ name: unusedColumnName('geometry', selected), type: 'wkt' }];
    return dimensions.map((name, i) => ({
      name: unusedColumnName(name, selected),
      type: 'ordinate',
      ordinate: i as 0 | 1 | 2,
    }));
  });
}

const isLonOrLat = (name: string): boolean => name === ordinates[0] || name === ordinates[1];

const csvtTypes = {
  // Not Integer, of 32 bits: the values aren't known here.
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

/**
 * `csvt`: the types of the CSV's columns, in one line. GDAL and QGIS read it beside the CSV (GDAL, CSV driver; geometry
 * types of GeoCSV), and so get typed columns and a geometry instead of strings.
 */
export function csvtText(table: Parameters<typeof csvColumnsToWrite>[0]): string {
  const names = csvColumnsToWrite(table).map((column) =>
    'ordinate' in column ? ordinateTypes[column.ordinate] : csvtTypes[column.type],
  );
  return `${names.map((name) => `"${name}"`).join(',')}\r\n`;
}

/**
 * `prj`: the coordinate reference system of the CSV's geometries as WKT 1. GDAL and QGIS read it beside the CSV. It is
 * EPSG:4326, by which programs know WGS 84; in such files they all expect longitude before latitude, as in CRS84.
 */
export const prjText =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],' +
  'AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],' +
  'UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]\n';
