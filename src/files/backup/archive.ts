/**
 * A listing as a tar archive (POSIX.1-2017, pax, "pax Interchange Format"; entries as `tar` of npm reads them). Each file is
 * complete: its size is that of the file that is open, whatever happens to its path.
 */
import { closeSync, type Stats } from 'node:fs';
import { Header, Pax } from 'tar';
import { UnavailableError } from '../../catalogue/errors.ts';
import { identityOf, type ListedEntry, type Listing, openFile, readBytes, type SkippedEntry, walk } from './listing.ts';
import { archivePath } from './tar-paths.ts';

/** Bytes of a header, and unit of the length of files. */
const blockSize = 512;
/** Bytes that are read or compressed at once. */
const chunkSize = 256 * 1024;

/** What an archive holds, complete when it was written to its end. */
export interface ArchiveReport {
  files: number;
  readonly skipped: SkippedEntry[];
  /** What is wrong with the accounts file, which is in the archive as it is; null if nothing is. */
  readonly damage: string | null;
}

/**
 * The bytes of an archive, in chunks. A file that was renamed or moved since it was listed is stored by the path that it had,
 * as are the files around it.
 * @param report to which files are added as they are written
 * @throws UnavailableError if a file can't be read, or becomes shorter while it is read
 */
export function archiveChunks(root: string, { entries }: Listing, report: ArchiveReport): Generator<Buffer> {
  return inChunks(blocksOfAll(root, entries, report));
}

function* blocksOfAll(root: string, entries: readonly ListedEntry[], report: ArchiveReport): Generator<Buffer> {
  const findMoved = makeFinder(root);
  /** Paths of the files with several names, by identity: such a file is stored once. */
  const stored = new Map<string, string>();
  for (const entry of entries) {
    const { path, stats, content, target } = entry;
    const identity = stats.nlink > 1 && stats.isFile() ? identityOf(stats) : null;
    const linkpath = identity === null ? undefined : stored.get(identity);
    if (stats.isDirectory()) yield* headerBlocks(`${path}/`, stats, { type: 'Directory' });
    else if (target !== undefined) yield* headerBlocks(path, stats, { type: 'SymbolicLink', linkpath: target });
    else if (linkpath !== undefined) yield* headerBlocks(path, stats, { type: 'Link', linkpath });
    else {
      const file = content ? null : openListed(root, entry, findMoved);
      if (content) yield* contentBlocks(path, stats, content);
      else if (file) yield* fileBlocks(path, file);
      else {
        report.skipped.push({ path, reason: 'it was removed while the backup was written' });
        continue;
      }
      if (identity !== null) stored.set(identity, archivePath(path));
    }
    if (stats.isFile()) report.files++;
  }
  // An archive ends with two empty blocks.
  yield Buffer.alloc(2 * blockSize);
}

type OpenFile = NonNullable<ReturnType<typeof openFile>>;

/** Opens a listed file, also if it was moved since; what has replaced it, if it is gone; null if nothing has. */
function openListed(
  root: string,
  { path, stats }: ListedEntry,
  findMoved: (identity: string) => string | null,
): OpenFile | null {
  const identity = identityOf(stats);
  const file = openFile(root, path);
  if (file && identityOf(file.stats) === identity) return file;
  const movedTo = findMoved(identity);
  const moved = movedTo === null ? null : openFile(root, movedTo);
  if (!moved) return file;
  if (file) closeSync(file.descriptor);
  return moved;
}

/**
 * A function that finds the path of a file by its identity. It walks the folder at most half of the time, however many files
 * it is asked for.
 */
function makeFinder(root: string): (identity: string) => string | null {
  let paths = new Map<string, string>();
  let due = 0;
  return (identity) => {
    const now = performance.now();
    if (now >= due) {
      paths = new Map([...walk(root)].map(({ path, stats }) => [identityOf(stats), path]));
      due = 2 * performance.now() - now;
    }
    return paths.get(identity) ?? null;
  };
}

function* fileBlocks(path: string, { descriptor, stats }: OpenFile): Generator<Buffer> {
  try {
    yield* headerBlocks(path, stats, { type: 'File', size: stats.size });
    for (let position = 0; position < stats.size; ) {
      const bytes = readBytes(descriptor, Math.min(chunkSize, stats.size - position), position, path);
      if (bytes.length === 0)
        throw new UnavailableError(`${path} became shorter while the backup was written. Make the backup again.`);
      position += bytes.length;
      yield bytes;
    }
    yield padding(stats.size);
  } finally {
    closeSync(descriptor);
  }
}

function* contentBlocks(path: string, stats: Stats, content: Buffer): Generator<Buffer> {
  yield* headerBlocks(path, stats, { type: 'File', size: content.length });
  yield content;
  yield padding(content.length);
}

const padding = (size: number): Buffer => Buffer.alloc((blockSize - (size % blockSize)) % blockSize);

/** The header of an entry, with an extended one before it if names are long or not ASCII. Owners are not stored. */
function* headerBlocks(
  path: string,
  stats: Stats,
  kind: { readonly type: 'File' | 'Directory' | 'SymbolicLink' | 'Link'; size?: number; linkpath?: string },
): Generator<Buffer> {
  // The owner of the restored files may read and write all of them, and others may not write.
  const mode = (stats.mode & 0o7755) | 0o600;
  const mtime = new Date(Math.floor(stats.mtimeMs / 1000) * 1000);
  const fields = { size: 0, ...kind, path: archivePath(path), mode, mtime };
  const block = Buffer.alloc(blockSize);
  const { type: _, ...extended } = fields;
  if (new Header(fields).encode(block)) yield new Pax(extended).encode();
  yield block;
}

/** The same bytes in larger chunks: each is compressed by a call of its own. */
function* inChunks(blocks: Iterable<Buffer>): Generator<Buffer> {
  let [waiting, size]: [Buffer[], number] = [[], 0];
  for (const block of blocks) {
    waiting.push(block);
    size += block.length;
    if (size < chunkSize) continue;
    yield waiting.length === 1 ? block : Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}
