/** Node's module `buffer` and its globals, as far as the code of queries and writers needs them in a browser. */
import { Buffer } from 'buffer/';

/** True if all bytes are ASCII. */
export const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80);

/** Runs a function after what the browser has to do. A timer would wait for some milliseconds each time. */
export const setImmediate: (run: () => void) => unknown = globalThis.setImmediate ?? makeSetImmediate();

function makeSetImmediate() {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return (run: () => void) => {
    waiting.push(run);
    port2.postMessage(null);
  };
}

export { Buffer };
