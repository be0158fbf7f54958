/**
 * Requests with `Expect: 100-continue`: the client sends the body once it has 100 (Continue). By itself, Node sends that before
 * anything else is known of the request. (RFC 9110, section 10.1.1.)
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Requests whose client waits for 100, each with a function that ends that: the client gets none. */
const awaitingContinue = new WeakMap<IncomingMessage, () => void>();

/**
 * A listener for the requests that Node leaves to `checkContinue`. 100 is sent when the body is first read. A request that is
 * responded to before that gets the final response alone, and Node closes its connection: whether the body follows isn't known.
 */
export function listenerWithContinue(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (coding !== undefined || Number(length ?? 0) > 0) {
      const read = request._read;
      const stop = () => {
        request._read = read;
        awaitingContinue.delete(request);
      };
      awaitingContinue.set(request, () => {
        stop();
        keepConnection(response);
      });
      request._read = (size) => {
        stop();
        // Node reads what is left of a body after the response, too, to drop it.
        if (!response.headersSent && response.writable) response.writeContinue();
        read.call(request, size);
      };
    } else keepConnection(response);
    listener(request, response);
  };
}

/** Makes Node keep a connection on which no client waits for 100: it closes that of each request that asked for one and got none. */
function keepConnection(response: ServerResponse): void {
  (response as { _sent100?: boolean })._sent100 = true;
}

/**
 * Reads and drops the rest of a body: a client that is busy sending it wouldn't read the response. One that waits for 100 isn't; but
 * some begin to send without it.
 */
export function dropBody(request: IncomingMessage): void {
  const stopWaiting = awaitingContinue.get(request);
  if (stopWaiting && request.readableLength === 0 && !request.complete) return;
  stopWaiting?.();
  request.resume();
}
