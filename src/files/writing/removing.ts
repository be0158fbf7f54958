/** Removing: a record goes to the trash, with all that belongs to it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WriteOptions } from '../../catalogue/catalogue.ts';
import { ConflictError } from '../../catalogue/errors.ts';
import { datasetsFolder, namespaceFolder, payloadPath, recordStem } from '../../catalogue/layout.ts';
import { find } from '../../catalogue/lookup.ts';
import type { DatasetRef, NamespaceRef, Ref, VersionRef } from '../../catalogue/ref.ts';
import type { Dataset, Entities, Kind } from '../../catalogue/types.ts';
import { withLock } from '../../disk/lock.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import type { Scope } from '../reading/unit-store.ts';
import { mustBeAsSeen, mustBeSound } from './guard.ts';
import { placeOfRecord } from './moving.ts';
import { locked } from './names.ts';
import { show } from './shown.ts';
import { discard } from './trash.ts';
import { type Made, recordPath, scopesOf, versionPath } from './writing.ts';

/**
 * Removes a record.
 * @throws NotFoundError; ConflictError where a namespace still has datasets, or the record is broken; StaleError
 */
export async function removeRecordOf(
  files: FileCatalogue,
  ref: Ref,
  { ifMatch: seen }: WriteOptions<Entities[Kind]> = {},
): Promise<void> {
  if (ref.kind === 'file')
    throw new ConflictError('A file of the catalogue is removed by hand, or with what it makes.');
  const mayGo = (path: string, found: typeof ref) => {
    mustBeSound(files, ref.kind, path);
    mustBeAsSeen<Exclude<Kind, 'file'>>(files, found, seen as Entities[Exclude<Kind, 'file'>]);
  };
  await show(files, await discardRecord(files, ref, mayGo));
}

/** Looks at the record's file at the last moment, when it is locked: what it throws leaves everything as it is. */
type MayGo = (path: string, ref: Exclude<Ref, { kind: 'file' }>) => void;

/**
 * Takes a record out of the catalogue.
 * @returns what has to be looked at then
 */
export function discardRecord(
  files: FileCatalogue,
  ref: Exclude<Ref, { kind: 'file' }>,
  mayGo: MayGo,
): Promise<readonly Scope[]> {
  return ref.kind === 'version' ? withdrawVersion(files, ref, mayGo) : withdraw(files, ref, mayGo);
}

async function withdraw(files: FileCatalogue, unit: Made, mayGo: MayGo): Promise<readonly Scope[]> {
  const within = unit.kind === 'namespace' ? [datasetsFolder(unit.slug)] : [];
  await locked(files, [recordStem(unit), ...within], async () => {
    const path = await recordPath(files, unit);
    if (unit.kind === 'namespace') await mustBeEmpty(files, unit);
    mayGo(path, unit);
    await discard(files.root, unit, [placeOfRecord(unit, path)]);
  });
  return scopesOf(unit);
}

/** The record goes first: without it, the payload belongs to nothing and is never served. */
async function withdrawVersion(files: FileCatalogue, ref: VersionRef, mayGo: MayGo): Promise<readonly Scope[]> {
  const { slug, file, namespace, dataset } = find<'version'>(files.snapshot, ref);
  const home: DatasetRef = { kind: 'dataset', namespace, slug: dataset };
  await withLock(files.root, recordStem(home), async () => {
    const path = versionPath(files, { ...ref, slug });
    mayGo(path, { ...ref, slug });
    const others = find<'dataset'>(files.snapshot, home).versions.filter((version) => version.slug !== slug);
    const payload = payloadPath(namespace, dataset, file);
    const isItsOwn = file !== '' && !others.some((version) => version.file === file);
    const isThere = isItsOwn && files.store.tree.stamp(payload) !== null;
    await discard(files.root, { ...ref, slug }, isThere ? [path, payload] : [path]);
  });
  return [home];
}

async function mustBeEmpty(files: FileCatalogue, { slug }: NamespaceRef): Promise<void> {
  await files.need([{ folder: `${namespaceFolder(slug)}/` }]);
  const datasets: ReadonlyMap<string, Dataset> | undefined = files.snapshot.folders.get(slug)?.datasets;
  const folders = await readdir(join(files.root, datasetsFolder(slug))).catch(() => []);
  const count = Math.max(datasets?.size ?? 0, folders.filter((name) => !name.startsWith('.')).length);
  if (count)
    throw new ConflictError(
      `The namespace ${slug} still has ${count === 1 ? 'a dataset' : `${count} datasets`}. Remove or move them first.`,
    );
}
