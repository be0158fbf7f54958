/** Functions that worker threads call in tests. */
import { getPriority } from 'node:os';
import { threadId } from 'node:worker_threads';

export const add = (a: number, b: number): number => a + b;

/** Bytes of two kinds: with memory of their own, and with some that they share. */
export const twice = (bytes: Uint8Array) => ({ own: new Uint8Array([...bytes, ...bytes]), shared: Buffer.from(bytes) });

export const thread = (): number => threadId;

export const priority = (): number => getPriority();

/** Holds a place until the test writes to it. */
export function waitFor(memory: SharedArrayBuffer): number {
  const cell = new Int32Array(memory);
  Atomics.add(cell, 1, 1);
  Atomics.notify(cell, 1);
  Atomics.wait(cell, 0, 0);
  return threadId;
}

export function hang(): never {
  for (;;);
}

export function fail(): never {
  throw new TypeError('It has no name.');
}

export function die(): never {
  process.exit(3);
}

/** Needs more memory than a thread gets. */
export function grow(): number {
  const all: number[][] = [];
  for (;;) all.push(Array.from({ length: 100_000 }, (_, i) => i + 0.5));
}
