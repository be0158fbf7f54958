/** The columns of a file, by the names that it has for them: they may be others than ours, and ours may not be in it. */
import { headerByNames } from '../catalogue/header.ts';
import { decodeMetadata } from '../catalogue/metadata.ts';
import type { Column, Version } from '../catalogue/types.ts';

/** A column of a file. */
export interface FileColumn {
  /** Its name in the file. */
  readonly name: string;
  readonly column: Column;
}

/**
 * The columns of a payload that can be found in it, in its order. A CSV has no geometry that was made of two columns, and no
 * names that were made up: for a repeated or an empty one, and in any format for one that is called like the geometry. The
 * columns of a CSV without a header are all there, or none if their order isn't known, with the names that they have here.
 * @param format of the payload
 * @param columns of the version, the geometry first
 */
export function columnsOfPayload(version: Version, format: string, columns: readonly Column[]): readonly FileColumn[] {
  const { header, geometry_column } = decodeMetadata(version.metadata) ?? {};
  const geometryName = typeof geometry_column === 'string' ? geometry_column : undefined;
  const geometry = columns.find(isGeometry);
  if (format !== 'csv' && format !== 'tsv')
    return columns
      .filter(({ name }) => !geometry || !/^geometry_\d+$/.test(name))
      .map((column) => ({ column, name: (column === geometry && geometryName) || column.name }));
  const others = columns.filter((column) => column !== geometry);
  if (version.reading.header === false) {
    const place = /^column_(\d+)$/.exec(geometryName ?? '')?.[1];
    // Of positions, the columns stay; of WKT, the column became the geometry.
    if (geometry && place === undefined && version.reading.lat === undefined) return [];
    return withGeometry(others, geometry, Number(place ?? 0) - 1).map((column) => ({ column, name: column.name }));
  }
  const cells = isListOfTexts(header) ? header : headerByNames(others.map(({ name }) => name));
  const inOrder = withGeometry(others, geometry, geometryName === undefined ? -1 : cells.indexOf(geometryName));
  const places = new Map<string | null | undefined, number>();
  for (const [place, cell] of cells.entries()) if (!places.has(cell)) places.set(cell, place);
  return inOrder.flatMap((column, place) => {
    const name = cells[place];
    return name && places.get(name) === place ? [{ column, name }] : [];
  });
}

/** Columns of our own CSV in which points are, in this order. */
const ordinates = ['longitude', 'latitude', 'altitude'];

/**
 * The columns of our own CSV, in its order. Points have columns of their own there, or one of WKT if other columns have their
 * names; they are left out where it isn't known if the points were made of those columns, or if all geometries are points.
 */
export function columnsOfOwnCsv({ metadata }: Version, columns: readonly Column[]): readonly FileColumn[] {
  const { geometry: kinds } = decodeMetadata(metadata) ?? {};
  return columns.flatMap((column): FileColumn[] => {
    if (!isGeometry(column)) return [{ column, name: column.name }];
    if (!isListOfTexts(kinds) || kinds.length === 0) return [];
    if (!kinds.every((kind) => kind === 'Point' || kind === 'Point Z')) return [{ column, name: column.name }];
    if (columns.some(({ name }) => ordinates.includes(name.trim().toLowerCase()))) return [];
    const names = kinds.includes('Point Z') ? ordinates : ordinates.slice(0, 2);
    return names.map((name) => ({ name, column: { ...column, name, type: 'float', label: '', description: '' } }));
  });
}

const isGeometry = ({ type }: Column): boolean => type === 'geometry';

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The columns with the geometry at a place; a negative one for a geometry that the file doesn't have. */
const withGeometry = (others: readonly Column[], geometry: Column | undefined, place: number): readonly Column[] =>
  geometry && place >= 0 ? others.toSpliced(place, 0, geometry) : others;
