/**
 * Permissions. Records that a viewer may not see are removed from the snapshot before it is used, so that no list, count,
 * search or error reveals that they exist.
 */
import { findDatasetAtAddress, resolveAlias } from './aliases.ts';
import type { Input, WritableKind } from './catalogue.ts';
import { type Diagnostic, isOfBrokenRecord } from './diagnostic.ts';
import { ConflictError, excerpt, NotPermittedError } from './errors.ts';
import { fieldsOf } from './fields.ts';
import { containingSlugs, parseCataloguePath, type RecordRef } from './layout.ts';
import { listNamespaceReaders, snapshotWithoutPeople } from './people.ts';
import { formatUserReader, type Ref, slugRule, usernameOfReader } from './ref.ts';
import { type Folder, replaceMapValues, type Snapshot, SnapshotCache, snapshotWithSmallerMembers } from './snapshot.ts';
import type { Dataset, Settings } from './types.ts';
import { withoutCellValues } from './withdrawn.ts';

/** The user who makes a request, or an anonymous client. */
export interface Viewer {
  /** Null if not signed in. */
  readonly username: string | null;
  /** May see and write everything. */
  readonly staff: boolean;
  /** Slugs of the groups the viewer is a member of. */
  readonly groups: readonly string[];
  /** True if signed in with a token that allows only reading. */
  readonly readOnly?: boolean;
}

export const anonymous: Viewer = Object.freeze({ username: null, staff: false, groups: [] });

/** User of a local folder, for example through the command line: the file system has checked the rights already. */
export const localAdmin: Viewer = Object.freeze({ username: null, staff: true, groups: [] });

/** True if the viewer is staff, or a member of a group that owns the namespace. Owners see all of it. */
export function isNamespaceOwnerOrStaff(viewer: Viewer, folder: Folder | undefined): boolean {
  return viewer.staff || Boolean(folder?.namespace?.owners.some((group) => viewer.groups.includes(group)));
}

/** True if the viewer may write in a namespace. Undefined stands for records outside of namespaces: only staff may. */
export function mayWrite(viewer: Viewer, folder: Folder | undefined): boolean {
  return !viewer.readOnly && isNamespaceOwnerOrStaff(viewer, folder);
}

/**
 * Checks that the user who began a long write may still write: users are removed and leave groups meanwhile.
 * @param snapshot of the present
 * @throws NotPermittedError
 */
export function assertMayStillWrite(viewer: Viewer, snapshot: Snapshot, namespace: string): void {
  if (viewer.username === null) return;
  const user = snapshot.users.get(viewer.username);
  const groups = user?.groups.filter((group) => snapshot.groups.has(group)) ?? [];
  const present = user && { ...viewer, staff: user.staff, groups };
  if (!present || !mayWrite(present, snapshot.folders.get(namespace)))
    throw new NotPermittedError('You do not have permission to write here any more.');
}

/** Slug of the namespace whose owners may write a record, according to the snapshot; undefined if only staff may. */
export function owningNamespace(ref: Ref, snapshot: Snapshot): string | undefined {
  if (ref.kind === 'namespace') return ref.slug;
  if (ref.kind === 'query') return snapshot.queries.get(ref.slug)?.dataset.split('/')[0];
  return 'namespace' in ref ? ref.namespace : undefined;
}

/**
 * The namespace that an input names: that of a dataset, or of the dataset of a query. '' if it is not a string: parsing
 * the input reports that.
 */
export function namespaceIn(kind: WritableKind, { namespace, dataset }: Input): string | undefined {
  const address = kind === 'dataset' ? namespace : kind === 'query' ? dataset : undefined;
  if (address === undefined) return undefined;
  return typeof address === 'string' ? (address.split('/')[0] ?? '') : '';
}

/**
 * Checks that the viewer may add an alias to a record. An alias of a dataset must be in a namespace that the viewer may
 * write; an alias of a namespace or a query must not be a name or an alias of another that the viewer may not write. Staff may
 * add any.
 * @param visible the part of the snapshot that the viewer may see
 * @throws NotPermittedError, whether or not the alias is in use; ConflictError
 */
export function assertMayAddAlias(
  viewer: Viewer,
  ref: RecordRef,
  alias: string,
  snapshot: Snapshot,
  visible: Snapshot,
): void {
  if (viewer.staff) return;
  const slugNow = (kind: 'namespace' | 'query', slug: string) => resolveAlias(snapshot, { kind, slug })?.slug;
  if (ref.kind === 'dataset') {
    const [namespace = ''] = alias.includes('/') ? alias.split('/') : [ref.namespace];
    const now = snapshot.folders.has(namespace) ? namespace : slugNow('namespace', namespace);
    if (!mayWrite(viewer, visible.folders.get(now ?? '')))
      throw new NotPermittedError(
        `You do not have permission to write in the namespace of the alias ${excerpt(alias)}: leave it out of the aliases.`,
      );
  } else if (ref.kind === 'namespace' || ref.kind === 'query') {
    const existing = ref.kind === 'namespace' ? snapshot.folders : snapshot.queries;
    const holder = existing.has(alias) ? alias : slugNow(ref.kind, alias);
    if (holder === undefined || holder === ref.slug) return;
    const namespace = owningNamespace({ kind: ref.kind, slug: holder }, snapshot);
    if (!mayWrite(viewer, visible.folders.get(namespace ?? '')))
      throw new ConflictError(`The name ${excerpt(alias)} is not available: leave it out of the aliases.`);
  }
}

/** True if the viewer is the user, or staff. Both see the personal fields; staff write all, users some. */
export function isUserOrStaff(viewer: Viewer, username: string): boolean {
  return viewer.staff || viewer.username === username;
}

/** Fields that users may write in their own record; the others grant rights. (A username in the input must be the same.) */
export const ownUserFields: readonly string[] = fieldsOf('user')
  .filter(({ own }) => own)
  .map(({ name }) => name);

/** True if the viewer may see users, the authors of commits, and catalogue.yaml with its comments. */
export function maySeePeople(viewer: Viewer, settings: Settings): boolean {
  return viewer.staff || viewer.username !== null || settings.people === 'public';
}

/** True if readers include the viewer, or a group of the viewer. */
function areReaders(readers: Iterable<string>, { username, groups }: Viewer): boolean {
  for (const reader of readers) {
    const user = usernameOfReader(reader);
    if (user === undefined ? groups.includes(reader) : user === username) return true;
  }
  return false;
}

/** Visible parts of snapshots, keyed by the viewers' rights; `*` for staff. */
const visibleParts = new SnapshotCache<Snapshot>(64);

/**
 * The part of a snapshot that a viewer may see: without private namespaces and datasets that the viewer neither owns nor
 * reads, without drafts of others and cell values of their withdrawn versions, without their
 * versions, queries and diagnostics, and without folders that have no namespace. A query of a hidden version is hidden, too. One
 * whose dataset no longer exists is visible to owners of its namespace only, since the dataset may have been private. `people.ts` hides people.
 * @returns the same object for viewers of the same rights; the snapshot itself if nothing in it is hidden from them
 */
export function restrictSnapshotToVisible(viewer: Viewer, snapshot: Snapshot): Snapshot {
  return visibleParts.getOrMake(snapshot, rightsKey(viewer, snapshot), () => {
    const part = visiblePart(viewer, snapshot);
    return maySeePeople(viewer, snapshot.settings) ? part : snapshotWithoutPeople(snapshot, part);
  });
}

/** Equal for viewers who may see the same part of a snapshot. */
function rightsKey({ staff, username, groups }: Viewer, snapshot: Snapshot): string {
  if (staff) return '*';
  if (username === null) return '';
  const isReader = [...snapshot.folders.values()].some((folder) =>
    listNamespaceReaders(folder).has(formatUserReader(username)),
  );
  return `${[...groups].sort().join()} ${isReader ? username : ''}`;
}

function visiblePart(viewer: Viewer, snapshot: Snapshot): Snapshot {
  const folders = replaceMapValues(snapshot.folders, (folder) => visibleFolder(viewer, folder));
  const queries = replaceMapValues(snapshot.queries, (query) => {
    const dataset = findDatasetAtAddress(snapshot, query.dataset);
    const [namespace = ''] = query.dataset.split('/');
    const maySee = dataset
      ? isVersionVisible(datasetIn(snapshot.folders, dataset), datasetIn(folders, dataset), query.version)
      : isNamespaceOwnerOrStaff(viewer, snapshot.folders.get(namespace));
    return maySee ? query : null;
  });
  const diagnostics = replaceMapValues(snapshot.diagnostics, (found, path) =>
    maySeeDiagnostics(path, found, viewer, snapshot, { folders, queries }) ? found : null,
  );
  const isAll = folders === snapshot.folders && queries === snapshot.queries && diagnostics === snapshot.diagnostics;
  return isAll ? snapshot : snapshotWithSmallerMembers(snapshot, { folders, queries, diagnostics });
}

const datasetIn = (folders: Snapshot['folders'], { namespace, slug }: Pick<Dataset, 'namespace' | 'slug'>) =>
  folders.get(namespace)?.datasets.get(slug);

/** True if a viewer sees a dataset, as `seen`, and of it the version with a slug, unless that is null or there is no such version. */
function isVersionVisible(dataset: Dataset | undefined, seen: Dataset | undefined, version: string | null): boolean {
  if (!dataset || !seen) return false;
  const isOf = ({ versions }: Dataset) => versions.some(({ slug }) => slug === version);
  return seen === dataset || isOf(seen) || !isOf(dataset);
}

/** True if a viewer who sees these folders and queries may see the diagnostics of a file. */
function maySeeDiagnostics(
  path: string,
  found: readonly Diagnostic[],
  viewer: Viewer,
  whole: Snapshot,
  visible: Pick<Snapshot, 'folders' | 'queries'>,
): boolean {
  const info = parseCataloguePath(path);
  // Nobody knows what a file says that can't be read, or isn't read since there is another one for its record.
  const isUnread = found.some(({ code }) => code === 'unreadable' || (code === 'name' && info.kind === 'record'));
  if (info.kind === 'record' && info.ref.kind === 'query') {
    const namespace = owningNamespace(info.ref, whole);
    // The dataset of a broken query, and so who may see it, is not known: only those who could write it before.
    if (namespace === undefined || isUnread || found.some(isOfBrokenRecord))
      return isNamespaceOwnerOrStaff(viewer, whole.folders.get(namespace ?? ''));
    return visible.queries.has(info.ref.slug);
  }
  const { namespace = '', dataset } = containingSlugs(path);
  // A file outside of the namespaces, or under an invalid name, belongs to no namespace.
  if (!slugRule.test(namespace)) return true;
  const folder = visible.folders.get(namespace);
  if (!folder) return false;
  // A broken file may be private now, whatever its record said before.
  const isPrivate =
    (isUnread || found.some((one) => one.isPrivate)) && !isNamespaceOwnerOrStaff(viewer, whole.folders.get(namespace));
  if (isPrivate && info.kind === 'record') return false;
  if (dataset === undefined) return !folder.isPartial;
  const entity = whole.folders.get(namespace)?.datasets.get(dataset);
  const seen = folder.datasets.get(dataset);
  // For a record that was never valid, its namespace decides, and what its text says.
  if (!entity || !seen) return !entity && !folder.isPartial && !isPrivate;
  return isVersionVisible(entity, seen, info.kind === 'record' && info.ref.kind === 'version' ? info.ref.slug : null);
}

function visibleFolder(viewer: Viewer, folder: Folder): Folder | null {
  if (!folder.namespace) return null;
  if (isNamespaceOwnerOrStaff(viewer, folder)) return folder;
  if (areReaders(folder.namespace.readers, viewer)) {
    const datasets = replaceMapValues(folder.datasets, publishedPart);
    return datasets === folder.datasets ? folder : Object.freeze({ ...folder, datasets });
  }
  const isPrivate = folder.namespace.visibility === 'private';
  if (!areReaders(listNamespaceReaders(folder), viewer)) return isPrivate ? null : publicPart(folder);
  const mayRead = (dataset: Dataset) =>
    (dataset.visibility === 'public' && !isPrivate) || areReaders(dataset.readers, viewer);
  const datasets = replaceMapValues(folder.datasets, (dataset) => (mayRead(dataset) ? publishedPart(dataset) : null));
  return Object.freeze({ ...folder, datasets, ...(isPrivate && { isPartial: true as const }) });
}

const publicParts = new WeakMap<Folder, Folder>();

function publicPart(folder: Folder): Folder {
  let part = publicParts.get(folder);
  if (!part) {
    const datasets = replaceMapValues(folder.datasets, (dataset) =>
      dataset.visibility === 'private' ? null : publishedPart(dataset),
    );
    part = datasets === folder.datasets ? folder : Object.freeze({ ...folder, datasets });
    publicParts.set(folder, part);
  }
  return part;
}

const published = new WeakMap<Dataset, Dataset>();

/** The dataset without its drafts and the cell values of withdrawn versions; the same if it has none. */
function publishedPart(dataset: Dataset): Dataset {
  if (!dataset.versions.some(({ draft, withdrawn }) => draft || withdrawn)) return dataset;
  const known = published.get(dataset);
  if (known) return known;
  const shown = dataset.versions.filter(({ draft }) => !draft);
  const versions = shown.map((version) => (version.withdrawn ? withoutCellValues(version) : version));
  const isSame = versions.length === dataset.versions.length && versions.every((one, i) => one === dataset.versions[i]);
  const part = isSame ? dataset : Object.freeze({ ...dataset, versions });
  published.set(dataset, part);
  return part;
}
