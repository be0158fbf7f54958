/**
 * The texture of a table without geometry: 24 rows, evenly chosen, as bars of the colour of their column's type. The stronger the
 * colour, the higher the rank of a value in its column; a hole is a missing value.
 */
import { familyOfType } from '../../catalogue/maps.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import type { Turns } from '../event-loop.ts';
import { compareSortKeys, sortKey } from '../query/ordering.ts';
import type { Value } from '../row.ts';
import type { Table } from '../table/table.ts';
import { styleElement } from './picture-style.ts';
import type { Size } from './projection.ts';
import { escapeXml } from './svg-path.ts';

const rowsShown = 24;
const mostColumns = 40;
/** Strengths of a colour, in tenths. */
const strengths = [3, 4, 5, 6, 7, 8, 9] as const;

/** @param rows numbers of rows; null for all rows of the table */
export async function drawTexture(
  table: Table,
  rows: Uint32Array | null,
  { width, height }: Size,
  title: string,
  turns: Turns,
): Promise<string> {
  const count = rows?.length ?? table.rowCount;
  const shown = Math.min(rowsShown, count);
  const columns = table.schema.columns.slice(0, mostColumns);
  const needed = { columns: [...columns.keys()], needsGeometry: false };
  const values: Value[][] = columns.map(() => []);
  for (let n = 0; n < shown; n++) {
    const position = Math.floor((n * count) / shown);
    const row = await table.row(rows ? (rows[position] as number) : position, needed);
    for (const [column, list] of values.entries()) list.push(row.value(column));
    if (turns.isOver) await turns.next();
  }
  const step = width / Math.max(1, columns.length);
  const line = height / Math.max(1, shown);
  const paths = new Map<string, string>();
  for (const [column, { type }] of columns.entries()) {
    for (const [row, rank] of rankValues(values[column] ?? [], type).entries()) {
      if (rank === null) continue;
      const name = `f-${familyOfType[type]} s${rank}`;
      const bar = `M${round(column * step + 1)} ${round(row * line + 0.5)}h${round(Math.max(1, step - 2))}v${round(Math.max(1, line - 1))}h-${round(Math.max(1, step - 2))}z`;
      paths.set(name, (paths.get(name) ?? '') + bar);
    }
  }
  const bars = [...paths].map(([name, path]) => `<path class="${name}" d="${path}"/>`);
  const families = [...new Set(Object.values(familyOfType))].map((name) => `.f-${name}{fill:var(--${name})}`);
  const rules = strengths.map((strength, rank) => `.s${rank}{opacity:.${strength}}`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
    `<title>${escapeXml(title)}</title>${styleElement(`.void{fill:var(--void)}${families.join('')}${rules.join('')}`)}` +
    `<path class="void" d="M0 0h${width}v${height}H0z"/>${bars.join('')}</svg>`
  );
}

const round = (number: number) => Number(number.toFixed(1));

/** The ranks of values among themselves, as indexes of `strengths`; null for a missing value. */
function rankValues(values: readonly Value[], type: ColumnType): (number | null)[] {
  const keys = values.map((value) => (value === null ? null : sortKey(value, type)));
  const sorted = keys.filter((key) => key !== null).sort((a, b) => compareSortKeys(a, b, 1));
  const places = new Map(sorted.map((key, place) => [key, place]));
  const top = Math.max(1, sorted.length - 1);
  return keys.map((key) => (key === null ? null : Math.round(((places.get(key) ?? 0) / top) * (strengths.length - 1))));
}
