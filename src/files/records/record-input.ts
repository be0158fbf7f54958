/** Checks of the input that creates or edits a record, and the errors by field for what the rules refuse. */
import type { WritableKind } from '../../catalogue/catalogue.ts';
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import { isValidName, type Scope } from '../../catalogue/layout.ts';
import { parseDatasetRef } from '../../catalogue/parse-ref.ts';
import type { Refs } from '../../catalogue/ref.ts';
import { refFromLinkValue } from '../../catalogue/represent.ts';
import type { Access, CatalogueFiles } from '../catalogue-files.ts';
import type { RecordFields } from './stored-fields.ts';

/** The language in which slugs are spelled. */
export async function languageOf(files: CatalogueFiles): Promise<string> {
  await files.ensureRead([{ kind: 'settings' }]);
  return files.snapshot.settings.language;
}

/** Units that fields refer to: they must be read before the rules check the references. */
export function unitsInFields(
  kind: WritableKind,
  { namespace, dataset, owners, groups, readers }: RecordFields,
): readonly Scope[] {
  const members = [owners, groups, readers].flatMap((names) => (Array.isArray(names) ? names.map(String) : []));
  const asked = kind === 'query' && dataset !== undefined ? parseDatasetRef(String(dataset)) : null;
  return [
    ...members.map((member) => refFromLinkValue('group', member, {}) as Refs['group'] | Refs['user']),
    ...(kind === 'dataset' && namespace !== undefined ? [{ kind: 'namespace', slug: String(namespace) } as const] : []),
    ...(asked ? [asked, { kind: 'namespace', slug: asked.namespace } as const] : []),
  ];
}

/** @throws ValidationError if no namespace can have the name that the input gives */
export function assertNamespaceName({ namespace }: RecordFields): void {
  if (namespace !== undefined && !isValidName('namespace', String(namespace)))
    throw new ValidationError({ namespace: [missingObject] });
}

const missingObject = 'Invalid hyperlink - Object does not exist.';

/** Makes the error of an input that the rules refuse: messages by field, with the wording of Django REST Framework. */
export function inputRefusal(ref: Refs[WritableKind]): (diagnostics: readonly Diagnostic[]) => Error {
  const { kind } = ref;
  return (diagnostics) => {
    const id = diagnostics.find(({ code }) => code === 'id');
    if (id) return new ConflictError(id.message);
    if (diagnostics.some(({ code }) => code === 'name')) return new ValidationError(nameConflictErrors(ref));
    const errors: Record<string, string[]> = {};
    for (const { code, pointer, message } of diagnostics) {
      const field = code === 'container' ? 'namespace' : (pointer.split('/')[1] ?? 'non_field_errors');
      const isLink = code === 'container' || kind === 'query';
      errors[field] = [...(errors[field] ?? []), isLink ? missingObject : message];
    }
    return new ValidationError(errors);
  };
}

/** Errors by field for a name that another record has. */
function nameConflictErrors({ kind }: Refs[WritableKind]): Readonly<Record<string, readonly string[]>> {
  if (kind === 'dataset') return { non_field_errors: ['The fields namespace, slug must make a unique set.'] };
  if (kind === 'user') return { username: ['A user with that username already exists.'] };
  return { slug: [`${kind} with this slug already exists.`] };
}

/**
 * Refuses the name of a query or namespace that the viewer may not see, in words that don't tell that there is one.
 * @throws ValidationError
 */
export function assertNotNameOfHidden({ files, visible }: Access, { kind, slug }: Refs[WritableKind]): void {
  if (kind !== 'query' && kind !== 'namespace') return;
  const records = kind === 'query' ? 'queries' : 'folders';
  const names = [...files.snapshot[records].keys()].filter((name) => name.toLowerCase() === slug.toLowerCase());
  const seen = visible()[records];
  if (names.length && !names.some((name) => seen.has(name)))
    throw new ValidationError({ slug: ['This slug is not available. Choose another.'] });
}
