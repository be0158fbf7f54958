/** What two catalogues have to hand each other, as lines. */
import type { Change, ToldConflict } from '../../sync/changes.ts';
import { bytesText } from '../output/quantities.ts';
import type { Paint } from '../output/show.ts';
import { oneLine } from '../output/text.ts';

const signs = { add: '+', change: '~', remove: '-', move: '~' } as const;
const colourOf = { add: 'green', change: 'yellow', remove: 'red', move: 'yellow' } as const;

/** For people: `+ parks/trees@2020… (1.2 MB)`. */
export function changeLine({ change, name, to, size, fields }: Change, paint: Paint): string {
  const parts = [to === undefined ? name : `${name} → ${to}`];
  if (size !== undefined) parts.push(`(${bytesText(size)})`);
  if (fields) parts.push(` ${fields.join(', ') || 'comments or layout'}`);
  return `${paint(colourOf[change], signs[change])} ${oneLine(parts.join(' '))}`;
}

/** For people: what each side did, and below it each field. */
export function conflictLines({ name, ours, theirs, fields }: ToldConflict, paint: Paint): readonly string[] {
  const says = ours === theirs ? `${ours} here and there` : `${ours} here, ${theirs} there`;
  return [
    `${paint('red', '!')} ${paint('bold', oneLine(name))}  ${says}`,
    ...fields.map(({ field, base, ours: mine, theirs: others, changedBy }) => {
      const who = changedBy === 'both' ? '' : `  (changed ${changedBy === 'ours' ? 'here' : 'there'} only)`;
      const values = Object.entries({ was: base, here: mine, there: others });
      const told = values.map(([when, value]) => `${paint('dim', when)} ${oneLine(word(value))}`).join(', ');
      return `    ${oneLine(field)}: ${told}${who}`;
    }),
  ];
}

/** For programs: direction, change, name, size or new name, fields. */
export function changeCells(direction: string, { change, name, to, size, fields }: Change): readonly string[] {
  return [direction, change, name, to ?? String(size ?? ''), fields?.join(',') ?? ''];
}

/** For programs: one line a field. */
export function conflictCells({ name, ours, theirs, fields }: ToldConflict): readonly (readonly string[])[] {
  const start = ['conflict', `${ours}/${theirs}`, name];
  if (fields.length === 0) return [[...start, '', '']];
  return fields.map(({ field, base, ours: mine, theirs: others }) => [
    ...start,
    field,
    JSON.stringify({ base, ours: mine, theirs: others }),
  ]);
}

const longest = 60;

function word(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
