/** References as people write them, parsed. All functions throw a ValidationError that says how a reference is written. */
import { excerpt, ValidationError } from './errors.ts';
import { type DatasetRef, type Refs, slugRule, type UserRef, usernameRule, type VersionRef } from './ref.ts';

/**
 * Reads `<namespace>/<dataset>` or `<namespace>/<dataset>@<version>`.
 * @throws ValidationError that says how it is written
 */
export function parseDatasetRef(text: string): DatasetRef {
  const match = /^([^/@]+)\/([^/@]+)$/.exec(text);
  const [, namespace = '', slug = ''] = match ?? [];
  if (!slugRule.test(namespace) || !slugRule.test(slug))
    throw new ValidationError({
      non_field_errors: [
        `"${excerpt(text)}" names no dataset. A dataset is written <namespace>/<dataset>, as in parks/trees.`,
      ],
    });
  return { kind: 'dataset', namespace, slug };
}

/** Reads `<namespace>/<dataset>@<version>`; without `@…` the version is `latest`. */
export function parseVersionRef(text: string): VersionRef {
  const at = text.indexOf('@');
  const version = at < 0 ? 'latest' : text.slice(at + 1);
  const { namespace, slug } = parseDatasetRef(at < 0 ? text : text.slice(0, at));
  if (!slugRule.test(version))
    throw new ValidationError({
      non_field_errors: [
        `"${excerpt(text)}" names no version. A version is written <namespace>/<dataset>@<version>, or …@latest.`,
      ],
    });
  return { kind: 'version', namespace, dataset: slug, slug: version };
}

/** Reads a username. */
export function parseUserRef(text: string): UserRef {
  if (!usernameRule.test(text))
    throw new ValidationError({
      non_field_errors: [`"${excerpt(text)}" is no username. It has letters, digits and @ . + - _ only.`],
    });
  return { kind: 'user', slug: text };
}

/** Reads the slug of a namespace, group or query. */
export function refFromSlug<K extends 'namespace' | 'group' | 'query'>(kind: K, text: string): Refs[K] {
  if (!slugRule.test(text))
    throw new ValidationError({
      non_field_errors: [`"${excerpt(text)}" is no ${kind}'s name. It has letters, digits, "-" and "_" only.`],
    });
  return { kind, slug: text } as Refs[K];
}
