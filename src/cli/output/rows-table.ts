/** Rows as a table at a terminal: the first ones, with as many columns as fit. */

import type { Rows } from '../../catalogue/catalogue.ts';
import { CatalogueError } from '../../catalogue/errors.ts';
import { haveAggregates } from '../../catalogue/row-parameters.ts';
import type { Call } from '../command.ts';
import type { Parameter } from '../filters.ts';
import { countText } from './quantities.ts';

/** The rows that people see without --limit. */
const firstRows = 50;
/** The least width of a column, with the gap beside it. */
const leastWidth = 10;

const limits = ['_limit', 'limit', '_page', 'page', '_page_size', 'page_size'];

/**
 * Shows rows as a table, with a message about rows and columns that aren't shown.
 * @param ask gets the rows as an array of objects, with additional parameters
 * @param parameters those that `ask` always sends; filters of columns have names that can't be taken for others (`withExactNames`)
 */
export async function showRows(
  { context, show }: Call,
  ask: (more: readonly Parameter[]) => Promise<Rows>,
  parameters: readonly Parameter[],
): Promise<void> {
  const isLimited = parameters.some(([name]) => limits.includes(name));
  const rows = await ask(isLimited ? [] : [['_limit', String(firstRows)]]);
  const { parseRowsDocument } = await import('../../remote/rows.ts');
  const items = parseRowsDocument(await readTableText(rows));
  if (items.length === 0) {
    show.message('No rows.');
    return;
  }
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const shown = names.slice(0, Math.max(1, Math.floor(context.columns / leastWidth)));
  show.table(
    shown,
    items.map((item) => shown.map((name) => cell(item[name]))),
  );
  const matched = rows.part?.matched ?? items.length;
  if (items.length < matched)
    show.message(`${items.length} of ${countText(matched, 'row')}. All of them: -o FILE, or --format csv`);
  if (shown.length < names.length) {
    const others = haveAggregates(parameters)
      ? 'All of them: -o FILE, or --format csv'
      : `To see others: --fields ${names.slice(shown.length, shown.length + 8).join(',')}`;
    show.message(`${shown.length} of ${names.length} columns. ${others}`);
  }
}

/** In bytes: fifty rows with large geometries are shorter. */
const maxTable = 256 * 1024 * 1024;

/** The text of rows. @throws CatalogueError if it is too long for a table, and maybe endless */
async function readTableText(rows: Rows): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of rows.stream()) {
    size += chunk.length;
    if (size > maxTable)
      throw new CatalogueError(
        'The rows are too long for a table. Choose columns with --fields, or write to a file: -o FILE',
      );
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  const { type, coordinates } = value as { type?: unknown; coordinates?: unknown };
  if (typeof type !== 'string' || !Array.isArray(coordinates)) return JSON.stringify(value);
  // One position is readable, thousands are not.
  return type === 'Point' ? `Point(${coordinates.map((one) => JSON.stringify(one)).join(' ')})` : type;
}
