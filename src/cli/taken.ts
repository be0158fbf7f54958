/** Names that are taken. The API calls that an invalid input, as Django REST Framework does; at a prompt it is a conflict. */
import type { Catalogue, CreatableKind, Input } from '../catalogue/catalogue.ts';
import { ConflictError, ValidationError } from '../catalogue/errors.ts';
import { formatRef, type Refs } from '../catalogue/ref.ts';
import { slugify } from '../catalogue/slug.ts';
import { collect } from './collect.ts';

/** The name of something that can be made. */
export type CreatableRef = Refs[CreatableKind];

/** What a record with these fields would be called; the slug is derived from the label where none is given. */
export function refFrom(kind: CreatableKind, fields: Input): CreatableRef {
  const slug = String(fields.slug || (fields.username ?? slugify(String(fields.label))));
  return kind === 'dataset' ? { kind, namespace: String(fields.namespace), slug } : { kind, slug };
}

/**
 * Creates or edits something that will have a name.
 * @param self how it is called so far
 * @throws ConflictError where something else has it
 */
export async function claim<T>(
  catalogue: Catalogue,
  name: CreatableRef,
  action: () => Promise<T>,
  self?: CreatableRef,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    // Asked only now, since all names are known only to one who has read the whole catalogue.
    if (error instanceof ValidationError) await mustBeFree(catalogue, name, self);
    throw error;
  }
}

/**
 * Names are unique without regard to case: on some file systems they would be the same folder.
 * @throws ConflictError
 */
export async function mustBeFree(catalogue: Catalogue, name: CreatableRef, self?: CreatableRef): Promise<void> {
  if (self && formatRef(self).toLowerCase() === formatRef(name).toLowerCase()) return;
  const named =
    name.kind === 'dataset'
      ? await collect(catalogue, 'dataset', { namespace: name.namespace })
      : await collect<Exclude<CreatableKind, 'dataset'>>(catalogue, name.kind, {});
  const other = named.find(({ slug }) => slug.toLowerCase() === name.slug.toLowerCase());
  if (!other) return;
  const existing = formatRef(other);
  throw new ConflictError(
    `There is a ${name.kind} ${existing} already. Choose another name, or change that one with: ` +
      `catalogue ${name.kind} edit ${existing}`,
  );
}
