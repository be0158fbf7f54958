/**
 * Who may see and do what, in one place. What a viewer may not see is taken out of the snapshot before anything is
 * looked up, listed, counted or searched in it: so it leaves no trace.
 */
import { resolveAlias } from './aliases.ts';
import { ConflictError, NotPermittedError } from './errors.ts';
import { fieldsOf } from './fields.ts';
import { containersOf, parsePath, type RecordRef } from './layout.ts';
import { slugRule } from './ref.ts';
import { type Folder, partOf, type Snapshot, SnapshotCache } from './snapshot.ts';

/** Whoever asks. */
export interface Viewer {
  /** null for one who isn't signed in. */
  readonly username: string | null;
  /** May see and write everything. */
  readonly staff: boolean;
  /** Slugs of the groups the viewer is a member of. */
  readonly groups: readonly string[];
  /** Signed in to look only: sees what there is to see, and writes nothing. */
  readonly readOnly?: boolean;
}

export const anonymous: Viewer = Object.freeze({ username: null, staff: false, groups: [] });

/** Whoever has the folder in their hands, such as the command line: the file system has let them in already. */
export const localAdmin: Viewer = Object.freeze({ username: null, staff: true, groups: [] });

/** Whether a namespace is the viewer's: staff's, and that of members of a group that owns it. They see all of it. */
export function owns(viewer: Viewer, folder: Folder | undefined): boolean {
  return viewer.staff || Boolean(folder?.namespace?.owners.some((group) => viewer.groups.includes(group)));
}

/** Whether the viewer may write in a namespace, or, without one, what lies in none. */
export function mayWrite(viewer: Viewer, folder: Folder | undefined): boolean {
  return !viewer.readOnly && owns(viewer, folder);
}

/** Slug of the namespace whose owners may write a record, by the snapshot; undefined if only staff may. */
export function owningNamespace(ref: RecordRef, snapshot: Snapshot): string | undefined {
  if (ref.kind === 'namespace') return ref.slug;
  if (ref.kind === 'query') return snapshot.queries.get(ref.slug)?.dataset.split('/')[0];
  return 'namespace' in ref ? ref.namespace : undefined;
}

/**
 * Checks that the viewer may give a record a former address: a dataset one in a namespace that the viewer may write, a
 * namespace or a query one that nothing else has or had. Staff may give any.
 * @param visible the part of the snapshot that the viewer may see
 * @throws NotPermittedError, whatever is at that address; ConflictError
 */
export function assertMayClaim(
  viewer: Viewer,
  ref: RecordRef,
  alias: string,
  snapshot: Snapshot,
  visible: Snapshot,
): void {
  if (viewer.staff) return;
  const slugAfter = (kind: 'namespace' | 'query', slug: string) => resolveAlias(snapshot, { kind, slug })?.slug;
  if (ref.kind === 'dataset') {
    const [namespace = ''] = alias.includes('/') ? alias.split('/') : [ref.namespace];
    const now = snapshot.folders.has(namespace) ? namespace : slugAfter('namespace', namespace);
    if (!mayWrite(viewer, visible.folders.get(now ?? ''))) throw new NotPermittedError();
  } else if (ref.kind === 'namespace' || ref.kind === 'query') {
    const existing = ref.kind === 'namespace' ? snapshot.folders : snapshot.queries;
    const holder = existing.has(alias) ? alias : slugAfter(ref.kind, alias);
    if (holder !== undefined && holder !== ref.slug)
      throw new ConflictError(`The name ${alias} belongs to another ${ref.kind}, or did: leave it out of the aliases.`);
  }
}

/** Whether the viewer may see, and partly write, what of a user is nobody else's business. */
export function isUserOrStaff(viewer: Viewer, username: string): boolean {
  return viewer.staff || viewer.username === username;
}

/** The fields of users that they may write themselves: the others grant something. (A username given has to be the same.) */
export const ownUserFields: readonly string[] = fieldsOf('user')
  .filter(({ own }) => own)
  .map(({ name }) => name);

/** Visible parts of snapshots, keyed by the viewers' groups; `*` for staff. */
const visibleParts = new SnapshotCache<Snapshot>(64);

/**
 * The part of a snapshot that a viewer may see: without private namespaces and datasets of others, without their
 * versions, queries and diagnostics, and without folders that have no namespace. A query whose dataset no longer exists
 * is visible to owners of its namespace only, since the dataset may have been private.
 * @returns the same object for viewers of the same groups; the snapshot itself if nothing in it is hidden from them
 */
export function visibleTo(viewer: Viewer, snapshot: Snapshot): Snapshot {
  const key = viewer.staff ? '*' : [...viewer.groups].sort().join();
  return visibleParts.getOrMake(snapshot, key, () => visiblePart(viewer, snapshot));
}

function visiblePart(viewer: Viewer, snapshot: Snapshot): Snapshot {
  const folders = filterMap(snapshot.folders, (folder) => visibleFolder(viewer, folder));
  const seen = { ...snapshot, folders };
  const queries = filterMap(snapshot.queries, (query) => {
    if (has(seen, query.dataset)) return query;
    const [namespace = ''] = query.dataset.split('/');
    return owns(viewer, snapshot.folders.get(namespace)) && !has(snapshot, query.dataset) ? query : null;
  });
  const diagnostics = filterMap(snapshot.diagnostics, (found, path) =>
    mayKnow(path, viewer, snapshot, { folders, queries }) ? found : null,
  );
  const isAll = folders === snapshot.folders && queries === snapshot.queries && diagnostics === snapshot.diagnostics;
  return isAll ? snapshot : partOf(snapshot, { folders, queries, diagnostics });
}

/** Whether a dataset is there, at this address or another since. */
function has(snapshot: Snapshot, dataset: string): boolean {
  const [namespace = '', slug = ''] = dataset.split('/');
  const ref = { kind: 'dataset', namespace, slug } as const;
  return Boolean(snapshot.folders.get(namespace)?.datasets.has(slug) || resolveAlias(snapshot, ref));
}

/** Whether one who sees these folders and queries may know of what is wrong with a file. */
function mayKnow(
  path: string,
  viewer: Viewer,
  whole: Snapshot,
  visible: Pick<Snapshot, 'folders' | 'queries'>,
): boolean {
  const info = parsePath(path);
  const query = info.kind === 'record' && info.ref.kind === 'query' ? info.ref.slug : undefined;
  // A file that makes no query doesn't say which dataset it would ask.
  if (query !== undefined) return visible.queries.has(query) || (viewer.staff && !whole.queries.has(query));
  const { namespace = '', dataset } = containersOf(path);
  // What lies outside of the namespaces, or under a name that none can have, belongs to none.
  if (!slugRule.test(namespace)) return true;
  const folder = visible.folders.get(namespace);
  if (!folder || dataset === undefined) return Boolean(folder);
  // A file that makes no dataset yet is judged by its namespace.
  return folder.datasets.has(dataset) || !whole.folders.get(namespace)?.datasets.has(dataset);
}

function visibleFolder(viewer: Viewer, folder: Folder): Folder | null {
  if (!folder.namespace) return null;
  if (owns(viewer, folder)) return folder;
  if (folder.namespace.visibility === 'private') return null;
  return publicPart(folder);
}

const publicParts = new WeakMap<Folder, Folder>();

function publicPart(folder: Folder): Folder {
  let part = publicParts.get(folder);
  if (!part) {
    const datasets = filterMap(folder.datasets, (dataset) => (dataset.visibility === 'private' ? null : dataset));
    part = datasets === folder.datasets ? folder : Object.freeze({ ...folder, datasets });
    publicParts.set(folder, part);
  }
  return part;
}

/** The map with each value replaced, or dropped where it becomes null; the same map where all stay as they are. */
function filterMap<T>(map: ReadonlyMap<string, T>, keep: (value: T, key: string) => T | null): ReadonlyMap<string, T> {
  let result: Map<string, T> | undefined;
  for (const [key, value] of map) {
    const kept = keep(value, key);
    if (kept === value) continue;
    result ??= new Map(map);
    if (kept === null) result.delete(key);
    else result.set(key, kept);
  }
  return result ?? map;
}
