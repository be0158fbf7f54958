/** Messages of git commits. */
import { isDeepStrictEqual } from 'node:util';
import { describeRecordAtPath } from '../../catalogue/layout.ts';
import { type DatasetRef, formatRef, type Ref, refOf } from '../../catalogue/ref.ts';
import type { RecordChange } from '../../catalogue/replica.ts';
import type { Entities } from '../../catalogue/types.ts';

type RecordEntity = Entities[Exclude<keyof Entities, 'file'>];

const kindAndName = (ref: Ref) => `${ref.kind} ${formatRef(ref)}`;

export const additionCommitMessage = (ref: Ref): string => `Add ${kindAndName(ref)}`;

export const payloadCommitMessage = (dataset: DatasetRef): string => `Add data of ${kindAndName(dataset)}`;

export const removalCommitMessage = (ref: Ref): string => `Remove ${kindAndName(ref)}`;

export const restorationCommitMessage = (ref: Ref): string => `Restore ${kindAndName(ref)}`;

/** Message of an edit: the fields that changed, and the new name if it has one. */
export function editCommitMessage(before: RecordEntity, after: RecordEntity): string {
  const [old, now] = [before, after] as unknown as readonly Record<string, unknown>[];
  const fields = Object.keys(now ?? {})
    .filter((name) => !derivedFields.includes(name) && !isDeepStrictEqual(old?.[name], now?.[name]))
    .join(', ');
  const [from, to] = [formatRef(refOf(before)), formatRef(refOf(after))];
  const edit = from === to ? `Edit ${kindAndName(refOf(after))}` : `Rename ${before.kind} ${from} to ${to}`;
  return fields ? `${edit}: ${fields}` : edit;
}

/** Fields that follow from the name, or from other records. */
const derivedFields: readonly string[] = ['kind', 'namespace', 'slug', 'aliases', 'versions'];

/** Message of a push: one change in words, or the number of changes and a line for each. */
export function pushCommitMessage(changes: readonly RecordChange[]): string {
  const lines = changes.map(changeSentence);
  return lines.length === 1 ? `${lines[0]}` : [`Change ${lines.length} records`, '', ...lines].join('\n');
}

function changeSentence(change: RecordChange): string {
  switch (change.do) {
    case 'write':
      return `${change.ifMatch === null ? 'Add' : 'Edit'} ${describeRecordAtPath(change.path)}`;
    case 'remove':
      return `Remove ${describeRecordAtPath(change.path)}`;
    case 'move':
      return `Rename ${describeRecordAtPath(change.path)} to ${describeRecordAtPath(change.to)}`;
  }
}
