/** Program of a thread that reads units for `catalogue check`. */
import { parentPort, workerData } from 'node:worker_threads';
import { PackedColumns, packState } from '../reading/packed-state.ts';
import type { ReaderData, ReadRequest, Replies } from '../reading/unit-readers.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { readFaultlessUnit } from './faultless-unit.ts';
import type { CheckReply } from './read-in-threads.ts';

const disk = new DiskTree((workerData as ReaderData).root);

function read([unit]: ReadRequest, columns: PackedColumns): CheckReply {
  const state = readFaultlessUnit(disk, unit);
  return state ? packState(state, columns) : 'unread';
}

parentPort?.on('message', (requests: string) => {
  const packed = new PackedColumns();
  const replies = (JSON.parse(requests) as readonly ReadRequest[]).map((request) => read(request, packed));
  parentPort?.postMessage(JSON.stringify([replies, packed.columns] satisfies Replies<CheckReply>));
});
