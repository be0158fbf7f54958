/** Removing a record, or giving it another place, as it was seen. */

import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import type { RecordChange } from '../../catalogue/replica.ts';
import { move, placeOfRecord } from '../writing/moving.ts';
import { locked, locksOf, mustBeFree } from '../writing/names.ts';
import { formatOf } from '../writing/pen.ts';
import { renameGroup } from '../writing/people.ts';
import { discardRecord } from '../writing/removing.ts';
import { type Made, scopesOf } from '../writing/writing.ts';
import type { Batch } from './batch.ts';
import { asSeen, bytesAt, mustBeAlone, mustStayWithin } from './disk.ts';
import type { RecordPlace } from './place.ts';
import { homeOf, mustOwn, placeToWrite } from './rights.ts';
import { sumOf } from './sums.ts';

type Change<D extends RecordChange['do']> = Extract<RecordChange, { readonly do: D }>;

export async function removeRecord(batch: Batch, { path, ifMatch }: Change<'remove'>): Promise<void> {
  const place = placeToWrite(path);
  const { files } = batch;
  const { ref } = place;
  await batch.look();
  mustOwn(batch, homeOf(batch, ref));
  if (bytesAt(files.store.tree, path) === null) return;
  mustBeAlone(files.store.tree, place);
  asSeen(batch, place, ifMatch);
  // A later group of that name owns and has nobody.
  if (ref.kind === 'group') await renameGroup(files, ref.slug, null);
  batch.touch(...(await discardRecord(files, ref, () => asSeen(batch, place, ifMatch))));
  if (ref.kind === 'user') await files.accounts.forget(ref.slug);
}

export async function moveRecord(batch: Batch, { path, to, ifMatch }: Change<'move'>): Promise<void> {
  const { files } = batch;
  const { tree: folder } = files.store;
  const [place, target] = [placeToWrite(path), placeToWrite(to)];
  const [from, goal] = movable(place, target);
  await batch.look();
  mustOwn(batch, homeOf(batch, from));
  if (goal.kind === 'dataset') mustOwn(batch, goal.namespace);
  if (bytesAt(folder, path) === null && sumIs(bytesAt(folder, to), ifMatch)) return;
  if (goal.kind === 'dataset' && !files.snapshot.folders.get(goal.namespace)?.namespace)
    throw new ValidationError({ to: [`There is no namespace "${goal.namespace}".`] });
  await locked(files, locksOf(from, goal), async () => {
    asSeen(batch, place, ifMatch);
    mustBeAlone(folder, place);
    mustStayWithin(folder, to);
    await mustBeFree(files, goal, from).catch((error) => {
      if (!(error instanceof ValidationError)) throw error;
      throw new ConflictError(`The name of ${to} is taken.`);
    });
    // Should this be interrupted, nobody may do more than before, and doing it again completes it.
    if (from.kind === 'group') await renameGroup(files, from.slug, goal.slug);
    await move(files.root, placeOfRecord(from, path), placeOfRecord(goal, path));
  });
  batch.touch(...scopesOf(from), ...scopesOf(goal));
  batch.ids.forget();
  await batch.look();
}

/** What is moved, and to where: between places of the same kind. */
function movable({ ref, path }: RecordPlace, target: RecordPlace): [Made, Made] {
  const isSame = ref.kind === target.ref.kind && formatOf(path) === formatOf(target.path);
  const ends = [path, target.path].map((one) => one.slice(one.lastIndexOf('.')));
  if (!isSame || ends[0] !== ends[1] || ref.kind === 'version' || ref.kind === 'user')
    throw new ValidationError({ to: [`${path} can't be moved to ${target.path}.`] });
  return [ref, target.ref as Made];
}

const sumIs = (bytes: Buffer | null, sum: string) => bytes !== null && sumOf(bytes) === sum;
