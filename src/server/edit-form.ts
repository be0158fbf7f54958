/** The form that edits a dataset, as texts by the names of fields: what it shows, and what was changed in it and on the server. */
import { createHash } from 'node:crypto';
import type { Input } from '../catalogue/catalogue.ts';
import type { NamedField } from '../catalogue/field.ts';
import { fieldsOf } from '../catalogue/fields.ts';
import type { Dataset } from '../catalogue/types.ts';
import { replaceForbidden } from '../pages/html.ts';

/** Fields that a control of a form can show: texts, lists of short texts, and choices, which people write into records. */
export const editedFields: readonly NamedField[] = fieldsOf('dataset').filter(
  ({ source, readOnly, type }) => source === 'file' && !readOnly && ['text', 'list', 'choice'].includes(type),
);

/** True for a text without a limit, which has lines. */
export const hasLines = ({ type, schema: { maxLength, pattern } }: NamedField): boolean =>
  type === 'text' && maxLength === undefined && pattern === undefined;

/** Texts of the controls, by the names of their fields. */
export type FormTexts = Readonly<Record<string, string>>;

/** The texts of a dataset in the form. */
export const textsOfDataset = (dataset: Dataset): FormTexts =>
  Object.fromEntries(
    editedFields.map(({ name }) => {
      const value = dataset[name as keyof Dataset];
      return [name, Array.isArray(value) ? value.join(', ') : String(value)];
    }),
  );

/** The texts in the body of a form, with the line ends of records: browsers send CRLF. A field that it lacks is absent. */
export const textsInBody = (body: Input): FormTexts =>
  Object.fromEntries(
    editedFields.flatMap(({ name }) => {
      const text = body[name];
      return typeof text === 'string' ? [[name, text.replace(/\r\n?/g, '\n')]] : [];
    }),
  );

/** A text as it comes back from a browser in which it wasn't changed: without what HTML can't hold, and without blanks around it. */
function asSentBack(field: NamedField, text: string): string {
  const held = replaceForbidden(text.toWellFormed()).replace(/\r\n?/g, '\n');
  return (hasLines(field) ? held : held.replaceAll('\n', '')).trim();
}

const tagOf = (field: NamedField, text: string) =>
  createHash('sha256').update(asSentBack(field, text)).digest('base64url').slice(0, 22);

/** The ETag of a form: a tag for each of its texts, so that it says which of them others have changed. */
export const tagsOf = (texts: FormTexts): string =>
  editedFields.map((field) => `${field.name}=${tagOf(field, texts[field.name] ?? '')}`).join(' ');

/** What was changed since a form was opened. */
export interface FormChanges {
  /** Fields to write. */
  readonly own: readonly string[];
  /** Fields whose text on the server is another one than in the form, since somebody else has changed it. */
  readonly others: readonly string[];
  /** The texts to go on with: those of the form, but for fields that only others have changed. */
  readonly texts: FormTexts;
}

/**
 * Compares the texts of a form, those on the server, and those with which the form was opened.
 * @param tags of the texts with which it was opened; of a field that they lack, any other text on the server is a change of others
 */
export function compareForm(sent: FormTexts, tags: string, present: FormTexts): FormChanges {
  const opened = new Map(tags.split(' ').map((pair) => pair.split('=', 2) as [string, string]));
  const own: string[] = [];
  const others: string[] = [];
  const texts: Record<string, string> = { ...present };
  for (const field of editedFields) {
    const { name } = field;
    const [mine, theirs, before] = [sent[name], present[name] ?? '', opened.get(name)];
    if (mine === undefined || asSentBack(field, mine) === asSentBack(field, theirs)) continue;
    const isMine = tagOf(field, mine) !== before;
    if (tagOf(field, theirs) !== before) others.push(name);
    else own.push(name);
    if (isMine) texts[name] = mine;
  }
  return { own, others, texts };
}

/** The input of the API for some fields of a form. @param dataset that is edited */
export const inputFromTexts = (texts: FormTexts, names: readonly string[], dataset: Dataset): Input =>
  Object.fromEntries(
    editedFields
      .filter(({ name }) => names.includes(name))
      .map(({ name, type }) => {
        const text = texts[name] ?? '';
        return [name, type === 'list' ? itemsOf(text, dataset[name as keyof Dataset] as readonly string[]) : text];
      }),
  );

/** The items of a text with commas between them. One that the list has already may contain commas itself. */
function itemsOf(text: string, present: readonly string[]): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  const withCommas = present
    .map((item) => ({ item, own: item.split(',').map((part) => part.trim()) }))
    .filter(({ own }) => own.length > 1)
    .sort((a, b) => b.own.length - a.own.length);
  const items: string[] = [];
  for (let i = 0; i < parts.length; ) {
    const known = withCommas.find(({ own }) => own.every((part, j) => part === parts[i + j]));
    items.push(known?.item ?? parts[i] ?? '');
    i += known?.own.length ?? 1;
  }
  return items.filter(Boolean);
}
