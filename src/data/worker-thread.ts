/** Thread of `WorkerPool`: calls functions of modules, one at a time. */
import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './priority.ts';

/** A function to call, and its arguments. */
export interface ThreadTask {
  /** URL of the module. */
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type ThreadReply =
  | { readonly result: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly stack?: string | undefined } };

async function perform({ module, name, args }: ThreadTask): Promise<ThreadReply> {
  try {
    const functions = await import(module);
    return { result: await functions[name](...args) };
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    return { error: { name, message, stack } };
  }
}

/** The buffers of a typed array, or of those among the members of an object. Several may share one. */
function buffersToMove(result: unknown): ArrayBuffer[] {
  // Its members are not looked at: there may be a million numbers.
  if (ArrayBuffer.isView(result)) return isMovable(result) ? [result.buffer as ArrayBuffer] : [];
  const values = typeof result === 'object' && result !== null ? Object.values(result) : [];
  const arrays = values.filter((value) => ArrayBuffer.isView(value)).filter(isMovable);
  return [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))];
}

/** False for a short `Buffer`, whose memory other parts of the thread share. */
const isMovable = (view: ArrayBufferView): boolean =>
  !(view instanceof Uint8Array) || view.byteLength === view.buffer.byteLength;

// The main thread comes first. On other systems than Linux, it would be the priority of the whole process.
if (process.platform === 'linux') lowerPriority();
parentPort?.on('message', async (task: ThreadTask) => {
  const reply = await perform(task);
  parentPort?.postMessage(reply, 'result' in reply ? buffersToMove(reply.result) : []);
});
