/** Changes and conflicts between a local and a remote catalogue, as lines. */
import type { ChangeSummary, ConflictSummary } from '../../sync/summary.ts';
import { bytesText } from '../output/quantities.ts';
import type { Paint } from '../output/show.ts';
import { oneLine } from '../output/text.ts';

const signs = { add: '+', change: '~', remove: '-', move: '~' } as const;
const colourOf = { add: 'green', change: 'yellow', remove: 'red', move: 'yellow' } as const;

/** A change for people: `+ parks/trees@2020… (1.2 MB)`. */
export function changeLine({ change, name, to, size, fields }: ChangeSummary, paint: Paint): string {
  const parts = [to === undefined ? name : `${name} → ${to}`];
  if (size !== undefined) parts.push(`(${bytesText(size)})`);
  if (fields) parts.push(` ${fields.join(', ') || 'comments or layout'}`);
  return `${paint(colourOf[change], signs[change])} ${oneLine(parts.join(' '))}`;
}

/** A conflict for people: the change of each side, and below it each field. */
export function conflictLines({ name, ours, theirs, fields }: ConflictSummary, paint: Paint): readonly string[] {
  const sides = ours === theirs ? `${ours} on both sides` : `${ours} locally, ${theirs} remotely`;
  return [
    `${paint('red', '!')} ${paint('bold', oneLine(name))}  ${sides}`,
    ...fields.map(({ field, base, ours: mine, theirs: others, changedBy }) => {
      const side = changedBy === 'both' ? '' : `  (changed ${changedBy === 'ours' ? 'locally' : 'remotely'} only)`;
      const values = Object.entries({ was: base, local: mine, remote: others });
      const shown = values.map(([name, value]) => `${paint('dim', name)} ${oneLine(valueText(value))}`).join(', ');
      return `    ${oneLine(field)}: ${shown}${side}`;
    }),
  ];
}

/** The cells of a change for programs: direction, change, name, size or new name, fields. */
export function changeCells(direction: string, { change, name, to, size, fields }: ChangeSummary): readonly string[] {
  return [direction, change, name, to ?? String(size ?? ''), fields?.join(',') ?? ''];
}

/** The cells of a conflict for programs: one line for each field. */
export function conflictCells({ name, ours, theirs, fields }: ConflictSummary): readonly (readonly string[])[] {
  const start = ['conflict', `${ours}/${theirs}`, name];
  if (fields.length === 0) return [[...start, '', '']];
  return fields.map(({ field, base, ours: mine, theirs: others }) => [
    ...start,
    field,
    JSON.stringify({ base, ours: mine, theirs: others }),
  ]);
}

const longest = 60;

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
