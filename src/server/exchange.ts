/** Exchanges: what became of a request, told once the answer is out. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Exchange {
  readonly id: string;
  readonly method: string;
  /** As it came: path and question. */
  readonly url: string;
  /** The name of the route; null where there is none. */
  readonly route: string | null;
  /** Whether the answer lay ready. */
  readonly prepared: boolean;
  readonly status: number;
  /** Whether the client has got all of it. */
  readonly complete: boolean;
  /** Sent over the connection, headers included. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** null for one who isn't signed in. */
  readonly viewer: string | null;
  readonly remote: string;
}

/** What is found out on the way. */
export interface Finding {
  route: string | null;
  prepared: boolean;
  viewer: string | null;
}

/** What was sent over a connection when its last exchange was told of. */
const counted = new WeakMap<Socket, number>();

/** Tells of an exchange when it is over. @returns what is to be filled in meanwhile */
export function watch(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  remote: string,
  tell: (exchange: Exchange) => void,
): Finding {
  const finding: Finding = { route: null, prepared: false, viewer: null };
  const { socket, method = '', url = '' } = request;
  const start = performance.now();
  response.once('close', () => {
    const bytes = socket.bytesWritten - (counted.get(socket) ?? 0);
    counted.set(socket, socket.bytesWritten);
    tell({
      ...finding,
      ...{ id, method, url, remote, bytes },
      status: response.statusCode,
      complete: response.writableFinished,
      milliseconds: performance.now() - start,
    });
  });
  return finding;
}
