/**
 * A whole number with its thousands set apart: `1,234,567`, as `toLocaleString('en')` writes it. The first call of that loads
 * data of languages, which takes longer than a whole command or picture.
 */
export const numberText = (number: number): string => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** A number of rows, in English: `1 row`, `3 rows`. */
export const rowCountText = (rows: number): string => `${rows} ${rows === 1 ? 'row' : 'rows'}`;
