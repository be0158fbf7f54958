/** From fields as the interface between the rooms has them to a body of the API: names become hyperlinks. */
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import { shapeOf } from '../catalogue/field-shape.ts';
import { parseDatasetRef, type Ref } from '../catalogue/ref.ts';
import type { Kind } from '../catalogue/types.ts';
import { pathOf } from '../catalogue/urls.ts';

type Link = (base: string, value: unknown, input: Input) => unknown;

const url = (base: string, ref: Ref) => `${base}${pathOf(ref)}`;

/** A list of names; anything else goes as it is, for the server to judge. */
const each =
  (kind: 'group' | 'user'): Link =>
  (base, value) =>
    Array.isArray(value) ? value.map((slug) => url(base, { kind, slug: String(slug) })) : value;

const links: Readonly<Partial<Record<Kind, Readonly<Record<string, Link>>>>> = {
  dataset: { namespace: (base, slug) => url(base, { kind: 'namespace', slug: String(slug) }) },
  namespace: { owners: each('group') },
  group: { members: each('user') },
  user: { groups: each('group') },
  query: {
    dataset: (base, name) => url(base, parseDatasetRef(String(name))),
    version(base, slug, { dataset }) {
      if (slug === null) return null;
      const { namespace, slug: name } = parseDatasetRef(String(dataset));
      return url(base, { kind: 'version', namespace, dataset: name, slug: String(slug) });
    },
  },
};

/** A request's body, and what is to be said of it. */
export interface Body {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The body that says what the input says: JSON, or a form where there are bytes in it.
 * @param input of a query with a version, the dataset as well: its address is a part of the version's
 */
export async function bodyOf(kind: WritableKind, input: Input, base: string): Promise<Body> {
  const fields = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return [];
    const link = links[kind]?.[name];
    return [[name, link ? link(base, value, input) : value]];
  });
  if (!fields.some(([, value]) => value instanceof Uint8Array))
    return { body: JSON.stringify(Object.fromEntries(fields)), headers: { 'content-type': 'application/json' } };
  const form = new FormData();
  for (const [name, value] of fields) for (const part of partsOf(kind, name, value)) append(form, name, part);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers: { 'content-type': type } };
}

/** A list is one part an item, and an empty one an empty part; what is deeper is JSON. */
function partsOf(kind: WritableKind, name: string, value: unknown): readonly unknown[] {
  if (value instanceof Uint8Array) return [value];
  const shape = shapeOf(kind, name);
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
