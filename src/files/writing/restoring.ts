/** Putting back what was removed: the same bytes at the same paths, unless something else is there by now. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConflictError, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { recordPaths, recordStem, scopeAt, unitOf } from '../../catalogue/layout.ts';
import { formatRef, type Ref } from '../../catalogue/ref.ts';
import type { TrashEntry } from '../../catalogue/trash.ts';
import { codeOf } from '../../disk/durable.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { locked, mustBeFree, parentOf } from './names.ts';
import { show } from './shown.ts';
import { touched } from './trail.ts';
import { carry, contentOf, deleteEntry, placeInTrash } from './trash.ts';
import { recordPath, scopesOf } from './writing.ts';

/**
 * Puts an entry of the trash back; the catalogue shows it then.
 * @param options.rehearse look only whether it could be done
 * @throws ConflictError where its place is taken, or what it lay in is gone; UnavailableError
 */
export async function restore(files: FileCatalogue, entry: TrashEntry, { rehearse = false } = {}): Promise<void> {
  const { ref, id } = entry;
  const unit = unitOf(ref);
  const paths = await contentOf(files.root, entry);
  // The note is a file like others, and somebody may have written it by hand.
  if (!paths.every((path) => scopeAt(path) && !path.split('/').includes('..')))
    throw new ConflictError(`The entry ${id} names a place outside of the catalogue.`);
  const locks = ref.kind === 'version' ? [recordStem(unit)] : [recordStem(unit), parentOf(unit)];
  await locked(files, locks, async () => {
    await mustHaveHome(files, ref);
    if (ref.kind === 'version') await mustBeAbsent(files, ref, recordPaths(ref));
    else await mustHaveName(files, ref);
    await mustBeAbsent(files, ref, paths);
    if (rehearse) return;
    // What makes the rest count comes last, as it went first.
    for (const path of paths.toReversed()) {
      await carry(placeInTrash(files.root, id, path), join(files.root, path)).catch((error) => {
        throw ['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(codeOf(error)) ? taken(ref, path) : error;
      });
      touched(path);
    }
  });
  if (rehearse) return;
  await deleteEntry(files.root, id);
  await show(files, scopesOf(unit));
}

/** What a thing lies in has to be there. */
async function mustHaveHome(files: FileCatalogue, ref: TrashEntry['ref']): Promise<void> {
  const home =
    ref.kind === 'version'
      ? ({ kind: 'dataset', namespace: ref.namespace, slug: ref.dataset } as const)
      : ref.kind === 'dataset'
        ? ({ kind: 'namespace', slug: ref.namespace } as const)
        : null;
  if (home === null) return;
  await recordPath(files, home).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
    throw new ConflictError(
      `There is no ${home.kind} ${formatRef(home)} any more for ${nameOf(ref)} to lie in. Restore or add it first.`,
    );
  });
}

async function mustHaveName(files: FileCatalogue, ref: Exclude<TrashEntry['ref'], { kind: 'version' }>): Promise<void> {
  await mustBeFree(files, ref).catch((error) => {
    throw error instanceof ValidationError ? taken(ref) : error;
  });
}

async function mustBeAbsent(files: FileCatalogue, ref: Ref, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const isThere = await lstat(join(files.root, path)).then(Boolean, () => false);
    if (isThere) throw taken(ref, path);
  }
}

const nameOf = (ref: Ref) => `${ref.kind} ${formatRef(ref)}`;

const taken = (ref: Ref, path?: string) =>
  new ConflictError(
    `The place of ${nameOf(ref)} is taken${path === undefined ? '' : `: there is ${path}`}. Rename or remove what is there first.`,
  );
