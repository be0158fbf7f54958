/** Pages with a table: the rows of a dataset, and the schema of a kind of file. */
import type { Schema } from '../catalogue/field.ts';
import type { FileSchema } from '../catalogue/schemas.ts';
import type { Settings } from '../catalogue/types.ts';
import { escapeHtml, renderHtmlPage } from './layout.ts';

export interface RowsPageParts {
  readonly title: string;
  readonly settings: Settings;
  readonly base: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Number of all rows that were found. */
  readonly matched: number;
}

/** A page with rows, and the number of all rows. */
export function renderRowsPage({ title, settings, base, items, matched }: RowsPageParts): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const rows = items.map((item) => names.map((name) => escapeHtml(textOf(item[name]))));
  const count = items.length < matched ? `The first ${items.length} of ${matched} rows.` : `${matched} rows.`;
  return renderHtmlPage(
    title,
    settings,
    base,
    `<p>${count}</p>\n${items.length ? table(names.map(escapeHtml), rows) : ''}`,
  );
}

/** The text of a value, cut off if it is long: other formats have it in full. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** A page with the keys of a kind of file: their meaning, their values, their defaults. */
export function renderFileSchemaPage(schema: FileSchema, settings: Settings, base: string): string {
  const intro = `<p>${escapeHtml(schema.description)} Other keys are kept, and mean nothing to the catalogue.</p>`;
  const content = `${intro}\n${table(['Key', 'Meaning', 'Value', 'Default'], schemaRows(schema))}`;
  return renderHtmlPage(schema.title, settings, base, content);
}

/** A row for each key, those within it below: `file.name`, `columns[].type`. */
function schemaRows({ properties = {}, required = [] }: Schema, within = ''): string[][] {
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = `${within}${key}`;
    const row = [
      `<code>${escapeHtml(name)}</code>${required.includes(key) ? ' (required)' : ''}`,
      escapeHtml(property.description ?? property.title ?? ''),
      escapeHtml(describeValues(property)),
      property.default === undefined ? '' : `<code>${escapeHtml(JSON.stringify(property.default))}</code>`,
    ];
    return [row, ...schemaRows(property, `${name}.`), ...schemaRows(property.items ?? {}, `${name}[].`)];
  });
}

function describeValues({ type, enum: choices, items, maxLength }: Schema): string {
  if (choices) return choices.join(', ');
  if (items) return `list of ${items.properties ? 'groups of keys' : describeValues(items)}`;
  const names = [type].flat().map((name) => (name === 'object' ? 'group of keys' : name));
  return `${names.join(' or ')}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}`;
}

/** A table that scrolls by itself. @param head cells, as HTML, like those of the rows */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const headCells = head.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="scroll"><table><thead><tr>${headCells}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}
