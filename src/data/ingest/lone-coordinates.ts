/** Columns that are longitudes or latitudes by their names and values, and have no partner: the rows have no geometry, which people may not notice. */
import { excerpt } from '../../catalogue/errors.ts';
import type { ReadingOptions } from '../../catalogue/types.ts';
import { cellAt } from '../formats/cells.ts';
import { isLikeDegrees, parseCoordinate } from './coordinate-cells.ts';
import { coordinatePairs } from './coordinate-names.ts';
import { isEmptyCell } from './geometry-cells.ts';
import type { TableSample } from './geometry-columns.ts';

/** What names of coordinates end with, and their largest value in degrees. `long` alone may be a length. */
const longitudes = { name: /(?:^|[^a-z])(?:longitude|lng|lon)(?:_?(?:deg|dd|wgs84))?$/, most: 180 } as const;
const latitudes = { name: /(?:^|[^a-z])(?:latitude|lat)(?:_?(?:deg|dd|wgs84))?$/, most: 90 } as const;

/** A sentence about a longitude without a latitude, the reverse, or both if their names aren't those of a pair; undefined if there is nothing to say. */
export function loneCoordinatesHint(sample: TableSample, reading: ReadingOptions): string | undefined {
  if (coordinatePairs(sample.names, 'any').length > 0) return undefined;
  const lon = firstColumnOf(longitudes, sample, reading);
  const lat = firstColumnOf(latitudes, sample, reading);
  if (lon === undefined && lat === undefined) return undefined;
  const options = `--lon ${lon === undefined ? 'COLUMN' : quoted(lon)} --lat ${lat === undefined ? 'COLUMN' : quoted(lat)}`;
  if (lon !== undefined && lat !== undefined)
    return (
      `Columns "${excerpt(lon)}" and "${excerpt(lat)}": not read as positions, since their names differ in more than lon and lat. ` +
      `To read them: ${options}`
    );
  const [own, other] = lon === undefined ? ['latitudes', 'longitudes'] : ['longitudes', 'latitudes'];
  return (
    `Column "${excerpt(lon ?? lat)}": ${own} by its name, and no column has the name of ${other}, so it makes no points. ` +
    `If one has them: ${options}`
  );
}

/** Name of the first column of degrees with such a name. */
function firstColumnOf(
  { name, most }: typeof longitudes | typeof latitudes,
  { names, values, rows }: TableSample,
  { types }: ReadingOptions,
): string | undefined {
  return names.find((own, column) => {
    if (!name.test(own.trim().toLowerCase()) || types?.[own] === 'string') return false;
    const cells = Array.from({ length: rows }, (_, row) => cellAt(values[column], row)).filter(
      (cell) => !isEmptyCell(cell),
    );
    return cells.length > 0 && cells.every((cell) => isLikeDegrees(cell) || Math.abs(parseCoordinate(cell)) <= most);
  });
}

const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));
