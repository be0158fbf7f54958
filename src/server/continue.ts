/**
 * Requests with `Expect: 100-continue`: the client sends the body once it has 100 (Continue). By itself, Node sends that before
 * anything else is known of the request. (RFC 9110, section 10.1.1.)
 */
import type { IncomingMessage, RequestListener } from 'node:http';

/** Requests whose client waits for 100. */
const awaitingContinue = new WeakSet<IncomingMessage>();

/**
 * A listener for the requests that Node leaves to `checkContinue`. 100 is sent when the body is first read. A request that is
 * responded to before that gets the final response alone, and Node closes its connection: whether the body follows isn't known.
 */
export function listenerWithContinue(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (coding !== undefined || Number(length ?? 0) > 0) {
      const read = request._read;
      awaitingContinue.add(request);
      request._read = (size) => {
        request._read = read;
        awaitingContinue.delete(request);
        // Node reads what is left of a body after the response, too, to drop it.
        if (!response.headersSent && response.writable) response.writeContinue();
        read.call(request, size);
      };
    }
    listener(request, response);
  };
}

/** Reads and drops the rest of a body: a client that is busy sending it wouldn't read the response. One that waits for 100 isn't. */
export function dropBody(request: IncomingMessage): void {
  if (!awaitingContinue.has(request)) request.resume();
}
