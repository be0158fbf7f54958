/** From fields, as the interface `Catalogue` has them, to a body of the API: names become hyperlinks. */
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import type { NamedField } from '../catalogue/field.ts';
import { formFieldShape } from '../catalogue/field-forms.ts';
import { fieldNamed } from '../catalogue/fields.ts';
import { refFromLinkValue } from '../catalogue/represent.ts';
import { apiPath } from '../catalogue/urls.ts';

/**
 * The value of a field as the API takes it: links are addresses.
 * @param input the whole input: the version of a query is one of its dataset
 */
function bodyValue(field: NamedField | undefined, base: string, value: unknown, input: Input): unknown {
  const { type, link } = field ?? {};
  if (!link || value === null) return value;
  const address = (name: unknown) => `${base}${apiPath(refFromLinkValue(link, String(name), input))}`;
  if (type === 'link') return address(value);
  // Anything else than a list goes as it is: the server refuses it.
  return Array.isArray(value) ? value.map(address) : value;
}

/** A request's body, and the header fields that describe it. */
export interface Body {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The body of a request with an input: JSON, or a form if there are bytes in it.
 * @param input with `version` of a query, it must have `dataset` too: the address of a version contains it
 */
export async function encodeInput(kind: WritableKind, input: Input, base: string): Promise<Body> {
  const fields = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    return value === undefined ? [] : [[name, bodyValue(fieldNamed(kind, name), base, value, input)]];
  });
  if (!fields.some(([, value]) => value instanceof Uint8Array))
    return { body: JSON.stringify(Object.fromEntries(fields)), headers: { 'content-type': 'application/json' } };
  const form = new FormData();
  for (const [name, value] of fields) for (const part of partsOf(kind, name, value)) append(form, name, part);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers: { 'content-type': type } };
}

/** Form parts of a value: one for each item of a list, one empty part for an empty list, nested values as JSON. */
function partsOf(kind: WritableKind, name: string, value: unknown): readonly unknown[] {
  if (value instanceof Uint8Array) return [value];
  const shape = formFieldShape(kind, name);
  if (shape === 'json') return [JSON.stringify(value)];
  if (!Array.isArray(value)) return [value ?? ''];
  return value.length ? value : [''];
}

function append(form: FormData, name: string, part: unknown): void {
  if (part instanceof Uint8Array) form.append(name, new Blob([new Uint8Array(part)]), name);
  else form.append(name, String(part));
}

/** The query string of a write. */
export const writeQuery = (dryRun = false): readonly (readonly [string, string])[] =>
  dryRun ? [['dry_run', 'true']] : [];
