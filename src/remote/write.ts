/** From fields as the interface between the rooms has them to a body of the API: names become hyperlinks. */
import type { Input } from '../catalogue/catalogue.ts';
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

/**
 * The body that says what the input says.
 * @param input of a query with a version, the dataset as well: its address is a part of the version's
 */
export function bodyOf(kind: Kind, input: Input, base: string): string {
  const fields = Object.entries(input).map(([name, value]) => {
    const link = links[kind]?.[name];
    return [name, link && value !== undefined ? link(base, value, input) : value];
  });
  return JSON.stringify(Object.fromEntries(fields));
}
