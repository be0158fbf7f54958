/** Changes to records, one after the other; then one look at all of them, and one commit. */

import { mapConcurrent } from '../../catalogue/concurrency.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { ChangeOutcome, RecordChange } from '../../catalogue/replica.ts';
import { regularPause } from '../reading/event-loop.ts';
import { Batch } from './batch.ts';
import { moveRecord, removeRecord } from './change.ts';
import { depotPlace } from './place.ts';
import type { Access } from './rights.ts';
import { writeRecord } from './write.ts';

export async function applyChanges(
  access: Access,
  changes: readonly RecordChange[],
): Promise<readonly ChangeOutcome[]> {
  const { commits } = access.files;
  if (changes.some((change) => change.do !== 'write')) await commits.caughtUp();
  const work = async () => {
    const batch = new Batch(access);
    const outcomes: ChangeOutcome[] = [];
    const pause = regularPause();
    for (const run of runsOf(changes))
      await mapConcurrent(run, writesAtOnce, async ([i, change]) => {
        outcomes[i] = await outcomeOf(batch, change);
        // What is refused waits for nothing, and there may be very many of them.
        await pause();
      });
    await batch.end();
    return outcomes;
  };
  return commits.during(access.viewer.username, work, (outcomes) =>
    messageFor(changes.filter((_, i) => outcomes[i]?.done)),
  );
}

/** So many files are on their way to the disk at a time: it takes several as fast as one. */
const writesAtOnce = 8;

type Numbered = readonly [i: number, change: RecordChange];

/**
 * The changes with their numbers, those together that don't hang on each other: texts of different records of one kind.
 * (But for namespaces: who may write what hangs on them.)
 */
function runsOf(changes: readonly RecordChange[]): readonly (readonly Numbered[])[] {
  const runs: Numbered[][] = [];
  let kind: string | undefined;
  const paths = new Set<string>();
  for (const [i, change] of changes.entries()) {
    const place = change.do === 'write' ? depotPlace(change.path) : null;
    const own = place?.kind === 'record' && place.ref.kind !== 'namespace' ? place.ref.kind : undefined;
    if (own === undefined || own !== kind || paths.has(change.path)) {
      runs.push([]);
      paths.clear();
    }
    runs.at(-1)?.push([i, change]);
    paths.add(change.path);
    kind = own;
  }
  return runs;
}

async function outcomeOf(batch: Batch, change: RecordChange): Promise<ChangeOutcome> {
  const { path } = change;
  try {
    await doneTo(batch, change);
    return { path, done: true };
  } catch (error) {
    return { path, done: false, error: error as Error };
  }
}

function doneTo(batch: Batch, change: RecordChange): Promise<void> {
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
function messageFor(changes: readonly RecordChange[]): string {
  const said = changes.map(sentence);
  return said.length === 1 ? `${said[0]}` : [`Change ${said.length} records`, '', ...said].join('\n');
}

function sentence(change: RecordChange): string {
  switch (change.do) {
    case 'write':
      return `${change.ifMatch === null ? 'Add' : 'Edit'} ${named(change.path)}`;
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
