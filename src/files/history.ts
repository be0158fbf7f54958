/** What git and the file system know of files. The git program is asked; nothing of it is imitated. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { CatalogueFile, Commit, FileDetails } from '../catalogue/types.ts';

const run = promisify(execFile);

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
    const { stdout } = await run('git', ['-C', root, 'rev-parse', '--verify', '--quiet', 'HEAD']);
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

async function newestCommit(root: string, path: string, head: string): Promise<Commit | null> {
  const key = `${root}\0${head}\0${path}`;
  const known = commits.get(key);
  if (known !== undefined) return known;
  try {
    const format = '%H%x00%an%x00%aI%x00%s';
    const { stdout } = await run('git', [
      '--literal-pathspecs',
      '-C',
      root,
      'log',
      '-1',
      `--format=${format}`,
      head,
      '--',
      path,
    ]);
    const [id = '', author = '', datetime = '', message = ''] = stdout.trimEnd().split('\0');
    return remember(commits, key, id ? { id, author, datetime, message } : null);
  } catch {
    return null;
  }
}
