/** Program of a thread that reads the records of datasets without payloads: see `UnitReaders`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ReaderData, ReadRequest, Replies } from '../reading/unit-readers.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { type PlainRecord, readPlainDataset } from './plain-dataset.ts';

const { root, sendsTexts } = workerData as ReaderData;
const tree = new DiskTree(root);

parentPort?.on('message', (requests: string) => {
  const units = (JSON.parse(requests) as readonly ReadRequest[]).map(([unit]) => unit);
  const replies = units.map((unit) => readPlainDataset(tree, unit, sendsTexts));
  parentPort?.postMessage(JSON.stringify([replies, []] satisfies Replies<readonly PlainRecord[] | null>));
});
