/** Checksums, times and commits of files, from the file system and the git program. */
import { realpath, stat } from 'node:fs/promises';
import type { ListOptions, Page } from '../../catalogue/catalogue.ts';
import { makeQueue } from '../../catalogue/concurrency.ts';
import { UnavailableError } from '../../catalogue/errors.ts';
import { datasetFolder, namespaceFolder, payloadPath, recordPaths } from '../../catalogue/layout.ts';
import { paginate } from '../../catalogue/listing.ts';
import { isNamespaceOwnerOrStaff, type Viewer } from '../../catalogue/permissions.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type {
  CatalogueFile,
  Commit,
  Dataset,
  FileDetails,
  Namespace,
  Settings,
  Version,
} from '../../catalogue/types.ts';
import { fileChecksum } from '../../disk/checksum.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { GitError, type GitOptions, runGit } from './git.ts';
import { newestCommitsArguments } from './newest-commits.ts';
import { headCommitId } from './refs.ts';

export interface FileReadOptions {
  /** The version whose payload a file is; undefined for other files. */
  readonly versionOf: (file: CatalogueFile) => Version | undefined;
  /** Reads no further files. */
  readonly signal?: AbortSignal | undefined;
}

/** Checksum, time of modification and newest commit of each file. A payload of the recorded size has the recorded checksum. */
export async function readFileChecksumsAndCommits(
  root: string,
  files: readonly CatalogueFile[],
  { versionOf, signal }: FileReadOptions,
): Promise<readonly FileDetails[]> {
  const head = await headCommitId(root);
  const details: FileDetails[] = [];
  // Eight at a time: a page of a thousand entries must not open a thousand files.
  for (let start = 0; start < files.length; start += 8) {
    signal?.throwIfAborted();
    const some = files.slice(start, start + 8);
    details.push(...(await Promise.all(some.map((file) => inspectFile(root, file.path, versionOf(file))))));
  }
  if (head === null) return details;
  const paths = files.flatMap(({ path }, i) => (details[i]?.modified ? [path] : []));
  const commits = await findNewestCommits(root, paths, head, signal);
  return details.map((detail, i) => ({ ...detail, commit: commits.get(`${files[i]?.path}`) ?? null }));
}

async function inspectFile(root: string, path: string, version: Version | undefined): Promise<FileDetails> {
  const tree = new DiskTree(root);
  // Nothing is revealed about the target of a link that isn't followed.
  const absolute = tree.leadsOutside(path) ? '' : await realpath(tree.absolute(path)).catch(() => '');
  const stats = absolute && (await stat(absolute).catch(() => null));
  if (!stats) return { checksum: '', modified: '', commit: null };
  const known = tree.pointer(path)?.checksum ?? (version?.size === stats.size ? version.checksum : '');
  const checksum = known || (stats.isFile() ? await cachedChecksum(absolute, stats.size, stats.mtimeMs) : '');
  return { checksum, modified: stats.mtime.toISOString(), commit: null };
}

/** Checksums by path and stamp, also those in progress. */
const checksums = new Map<string, Promise<string>>();
const maxCached = 20_000;

/** The checksum of a file; '' if it can't be read, and then it is read again the next time. */
function cachedChecksum(path: string, size: number, mtime: number): Promise<string> {
  const key = `${path}\0${size}\0${mtime}`;
  let checksum = checksums.get(key);
  if (!checksum) {
    if (checksums.size >= maxCached) checksums.clear();
    checksum = fileChecksum(path);
    checksums.set(key, checksum);
    checksum.catch(() => checksums.delete(key));
  }
  return checksum.catch(() => '');
}

/** Newest commits by path, of one HEAD of a folder; null for files that its history lacks. */
let newest = { head: '', commits: new Map<string, Commit | null>() };
/** One request at a time looks for newest commits: those that wait find most of theirs among its results. */
const inQueue = makeQueue();
/** Number of files from which on one walk through the whole history takes less time than a `git log` for each. */
const many = 5;

/**
 * The newest commits of files, by path.
 * @returns null for files that the history lacks, or that were not found within the time of git; nothing if git fails
 * @throws the reason of the signal
 */
function findNewestCommits(
  root: string,
  paths: readonly string[],
  head: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Commit | null>> {
  const key = `${root}\0${head}`;
  const known = newest;
  if (known.head === key && paths.every((path) => known.commits.has(path))) return Promise.resolve(known.commits);
  return inQueue(async () => {
    signal?.throwIfAborted();
    if (newest.head !== key || newest.commits.size >= maxCached) newest = { head: key, commits: new Map() };
    const { commits } = newest;
    const missing = paths.filter((path) => !commits.has(path));
    try {
      if (missing.length >= many) {
        const newestCommits = { head, paths: missing };
        const output = await runGit(root, newestCommitsArguments(head), { newestCommits, signal });
        const found = new Map<string, string>(JSON.parse(output));
        const ids = [...new Set(found.values())];
        const input = joinLines(...ids);
        const listed = ids.length ? await readLog(root, ['--no-walk=unsorted', '--stdin'], { input, signal }) : [];
        const byId = new Map(listed.map((commit) => [commit.id, commit]));
        for (const path of missing) commits.set(path, byId.get(found.get(path) ?? '') ?? null);
      } else
        for (const path of missing) {
          const [commit = null] = await readLog(root, ['-1', head, '--', path], { signal });
          commits.set(path, commit);
        }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof GitError)) throw error;
    }
    return commits;
  });
}

/** Commits that `git log` lists with these arguments. */
async function readLog(root: string, args: readonly string[], options: GitOptions = {}): Promise<readonly Commit[]> {
  const log = ['log', '--encoding=UTF-8', '--format=%H%x00%an%x00%aI%x00%s'];
  const command = ['--literal-pathspecs', '-c', 'log.showSignature=false', ...log];
  const output = await runGit(root, [...command, ...args], options);
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [id = '', author = '', datetime = '', message = ''] = line.split('\0');
      return { id, author, datetime, message };
    });
}

/** Cache of the ids of all commits of a list, for its next page. */
const histories = new Map<string, readonly string[]>();

/** A pathspec of git (gitglossary, `pathspec`): a path with all below it. */
const pathAndBelow = (path: string) => `:(literal)${path}`;

/** A pathspec of the files in a folder, without those of its subfolders. */
const filesInFolder = (folder: string) => `:(glob)${folder.replace(/[*?[\\]/g, '\\$&')}/*`;

/**
 * A page of the commits that changed any of the paths, the newest first; none outside of a git repository.
 * @param pathspecs as of `historyPathspecs`
 * @throws NotFoundError if there is no such page; UnavailableError if git fails
 */
export async function listCommits(
  root: string,
  pathspecs: readonly string[],
  options: Pick<ListOptions, 'page' | 'pageSize'>,
  settings: Settings,
): Promise<Page<Commit>> {
  const head = await headCommitId(root);
  if (head === null) return paginate<Commit>([], options, settings);
  const key = [root, head, ...pathspecs].join('\0');
  try {
    let ids = histories.get(key);
    if (ids === undefined) {
      // The paths go to stdin, since arguments have a maximum length.
      const output = await runGit(root, ['rev-list', head, '--stdin'], { input: joinLines('--', ...pathspecs) });
      ids = output.split('\n').filter(Boolean);
      if (histories.size >= 100) histories.clear();
      histories.set(key, ids);
    }
    const page = paginate(ids, options, settings);
    if (page.count === 0) return { ...page, items: [] };
    return {
      ...page,
      items: await readLog(root, ['--no-walk=unsorted', '--stdin'], { input: joinLines(...page.items) }),
    };
  } catch (error) {
    if (error instanceof GitError) throw new UnavailableError("Git can't read the history now. Try again later.");
    throw error;
  }
}

const joinLines = (...items: readonly string[]) => items.map((item) => `${item}\n`).join('');

/**
 * Pathspecs of the current and former paths of a namespace, dataset or version. For others than owners they are those of what
 * they see now, and not whole folders, which have the history of drafts, of private and of removed records, too.
 * @param whole the whole catalogue
 * @param visible the part that the viewer may see
 */
export function historyPathspecs(
  entity: Namespace | Dataset | Version,
  viewer: Viewer,
  whole: Snapshot,
  visible: Snapshot,
): readonly string[] {
  const isOwner = isNamespaceOwnerOrStaff(
    viewer,
    whole.folders.get(entity.kind === 'namespace' ? entity.slug : entity.namespace),
  );
  switch (entity.kind) {
    case 'namespace': {
      const slugs = namespaceSlugs(entity, whole);
      if (isOwner) return slugs.map((slug) => pathAndBelow(namespaceFolder(slug)));
      const datasets = [...(visible.folders.get(entity.slug)?.datasets.values() ?? [])];
      const records = slugs.flatMap((slug) => recordPaths({ kind: 'namespace', slug }));
      return [
        ...records.map(pathAndBelow),
        ...datasets.flatMap((dataset) => historyPathspecs(dataset, viewer, whole, visible)),
      ];
    }
    case 'dataset': {
      const folders = datasetAddresses(entity, whole).map(([namespace, slug]) => datasetFolder(namespace, slug));
      if (isOwner) return folders.map(pathAndBelow);
      const versions = entity.versions.flatMap((version) => versionPaths(version, whole));
      return [...folders.map(filesInFolder), ...versions.map(pathAndBelow)];
    }
    case 'version':
      return versionPaths(entity, whole).map(pathAndBelow);
  }
}

/** Current and former paths of a version: its record, and its payload. */
function versionPaths({ namespace, dataset, slug, file }: Version, whole: Snapshot): readonly string[] {
  const entity = whole.folders.get(namespace)?.datasets.get(dataset);
  return (entity ? datasetAddresses(entity, whole) : []).flatMap(([namespace, name]) => [
    ...recordPaths({ kind: 'version', namespace, dataset: name, slug }),
    ...(file ? [payloadPath(namespace, name, file)] : []),
  ]);
}

/** The slug of a namespace, and its former slugs that no other namespace has now. */
function namespaceSlugs({ slug, aliases }: Namespace, { folders }: Snapshot): readonly string[] {
  return [slug, ...aliases.filter((alias) => !folders.has(alias))];
}

/** The address of a dataset (namespace and slug), and its former addresses that no other dataset has now. */
function datasetAddresses(
  { namespace, slug, aliases }: Dataset,
  whole: Snapshot,
): readonly (readonly [string, string])[] {
  const owner = whole.folders.get(namespace)?.namespace;
  const names = owner ? namespaceSlugs(owner, whole) : [namespace];
  const addresses = [slug, ...aliases].flatMap((alias) => {
    const [first = '', second] = alias.split('/');
    return second === undefined ? names.map((name) => [name, first] as const) : [[first, second] as const];
  });
  return addresses.filter(
    ([name, own]) => (name === namespace && own === slug) || !whole.folders.get(name)?.datasets.has(own),
  );
}
