/** References to entities. On the command line and in files, they are written `<namespace>/<dataset>@<version>`. */

export interface NamespaceRef {
  readonly kind: 'namespace';
  readonly slug: string;
}
export interface DatasetRef {
  readonly kind: 'dataset';
  readonly namespace: string;
  readonly slug: string;
}
/** `slug` may be `latest`: the newest ready version. */
export interface VersionRef {
  readonly kind: 'version';
  readonly namespace: string;
  readonly dataset: string;
  readonly slug: string;
}
export interface GroupRef {
  readonly kind: 'group';
  readonly slug: string;
}
export interface UserRef {
  readonly kind: 'user';
  readonly slug: string;
}
export interface QueryRef {
  readonly kind: 'query';
  readonly slug: string;
}
/** `slug` is the id of the file, in decimal. */
export interface FileRef {
  readonly kind: 'file';
  readonly slug: string;
}

export interface Refs {
  namespace: NamespaceRef;
  dataset: DatasetRef;
  version: VersionRef;
  group: GroupRef;
  user: UserRef;
  query: QueryRef;
  file: FileRef;
}
export type Ref = Refs[keyof Refs];
/** The reference of a kind, in a form from which the compiler infers the kind. */
export type RefOf<K extends keyof Refs> = Refs[K] | (Refs[K] & { readonly kind: K });

/** Valid slugs: they are segments of URLs and names of files and folders. */
export const slugRule = /^[-a-zA-Z0-9_]+$/;
/** Maximum length of a slug, in characters. */
export const maxSlugLength = 100;
/** Valid usernames: as in Django, `[\w.@+-]+`, but not `.` and `..`. */
export const usernameRule = /^(?!\.{1,2}$)[-\w.@+]+$/;

/** A user among the readers of a record, where other items are slugs of groups: `user:ann`. */
export const formatUserReader = (username: string): string => `user:${username}`;

/** The username of a reader that is a user; undefined for a group. */
export const usernameOfReader = (reader: string): string | undefined =>
  reader.startsWith('user:') ? reader.slice('user:'.length) : undefined;

/** The reference of an entity, which has the reference's members among its own. */
export function refOf(entity: VersionRef): VersionRef;
export function refOf(entity: Exclude<Ref, FileRef>): Exclude<Ref, FileRef>;
export function refOf(entity: Exclude<Ref, FileRef>): Exclude<Ref, FileRef> {
  switch (entity.kind) {
    case 'dataset':
      return { kind: 'dataset', namespace: entity.namespace, slug: entity.slug };
    case 'version':
      return { kind: 'version', namespace: entity.namespace, dataset: entity.dataset, slug: entity.slug };
    default:
      return { kind: entity.kind, slug: entity.slug };
  }
}

/** The dataset that a version belongs to. */
export function datasetRefOf(version: { namespace: string; dataset: string }): DatasetRef {
  return { kind: 'dataset', namespace: version.namespace, slug: version.dataset };
}

/** The text of a reference: `parks`, `parks/trees`, `parks/trees@20200101000000000000`. */
export function formatRef(ref: Ref): string {
  switch (ref.kind) {
    case 'dataset':
      return `${ref.namespace}/${ref.slug}`;
    case 'version':
      return `${ref.namespace}/${ref.dataset}@${ref.slug}`;
    default:
      return ref.slug;
  }
}
