/** What the value of a field is made of: forms and multipart forms are texts and files, and have to know. */
import type { WritableKind } from './catalogue.ts';
import { schemas } from './schemas.ts';

/** `list` is of texts; `json` anything deeper; an `image` is a text that leads to one, or its bytes. */
export type FieldShape = 'text' | 'list' | 'json' | 'image';

const images: readonly string[] = ['image', 'showcase_image', 'thumbnail_image'];

/** Whether the field is an image of a dataset. */
export const isImageField = (kind: WritableKind, name: string): boolean => kind === 'dataset' && images.includes(name);

/** The shape of a field, be it one of the kind's or not. */
export function shapeOf(kind: WritableKind, name: string): FieldShape {
  if (isImageField(kind, name)) return 'image';
  // Who is in a group stands in the users' files.
  if (kind === 'group' && name === 'members') return 'list';
  const properties = schemas[kind].properties as Readonly<Record<string, Property>>;
  const { type, items } = (Object.hasOwn(properties, name) && properties[name]) || {};
  if (type === 'array') return items?.type === 'string' ? 'list' : 'json';
  return type === 'object' ? 'json' : 'text';
}

interface Property {
  readonly type?: unknown;
  readonly items?: { readonly type?: unknown };
}
