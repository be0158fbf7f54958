/**
 * Groups and users of an input that a server doesn't have. Its answer says that a link leads nowhere, in the words of Django REST
 * Framework, and not which of several.
 */
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import { excerpt, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { fieldNamed } from '../catalogue/fields.ts';
import type { Ref } from '../catalogue/ref.ts';
import { refFromLinkValue } from '../catalogue/represent.ts';

const noObject = 'Invalid hyperlink - Object does not exist.';

/**
 * The error of a write, with the names of the groups and users that are missing.
 * @param error any error; another than that of a link is returned as it is
 * @param has returns if the server shows a record to the viewer
 */
export async function withMissingNames(
  error: unknown,
  kind: WritableKind,
  input: Input,
  has: (ref: Ref) => Promise<boolean>,
): Promise<unknown> {
  if (!(error instanceof ValidationError)) return error;
  const fields: Record<string, readonly string[]> = { ...error.fields };
  for (const [name, messages] of Object.entries(fields)) {
    const { link } = fieldNamed(kind, name) ?? {};
    const values = input[name];
    if (!messages.includes(noObject) || (link !== 'group' && link !== 'user') || !Array.isArray(values)) continue;
    const missing: Ref[] = [];
    for (const value of values) {
      const ref = refFromLinkValue(link, String(value), input);
      if (values.length === 1 || !(await has(ref))) missing.push(ref);
    }
    if (missing.length) fields[name] = missing.map((ref) => `There is no ${ref.kind} ${excerpt(ref.slug)}.`);
  }
  return new ValidationError(fields);
}

/** False if a request finds no record. */
export async function isFound(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    (error) => {
      // A name that no record can have, either.
      if (error instanceof NotFoundError || error instanceof ValidationError) return false;
      throw error;
    },
  );
}
