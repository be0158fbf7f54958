/** Messages of git commits that writes over HTTP make. */
import { isDeepStrictEqual } from 'node:util';
import { formatRef, type Ref, refOf } from '../../catalogue/ref.ts';
import type { Entities } from '../../catalogue/types.ts';

type Entity = Entities[Exclude<keyof Entities, 'file'>];

const named = (ref: Ref) => `${ref.kind} ${formatRef(ref)}`;

export const added = (ref: Ref): string => `Add ${named(ref)}`;

export const removed = (ref: Ref): string => `Remove ${named(ref)}`;

export const restored = (ref: Ref): string => `Restore ${named(ref)}`;

/** Message of an edit: the fields that changed, and the new name if it has one. */
export function edited(before: Entity, after: Entity): string {
  const [old, now] = [before, after] as unknown as readonly Record<string, unknown>[];
  const fields = Object.keys(now ?? {})
    .filter((name) => !derived.includes(name) && !isDeepStrictEqual(old?.[name], now?.[name]))
    .join(', ');
  const [from, to] = [formatRef(refOf(before)), formatRef(refOf(after))];
  const what = from === to ? `Edit ${named(refOf(after))}` : `Rename ${before.kind} ${from} to ${to}`;
  return fields ? `${what}: ${fields}` : what;
}

/** Fields that follow from the name, or from other records. */
const derived: readonly string[] = ['kind', 'namespace', 'slug', 'aliases', 'versions'];
