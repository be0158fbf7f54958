/**
 * Names are unique without regard to case within their folder, and whoever makes, gives or takes one there does so under
 * the folder's lock.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreatableKind } from '../../catalogue/catalogue.ts';
import { type FieldErrors, ValidationError } from '../../catalogue/errors.ts';
import { datasetsFolder, recordFolders, recordStem } from '../../catalogue/layout.ts';
import type { Refs } from '../../catalogue/ref.ts';
import { isTemporary } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import type { FileCatalogue } from '../file-catalogue.ts';

type Named = Refs[CreatableKind];

/** The folder in which a record has its name. Its path is the lock of all who make, give or take names there. */
export function parentOf(unit: Named): string {
  if (unit.kind === 'dataset') return datasetsFolder(unit.namespace);
  return unit.kind === 'namespace' ? 'namespaces' : recordFolders[unit.kind];
}

/**
 * Names that differ only in case are the same: not every file system could keep them apart.
 * @param mover what wants the name, where it has one already
 */
export async function mustBeFree(files: FileCatalogue, unit: Named, mover?: Named): Promise<void> {
  const parent = parentOf(unit);
  const own = mover && parentOf(mover) === parent ? mover.slug : undefined;
  const names = await readdir(join(files.root, parent)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const isFile = unit.kind in recordFolders;
  const nameOf = (name: string) => (isFile ? name.replace(/\.(ya?ml|json)$/, '') : name);
  const twins = names.filter((name) => nameOf(name).toLowerCase() === unit.slug.toLowerCase() && nameOf(name) !== own);
  if (twins.length === 0) return;
  if (!mover && twins.every((name) => name === unit.slug) && (await isLeftover(join(files.root, parent, unit.slug))))
    return;
  throw new ValidationError(takenError(unit.kind));
}

/** As Django says it. */
function takenError(kind: CreatableKind): FieldErrors {
  if (kind === 'dataset') return { non_field_errors: ['The fields namespace, slug must make a unique set.'] };
  if (kind === 'user') return { username: ['A user with that username already exists.'] };
  return { slug: [`${kind} with this slug already exists.`] };
}

/** Whether a folder holds nothing, or nothing but what a crashed writer left there. */
async function isLeftover(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => null);
  return names?.every(isTemporary) ?? false;
}

/** What nobody else may touch meanwhile, in the order in which everybody takes it. */
export function locksOf(unit: Named, target: Named | null): readonly string[] {
  const within = target && unit.kind === 'namespace' ? [datasetsFolder(unit.slug)] : [];
  return [recordStem(unit), ...(target ? [parentOf(target)] : []), ...within];
}

/** Does the work under all of the locks. */
export async function locked(
  files: FileCatalogue,
  [first, ...rest]: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  if (first === undefined) return work();
  await withLock(files.root, first, () => locked(files, rest, work));
}
