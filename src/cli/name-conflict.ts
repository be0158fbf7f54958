/**
 * Names that are in use. The API calls such a name an invalid input, as Django REST Framework does; at a prompt it is a
 * conflict, with an exit code of its own.
 */
import type { Catalogue, CreatableKind, Input } from '../catalogue/catalogue.ts';
import { ConflictError, ValidationError } from '../catalogue/errors.ts';
import { formatRef, type Refs } from '../catalogue/ref.ts';
import { slugify } from '../catalogue/slug.ts';
import { listAll } from './lookup.ts';

/** The name of a record that can be created. */
export type CreatableRef = Refs[CreatableKind];

/** The reference of a record with these fields; the slug is derived from the label where none is given. */
export function refFrom(kind: CreatableKind, fields: Input): CreatableRef {
  const slug = String(fields.slug || (fields.username ?? slugify(String(fields.label))));
  return kind === 'dataset' ? { kind, namespace: String(fields.namespace), slug } : { kind, slug };
}

/**
 * Runs an action that gives a record its name.
 * @param name the name that the record will have
 * @param current the name that the record has; null for a new one
 * @throws ConflictError where another record has the name
 */
export async function withNameConflict<T>(
  catalogue: Catalogue,
  name: CreatableRef,
  current: CreatableRef | null,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    // Only after a failure: to know all names, the whole catalogue has to be read.
    if (error instanceof ValidationError) await assertNameFree(catalogue, name, current);
    throw error;
  }
}

/**
 * Names are unique without regard to case: on some file systems they would be the same folder.
 * @throws ConflictError
 */
export async function assertNameFree(
  catalogue: Catalogue,
  name: CreatableRef,
  current: CreatableRef | null,
): Promise<void> {
  if (current && formatRef(current).toLowerCase() === formatRef(name).toLowerCase()) return;
  const records =
    name.kind === 'dataset'
      ? await listAll(catalogue, 'dataset', { namespace: name.namespace })
      : await listAll<Exclude<CreatableKind, 'dataset'>>(catalogue, name.kind, {});
  const other = records.find(({ slug }) => slug.toLowerCase() === name.slug.toLowerCase());
  if (!other) return;
  const existing = formatRef(other);
  throw new ConflictError(
    `There is a ${name.kind} ${existing} already. Choose another name, or change that one with: ` +
      `catalogue ${name.kind} edit ${existing}`,
  );
}
