/** Reads the units that a message to a thread of `UnitReaders` asks for. */
import { DiskTree } from '../tree/disk-tree.ts';
import { PackedColumns, packState } from './packed-state.ts';
import { readChangedUnit, readUnit } from './read-unit.ts';
import { haveUnchangedFiles } from './unchanged-files.ts';
import type { ReadReply, ReadRequest, RecordTexts, Replies } from './unit-readers.ts';

/** @param known replies that are known already */
export function readRequests(
  root: string,
  requests: readonly ReadRequest[],
  known: readonly (ReadReply | undefined)[],
  sendsTexts: boolean,
): Replies<ReadReply> {
  const tree = new DiskTree(root);
  const packed = new PackedColumns();
  const texts: RecordTexts[number][] = [];
  if (sendsTexts) tree.onRead = (...read) => void texts.push(read);
  const replies = requests.map((request, i) => known[i] ?? read(tree, request, packed));
  return [replies, packed.columns, texts];
}

function read(tree: DiskTree, [unit, stamps, payloads = '']: ReadRequest, columns: PackedColumns): ReadReply {
  if (stamps === undefined) return packState(readUnit(tree, unit), columns);
  if (haveUnchangedFiles(tree, { stamps, payloads })) return 'unchanged';
  const state = readChangedUnit(tree, unit);
  return state ? packState(state, columns) : 'unread';
}
