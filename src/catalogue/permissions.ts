/**
 * Who may see and do what, in one place. What a viewer may not see is taken out of the snapshot before anything is
 * looked up, listed, counted or searched in it: so it leaves no trace.
 */
import type { Folder, Snapshot } from './snapshot.ts';
import type { Dataset } from './types.ts';

/** Whoever asks. */
export interface Viewer {
  /** null for one who isn't signed in. */
  readonly username: string | null;
  /** May see and write everything. */
  readonly staff: boolean;
  /** Slugs of the groups the viewer is a member of. */
  readonly groups: readonly string[];
}

export const anonymous: Viewer = Object.freeze({ username: null, staff: false, groups: [] });

/** Whoever has the folder in their hands, such as the command line: the file system has let them in already. */
export const keeper: Viewer = Object.freeze({ username: null, staff: true, groups: [] });

/** Whether the viewer may write in a namespace: staff, or a member of a group that owns it. */
export function mayWrite(viewer: Viewer, folder: Folder | undefined): boolean {
  return viewer.staff || Boolean(folder?.namespace?.owners.some((group) => viewer.groups.includes(group)));
}

/**
 * The snapshot as a viewer may see it: without private namespaces and datasets of others, without what belongs to
 * them (their versions, queries, problems), and without folders that have no namespace.
 * @returns the same object where nothing had to be taken out
 */
export function visibleTo(viewer: Viewer, snapshot: Snapshot): Snapshot {
  const folders = filterMap(snapshot.folders, (folder) => visibleFolder(viewer, folder));
  if (folders === snapshot.folders) return snapshot;
  return Object.freeze({
    ...snapshot,
    folders,
    queries: filterMap(snapshot.queries, (query) => (datasetAt(folders, query.dataset) ? query : null)),
    problems: filterMap(snapshot.problems, (problems, path) => {
      const [, namespace, dataset] = /^namespaces\/([^/]+)\/(?:datasets\/([^/]+)\/)?/.exec(path) ?? [];
      if (namespace === undefined) return problems;
      const folder = folders.get(namespace);
      const before = snapshot.folders.get(namespace);
      // A file that makes no dataset yet is judged by its namespace.
      const hidden = dataset !== undefined && before?.datasets.has(dataset) && !folder?.datasets.has(dataset);
      return folder && !hidden ? problems : null;
    }),
  });
}

function datasetAt(folders: ReadonlyMap<string, Folder>, ref: string): Dataset | undefined {
  const [namespace = '', slug = ''] = ref.split('/');
  return folders.get(namespace)?.datasets.get(slug);
}

function visibleFolder(viewer: Viewer, folder: Folder): Folder | null {
  if (!folder.namespace) return null;
  if (mayWrite(viewer, folder)) return folder;
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
