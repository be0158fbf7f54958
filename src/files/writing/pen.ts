/**
 * The pen: a record's file is opened with lowdb for one edit and dropped. Nothing is remembered between edits, so a
 * hand that writes the same file is never overwritten with what was there before.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { ConflictError, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { codeOf, makeFolders, syncFolder, temporaryBeside, toUnavailable, writeDurably } from '../../disk/durable.ts';
import { type LockOptions, withLock } from '../../disk/lock.ts';
import { editText } from '../../text/document.ts';
import { type Format, parseRecord } from '../../text/parse.ts';
import { maxRecordSize } from '../tree/file-tree.ts';
import { wrote } from './trail.ts';

/** The text of a record's file. */
export interface RecordText {
  readonly text: string;
}

/** The format of a record's file, by its name: `.json` is JSON, `.yaml` and `.yml` are YAML. */
export const formatOf = (path: string): Format => (extname(path).toLowerCase() === '.json' ? 'json' : 'yaml');

/** A record's file for lowdb: read as it is, written so that a crash leaves the old text or the new. */
export class RecordAdapter implements Adapter<RecordText> {
  readonly #path: string;
  /** The file as it was read. */
  #read: Buffer | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * @returns null where there is no such file
   * @throws ConflictError where the file isn't UTF-8
   */
  async read(): Promise<RecordText | null> {
    const bytes = await readFile(this.#path).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
      throw toUnavailable(error, this.#path);
    });
    if (bytes === null) return null;
    this.#read = bytes;
    try {
      return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
    } catch {
      throw new ConflictError(`${basename(this.#path)} isn't UTF-8: convert it and try again.`);
    }
  }

  /** @throws MeanwhileError where the file isn't any more what was read */
  async write({ text }: RecordText): Promise<void> {
    await writeDurably(this.#path, text, { beforeRename: () => this.#mustBeAsRead() });
  }

  /** An editor knows nothing of locks, and what it saves counts. */
  #mustBeAsRead(): void {
    if (this.#read === undefined) return;
    let now: Buffer | null = null;
    try {
      now = readFileSync(this.#path);
    } catch {}
    if (now === null || !now.equals(this.#read)) throw new MeanwhileError(basename(this.#path));
  }
}

/**
 * What is larger than a record may be would be broken from the moment it is written.
 * @throws ValidationError
 */
export function mustBeReadable(text: string): void {
  const size = Buffer.byteLength(text);
  if (size <= maxRecordSize) return;
  const message = `This makes a record of ${size} bytes; it may have at most ${maxRecordSize}.`;
  throw new ValidationError({ non_field_errors: [message] });
}

/** Somebody wrote the file while we did. */
class MeanwhileError extends ConflictError {
  constructor(name: string) {
    super(`${name} is being written by somebody else, again and again. Try again later.`);
  }
}

/** How often an edit is made anew because somebody else wrote the file at the same moment. */
const tries = 5;

/**
 * Edits a record's file under its lock. What the edit isn't about stays byte for byte; where nothing changes, nothing
 * is written.
 * @param path relative to the catalogue folder, with slashes
 * @param change gets what the file says now and gives the keys to set; undefined removes a key
 * @param order canonical order of the keys, for the places of new ones
 * @returns whether the file was written, and its text
 * @throws NotFoundError where there is no such file; ConflictError where it is broken (it says where) or a link;
 *   ValidationError where it would be too large for a record; UnavailableError where others hold the lock or the disk refuses; and what `change` throws
 */
export async function editRecord(
  root: string,
  path: string,
  change: (value: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  order: readonly string[],
  options?: LockOptions,
): Promise<{ readonly changed: boolean; readonly text: string }> {
  return await withLock(
    root,
    path,
    async (signal) => {
      for (let left = tries; ; left--)
        try {
          return await editOnce(root, path, change, order, signal);
        } catch (error) {
          if (!(error instanceof MeanwhileError) || left === 1) throw error;
        }
    },
    options,
  );
}

async function editOnce(
  root: string,
  path: string,
  change: Parameters<typeof editRecord>[2],
  order: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly changed: boolean; readonly text: string }> {
  const absent: RecordText = { text: '' };
  const pen = new Low(new RecordAdapter(join(root, path)), absent);
  await pen.read();
  if (pen.data === absent) throw new NotFoundError(`There is no file ${path}.`);
  const before = pen.data.text;
  const format = formatOf(path);
  const parsed = parseRecord(before, format);
  if ('error' in parsed) {
    const { line, column, message } = parsed.error;
    throw new ConflictError(`${path}:${line}:${column}: ${message}`);
  }
  const text = editText(before, format, change(parsed.value as Record<string, unknown>), order);
  signal.throwIfAborted();
  if (text === before) return { changed: false, text };
  mustBeReadable(text);
  pen.data = { text };
  await pen.write();
  wrote(path, text);
  return { changed: true, text };
}

/**
 * Writes the file of a new record under its lock, and the folders it needs.
 * @param path relative to the catalogue folder, with slashes
 * @throws as `makeRecord`; UnavailableError where others hold the lock
 */
export async function createRecord(root: string, path: string, text: string, options?: LockOptions): Promise<void> {
  mustBeReadable(text);
  await withLock(root, path, (signal) => makeRecord(root, path, text, signal), options);
}

/**
 * Writes the file of a new record, and the folders it needs. Its own folder comes with the record in it: a crash leaves
 * no folder of a dataset that is none.
 * @param signal of the lock that keeps others from making it
 * @throws ConflictError where the file exists; ValidationError where the text is too large for a record;
 *   UnavailableError where the disk refuses
 */
export async function makeRecord(root: string, path: string, text: string, signal: AbortSignal): Promise<void> {
  mustBeReadable(text);
  const target = join(root, path);
  const home = dirname(target);
  const aside = temporaryBeside(home);
  try {
    signal.throwIfAborted();
    if (existsSync(home)) await writeDurably(target, text, { exclusive: true });
    else {
      await makeFolders(dirname(home));
      await mkdir(aside);
      await writeDurably(join(aside, basename(target)), text);
      signal.throwIfAborted();
      await rename(aside, home).catch(async (error) => {
        if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error;
        // Another of its folder was quicker to make that: users lie side by side.
        await rm(aside, { recursive: true, force: true });
        await writeDurably(target, text, { exclusive: true });
      });
      await syncFolder(dirname(home));
    }
    wrote(path, text);
  } catch (error) {
    await rm(aside, { recursive: true, force: true }).catch(() => {});
    if (['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw new ConflictError(`${path} exists already.`);
    throw toUnavailable(error, target);
  }
}
