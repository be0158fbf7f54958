/** Two catalogue folders that are kept in step, as one of them sees it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { localAdmin, type Viewer } from '../../src/catalogue/permissions.ts';
import type { RecordChange, Replica } from '../../src/catalogue/replica.ts';
import { findCloudPlaceholders } from '../../src/files/cloud-placeholders.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import type { Pair } from '../../src/sync/compare.ts';
import type { RemoteViewer } from '../../src/sync/rights.ts';
import { SyncState } from '../../src/sync/state.ts';
import { pull, push, type SyncOptions, type SyncResult } from '../../src/sync/sync.ts';
import { filesIn } from '../support/prompt.ts';

export interface PairOptions {
  readonly viewer?: RemoteViewer;
  /** Whose remote it is: by default that of the local admin. */
  readonly as?: Viewer;
  /** What stands between them. */
  readonly wrap?: (replica: Replica, side: 'ours' | 'theirs') => Replica;
}

/** Opens both folders anew, as every run of the program does, and does something with them. */
export async function withPair<T>(
  ours: string,
  theirs: string,
  work: (pair: Pair) => Promise<T>,
  { viewer = localAdmin, as, wrap = (replica) => replica }: PairOptions = {},
): Promise<T> {
  const folder = join(ours, '.catalogue', 'remotes');
  mkdirSync(folder, { recursive: true });
  const [here, there] = await Promise.all([openFileCatalogue(ours), openFileCatalogue(theirs)]);
  const state = await SyncState.open(join(folder, 'there.ndjson'));
  try {
    return await work({
      ours: wrap(here.for().replica, 'ours'),
      theirs: wrap(there.for(as).replica, 'theirs'),
      state,
      spool: join(folder, 'there.texts'),
      viewer,
      findCloudPlaceholders: (paths) => findCloudPlaceholders(ours, paths),
      listChanges: (options) => there.for(as).changes(options),
    });
  } finally {
    await state.close();
    await Promise.all([here.close(), there.close()]);
  }
}

export const pullFrom = (ours: string, theirs: string, options?: SyncOptions, pairOptions?: PairOptions) =>
  withPair(ours, theirs, (pair) => pull(pair, options), pairOptions);
export const pushTo = (ours: string, theirs: string, options?: SyncOptions, pairOptions?: PairOptions) =>
  withPair(ours, theirs, (pair) => push(pair, options), pairOptions);

/** Opens a folder, and does something with its catalogue as its administrator. */
export async function edit<T>(root: string, work: (catalogue: Catalogue) => Promise<T>): Promise<T> {
  const files = await openFileCatalogue(root);
  try {
    return await work(files.for());
  } finally {
    await files.close();
  }
}

/** The files that somebody sees in a folder. Texts are those of records, and null for payloads. */
export async function filesSeenBy(
  viewer: Viewer,
  root: string,
): Promise<readonly { readonly path: string; readonly text: string | null }[]> {
  const files = await openFileCatalogue(root, { readOnly: true });
  try {
    const seen: { path: string; text: string | null }[] = [];
    const manifest = await files.for(viewer).replica.manifest({ texts: true });
    for await (const { path, text } of manifest?.entries ?? []) seen.push({ path, text: text ?? null });
    return seen;
  } finally {
    await files.close();
  }
}

/** What stands between two folders: it looks at the remote one after each request that changes it. */
export const lookAfterEach =
  (look: (changes: readonly RecordChange[]) => unknown): NonNullable<PairOptions['wrap']> =>
  (replica, side) =>
    side === 'ours'
      ? replica
      : new Proxy(replica, {
          get(target, name) {
            const method = Reflect.get(target, name);
            if (name !== 'apply') return typeof method === 'function' ? method.bind(target) : method;
            return async (...args: Parameters<Replica['apply']>) => {
              const outcomes = await target.apply(...args);
              await look(args[0]);
              return outcomes;
            };
          },
        });

/** Every file that is kept in step, with its bytes. */
export function contentOf(root: string): Readonly<Record<string, string>> {
  const paths = filesIn(root).filter((path) => !/^catalogue\.|\.catalogue-tmp(\/|$)|^\./.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'latin1')]));
}

/** What went wrong, as text. */
export const failuresOf = ({ failures }: SyncResult) => failures.map(({ path, error }) => `${path}: ${error}`);

export const makeEmpty = (root: string) => mkdir(join(root, 'namespaces'), { recursive: true });

/** A replica whose connection breaks after a number of requests: the last one arrives, but its answer does not. */
export function cutAfter(operations: number): (replica: Replica) => Replica {
  let left = operations;
  return (replica) =>
    new Proxy(replica, {
      get(target, name) {
        const method = Reflect.get(target, name);
        return async (...args: unknown[]) => {
          if (left-- <= 0) throw new Error('cut');
          const result = await method.apply(target, args);
          if (left === 0) {
            if (result instanceof Readable) result.destroy();
            throw new Error('cut');
          }
          return result;
        };
      },
    });
}

/**
 * Pulls or pushes with a connection that breaks after each request to the side that is changed, and goes on, until a run comes to its
 * end, without failures and conflicts.
 * @param look wraps the replica of that side, under the connection that breaks
 */
export async function runInPieces(
  run: typeof pullFrom | typeof pushTo,
  here: string,
  there: string,
  look = (replica: Replica): Replica => replica,
): Promise<void> {
  const changed = run === pushTo ? 'theirs' : 'ours';
  for (let after = 1; ; after++) {
    const cut = cutAfter(after);
    const wrap = (replica: Replica, side: 'ours' | 'theirs') => (side === changed ? cut(look(replica)) : replica);
    const done = await run(here, there, {}, { wrap }).catch((error: Error) => {
      assert.match(error.message, /cut/);
      return null;
    });
    if (done === null) continue;
    assert.deepEqual([failuresOf(done), done.plan.conflicts], [[], []]);
    return;
  }
}
