/** Limits for clients: timeouts, so that no connection is held for ever, and a number of connections. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { securityHeaders } from './headers.ts';

/** Times in milliseconds. */
export interface Limits {
  /** For the headers of a request to arrive. */
  readonly headers: number;
  /** For the body of a request to arrive; not for uploads. */
  readonly body: number;
  /** Without a byte in either direction, while the server waits for the client. */
  readonly idle: number;
  /** For the next request on a connection; longer than proxies keep one, or they would use it while it closes. */
  readonly keepAlive: number;
  /** Number of connections at the same time. */
  readonly connections: number;
}

export const defaultLimits: Limits = {
  headers: 20_000,
  body: 60_000,
  idle: 120_000,
  keepAlive: 75_000,
  connections: 10_000,
};

type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Makes a server close connections whose client is idle. */
export function installIdleTimeout(server: Server, { idle }: Limits): void {
  server.setTimeout(idle, (socket: HttpSocket) => {
    const response = socket._httpMessage;
    // While the server works, the client can do nothing but wait.
    const working = response?.req.complete && !response.writableEnded && response.writableLength === 0;
    if (working) socket.setTimeout(idle);
    else socket.destroy();
  });
}

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
/** The latest request of each connection whose response was finished before its body. */
const unfinishedBodies = new WeakMap<Socket, IncomingMessage>();

/**
 * Limits the time for the body of a request to arrive: a client that takes longer gets 408, or is disconnected if it has
 * a response already.
 */
export function setBodyTimeout(request: IncomingMessage, response: ServerResponse, { body }: Limits): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && (length === undefined || length === '0')) return;
  const wait = () => {
    clearTimeout(timers.get(request));
    timers.set(
      request,
      setTimeout(() => endBodyTimeout(request, response), body),
    );
  };
  wait();
  request.once('close', () => clearBodyTimeout(request));
  // A response needn't wait for the whole body; the rest of the body is limited in time, too.
  response.once('finish', () => {
    const { socket, complete } = request;
    if (complete || socket.destroyed) return;
    wait();
    // After the response, the request itself doesn't report any more that its connection was closed.
    if (!unfinishedBodies.has(socket))
      socket.once('close', () => clearBodyTimeout(unfinishedBodies.get(socket) ?? request));
    unfinishedBodies.set(socket, request);
  });
}

/** Lets the body of a request take any time; the client must not be idle. */
export function clearBodyTimeout(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}

function endBodyTimeout({ socket, complete }: IncomingMessage, response: ServerResponse): void {
  // It has arrived, and isn't read yet.
  if (complete) return;
  if (response.headersSent) return void socket.destroy();
  response.writeHead(408, [...securityHeaders.flat(), 'Content-Type', 'application/json', 'Connection', 'close']);
  response.end('{"detail":"Request Timeout."}', () => socket.destroy());
}

/** Requests of one connection that may wait for their turn before no more are read from it. */
const maxWaiting = 16;

/**
 * A listener that handles the requests of a connection one after the other (pipelining, RFC 9112, section 9.3.2), each in
 * a later turn of the event loop: thousands of requests in one packet don't delay those of other connections.
 */
export function listenerInTurns(listener: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, RequestsInTurns>();
  return (request, response) => {
    const { socket } = request;
    let requests = connections.get(socket);
    if (!requests) {
      requests = new RequestsInTurns(socket, listener);
      connections.set(socket, requests);
    }
    requests.take(request, response);
  };
}

/** The requests of one connection. */
class RequestsInTurns {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  #isBusy = false;
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];

  constructor(socket: Socket, listener: RequestListener) {
    this.#socket = socket;
    this.#listener = listener;
  }

  /** Handles a request, at once if no other is being handled. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isBusy) {
      this.#waiting.push([request, response]);
      if (this.#waiting.length >= maxWaiting) this.#socket.pause();
    } else this.#handle(request, response);
  }

  readonly #handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#isBusy = true;
    response.on('close', this.#handleNext);
    this.#listener(request, response);
  };

  readonly #handleNext = (): void => {
    // After `Connection: close`, what follows is ignored.
    const next = this.#socket.writable ? this.#waiting.shift() : undefined;
    if (next) setImmediate(this.#handle, ...next);
    else this.#isBusy = false;
    if (this.#waiting.length === 0 && this.#socket.isPaused()) this.#socket.resume();
  };
}
