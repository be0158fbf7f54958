/** Messages of git commits. */
import { isDeepStrictEqual } from 'node:util';
import { describeRecord } from '../../catalogue/layout.ts';
import { formatRef, type Ref, refOf } from '../../catalogue/ref.ts';
import type { RecordChange } from '../../catalogue/replica.ts';
import type { Entities } from '../../catalogue/types.ts';

type RecordEntity = Entities[Exclude<keyof Entities, 'file'>];

const kindAndName = (ref: Ref) => `${ref.kind} ${formatRef(ref)}`;

export const additionMessage = (ref: Ref): string => `Add ${kindAndName(ref)}`;

export const removalMessage = (ref: Ref): string => `Remove ${kindAndName(ref)}`;

export const restorationMessage = (ref: Ref): string => `Restore ${kindAndName(ref)}`;

/** Message of an edit: the fields that changed, and the new name if it has one. */
export function editMessage(before: RecordEntity, after: RecordEntity): string {
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
export function pushMessage(changes: readonly RecordChange[]): string {
  const lines = changes.map(changeSentence);
  return lines.length === 1 ? `${lines[0]}` : [`Change ${lines.length} records`, '', ...lines].join('\n');
}

function changeSentence(change: RecordChange): string {
  switch (change.do) {
    case 'write':
      return `${change.ifMatch === null ? 'Add' : 'Edit'} ${describeRecord(change.path)}`;
    case 'remove':
      return `Remove ${describeRecord(change.path)}`;
    case 'move':
      return `Rename ${describeRecord(change.path)} to ${describeRecord(change.to)}`;
  }
}
