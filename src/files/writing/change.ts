/** Changes of a transaction, and the locks that they need. */
import { excerpt, NotPermittedError, ValidationError } from '../../catalogue/errors.ts';
import {
  datasetsFolder,
  namespaceFolder,
  type RecordRef,
  type Scope,
  siblingsFolder,
  unitKey,
  unitOfRecord,
} from '../../catalogue/layout.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import type { RecordChange } from '../../catalogue/replica.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';

/** `ifMatch` of a change that does not depend on the contents of the record: it has to exist (RFC 9110, section 13.1.1). */
export const anyVersion = '*';

export type Change =
  /** New text of a record, its removal or its move; `ifMatch` is the expected checksum, or `anyVersion`. */
  | RecordChange
  /**
   * Keys of a record to set, computed under the lock from its contents and from the records as the changes before it leave
   * them; undefined removes a key. With `isConsequence`, it follows from another change of the step: the viewer needs no
   * permission for this record.
   */
  | {
      readonly do: 'edit';
      readonly path: string;
      readonly isConsequence?: true;
      readonly set: (record: RecordValue, next: () => Snapshot) => Readonly<Record<string, unknown>>;
    }
  /** New record, whose name no other record and no folder has. */
  | { readonly do: 'create'; readonly path: string; readonly text: string }
  /**
   * A name for a temporary file (`from`, an absolute path; null in a dry run). With `replace`, it may replace another file; an
   * image of the same size stays.
   */
  | {
      readonly do: 'add';
      readonly path: string;
      readonly from: string | null;
      /** Of the payload or image, in bytes. */
      readonly size: number;
      readonly replace?: boolean;
    }
  /** Move of a file or folder out of the trash. */
  | {
      readonly do: 'restore';
      readonly path: string;
      readonly from: string;
      /** In bytes. */
      readonly size: number;
      readonly ref: RecordRef;
      /** The record's file, if it is what is moved, or lies in it. */
      readonly record?: { readonly path: string; readonly text: string } | undefined;
    };

/** True if a record gets another extension with its text. */
export const renamesFile = (change: Change): boolean => change.do === 'write' && change.replaces !== undefined;

/** Changes that are made together: all of them or none. */
export interface Step {
  /** Names of the locks to hold; by default those that the changes need. */
  readonly locks?: readonly string[];
  /** Condition that is checked under the locks: throws if it does not hold. */
  readonly assert?: () => void;
  /**
   * The changes, or a function that computes them: under the locks if `locks` names them; else before, and once more under those
   * that they need.
   */
  readonly changes: readonly Change[] | (() => Promise<readonly Change[]> | readonly Change[]);
  /** True if the function returns no change that moves files. */
  readonly onlyEdits?: boolean;
}

/**
 * Reference of the record at a path from an untrusted client.
 * @throws ValidationError if it is not the path of a record; NotPermittedError for the settings
 */
export function refAtUntrustedPath(path: string): RecordRef {
  const info = parseUntrustedCataloguePath(path);
  if (info?.kind === 'settings') throw new NotPermittedError(`Each catalogue has its own ${path}: edit it by hand.`);
  if (info?.kind === 'record') return info.ref;
  throw new ValidationError({ path: [`${excerpt(JSON.stringify(path))} is not the path of a record.`] });
}

/** Names of the locks that a step needs, sorted: all processes take locks in this order, so they can't deadlock. */
export function lockNamesOfWriteStep({ locks, changes }: Step): readonly string[] {
  const needed = locks ?? (typeof changes === 'function' ? [] : changes.flatMap(lockNamesOfWriteChange));
  return [...new Set(needed)].sort();
}

/** Locks of a change: one for each unit that it changes, and for each folder in which it adds or removes a name. */
export function lockNamesOfWriteChange(change: Change): readonly string[] {
  const info = parseUntrustedCataloguePath(change.path);
  if (change.do === 'add' || change.do === 'restore')
    return [info?.kind === 'payload' ? unitKey(info.dataset) : change.path];
  if (info?.kind !== 'record') return [];
  const { ref } = info;
  const unit = unitKey(unitOfRecord(ref));
  switch (change.do) {
    case 'edit':
      return [unit];
    case 'create':
      return [siblingsFolder(ref)];
    case 'write':
      if (renamesFile(change)) return [unit, siblingsFolder(ref)];
      // While its folder is locked, no other process can add the record.
      return change.ifMatch === null && ref.kind !== 'version' ? [siblingsFolder(ref)] : [unit];
    case 'remove':
      return ref.kind === 'namespace' ? [unit, datasetsFolder(ref.slug)] : [unit];
    case 'move': {
      const to = parseUntrustedCataloguePath(change.to);
      const parent = to?.kind === 'record' ? [siblingsFolder(to.ref)] : [];
      return [unit, ...parent, ...(ref.kind === 'namespace' ? [datasetsFolder(ref.slug)] : [])];
    }
  }
}

/** Scopes to read again when a record is added, moved or removed. */
export function scopesToRefresh(ref: RecordRef): readonly Scope[] {
  return ref.kind === 'namespace' ? [ref, { folder: `${namespaceFolder(ref.slug)}/` }] : [unitOfRecord(ref)];
}
