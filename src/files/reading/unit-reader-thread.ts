/**
 * Thread of `UnitReaders`: replies with the states of the units in a message as JSON. What reads units is loaded when the
 * first one isn't as it was: in a warm start, most threads need none of it, and are ready in half the time.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { areSurelyUnchanged } from '../tree/surely-unchanged.ts';
import type { ReaderData, ReadReply, ReadRequest, Replies } from './unit-readers.ts';

const { root, sendsTexts, requestReader } = workerData as ReaderData;

const isUnchanged = ([, stamps, payloads = '']: ReadRequest): boolean =>
  stamps !== undefined && areSurelyUnchanged(root, stamps) && areSurelyUnchanged(root, payloads);

async function reply(message: string): Promise<void> {
  const requests: readonly ReadRequest[] = JSON.parse(message);
  const known = requests.map((request) => (isUnchanged(request) ? 'unchanged' : undefined));
  let replies: Replies<ReadReply> = [known as 'unchanged'[], []];
  if (known.includes(undefined)) {
    const { readRequests }: typeof import('./read-requests.ts') = await import(requestReader);
    replies = readRequests(root, requests, known, sendsTexts);
  }
  parentPort?.postMessage(JSON.stringify(replies));
}

/** The replies are sent in the order of the messages. */
let last = Promise.resolve();
parentPort?.on('message', (message: string) => {
  last = last.then(() => reply(message));
});
