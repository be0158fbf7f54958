/** Errors of the system that a person can do something about, by their codes (errno(3)). */
const texts: Readonly<Record<string, string>> = {
  EACCES: 'No permission',
  EPERM: 'Not permitted',
  EROFS: 'The file system is read-only',
  ENOSPC: 'The disk is full',
  EDQUOT: 'The quota of the disk is used up',
  EMFILE: 'Too many files are open; see: ulimit -n',
  ENOENT: 'There is no such file or folder',
  EISDIR: 'It is a folder, not a file',
  ENOTDIR: 'It is a file, not a folder',
  EPIPE: 'The reader of the output has stopped before its end',
  ENAMETOOLONG: 'The name is too long',
};

/** A sentence about such an error, with its path; undefined for other errors. */
export function systemErrorText({ code, path }: NodeJS.ErrnoException): string | undefined {
  const text = code && texts[code];
  return text && (path === undefined ? `${text}.` : `${path}: ${text}.`);
}
