/** The documentation of a kind of file: its schema as a table. */
import type { Settings } from '../catalogue/types.ts';
import { escapeHtml, layout } from './plain.ts';

/** The parts of a JSON Schema that are shown. */
export interface ShownSchema {
  readonly title: string;
  readonly description: string;
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, ShownProperty>>;
}

interface ShownProperty {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly items?: ShownProperty;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ShownProperty>>;
}

/** A page that says which keys a file may have, what they mean, and what their values may be. */
export function schemaPage(schema: ShownSchema, settings: Settings, base: string): string {
  const head = ['Key', 'Meaning', 'Value', 'Default'].map((name) => `<th scope="col">${name}</th>`).join('');
  const intro = `<p>${escapeHtml(schema.description)} Other keys are kept, and mean nothing to the catalogue.</p>`;
  const table = `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${rows(schema).join('\n')}\n</tbody></table></div>`;
  return layout(schema.title, settings, base, `${intro}\n${table}`);
}

/** A row for each key, those within another behind it: `file.name`, `columns[].type`. */
function rows({ properties = {}, required = [] }: ShownProperty, within = ''): string[] {
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = `${within}${key}`;
    const cells = [
      `<code>${escapeHtml(name)}</code>${required.includes(key) ? ' (required)' : ''}`,
      escapeHtml(property.description ?? property.title ?? ''),
      escapeHtml(valuesOf(property)),
      property.default === undefined ? '' : `<code>${escapeHtml(JSON.stringify(property.default))}</code>`,
    ];
    const row = `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    return [row, ...rows(property, `${name}.`), ...rows(property.items ?? {}, `${name}[].`)];
  });
}

function valuesOf({ type, enum: choices, items, maxLength }: ShownProperty): string {
  if (choices) return choices.join(', ');
  if (items) return `list of ${items.properties ? 'groups of keys' : valuesOf(items)}`;
  const names = [type].flat().map((name) => (name === 'object' ? 'group of keys' : name));
  return `${names.join(' or ')}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}`;
}
