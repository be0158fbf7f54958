/** Rows as a table in a page. */
import type { Settings } from '../catalogue/types.ts';
import { escapeHtml, layout } from './plain.ts';

export interface RowsPageParts {
  readonly title: string;
  readonly settings: Settings;
  readonly base: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** How many rows there are in all. */
  readonly matched: number;
}

/** A page with a table of rows, and how many more there are. */
export function rowsPage({ title, settings, base, items, matched }: RowsPageParts): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const head = names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = items
    .map((item) => `<tr>${names.map((name) => `<td>${escapeHtml(cell(item[name]))}</td>`).join('')}</tr>`)
    .join('\n');
  const count = items.length < matched ? `The first ${items.length} of ${matched} rows.` : `${matched} rows.`;
  const table = items.length
    ? `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
    : '';
  return layout(title, settings, base, `<p>${count}</p>\n${table}`);
}

/** A cell's text; what is long is cut, for it is there in full in every other format. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
