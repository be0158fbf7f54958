/** What git and the file system know of files. The git program is asked; nothing of it is imitated. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ListOptions, Page } from '../../catalogue/catalogue.ts';
import { UnavailableError } from '../../catalogue/errors.ts';
import { paginate } from '../../catalogue/listing.ts';
import type { CatalogueFile, Commit, FileDetails, Settings } from '../../catalogue/types.ts';
import { GitError, git } from './git.ts';

/** Checksum, time and newest commit of files, in their order. */
export async function inspectFiles(root: string, files: readonly CatalogueFile[]): Promise<readonly FileDetails[]> {
  const head = await headOf(root);
  const details: FileDetails[] = [];
  // A few at a time: a page of a thousand entries must not open a thousand files.
  for (let start = 0; start < files.length; start += 8)
    details.push(...(await Promise.all(files.slice(start, start + 8).map((file) => inspect(root, file.path, head)))));
  return details;
}

async function inspect(root: string, path: string, head: string | null): Promise<FileDetails> {
  const [home, absolute] = await Promise.all([realpath(root), realpath(join(root, path))]).catch(() => ['', '']);
  // A link that leaves the folder says nothing of what it leads to.
  const stats = absolute.startsWith(home + sep) ? await stat(absolute).catch(() => null) : null;
  if (!stats) return { checksum: '', modified: '', commit: null };
  const checksum = stats.isFile() ? await checksumOf(absolute, stats.size, stats.mtimeMs) : '';
  return { checksum, modified: stats.mtime.toISOString(), commit: head ? await newestCommit(root, path, head) : null };
}

/** Bounded memories of what is dear to find out: a checksum for a file's stamp, a commit for a path at HEAD. */
const checksums = new Map<string, string>();
const commits = new Map<string, Commit | null>();
const remembered = 20_000;

function remember<T>(memory: Map<string, T>, key: string, value: T): T {
  if (memory.size >= remembered) memory.clear();
  memory.set(key, value);
  return value;
}

async function checksumOf(path: string, size: number, mtime: number): Promise<string> {
  const key = `${path}\0${size}\0${mtime}`;
  const known = checksums.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return '';
  }
  return remember(checksums, key, hash.digest('hex'));
}

/** The commit that is checked out; null outside of a repository, or where git isn't installed. */
async function headOf(root: string): Promise<string | null> {
  try {
    return (await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD'])).trim() || null;
  } catch {
    return null;
  }
}

async function newestCommit(root: string, path: string, head: string): Promise<Commit | null> {
  const key = `${root}\0${head}\0${path}`;
  const known = commits.get(key);
  if (known !== undefined) return known;
  try {
    const [commit = null] = await described(root, ['-1', head, '--', path]);
    return remember(commits, key, commit);
  } catch {
    return null;
  }
}

/** What `git log` says with these arguments. */
async function described(root: string, args: readonly string[], input = ''): Promise<readonly Commit[]> {
  const own = ['--literal-pathspecs', '-c', 'log.showSignature=false', 'log', '--format=%H%x00%an%x00%aI%x00%s'];
  const said = await git(root, [...own, ...args], { input });
  return said
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [id = '', author = '', datetime = '', message = ''] = line.split('\0');
      return { id, author, datetime, message };
    });
}

/** The ids of a page's whole collection, for the next page. */
const histories = new Map<string, readonly string[]>();

/**
 * A page of the commits that touched any of the paths, the newest first; none outside of git.
 * @throws NotFoundError where there is no such page; UnavailableError where git can't say
 */
export async function commitsOf(
  root: string,
  paths: readonly string[],
  question: Pick<ListOptions, 'page' | 'pageSize'>,
  settings: Settings,
): Promise<Page<Commit>> {
  const head = await headOf(root);
  if (head === null) return paginate<Commit>([], question, settings);
  const key = [root, head, ...paths].join('\0');
  try {
    let ids = histories.get(key);
    if (ids === undefined) {
      // On stdin there is room for as many paths as there are.
      const said = await git(root, ['--literal-pathspecs', 'rev-list', head, '--stdin'], {
        input: lines('--', ...paths),
      });
      ids = said.split('\n').filter(Boolean);
      if (histories.size >= 100) histories.clear();
      histories.set(key, ids);
    }
    const page = paginate(ids, question, settings);
    if (page.count === 0) return { ...page, items: [] };
    return { ...page, items: await described(root, ['--no-walk=unsorted', '--stdin'], lines(...page.items)) };
  } catch (error) {
    if (error instanceof GitError) throw new UnavailableError("Git can't tell the history now. Try again later.");
    throw error;
  }
}

const lines = (...items: readonly string[]) => items.map((item) => `${item}\n`).join('');
