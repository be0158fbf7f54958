/** Forms: texts and files under names, read as fields. */
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import { excerpt, ValidationError } from '../catalogue/errors.ts';
import { formFieldShape } from '../catalogue/field-forms.ts';
import { fieldNamed } from '../catalogue/fields.ts';

/** Names and values in their order; bytes are those of a file. */
export type FormEntries = readonly (readonly [name: string, value: unknown])[];

/** As `Object.fromEntries`, but a field may be called __proto__. Of repeated fields the last counts. */
export function fieldsFromEntries(entries: FormEntries): Input {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) fields[name] = value;
  return fields;
}

/**
 * The fields of a kind in a form: a list is a field that is repeated (a blank one alone is the empty list), deeper values
 * are JSON. (DRF's ListField and JSONField read forms so.)
 * @throws ValidationError for a field that is spelled as a part of another one, unless it is an item of a list
 */
export function inputFromForm(kind: WritableKind, given: FormEntries): Input {
  const entries = given.map(([name, value]) => [fieldOfItem(kind, name), value] as const);
  const fields = fieldsFromEntries(entries);
  return fieldsFromEntries(
    Object.entries(fields).map(([name, value]) => {
      const shape = formFieldShape(kind, name);
      if (shape === 'list') return [name, itemsOf(name, entries)];
      return [name, shape === 'json' && typeof value === 'string' ? jsonOr(value) : value];
    }),
  );
}

/** The list of an item, as in `keywords[0]` of Django REST Framework and `keywords[]` of PHP; the name of any other field. */
function fieldOfItem(kind: WritableKind, name: string): string {
  const [, field = '', part = ''] = /^(\w+)(\[.*)$/s.exec(name) ?? [];
  if (!fieldNamed(kind, field)) return name;
  const shape = formFieldShape(kind, field);
  if (shape === 'list' && /^\[\d*\]$/.test(part)) return field;
  const remedies = { list: ', repeated for several values', json: ' as JSON', text: '', image: '' };
  throw new ValidationError({ [name]: [`Unknown field "${excerpt(name)}". Send "${field}"${remedies[shape]}.`] });
}

function itemsOf(name: string, entries: FormEntries): readonly unknown[] {
  const items = entries.filter(([other]) => other === name).map(([, value]) => value);
  return items.length === 1 && items[0] === '' ? [] : items;
}

/** JSON, parsed; any other text as it is: then the field is refused. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
