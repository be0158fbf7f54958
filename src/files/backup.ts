/**
 * Backups: a catalogue folder as one file, a compressed tar archive. It has everything that can't be made anew, also what git
 * doesn't hold: passwords and tokens, the trash, the common states with remotes.
 */
import { createReadStream, createWriteStream, Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';
import { ConflictError, NotFoundError, UnusableCatalogueError } from '../catalogue/errors.ts';
import { landmarks, privateFolder } from '../catalogue/layout.ts';
import {
  errorCode,
  isTemporaryFile,
  removeAbandonedTemporaries,
  temporaryName,
  temporaryPathBeside,
  toUnavailableError,
} from '../disk/durable.ts';
import { accountsPath } from './accounts/accounts-file.ts';

/** Parts of the private folder that are made anew, or mean something to running processes only. */
const leftOut = ['cache', 'locks', 'schemas', 'journal', 'changes.ndjson'].map((name) => `${privateFolder}/${name}`);

/** True if a file or folder belongs into a backup. @param path relative to the catalogue folder, as tar gives it: `./users` */
function isKept(path: string): boolean {
  const [name, first] = [path.replace(/^\.\/?/, '').replace(/\/$/, ''), basename(path)];
  return !leftOut.includes(name) && name !== '.git' && !isTemporaryFile(first);
}

/**
 * Writes a backup. The server may be running: each file is as it was before or after a change.
 * @param to path of the file; or a function that takes the archive
 * @param force true to replace an existing file
 * @returns number of files
 * @throws ConflictError if the file exists; UnavailableError
 */
export async function writeBackup(
  root: string,
  to: string | ((archive: Readable) => Promise<void>),
  { force = false, signal }: { readonly force?: boolean | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const inside = typeof to === 'string' && `${resolve(to)}/`.startsWith(`${resolve(root)}/`);
  if (inside) throw new ConflictError('The backup must not lie in the catalogue folder itself. Name another place.');
  if (typeof to !== 'string') {
    const { archive, count } = pack(root);
    await to(archive);
    return count();
  }
  const existing = await readdir(dirname(resolve(to))).catch((error) => {
    throw toUnavailableError(error, dirname(resolve(to)));
  });
  if (!force && existing.includes(basename(to)))
    throw new ConflictError(`${to} exists already. Name another file, or replace it with --force.`);
  const temporary = temporaryPathBeside(resolve(to));
  try {
    for (let attempt = 1; ; attempt++)
      try {
        const { archive, count } = pack(root);
        await pipeline(archive, createWriteStream(temporary, { mode: 0o600, flush: true }), { signal });
        await rename(temporary, resolve(to));
        return count();
      } catch (error) {
        // A file was removed or renamed between listing and reading.
        if (errorCode(error) !== 'ENOENT' || attempt === 5) throw error;
      }
  } catch (error) {
    throw toUnavailableError(error, to);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Packs a catalogue folder. `count` is the number of files so far. */
function pack(root: string): { readonly archive: Readable; count(): number } {
  let files = 0;
  const filter = (path: string, entry: object) => {
    if (!isKept(path)) return false;
    if (entry instanceof Stats && entry.isFile()) files++;
    return true;
  };
  const packed = create({ gzip: true, cwd: root, portable: true, filter }, ['.']);
  return { archive: Readable.from(packed as AsyncIterable<Buffer>, { objectMode: false }), count: () => files };
}

/** Age in milliseconds from which what an interrupted restore has left is removed, if it isn't known whether its process runs. */
const anHour = 3_600_000;

export interface RestoreOptions {
  /** True to restore into a folder that has files: those of the backup replace them, and others stay. */
  readonly force?: boolean | undefined;
  /** True to restore only the passwords and tokens, into an existing catalogue. */
  readonly accounts?: boolean | undefined;
}

/**
 * Restores a backup. A new folder appears as a whole. One that exists stays the folder that it is, with its owner and its
 * rights: it may be a volume, or lie where this user may make no other.
 * @throws ConflictError if the folder isn't empty; NotFoundError; UnusableCatalogueError if the file is not a backup
 */
export async function restoreBackup(
  file: string,
  root: string,
  { force = false, accounts = false }: RestoreOptions = {},
) {
  const found = await readdir(root).catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  });
  const present = (found ?? []).filter((name) => !isTemporaryFile(name));
  if (accounts && !present.some((name) => (landmarks as readonly string[]).includes(name)))
    throw new UnusableCatalogueError(`${root} is not a catalogue, and --accounts restores passwords and tokens only.`);
  if (!accounts && !force && present.length > 0)
    throw new ConflictError(
      `${root} isn't empty (${present[0]} is in it). Name a new folder, or restore into this one with --force.`,
    );
  if (found) await removeAbandonedTemporaries(root, anHour);
  const staging = found ? join(root, temporaryName()) : temporaryPathBeside(root);
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await unpack(file, staging);
    const names = await readdir(staging);
    if (!names.some((name) => (landmarks as readonly string[]).includes(name))) throw notABackup(file);
    await chmod(join(staging, privateFolder), 0o700).catch(() => {});
    await chmod(join(staging, accountsPath), 0o600).catch(() => {});
    if (accounts) await moveAccounts(staging, root, file);
    else if (found) await moveInto(staging, root);
    else {
      await rename(staging, root);
      await chmod(root, 0o755);
    }
  } catch (error) {
    throw toUnavailableError(error, root);
  } finally {
    // Of a broken archive, files may still be on their way: then the folder is not empty at once.
    await rm(staging, { recursive: true, force: true, maxRetries: 5 });
  }
}

const notABackup = (file: string) =>
  new UnusableCatalogueError(`${file} is not a backup of a catalogue: make one with "catalogue backup FILE".`);

const damagedBackup = (file: string) =>
  new UnusableCatalogueError(
    `${file} ends too early or is damaged. Nothing was restored: copy the file again from where it was made, or take another backup.`,
  );

/** Errors of zlib for a compressed file that begins as it should: it was cut off, or changed later on. */
const isOfDamagedFile = (code: string): boolean => code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR';

async function unpack(file: string, cwd: string): Promise<void> {
  try {
    await pipeline(createReadStream(file), extract({ cwd, strict: true, preserveOwner: false }));
  } catch (error) {
    const [code, isOfFile] = [errorCode(error), (error as NodeJS.ErrnoException).path === file];
    if (isOfFile && code === 'ENOENT') throw new NotFoundError(`There is no file ${file}.`);
    if (isOfDamagedFile(code)) throw damagedBackup(file);
    if (/^(TAR_|Z_|EISDIR)/.test(code)) throw notABackup(file);
    if (isOfFile)
      throw new UnusableCatalogueError(
        `${file} can't be read (${code}): give the user of this process permission to read it.`,
      );
    throw error;
  }
}

async function moveAccounts(staging: string, root: string, file: string): Promise<void> {
  await mkdir(join(root, privateFolder), { recursive: true, mode: 0o700 });
  await rename(join(staging, accountsPath), join(root, accountsPath)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new UnusableCatalogueError(`${file} has no passwords and no tokens.`);
  });
}

/** Moves files and folders into a folder: each file replaces the one that is there. */
async function moveInto(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const isThere = entry.isDirectory() && (await lstat(target).catch(() => null)) !== null;
    await (isThere ? moveInto(source, target) : rename(source, target));
  }
}
