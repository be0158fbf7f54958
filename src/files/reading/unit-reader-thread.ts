/** Thread of `UnitReaders`: reads the units in a message, and replies with their states as JSON. */
import { parentPort, workerData } from 'node:worker_threads';
import { DiskTree } from '../tree/disk-tree.ts';
import { PackedColumns, packState } from './packed-state.ts';
import { haveUnchangedFiles, readChangedUnit, readUnit } from './read-unit.ts';
import type { ReaderData, ReadReply, ReadRequest, Replies } from './unit-readers.ts';

const { root, sendsTexts } = workerData as ReaderData;
const tree = new DiskTree(root);

function read([unit, stamps, payloads = '']: ReadRequest, columns: PackedColumns): ReadReply {
  if (stamps === undefined) return packState(readUnit(tree, unit), columns);
  if (haveUnchangedFiles(tree, { stamps, payloads })) return 'unchanged';
  const state = readChangedUnit(tree, unit);
  return state ? packState(state, columns) : 'unread';
}

parentPort?.on('message', (requests: string) => {
  const packed = new PackedColumns();
  const texts: [path: string, text: string][] = [];
  if (sendsTexts) tree.onRead = (...read) => void texts.push(read);
  const replies = (JSON.parse(requests) as readonly ReadRequest[]).map((request) => read(request, packed));
  parentPort?.postMessage(JSON.stringify([replies, packed.columns, texts] satisfies Replies<ReadReply>));
});
