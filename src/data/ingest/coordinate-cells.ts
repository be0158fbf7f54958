/** Coordinates in cells of a table: numbers, also with a decimal comma, and degrees with minutes, seconds and the letter of a direction. */

/** A coordinate with a number alone; NaN if the cell is not a number. */
export function parseCoordinate(cell: unknown): number {
  if (typeof cell === 'number') return cell;
  if (typeof cell !== 'string' || cell.trim() === '') return Number.NaN;
  return Number(/^\s*-?\d+,\d+\s*$/.test(cell) ? cell.replace(',', '.') : cell);
}

const part = String.raw`(\d{1,3}(?:[.,]\d+)?)`;
const degreesPattern = new RegExp(
  String.raw`^([NSEW])?\s*${part}\s*(?:[°º]\s*(?:${part}\s*['’′´]\s*(?:${part}\s*(?:["”″]|['’′´]{2})\s*)?)?)?([NSEW])?$`,
  'i',
);

/**
 * Degrees such as `52°31'12"N`, `52° 31,2' N` and `N 52.52°`; NaN for other cells. The letter must be there, once: without it, nothing says
 * that a longitude is not in the west. `O` doesn't count as one: it is the east in German, and the west in French.
 * @param directions letters of the positive and the negative direction
 */
export function parseDegrees(cell: unknown, directions: 'NS' | 'EW'): number {
  const parts = typeof cell === 'string' ? degreesPattern.exec(cell.trim()) : null;
  if (!parts) return Number.NaN;
  const [before, ...digits] = parts.slice(1, -1);
  const after = parts.at(-1);
  const direction = directions.indexOf((before ?? after ?? '?').toUpperCase());
  const given = digits.filter((digit) => digit !== undefined).map((digit) => digit.replace(',', '.'));
  const [degrees = 0, minutes = 0, seconds = 0] = given.map(Number);
  const areWhole = given.slice(0, -1).every((digit) => !digit.includes('.'));
  if (direction === -1 || (before && after) || !areWhole || minutes >= 60 || seconds >= 60) return Number.NaN;
  const size = (3600 * degrees + 60 * minutes + seconds) / 3600;
  return direction === 0 ? size : -size;
}

/** True for a text like degrees, which may be written in another way than `parseDegrees` reads: `13°24'36"O`, `52 31 12 N`. */
export const isLikeDegrees = (cell: unknown): boolean =>
  typeof cell === 'string' &&
  (/^\s*\D{0,2}\d+(?:[.,]\d+)?\s*[°º]/.test(cell) || /^\s*\d[\d\s.,:'’′´"”″-]*[NSEWO]\s*$/i.test(cell));
