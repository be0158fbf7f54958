/** Changes to records, one after the other; then one look at all of them, and one commit. */
import type { DepotChange, DepotOutcome } from '../catalogue/depot.ts';
import { formatRef } from '../catalogue/ref.ts';
import { Batch } from './depot-batch.ts';
import { moveRecord, removeRecord } from './depot-change.ts';
import { depotPlace } from './depot-place.ts';
import type { Access } from './depot-rights.ts';
import { writeRecord } from './depot-write.ts';

export async function applyChanges(access: Access, changes: readonly DepotChange[]): Promise<readonly DepotOutcome[]> {
  const { commits } = access.files;
  if (changes.some((change) => change.do !== 'write')) await commits.caughtUp();
  const work = async () => {
    const batch = new Batch(access);
    const outcomes: DepotOutcome[] = [];
    for (const change of changes) outcomes.push(await outcomeOf(batch, change));
    await batch.end();
    return outcomes;
  };
  return commits.during(access.viewer.username, work, (outcomes) =>
    messageFor(changes.filter((_, i) => outcomes[i]?.done)),
  );
}

async function outcomeOf(batch: Batch, change: DepotChange): Promise<DepotOutcome> {
  const { path } = change;
  try {
    await doneTo(batch, change);
    return { path, done: true };
  } catch (error) {
    return { path, done: false, error: error as Error };
  }
}

function doneTo(batch: Batch, change: DepotChange): Promise<void> {
  switch (change.do) {
    case 'write':
      return writeRecord(batch, change);
    case 'remove':
      return removeRecord(batch, change);
    case 'move':
      return moveRecord(batch, change);
  }
}

/** What a commit says of them: of one what it is, of several how many, and which. */
function messageFor(changes: readonly DepotChange[]): string {
  const said = changes.map(sentence);
  return said.length === 1 ? `${said[0]}` : [`Change ${said.length} records`, '', ...said].join('\n');
}

function sentence(change: DepotChange): string {
  switch (change.do) {
    case 'write':
      return `${change.seen === null ? 'Add' : 'Edit'} ${named(change.path)}`;
    case 'remove':
      return `Remove ${named(change.path)}`;
    case 'move':
      return `Rename ${named(change.path)} to ${named(change.to)}`;
  }
}

function named(path: string): string {
  const place = depotPlace(path);
  return place?.kind === 'record' ? `${place.ref.kind} ${formatRef(place.ref)}` : path;
}
