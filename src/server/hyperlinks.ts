/** Hyperlink fields: addresses that stand for what they lead to, judged as Django REST Framework judges them. */
import type { Catalogue, Input } from '../catalogue/catalogue.ts';
import { MovedError, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { typeName } from '../catalogue/input.ts';
import { formatRef, type Ref } from '../catalogue/ref.ts';
import { refAt } from '../catalogue/urls.ts';

interface LinkField {
  readonly kind: Ref['kind'];
  /** Whether it is a list of them. */
  readonly many?: boolean;
  /** What the field holds inside. */
  readonly value: (ref: Ref) => string;
  readonly nullable?: boolean;
}

const slugOf = ({ slug }: Ref) => slug;

/** The fields that are hyperlinks outside, by the kind that has them. */
const linkFields: Readonly<Record<string, Readonly<Record<string, LinkField>>>> = {
  dataset: { namespace: { kind: 'namespace', value: slugOf } },
  namespace: { owners: { kind: 'group', many: true, value: slugOf } },
  query: {
    dataset: { kind: 'dataset', value: formatRef },
    version: { kind: 'version', value: slugOf, nullable: true },
  },
  group: { members: { kind: 'user', many: true, value: slugOf } },
  user: { groups: { kind: 'group', many: true, value: slugOf } },
  token: { user: { kind: 'user', value: slugOf } },
};

/**
 * The input with what its hyperlinks lead to in their place.
 * @returns the input without the fields that are wrong, and what is wrong with them
 */
export async function followLinks(
  kind: string,
  input: Input,
  catalogue: Catalogue,
): Promise<{ readonly input: Input; readonly errors: Readonly<Record<string, readonly string[]>> }> {
  const followed: Record<string, unknown> = { ...input };
  const errors: Record<string, readonly string[]> = {};
  for (const [name, field] of Object.entries(linkFields[kind] ?? {})) {
    const value = input[name];
    if (value === undefined) continue;
    // A form has no other way to say so, and DRF takes it from all.
    if (field.nullable && (value === null || value === '')) {
      followed[name] = null;
      continue;
    }
    try {
      if (!field.many) followed[name] = field.value(await follow(value, field, catalogue));
      else if (Array.isArray(value))
        followed[name] = await Promise.all(
          value.map(async (item) => field.value(await follow(item, field, catalogue))),
        );
      else throw new LinkError(`Expected a list of items but got type "${typeName(value)}".`);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      delete followed[name];
      errors[name] = [error.message];
    }
  }
  return { input: followed, errors };
}

class LinkError extends Error {}

async function follow(value: unknown, { kind }: LinkField, catalogue: Catalogue): Promise<Ref> {
  if (value === null || value === '') throw new LinkError('This field may not be null.');
  if (typeof value !== 'string')
    throw new LinkError(`Incorrect type. Expected URL string, received ${typeName(value)}.`);
  const ref = refAt(pathIn(value.trim()));
  if (ref === null) throw new LinkError('Invalid hyperlink - No URL match.');
  if (ref === 'other' || ref.kind !== kind) throw new LinkError('Invalid hyperlink - Incorrect URL match.');
  try {
    await catalogue.get(ref as never);
    return ref;
  } catch (error) {
    // That of the request hasn't moved; what a field names may have, and is found where it is now.
    if (error instanceof MovedError) return error.to;
    if (error instanceof NotFoundError || error instanceof ValidationError)
      throw new LinkError('Invalid hyperlink - Object does not exist.');
    throw error;
  }
}

/** The path of an http(s) URL, of which scheme, host, query and fragment aren't looked at; or of a bare path. */
function pathIn(url: string): string {
  const path = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)/i.exec(url)?.[1] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
