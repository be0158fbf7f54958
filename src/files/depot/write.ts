/** Writing the whole text of a record, new or not. */

import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConflictError, StaleError } from '../../catalogue/errors.ts';
import { parseRecordName, recordStem } from '../../catalogue/layout.ts';
import { mayWrite } from '../../catalogue/permissions.ts';
import type { RecordChange } from '../../catalogue/replica.ts';
import { writeDurably } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { hasFile } from '../tree/file-tree.ts';
import { makeRecord } from '../writing/pen.ts';
import { wrote } from '../writing/trail.ts';
import { mustBeOnesOwn } from './aliases.ts';
import type { Batch } from './batch.ts';
import { asSeen, bytesAt, mustBeAlone } from './disk.ts';
import type { RecordPlace } from './place.ts';
import { homeOf, mustOwn, placeToWrite } from './rights.ts';
import { type Draft, draftOf, mustBeLinked } from './text.ts';

type Write = RecordChange & { readonly do: 'write' };

/** Writes it, unless it says that already. */
export async function writeRecord(batch: Batch, { path, text, ifMatch }: Write): Promise<void> {
  const place = placeToWrite(path);
  const { files } = batch;
  const isNewQuery =
    place.ref.kind === 'query' && homeOf(batch, place.ref) === undefined && !hasFile(files.store.tree, path);
  // A question belongs where the dataset is that it asks: of a new one, only its text says where.
  // Who may write nowhere is told so before anything is read.
  if (!isNewQuery || !mayWriteSomewhere(batch)) mustOwn(batch, homeOf(batch, place.ref));
  const draft = draftOf(place, text);
  if (place.ref.kind === 'query') mustOwn(batch, String(draft.value.dataset).split('/')[0]);
  const { ref } = place;
  const write = async (signal: AbortSignal) => {
    if (bytesAt(files.store.tree, path)?.equals(Buffer.from(text))) return;
    const before = asSeen(batch, place, ifMatch);
    mustBeAlone(files.store.tree, place);
    mustBeLinked(batch, draft);
    mustBeOnesOwn(batch, draft, before);
    if (before) await replace(batch, draft, before);
    else await create(batch, draft, signal);
    batch.touch(place.unit);
  };
  // In the order of the changes, and before anything is waited for: what two of them change with each other fits.
  batch.ids.claim(draft);
  try {
    if (ifMatch === null && ref.kind !== 'version') await batch.names.give(ref, write);
    else await withLock(files.root, recordStem(place.unit), write);
  } catch (error) {
    batch.ids.release(draft);
    throw error;
  }
  // Who may write what hangs on it.
  if (ref.kind === 'namespace') await batch.look();
}

const mayWriteSomewhere = ({ viewer, visible }: Batch) =>
  [...visible().folders.values()].some((folder) => mayWrite(viewer, folder));

/** What a hand writes meanwhile counts. */
async function replace({ files }: Batch, { place: { path }, text }: Draft, before: Buffer): Promise<void> {
  await withLock(files.root, path, async (signal) => {
    const atLast = () => {
      signal.throwIfAborted();
      if (!bytesAt(files.store.tree, path)?.equals(before)) throw new StaleError();
    };
    await writeDurably(files.store.tree.absolute(path), text, { beforeRename: atLast });
    wrote(path, text);
  });
}

/** Under the lock of the folder that gives it its name, or of the dataset that it is a version of. */
async function create(batch: Batch, { place, text }: Draft, signal: AbortSignal): Promise<void> {
  const { files } = batch;
  if (place.ref.kind === 'version') await mustHaveName(batch, place);
  // What one of the same name had to sign in with, who was removed by hand, isn't theirs.
  if (place.ref.kind === 'user') await files.accounts.forget(place.ref.slug);
  await makeRecord(files.root, place.path, text, signal);
}

async function mustHaveName({ files }: Batch, { path, ref }: RecordPlace): Promise<void> {
  const names = await readdir(dirname(files.store.tree.absolute(path))).catch(() => []);
  const twin = names.find((name) => parseRecordName(name)?.stem.toLowerCase() === ref.slug.toLowerCase());
  if (twin !== undefined) throw new ConflictError(`There is ${twin}, whose name differs in case only.`);
}
