/** Program of a thread that reads units for `catalogue check`, with their records as they are written. */
import { parentPort, workerData } from 'node:worker_threads';
import { findFaultsInContents } from '../../catalogue/rules.ts';
import { PackedColumns, packState } from '../reading/packed-state.ts';
import { readUnit } from '../reading/read-unit.ts';
import type { ReadRequest, Replies } from '../reading/unit-readers.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import type { CheckReply } from './read-in-threads.ts';
import { ParsedTree } from './tree-records.ts';

const disk = new DiskTree(workerData);

function read([unit]: ReadRequest, columns: PackedColumns): CheckReply {
  const tree = new ParsedTree(disk);
  const state = readUnit(tree, unit);
  const records = [...tree.values()];
  const isFaultless = ([path, value]: (typeof records)[number]) =>
    isKeptByJson(value) && findFaultsInContents(path, value).next().done === true;
  if (state.diagnostics.length || !records.every(isFaultless)) return 'unread';
  return [packState(state, columns), records, [...tree.absent]];
}

/** True if a value is the same after it was written as JSON: YAML has numbers that JSON lacks. */
function isKeptByJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  return value === null || Object.values(value).every(isKeptByJson);
}

parentPort?.on('message', (requests: string) => {
  const packed = new PackedColumns();
  const replies = (JSON.parse(requests) as readonly ReadRequest[]).map((request) => read(request, packed));
  parentPort?.postMessage(JSON.stringify([replies, packed.columns] satisfies Replies<CheckReply>));
});
