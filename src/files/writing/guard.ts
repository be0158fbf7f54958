/** What has to hold of a record's file at the moment it is written or removed. */
import { isDeepStrictEqual } from 'node:util';
import { ConflictError, StaleError } from '../../catalogue/errors.ts';
import { recordFolders, unitOf } from '../../catalogue/layout.ts';
import { find } from '../../catalogue/lookup.ts';
import type { Refs } from '../../catalogue/ref.ts';
import type { RecordKind } from '../../catalogue/schemas.ts';
import type { Entities, Kind } from '../../catalogue/types.ts';
import { checkRecord } from '../../catalogue/validators.ts';
import { findPosition, parseRecord } from '../../text/parse.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { runToEnd } from '../reading/event-loop.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import { formatOf } from './pen.ts';

/**
 * Nobody writes over a file that is broken: what is served is its last good state, and a hand is at work on the next.
 * @param path of the record, relative to the catalogue folder
 * @throws ConflictError that says where it is broken
 */
export function mustBeSound(files: FileCatalogue, kind: RecordKind, path: string): void {
  const broken = (line: number, column: number, message: string) =>
    new ConflictError(`${path}:${line}:${column}: ${message}`);
  let text: string | undefined;
  try {
    text = files.store.tree.read(path)?.text;
  } catch (error) {
    throw error instanceof UnreadableFileError ? broken(1, 1, error.message) : error;
  }
  if (text === undefined) return;
  const format = formatOf(path);
  const parsed = parseRecord(text, format);
  if ('error' in parsed) throw broken(parsed.error.line, parsed.error.column, parsed.error.message);
  const checked = checkRecord(kind, parsed.value);
  const [misfit] = 'misfits' in checked ? checked.misfits : [];
  if (!misfit) return;
  const { line, column } = findPosition(text, format, misfit.pointer);
  throw broken(line, column, misfit.message);
}

/**
 * Looks at the files, now and at once.
 * @param seen what the one who writes has seen; undefined where it doesn't matter
 * @throws StaleError where they say something else
 */
export function mustBeAsSeen<K extends Exclude<Kind, 'file'>>(
  files: FileCatalogue,
  ref: Refs[K],
  seen: Entities[K] | undefined,
): void {
  if (seen === undefined) return;
  // Who is in a group stands in the users' files.
  runToEnd(
    files.store.rescan(ref.kind === 'group' ? [unitOf(ref), { folder: `${recordFolders.user}/` }] : [unitOf(ref)]),
  );
  let now: unknown;
  try {
    now = find(files.snapshot, ref);
  } catch {
    throw new StaleError();
  }
  if (!isDeepStrictEqual(now, seen)) throw new StaleError();
}
