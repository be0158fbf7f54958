/** The two catalogues that `clone`, `pull`, `push` and `diff` are about: the one in the folder, and the one elsewhere. */
import { relative, resolve } from 'node:path';
import type { Pair } from '../../sync/compare.ts';
import type { Call } from '../command.ts';
import { UsageError } from '../errors.ts';
import { dataFolder } from '../folder.ts';
import { readOrigin, statePath, writeOrigin } from './origin.ts';

/** The other side. */
export interface Other {
  /** What to call it in a command: its name, or its address where it has none. */
  readonly name: string;
  readonly url: string;
  readonly signedIn: boolean;
}

/**
 * Does something with the catalogue in the folder and the remote that is meant: as --remote or CATALOGUE_REMOTE say, else
 * the folder's origin. A remote becomes the origin when there is none yet.
 * @throws UsageError where no remote is known
 */
export async function withPair<T>(
  call: Call,
  verb: string,
  work: (pair: Pair, other: Other) => Promise<T>,
): Promise<T> {
  const { context, global } = call;
  const root = resolve(context.cwd, dataFolder(global.data, context.cwd, context.env));
  const origin = await readOrigin(root);
  const given = global.remote ?? (context.env.CATALOGUE_REMOTE || origin?.url);
  if (given === undefined)
    throw new UsageError(
      `Nothing is known yet of a catalogue elsewhere that belongs to this one. Say which: catalogue ${verb} --remote URL`,
    );
  return pairOf(call, root, given, async (pair, other) => {
    const result = await work(pair, other);
    if (origin === null && verb !== 'diff') await writeOrigin(root, other);
    return result;
  });
}

/** Opens both sides, while no other process does the same. */
export async function pairOf<T>(
  call: Call,
  root: string,
  given: string,
  work: (pair: Pair, other: Other) => Promise<T>,
): Promise<T> {
  const { context } = call;
  const [{ State }, { makePrivateFolder }, { withLock }] = await Promise.all([
    import('../../sync/state.ts'),
    import('../../disk/private-folder.ts'),
    import('../../disk/lock.ts'),
  ]);
  const other = await otherSide(call, given);
  const theirs = await call.remote(given);
  const ours = await context.open(root, { whole: true });
  await makePrivateFolder(root, 'remotes');
  const path = statePath(root, other.url);
  return withLock(
    root,
    relative(root, path),
    async () => {
      const state = await State.open(`${path}.ndjson`);
      try {
        const { signedIn } = other;
        return await work(
          { ours: ours.replica, theirs: theirs.replica, state, spool: `${path}.texts`, signedIn },
          other,
        );
      } finally {
        await state.close();
      }
    },
    { wait: 1000 },
  );
}

async function otherSide({ context: { env }, remoteUrl }: Call, given: string): Promise<Other> {
  const [{ targetOf }, { readRemotes }] = await Promise.all([import('./remotes.ts'), import('./remotes-file.ts')]);
  const { name, login } = targetOf(await readRemotes(env), given);
  const url = await remoteUrl(given);
  return { name, url, signedIn: Boolean(env.CATALOGUE_TOKEN?.trim() || login) };
}
