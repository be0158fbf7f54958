/** The header of a CSV, as far as it follows from the names of its columns. */

/** Names that a column gets here if the header has none for it: `column_3`. */
const numbered = /^column_[1-9]\d*$/;
/** Names that a column may get if another one has its name: `id_2`. */
const suffixed = /^(.*)_[1-9]\d*$/s;

/**
 * The cells of the header.
 * @param names of the columns, in the order of the file
 * @returns null for a name that may be made up, since it looks so
 */
export function headerByNames(names: readonly string[]): readonly (string | null)[] {
  const all = new Set([...names, 'geometry']);
  return names.map((name) => (numbered.test(name) || all.has(suffixed.exec(name)?.[1] ?? '') ? null : name));
}
