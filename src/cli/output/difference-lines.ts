/** Differences of two versions as lines: of their columns, and of their rows with the counts first. */

import type { ColumnChanges } from '../../catalogue/catalogue.ts';
import { areColumnsUnchanged } from '../../catalogue/columns.ts';
import type { Difference, DifferenceKey, PlainRow, RowChange } from '../../catalogue/difference.ts';
import { excerpt, maxShownValue } from '../../catalogue/errors.ts';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import { formatRef, refOf } from '../../catalogue/ref.ts';
import type { ColumnType } from '../../catalogue/types.ts';

/**
 * The lines of a difference, made one by one.
 * @param forPeople true to cut long values; false for whole ones, separated by tabs
 * @param most the most rows
 */
export async function* differenceLines(
  difference: Difference,
  forPeople: boolean,
  most: number,
): AsyncGenerator<string, void, undefined> {
  const { from, to, counts, columns, key, renames = [] } = difference;
  const line = (text: string) => `${escapeToOneLine(text)}\n`;
  yield line(`From ${formatRef(refOf(from))} (rows: ${counts.from}) to ${formatRef(refOf(to))} (rows: ${counts.to})`);
  for (const text of columnChangeLines(columns)) yield line(text);
  for (const one of columns.renamed ?? []) yield line(`  ~ ${one.from} is ${one.to} now`);
  // The page of the difference says the same.
  for (const one of renames)
    yield line(`  ${one.from} has become ${one.to}, it seems: the values are the same or nearly so.`);
  const { added, removed, changed, unchanged } = counts;
  yield line(`Rows: ${added} added, ${removed} removed, ${changed} changed, ${unchanged} unchanged${knownBy(key)}.`);
  if (most === 0) return;
  let shown = 0;
  for await (const row of difference.rows()) {
    const parts = partsOf(row, forPeople ? cut : whole).map(escapeToOneLine);
    yield `${forPeople ? `  ${parts.join('  ')}` : parts.join('\t')}\n`;
    if (++shown >= most) return;
  }
}

function knownBy({ kind, columns }: DifferenceKey): string {
  if (kind === 'row') return '; rows are compared as a whole';
  return `; rows are known by ${kind === 'id' ? 'their id' : columns.join(', ')}`;
}

type Write = (value: unknown) => string;

function partsOf(row: RowChange, write: Write): string[] {
  const pairs = (values: PlainRow) => Object.entries(values).map(([name, value]) => `${name}=${write(value)}`);
  if (row.change !== 'changed') return [row.change === 'added' ? '+' : '-', ...pairs(row.row)];
  const { from, to, columns, key } = row;
  return ['~', ...pairs(key), ...columns.map((name) => `${name}: ${write(from[name])} → ${write(to[name])}`)];
}

/** A value as text. */
const whole: Write = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const cut: Write = (value) => {
  if (isGeometry(value)) return value.type === 'Point' ? whole(value.coordinates) : `${value.type}(…)`;
  return excerpt(whole(value), maxShownValue);
};

const isGeometry = (value: unknown): value is { readonly type: string; readonly coordinates: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  'coordinates' in value &&
  'type' in value &&
  typeof value.type === 'string';

interface Named {
  readonly name: string;
  readonly type: ColumnType;
}

/** Changes of columns, as far as the lines show them. */
export interface ColumnsChange extends Pick<ColumnChanges, 'retyped'> {
  readonly added: readonly Named[];
  readonly dropped: readonly Named[];
}

/**
 * The changes of a dataset's columns: a line with the counts, and one for each; no line if nothing changes.
 * @param isDraft true if the changes are those of a draft, which takes effect later
 * @param most the most lines of each kind of change; another line has the number of the others
 */
export function columnChangeLines(
  changes: ColumnsChange,
  { isDraft = false, most = Number.POSITIVE_INFINITY } = {},
): readonly string[] {
  const { added, dropped, retyped } = changes;
  if (areColumnsUnchanged(changes)) return [];
  const counts = Object.entries({ added, dropped, retyped }).filter(([, columns]) => columns.length);
  const upToMost = (lines: readonly string[]) => {
    const more = lines.length - most;
    return more > 0 ? [...lines.slice(0, most), `    … and ${more} more`] : lines;
  };
  return [
    `${isDraft ? 'When it is made ready, columns' : 'Columns'}: ${counts.map(([what, columns]) => `${columns.length} ${what}`).join(', ')}.`,
    ...upToMost(added.map(({ name, type }) => `  + ${name} (${type})`)),
    ...upToMost(dropped.map(({ name, type }) => `  - ${name} (${type})`)),
    ...upToMost(retyped.map(({ name, from, to }) => `  ~ ${name} (${from} → ${to})`)),
  ];
}
