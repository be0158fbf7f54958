/**
 * Detects the geometry of a table: a column of geometries (geometry-cells.ts), or two of longitude and latitude. People can
 * name them.
 *
 * The first rows decide. Geometries: more than half of the values that are present can be parsed. Longitude and latitude: columns
 * with such names (coordinate-names.ts) that are degrees in nine of ten rows, so that projected coordinates are never taken for
 * degrees; if the reference system is named, also `easting` and `northing` and the like, with any numbers. In a projected one,
 * these go before longitude and latitude, and degrees are taken last. Rows whose value
 * can't be parsed have no geometry, and keep their values in the columns.
 */

import { closestWord } from '../../catalogue/closest.ts';
import { excerpt } from '../../catalogue/errors.ts';
import type { ReadingOptions } from '../../catalogue/types.ts';
import { PayloadError } from '../errors.ts';
import { type Cells, cellAt } from '../formats/cells.ts';
import { DecimalScanner } from '../formats/decimal-scanner.ts';
import type { GeometriesBuilder } from '../formats/points.ts';
import { Utf8Texts } from '../formats/utf8-texts.ts';
import type { Geometry } from '../geometry/geometry.ts';
import { isLikeDegrees, parseCoordinate, parseDegrees } from './coordinate-cells.ts';
import { coordinatePairs } from './coordinate-names.ts';
import { beginsLikeGeometry, isEmptyCell, parseGeometryCell, textOfCell } from './geometry-cells.ts';

/** The columns from which a row's geometry is made. */
export interface GeometrySource {
  /** The geometry replaces this column. */
  readonly geometryColumn?: number;
  /** These stay columns. */
  readonly pointColumns?: PointColumns;
  /** Sentences about the choice of these columns, if others fit as well, and about the form of their values. */
  readonly remarks: readonly string[];
  /** The geometry of a row. Null if the cells are empty; undefined if they can't be parsed. */
  geometryAt(values: readonly Cells[], row: number): Geometry | null | undefined;
  /** Adds the point of a row if its cells are numbers, or plain decimal ones as text, that fit. @returns false if they aren't */
  addPlainPoint?(values: readonly Cells[], row: number, geometries: GeometriesBuilder): boolean;
}

/** The first rows of a table. */
export interface TableSample {
  readonly names: readonly string[];
  /** By column, then by row. */
  readonly values: readonly Cells[];
  /** Number of rows to look at. */
  readonly rows: number;
  /** Line of a row; undefined if the format has none. */
  readonly lineOf: (row: number) => number | undefined;
}

/**
 * @param isProjected true if the reference system that is named is projected
 * @returns null if the table has no geometry
 * @throws PayloadError if a named column is missing
 */
export function findGeometryColumns(
  sample: TableSample,
  reading: ReadingOptions,
  isProjected: boolean,
): GeometrySource | null {
  const { names, values } = sample;
  if (reading.geometry !== undefined) return geometrySource(indexOfColumn(names, reading.geometry));
  if (reading.lat !== undefined || reading.lon !== undefined) {
    if (reading.lat === undefined || reading.lon === undefined)
      throw new PayloadError('positions need both columns: --lat COLUMN and --lon COLUMN');
    const named = [indexOfColumn(names, reading.lon), indexOfColumn(names, reading.lat)] as const;
    return withRemarkOnDegrees(pointSource(...named, reading, isProjected), named, sample);
  }
  const isText = (column: number) => reading.types?.[names[column] as string] === 'string';
  for (let column = 0; column < names.length; column++) {
    if (isText(column)) continue;
    const cells = presentCells(values[column], sample.rows);
    if (!cells.slice(0, 20).some(beginsLikeGeometry)) continue;
    const parsed = cells.filter((cell) => beginsLikeGeometry(cell) && parseGeometryCell(cell) !== undefined);
    if (2 * parsed.length > cells.length) return withRemarkOnOtherPoints(geometrySource(column), column, sample);
  }
  const coordinates = isProjected ? 'projected' : reading.crs === undefined ? 'degrees' : 'any';
  const pairs = coordinatePairs(names, coordinates).filter(([x, y]) => !isText(x) && !isText(y));
  const fitting: PointColumns[] = [];
  for (const pair of pairs) {
    const source = pointSource(...pair, reading, isProjected);
    if (fitting.length < mostPairs && havePositions(source, sample)) fitting.push(pair);
  }
  const degrees = fitting.filter((pair) => isProjected && havePositions(pointSource(...pair, {}, false), sample));
  const [chosen, ...others] = [...fitting.filter((pair) => !degrees.includes(pair)), ...degrees];
  if (!chosen) return null;
  const source = withRemarkOnDegrees(pointSource(...chosen, reading, isProjected), chosen, sample);
  if (others.length === 0) return source;
  return { ...source, remarks: [remarkOnPairs(chosen, others, degrees, names), ...source.remarks] };
}

type PointColumns = readonly [x: number, y: number];

/** Pairs of columns that a remark names, at most. */
const mostPairs = 4;

/** True if nine of ten rows that have anything in two columns have a position there. */
function havePositions(source: GeometrySource, sample: TableSample): boolean {
  const present = geometriesOf(source, sample).filter((geometry) => geometry !== null);
  const validCount = present.filter((geometry) => geometry !== undefined).length;
  return validCount > 0 && validCount >= 0.9 * present.length;
}

/** @param degrees those of the others that are not in the reference system that is named */
function remarkOnPairs(
  [x, y]: PointColumns,
  others: readonly PointColumns[],
  degrees: readonly PointColumns[],
  names: readonly string[],
): string {
  const nameOf = (column: number) => names[column] ?? '';
  const options = others.map((pair) => {
    const [lon, lat] = pair.map((column) => quotedName(nameOf(column)));
    return `${degrees.includes(pair) ? '--crs EPSG:4326 ' : ''}--lon ${lon} --lat ${lat}`;
  });
  return (
    `Columns "${excerpt(nameOf(x))}" and "${excerpt(nameOf(y))}": read as the positions of the rows. ` +
    `To read others: ${options.join(', or ')}`
  );
}

/** The cells of the first rows that are neither missing nor empty text. Numbers and booleans are never geometries. */
function presentCells(cells: Cells | undefined, rows: number): readonly unknown[] {
  if (cells instanceof Float64Array || cells instanceof Uint8Array) return [];
  const all = Array.from({ length: rows }, (_, row) => cellAt(cells, row));
  return all.filter((cell) => cell !== undefined && cell !== null && cell !== '');
}

const geometriesOf = (source: GeometrySource, { values, rows }: TableSample) =>
  Array.from({ length: rows }, (_, row) => source.geometryAt(values, row));

/** The source of the points, with a sentence about degrees with minutes if the first rows have such. */
function withRemarkOnDegrees(source: GeometrySource, [x, y]: PointColumns, sample: TableSample): GeometrySource {
  const { names, values, rows } = sample;
  const row = Array.from({ length: rows }, (_, i) => i).find(
    (i) => Number.isNaN(parseCoordinate(cellAt(values[y], i))) && source.geometryAt(values, i),
  );
  if (row === undefined) return source;
  const example = excerpt(textOfCell(cellAt(values[y], row)));
  const remark = `Columns "${excerpt(names[x])}" and "${excerpt(names[y])}": read as degrees such as ${example}; the columns are text.`;
  return { ...source, remarks: [remark] };
}

/** Degrees by which two positions of one place may differ, since one of them is rounded. */
const rounding = 0.01;

/** The source of the geometries, with a sentence about columns of degrees that have other positions than its points. */
function withRemarkOnOtherPoints(source: GeometrySource, column: number, sample: TableSample): GeometrySource {
  const { names } = sample;
  const geometries = geometriesOf(source, sample);
  for (const [x, y] of coordinatePairs(names, 'degrees')) {
    const points = pointSource(x, y, {}, false);
    const isOther = geometriesOf(points, sample).some((point, row) => areOtherDegrees(point, geometries[row]));
    if (!isOther || !havePositions(points, sample)) continue;
    const [lon = '', lat = ''] = [names[x], names[y]];
    const remark =
      `Column "${excerpt(names[column])}": read as the geometry of the rows. Columns "${excerpt(lon)}" and "${excerpt(lat)}" have other positions. ` +
      `To read those: --lon ${quotedName(lon)} --lat ${quotedName(lat)}`;
    return { ...source, remarks: [remark] };
  }
  return source;
}

function areOtherDegrees(one: Geometry | null | undefined, other: Geometry | null | undefined): boolean {
  if (one?.type !== 'Point' || other?.type !== 'Point') return false;
  const [[x = 0, y = 0], [otherX = 0, otherY = 0]] = [one.coordinates, other.coordinates];
  const areDegrees = Math.abs(otherX) <= 180 && Math.abs(otherY) <= 90;
  return areDegrees && Math.max(Math.abs(x - otherX), Math.abs(y - otherY)) > rounding;
}

/** A sentence about columns of degrees in a form that isn't read; undefined if there are none. */
export function unreadDegreesHint({ names, values, rows, lineOf }: TableSample): string | undefined {
  for (const [x, y] of coordinatePairs(names, 'degrees')) {
    for (let row = 0; row < rows; row++) {
      const cells = [cellAt(values[y], row), cellAt(values[x], row)];
      if (
        !cells.every((cell) => isLikeDegrees(cell) || !Number.isNaN(parseCoordinate(cell))) ||
        !cells.some(isLikeDegrees)
      )
        continue;
      const line = lineOf(row);
      const place = line === undefined ? `row ${row + 1}` : `line ${line}`;
      return (
        `Columns "${excerpt(names[y])}" and "${excerpt(names[x])}": ${excerpt(JSON.stringify(cells.map(textOfCell).join(' ')))} (${place}) is not read as a position, ` +
        `so no row has a geometry. Write degrees like 52.52 and -13.41, or with N, S, E or W like 52°31'12"N`
      );
    }
  }
  return undefined;
}

/** A sentence about columns that look like projected coordinates; undefined if there are none. */
export function projectedColumnsHint({ names, values, rows }: TableSample): string | undefined {
  for (const [x, y] of coordinatePairs(names, 'any')) {
    const pairs = Array.from(
      { length: rows },
      (_, row) => [parseCoordinate(cellAt(values[x], row)), parseCoordinate(cellAt(values[y], row))] as const,
    );
    const present = pairs.filter(([a, b]) => !Number.isNaN(a) && !Number.isNaN(b));
    if (present.length === 0 || present.some(([a, b]) => Math.abs(a) <= 180 && Math.abs(b) <= 90)) continue;
    const named = `Columns "${excerpt(names[x])}" and "${excerpt(names[y])}"`;
    return `${named}: not degrees, so the rows have no geometry. To make points of them, name their reference system, as in --crs EPSG:25833`;
  }
  return undefined;
}

/** A sentence about columns that would be the geometry if all of their values were right; undefined if there are none. */
export function brokenColumnsHint(sample: TableSample, reading: ReadingOptions): string | undefined {
  const { names, values, rows, lineOf } = sample;
  const candidates = [
    ...names.flatMap((_, column) => {
      const isLike = presentCells(values[column], rows).some(beginsLikeGeometry);
      return isLike ? [{ columns: [column], source: geometrySource(column) }] : [];
    }),
    ...coordinatePairs(names, 'degrees').map((pair) => ({
      columns: [...pair],
      source: pointSource(...pair, reading, false),
    })),
  ];
  for (const { columns, source } of candidates) {
    if (columns.some((column) => reading.types?.[names[column] as string] === 'string')) continue;
    const geometries = geometriesOf(source, sample);
    const present = geometries.filter((geometry) => geometry !== null).length;
    const broken = geometries.filter((geometry) => geometry === undefined).length;
    const first = geometries.indexOf(undefined);
    const option = source.geometryColumn === undefined ? ['lon', 'lat'] : ['geometry'];
    if (broken === 0 || broken === present) continue;
    const noun = source.geometryColumn === undefined ? 'position' : 'geometry';
    const plural = noun === 'position' ? 'positions' : 'geometries';
    const text = columns.map((column) => textOfCell(cellAt(values[column], first))).join(' ');
    const named = columns.map((column) => `"${excerpt(names[column])}"`).join(' and ');
    const line = lineOf(first);
    const place = line === undefined ? `row ${first + 1}` : `line ${line}`;
    return (
      `Column${columns.length > 1 ? 's' : ''} ${named}: ${broken} of ${present} values ${broken === 1 ? `is not a ${noun}` : `are not ${plural}`} ` +
      `(${broken === 1 ? '' : 'first: '}${place}, ${excerpt(JSON.stringify(text))}), so no row has a geometry. Correct ${broken === 1 ? 'it' : 'them'}, ` +
      `or read the others: ${option.map((name, i) => `--${name} ${quotedName(names[columns[i] as number] as string)}`).join(' ')}`
    );
  }
  return undefined;
}

const quotedName = (name: string) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));

function indexOfColumn(names: readonly string[], name: string): number {
  const index = names.indexOf(name);
  if (index !== -1) return index;
  const meant = closestWord(name, names);
  throw new PayloadError(`there is no column "${excerpt(name)}"${meant ? `; did you mean "${excerpt(meant)}"?` : ''}`);
}

const geometrySource = (column: number): GeometrySource => ({
  geometryColumn: column,
  remarks: [],
  geometryAt: (values, row) => parseGeometryCell(cellAt(values[column], row)),
});

const pointSource = (x: number, y: number, { crs }: ReadingOptions, isProjected: boolean): GeometrySource => ({
  pointColumns: [x, y],
  remarks: [],
  geometryAt: (values, row) =>
    pointFromCells(cellAt(values[x], row), cellAt(values[y], row), crs !== undefined, isProjected),
  addPlainPoint(values, row, geometries) {
    const lon = plainCoordinate(values[x], row);
    const lat = plainCoordinate(values[y], row);
    const fits = crs === undefined ? Math.abs(lon) <= 180 && Math.abs(lat) <= 90 : !Number.isNaN(lon + lat);
    if (fits) geometries.addPoint(lon, lat);
    return fits;
  },
});

/**
 * @param isFree true if the numbers may be any
 * @param isProjected true if they are no degrees
 */
function pointFromCells(x: unknown, y: unknown, isFree: boolean, isProjected: boolean): Geometry | null | undefined {
  if (isEmptyCell(x) || isEmptyCell(y)) return null;
  let [lon, lat] = [parseCoordinate(x), parseCoordinate(y)];
  if (!isProjected && Number.isNaN(lon)) lon = parseDegrees(x, 'EW');
  if (!isProjected && Number.isNaN(lat)) lat = parseDegrees(y, 'NS');
  const fits = isFree ? Number.isFinite(lon) && Number.isFinite(lat) : Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
  return fits ? { type: 'Point', coordinates: [lon, lat] } : undefined;
}

const decimal = new DecimalScanner();

/** A coordinate that is a number, or plain digits; NaN for anything else. */
function plainCoordinate(cells: Cells | undefined, row: number): number {
  if (cells instanceof Utf8Texts) {
    const end = cells.ends[row];
    return end !== undefined && decimal.scan(cells.bytes, cells.startOf(row), end) === end
      ? decimal.number
      : Number.NaN;
  }
  const cell = cellAt(cells, row);
  return typeof cell === 'number' ? cell : Number.NaN;
}
