/** What a client may take: of time, so that nobody holds a connection for ever, and of connections. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { always } from './headers.ts';

/** Times in milliseconds. */
export interface Limits {
  /** For the headers of a request to arrive. */
  readonly headers: number;
  /** For the body of a request to arrive, where it is no upload. */
  readonly body: number;
  /** Without a byte in either direction, while it is the client's turn. */
  readonly idle: number;
  /** For the next request on a connection; longer than proxies keep one, or they would use it as it closes. */
  readonly keepAlive: number;
  /** How many there may be at once. */
  readonly connections: number;
}

export const customaryLimits: Limits = {
  headers: 20_000,
  body: 60_000,
  idle: 120_000,
  keepAlive: 75_000,
  connections: 10_000,
};

type Exchanging = Socket & { _httpMessage?: ServerResponse | null };

/** Has a server cut off whoever stands still. */
export function cutIdle(server: Server, { idle }: Limits): void {
  server.setTimeout(idle, (socket: Exchanging) => {
    const response = socket._httpMessage;
    const ours = response?.req.complete && !response.writableEnded && response.writableLength === 0;
    // Where the work is ours, the client can do nothing but wait.
    if (ours) socket.setTimeout(idle);
    else socket.destroy();
  });
}

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Gives the body of a request its time: who takes longer gets 408, and one who has an answer already is cut off. */
export function hurry(request: IncomingMessage, response: ServerResponse, { body }: Limits): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && (length === undefined || length === '0')) return;
  const wait = () => {
    clearTimeout(timers.get(request));
    timers.set(
      request,
      setTimeout(() => giveUp(request, response), body),
    );
  };
  wait();
  request.once('close', () => unhurried(request));
  // An answer needn't wait for the whole body; the connection doesn't wait for the rest of it for ever.
  response.once('finish', () => {
    const { socket, complete } = request;
    if (complete || socket.destroyed) return;
    wait();
    // A request that is answered hears no more of its connection. One who has left isn't waited for.
    socket.once('close', () => unhurried(request));
  });
}

/** Lets the body of a request take its time, as long as it doesn't stand still. */
export function unhurried(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}

function giveUp({ socket, complete }: IncomingMessage, response: ServerResponse): void {
  // It came, and nobody has read it yet.
  if (complete) return;
  if (response.headersSent) return void socket.destroy();
  response.writeHead(408, [...always.flat(), 'Content-Type', 'application/json', 'Connection', 'close']);
  response.end('{"detail":"Request Timeout."}', () => socket.destroy());
}
