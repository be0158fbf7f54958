/** Hyperlinks in an input: addresses in the place of names, with the messages of Django REST Framework. */
import type { Catalogue, Input, WritableKind } from '../catalogue/catalogue.ts';
import { MovedError, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import type { NamedField } from '../catalogue/field.ts';
import { imageFields } from '../catalogue/field-forms.ts';
import { fieldsOf } from '../catalogue/fields.ts';
import { pythonTypeName } from '../catalogue/input.ts';
import { mediaPathInUrl } from '../catalogue/layout.ts';
import type { Ref } from '../catalogue/ref.ts';
import { linkValueOfRef } from '../catalogue/represent.ts';
import { baseUrlPath, parseApiPath } from '../catalogue/urls.ts';

type LinkField = Pick<NamedField, 'name' | 'type' | 'link' | 'otherLink' | 'default'>;

/** The hyperlinks among the writable fields of a kind. */
const linkFields = (kind: WritableKind | 'token'): readonly LinkField[] =>
  kind === 'token'
    ? [{ name: 'user', type: 'link', link: 'user' }]
    : fieldsOf(kind).filter(({ link, readOnly }) => link && !readOnly);

/**
 * The input with names in the place of hyperlinks, and paths of images as records have them.
 * @param base base URL of links
 * @returns the input without the fields that are wrong, and their errors
 */
export async function resolveHyperlinks(
  kind: WritableKind | 'token',
  input: Input,
  catalogue: Catalogue,
  base = '',
): Promise<{ readonly input: Input; readonly errors: Readonly<Record<string, readonly string[]>> }> {
  const followed: Record<string, unknown> = { ...input };
  const errors: Record<string, readonly string[]> = {};
  const prefix = baseUrlPath(base);
  for (const { name } of kind === 'token' || prefix === '' ? [] : imageFields(kind)) {
    const address = input[name];
    if (typeof address !== 'string') continue;
    if (mediaPathInUrl(address.slice(prefix.length)) && address.startsWith(prefix))
      followed[name] = address.slice(prefix.length);
  }
  for (const field of linkFields(kind)) {
    const { name, type, default: absent } = field;
    const value = input[name];
    if (value === undefined) continue;
    // A form has no other way to say so, and DRF takes it from all.
    if (absent === null && (value === null || value === '')) {
      followed[name] = null;
      continue;
    }
    try {
      if (type === 'link') [followed[name]] = await namesAt([value], field, catalogue);
      else if (Array.isArray(value)) followed[name] = await namesAt(value, field, catalogue);
      else throw new LinkError(`Expected a list of items but got type "${pythonTypeName(value)}".`);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      delete followed[name];
      errors[name] = [error.message];
    }
  }
  return { input: followed, errors };
}

class LinkError extends Error {}

/**
 * The names at addresses. Each record is looked up once, and none after the first wrong address: a list may have any length,
 * and look-ups without I/O leave no other request a turn.
 * @throws LinkError for the first address that is wrong
 */
async function namesAt(addresses: readonly unknown[], field: LinkField, catalogue: Catalogue): Promise<unknown[]> {
  const known = new Map<string, unknown>();
  const names: unknown[] = [];
  for (const address of addresses) {
    const ref = refAt(address, field);
    const key = JSON.stringify(ref);
    if (!known.has(key)) known.set(key, linkValueOfRef(field, await findTarget(ref, catalogue)));
    names.push(known.get(key));
  }
  return names;
}

/** What an address names. @throws LinkError */
function refAt(value: unknown, { link, otherLink }: LinkField): Ref {
  if (value === null || value === '') throw new LinkError('This field may not be null.');
  if (typeof value !== 'string')
    throw new LinkError(`Incorrect type. Expected URL string, received ${pythonTypeName(value)}.`);
  const ref = parseApiPath(pathIn(value.trim()));
  if (ref === null) throw new LinkError('Invalid hyperlink - No URL match.');
  if (ref === 'other' || (ref.kind !== link && ref.kind !== otherLink))
    throw new LinkError('Invalid hyperlink - Incorrect URL match.');
  return ref;
}

/** The reference of the record, which may have moved. @throws LinkError if there is no such record */
async function findTarget(ref: Ref, catalogue: Catalogue): Promise<Ref> {
  try {
    await catalogue.get(ref as never);
    return ref;
  } catch (error) {
    // The entity may have moved: the link leads to where it is now.
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
