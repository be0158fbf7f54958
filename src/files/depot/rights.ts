/** Who may write what through a depot: the same who may create, edit and remove it as a thing. */

import { NotPermittedError, ValidationError } from '../../catalogue/errors.ts';
import type { RecordRef } from '../../catalogue/layout.ts';
import { mayWrite, type Viewer } from '../../catalogue/permissions.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { folderIsGone } from '../../disk/private-folder.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { depotPlace, type RecordPlace } from './place.ts';

/** A catalogue, and who looks at it. */
export interface Access {
  readonly files: FileCatalogue;
  readonly viewer: Viewer;
  /** What the viewer sees of it, at this moment. */
  readonly visible: () => Snapshot;
}

/**
 * The place of a record that is to be written.
 * @throws ValidationError where there can be none; NotPermittedError
 */
export function placeToWrite(path: string): RecordPlace {
  const place = depotPlace(path);
  if (place?.kind === 'settings')
    throw new NotPermittedError(`Each catalogue has its own ${path}: it is edited by hand.`);
  if (place?.kind === 'record') return place;
  throw new ValidationError({ path: [`No record has its place at ${JSON.stringify(path)}.`] });
}

/**
 * What lies in a namespace is for its owners to write, what lies in none is for staff; so is a namespace that is new.
 * @throws NotPermittedError, whatever is there; UnavailableError where the folder is gone
 */
export function mustOwn({ files, viewer, visible }: Access, namespace: string | undefined): void {
  if (!files.store.tree.isCatalogue()) throw folderIsGone();
  if (!mayWrite(viewer, visible().folders.get(namespace ?? ''))) throw new NotPermittedError();
}

/** The namespace that a record belongs to as it is now; undefined of what belongs to none, or of which nobody knows. */
export function homeOf({ files }: Access, ref: RecordRef): string | undefined {
  if (ref.kind === 'namespace') return ref.slug;
  if (ref.kind === 'query') return files.snapshot.queries.get(ref.slug)?.dataset.split('/')[0];
  return 'namespace' in ref ? ref.namespace : undefined;
}
