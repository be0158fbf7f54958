/** Errors about files and folders that the system lets nobody write, with what to do about it. */
import { basename, isAbsolute, relative, sep } from 'node:path';
import { ConflictError, UnavailableError } from '../catalogue/errors.ts';

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space and try again',
  EDQUOT: 'the disk quota is used up. Free some space and try again',
  EROFS: 'the file system is read-only. Mount it writable and try again',
  EACCES: 'permission is denied. Let the user of this process write there and try again',
  EPERM: 'the operation is not permitted. Let the user of this process write there and try again',
  EIO: 'the disk reports an error. Check the disk before you try again',
};

/** A symbolic link lies where a file would be replaced. */
export class SymbolicLinkError extends ConflictError {
  readonly path: string;

  /** @param shown how the message names it: clients must not learn the folders of the machine */
  constructor(path: string, shown = basename(path)) {
    super(`${shown} is a symbolic link, which a write would replace: put a copy of the file in its place.`);
    this.path = path;
  }
}

/** A file or folder can't be written. */
class NotWritableError extends UnavailableError {
  readonly path: string;
  readonly remedy: string;

  /** @param shown how the message names it */
  constructor(path: string, shown: string, remedy: string, cause: unknown) {
    super(`${shown} can't be written: ${remedy}.`, { cause });
    this.path = path;
    this.remedy = remedy;
  }
}

/**
 * An UnavailableError with a remedy, for a system error about the disk; any other error as it is. Of an absolute path, the message has
 * the last part only, since clients must not learn the folders of the machine: `namePathIn` adds those that they may know.
 */
export function toUnavailableError(error: unknown, path: string): unknown {
  const remedy = remedies[Object(error).code];
  return remedy === undefined
    ? error
    : new NotWritableError(path, isAbsolute(path) ? basename(path) : path, remedy, error);
}

/** An error about a file or folder that can't be written, with another name for it; any other error as it is. */
export function nameUnwritable<E>(error: E, shown: string): E | NotWritableError | SymbolicLinkError {
  if (error instanceof SymbolicLinkError) return new SymbolicLinkError(shown, shown);
  return error instanceof NotWritableError ? new NotWritableError(shown, shown, error.remedy, error.cause) : error;
}

/** The same with its path in a folder, if it lies there. */
export function namePathIn<E>(folder: string, error: E): E | NotWritableError | SymbolicLinkError {
  const isAboutPath = error instanceof NotWritableError || error instanceof SymbolicLinkError;
  if (!isAboutPath || !isAbsolute(error.path)) return error;
  const path = relative(folder, error.path).replaceAll(sep, '/');
  const isWithin = path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path);
  return isWithin ? nameUnwritable(error, path) : error;
}
