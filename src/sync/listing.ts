/** The files of both sides, read from their manifests. */
import { kindAndRefOfPath } from '../catalogue/layout.ts';
import { chooseDigestGroupCount, digestGroupOfPath, GroupDigests, isSynced } from '../catalogue/manifest-groups.ts';
import type { FileEntry, Manifest, Replica } from '../catalogue/replica.ts';
import { computeChecksum } from '../disk/checksum.ts';
import { containerFolder, type FileState, type Files } from './files.ts';
import type { SyncState } from './state.ts';
import type { TextSpool } from './texts.ts';

export interface Listing {
  readonly files: Files;
  /** Tag of the manifest; null if there was none, because the manifest that the client knows is still valid. */
  readonly tag: string | null;
}

/** Number of groups that differ above which all files are listed. */
const maxListedGroups = 500;

/** The remote, and the last common state with it. */
interface RemoteWithState {
  readonly theirs: Replica;
  readonly state: SyncState;
}

type ManifestOptions = NonNullable<Parameters<Replica['manifest']>[0]>;

/**
 * The files of the remote.
 * @param unreadable see `readManifest`
 */
export async function readRemote(
  remote: RemoteWithState,
  options: ManifestOptions,
  unreadable: Map<string, string>,
  spool: TextSpool | undefined,
): Promise<Listing> {
  const listing = remote.state.files.size ? await readDifferentGroups(remote, options, unreadable) : null;
  return listing ?? readManifest(await remote.theirs.manifest(options), 'remote', unreadable, spool);
}

/**
 * The files of the remote: those of the last common state, except for the groups of files in which the remote differs
 * from it, which are listed.
 * @param options.known tag of a manifest that has the files of the last common state
 * @returns null if all files must be listed: the server is too old, most files differ, or they are being changed
 */
async function readDifferentGroups(
  { theirs, state }: RemoteWithState,
  { known, timeline, signal }: ManifestOptions,
  unreadable: Map<string, string>,
): Promise<Listing | null> {
  const count = chooseDigestGroupCount(state.files.size);
  const remote = await theirs.digests(count, { known, timeline, signal });
  if (remote === 'unsupported') return null;
  if (remote === null) return { files: new Map(), tag: null };
  const own = new GroupDigests(count);
  for (const [path, file] of state.files) own.add({ path, ...file });
  const digests = own.compute(computeChecksum);
  const only = [...digests.keys()].filter((group) => digests[group] !== remote.digests[group]);
  if (only.length > maxListedGroups) return null;
  const manifest = only.length ? await theirs.manifest({ groups: { count, only }, timeline, signal }) : null;
  const unreadableNow = new Map<string, string>();
  const listed = await readManifest(manifest, 'remote', unreadableNow);
  if (manifest && listed.tag !== remote.tag) return null;
  for (const [path, reason] of unreadableNow) unreadable.set(path, reason);
  const isListed = new Set(only);
  const unchanged = [...state.files]
    .filter(([path]) => !isListed.has(digestGroupOfPath(path, count)))
    .map(([path, { checksum, size }]) => [path, { checksum, size }] as const);
  return { files: new Map([...unchanged, ...listed.files]), tag: remote.tag };
}

/**
 * The synchronised files of a manifest.
 * @param unreadable collects the files without a checksum
 * @param spool collects the texts
 */
export async function readManifest(
  manifest: Manifest | null,
  side: 'local' | 'remote',
  unreadable: Map<string, string>,
  spool?: TextSpool,
): Promise<Listing> {
  const files = new Map<string, FileState>();
  for await (const entry of manifest?.entries ?? []) {
    const { path, checksum, size } = entry;
    if (!isSynced(path)) continue;
    files.set(path, { checksum, size });
    if (checksum === '') unreadable.set(path, reasonIfUnreadable(entry, side));
    // The checksum of a local file was computed from this text, and needn't be checked.
    await spool?.add(entry, side === 'local');
  }
  return { files, tag: manifest?.tag ?? null };
}

/** Reason why a file without a checksum is left alone. That of a namespace or dataset may be missing, while records below it are there. */
function reasonIfUnreadable({ path, size, problem }: FileEntry, side: 'local' | 'remote'): string {
  if (side === 'local' && problem !== undefined) return problem;
  const folder = size === 0 ? containerFolder(path) : null;
  if (folder === null) return `The ${side} file can't be read.`;
  const name = `The ${side} ${path.slice(folder.length)} is missing or can't be read, while ${side === 'local' ? 'records below it are' : 'its folder is'} there`;
  const { kind } = kindAndRefOfPath(path);
  return side === 'local'
    ? `${name}. Put it back; or, to remove the ${kind}, remove its whole folder: ${folder.slice(0, -1)}`
    : `${name}: it has to be put back on the remote.`;
}
