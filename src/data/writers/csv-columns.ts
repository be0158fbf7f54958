/** The columns of a CSV file: what CSV has as columns is more than what a table has, where points become two of them. */
import type { TableColumn } from '../row.ts';
import type { RowsInput } from './input.ts';
import { freeName, select, withoutGeometry } from './selection.ts';

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
