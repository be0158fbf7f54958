/** Fields in the forms that people and programs send: which are images, and how the others are written as text. */
import type { Field, NamedField } from './field.ts';
import { type FieldsKind, fieldNamed, fieldsOf } from './fields.ts';

/** The fields of a kind that are images. */
export const imageFields = (kind: FieldsKind): readonly NamedField[] =>
  fieldsOf(kind).filter(({ type }) => type === 'image');

/** Shape of a field in a form: a text, several texts with one name, JSON in a text, or the bytes of an image. */
export type FieldShape = 'text' | 'list' | 'json' | 'image';

const shapes: { readonly [T in Field['type']]?: FieldShape } = {
  list: 'list',
  links: 'list',
  image: 'image',
  columns: 'json',
  json: 'json',
  reading: 'json',
  numbers: 'json',
  object: 'json',
};

/** The shape of a field; `text` for an unknown field. */
export function formFieldShape(kind: FieldsKind, name: string): FieldShape {
  const field = fieldNamed(kind, name);
  return (field && shapes[field.type]) ?? 'text';
}
