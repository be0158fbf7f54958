/** The two catalogues that `clone`, `pull`, `push` and `diff` compare: the one in the folder, and a remote. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Pair } from '../../sync/compare.ts';
import type { RemoteViewer } from '../../sync/rights.ts';
import type { Call } from '../command.ts';
import { UsageError } from '../errors.ts';
import { chooseCatalogueFolder } from '../folder.ts';
import { pathInRemotesFolder, remotesFolder, updateOrigin, writeOrigin } from '../remote/origin.ts';
import { typedCommand } from '../typed-command.ts';

/** The remote of a pair. */
export interface PairedRemote {
  /** Its name in commands; its address where it has none. */
  readonly name: string;
  readonly url: string;
}

/** Work on a pair. Its signal is aborted if the lock of the pair is lost: another process may synchronise it then. */
type SyncWork<T> = (pair: Pair, remote: PairedRemote, lost: AbortSignal) => Promise<T>;

/**
 * Runs work on the catalogue in the folder and its remote: that of --remote or CATALOGUE_REMOTE, else the folder's origin.
 * @param verb the command, as it is typed
 * @param options.isReadOnly true for work that changes nothing. After any other, the remote becomes the origin of a folder without one.
 * @param options.names of the records that were named, for the command that is printed
 * @throws UsageError where no remote is known
 */
export async function withSyncPair<T>(
  call: Call,
  verb: string,
  { isReadOnly, names = [] }: { readonly isReadOnly: boolean; readonly names?: readonly string[] | undefined },
  work: SyncWork<T>,
): Promise<T> {
  const { context, global } = call;
  const root = resolve(context.cwd, chooseCatalogueFolder(global.data, context.cwd, context.env));
  const origin = await updateOrigin(root, context.env);
  const given = global.remote ?? (context.env.CATALOGUE_REMOTE || origin?.url);
  if (given === undefined)
    throw new UsageError(
      `This catalogue has no remote yet. Say which: ${typedCommand(call, `${verb} --remote URL`, names)}`,
    );
  return withSyncPairInFolder(call, root, given, async (pair, remote, lost) => {
    const result = await work(pair, remote, lost);
    if (origin === null && !isReadOnly) await writeOrigin(root, remote);
    return result;
  });
}

/**
 * Opens both catalogues and runs work on them, while no other process does the same.
 * @param given name or address of the remote
 */
export async function withSyncPairInFolder<T>(call: Call, root: string, given: string, work: SyncWork<T>): Promise<T> {
  const { context } = call;
  const [
    { findCloudPlaceholders, listFilesNotCheckedOut, removeLeftoversOfKilled },
    { SyncState },
    { anonymous },
    { makeFolderInPrivateFolder },
    { withLock },
  ] = await Promise.all([
    import('../../files/folder.ts'),
    import('../../sync/state.ts'),
    import('../../catalogue/permissions.ts'),
    import('../../disk/private-folder.ts'),
    import('../../disk/lock.ts'),
  ]);
  const { formerUrls: former, isSignedIn, ...remote } = await pairedRemote(call, given);
  const theirs = await call.remote(given);
  const ours = await context.open(root, { whole: true });
  await removeLeftoversOfKilled(root);
  await makeFolderInPrivateFolder(root, remotesFolder);
  const path = commonStatePath(root, remote.url);
  for (const url of former) await adoptState(commonStatePath(root, url), path);
  return withLock(
    root,
    relative(root, path),
    async (lost) => {
      const state = await SyncState.open(`${path}.ndjson`);
      try {
        const viewer = isSignedIn ? await fetchViewer(theirs) : anonymous;
        return await work(
          {
            ours: ours.replica,
            theirs: theirs.replica,
            state,
            spool: `${path}.texts`,
            viewer,
            notCheckedOut: () => listFilesNotCheckedOut(root),
            findCloudPlaceholders: (paths) => findCloudPlaceholders(root, paths),
            listChanges: (options) => theirs.changes(options),
          },
          remote,
          lost,
        );
      } finally {
        await state.close();
      }
    },
    { wait: 1000 },
  );
}

/** The user of a remote, with the groups that the server names: for a user, `me` is the own record. */
async function fetchViewer(remote: Catalogue): Promise<RemoteViewer> {
  const { slug, staff, groups } = await remote.get<'user'>({ kind: 'user', slug: 'me' });
  return { username: slug, staff, groups };
}

/** Renames the common state with a server that has moved, unless there is one of its new address. */
async function adoptState(former: string, path: string): Promise<void> {
  if (existsSync(`${path}.ndjson`) || !existsSync(`${former}.ndjson`)) return;
  if (existsSync(`${former}.texts`)) await rename(`${former}.texts`, `${path}.texts`);
  await rename(`${former}.ndjson`, `${path}.ndjson`);
}

async function pairedRemote(
  { context: { env }, remoteUrl, signInAt, show }: Call,
  given: string,
): Promise<PairedRemote & { readonly isSignedIn: boolean; readonly formerUrls: readonly string[] }> {
  const [{ resolveRemote, formerUrls }, { readRemotes }] = await Promise.all([
    import('../remote/remotes.ts'),
    import('../remote/remotes-file.ts'),
  ]);
  const remotes = await readRemotes(env);
  const url = await remoteUrl(given);
  const { name } = remotes.remotes.find((remote) => remote.name === given) ?? resolveRemote(remotes, url);
  const { token, isFromEnvironment } = await signInAt(given);
  if (env.CATALOGUE_TOKEN?.trim() && !isFromEnvironment)
    show.message(`CATALOGUE_TOKEN isn't sent to ${url}: add --remote ${name}, or set CATALOGUE_REMOTE.`);
  return { name, url, isSignedIn: token !== undefined, formerUrls: formerUrls(remotes, url) };
}

/** The path of the last common state with a remote: a name that people recognise, and that is unique to the address. */
function commonStatePath(root: string, url: string): string {
  const { host, pathname } = new URL(url);
  const words = `${host}${pathname}`.replace(/[^A-Za-z0-9.]+/g, '-').replace(/-+$/, '');
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 12);
  return pathInRemotesFolder(root, `${words.slice(0, 60)}-${hash}`);
}
