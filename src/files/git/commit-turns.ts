/**
 * The order of git commits of several servers that write in one folder. Each commits its writes in their order, and waits for the
 * earlier commits of others to the same files. It doesn't wait for ever, and large writes may overlap: so a text that was replaced
 * by one which is committed already is in no commit. Else the newest commit would have an old text.
 */
import { hash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runGit } from './git.ts';
import { type AwaitedCommit, listAwaitedCommits } from './noted-commits.ts';

/**
 * Waits until the commits of earlier writes to the same files are made, or have failed.
 * @param note that of the commit
 * @param paths its files and folders
 * @param patience maximum time in milliseconds
 */
export async function waitForEarlierCommits(
  root: string,
  note: string,
  paths: readonly string[],
  patience: number,
): Promise<void> {
  for (const end = performance.now() + patience; performance.now() < end; await sleep(10 + 20 * Math.random()))
    if (!(await isBehindOthers(root, note, paths))) return;
}

async function isBehindOthers(root: string, note: string, paths: readonly string[]): Promise<boolean> {
  const earlier = await listAwaitedCommits(root, note, true);
  return earlier.some((commit) => commit.paths === null || commit.paths.overlaps(paths));
}

/**
 * Finds the files whose text on disk is committed, and will not be committed again by another write: an earlier text, which
 * they don't have any more, must not be committed after it.
 * @param folder the working tree, and the path of the catalogue folder in it
 * @param note that of the commit
 * @param paths of records that have another text than the commit, relative to the working tree
 * @param env names an index with the last commit
 */
export async function findCommittedOnDisk(
  { top, prefix }: { readonly top: string; readonly prefix: string },
  note: string | null,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string>> {
  const committed = new Set<string>();
  if (paths.length === 0) return committed;
  const ids = await idsInIndex(top, paths, env);
  let awaited: readonly AwaitedCommit[] | undefined;
  for (const path of paths) {
    const id = ids.get(path);
    const place = join(top, path);
    if (id === undefined || !(await isFile(place))) continue;
    // By git, which may convert it, such as the ends of lines.
    const idOnDisk = await runGit(top, ['hash-object', '--', path]).catch(() => null);
    if (idOnDisk?.trim() !== id) continue;
    awaited ??= await listAwaitedCommits(join(top, prefix), note, false);
    const hashed = await readFile(place).then(
      (bytes) => hash('sha256', bytes),
      () => null,
    );
    if (!awaited.some((commit) => leavesAsOnDisk(commit, path.slice(prefix.length), hashed))) committed.add(path);
  }
  return committed;
}

/** True if a file will be as on disk after a commit. */
function leavesAsOnDisk({ paths, texts, isComplete }: AwaitedCommit, path: string, hashed: string | null): boolean {
  // A write that hasn't ended may fail, and is not committed then.
  if (!isComplete) return false;
  const text = texts.get(path);
  return text === undefined ? paths?.overlaps([path]) === true : text === hashed;
}

async function idsInIndex(
  top: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const output = await runGit(top, ['--literal-pathspecs', 'ls-files', '--stage', '-z', '--', ...paths], { env });
  const lines = output.split('\0').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [head = '', path = ''] = line.split('\t');
      return [path, head.split(' ')[1] ?? ''];
    }),
  );
}

const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
