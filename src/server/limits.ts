/** Limits for clients: timeouts, so that no connection is held for ever, and a number of connections. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TooLargeError } from './errors.ts';
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

/** Files that a server may have open beside those of its connections: modules, records, pipes to processes. */
const otherFiles = 64;

/**
 * The limits of a process that may have a number of files and connections open: each connection may read a file. Without files, a server
 * couldn't load its own modules, and Node tries no module a second time.
 */
export const limitsWithin = (openFiles: number): Limits => ({
  ...defaultLimits,
  connections: Math.max(1, Math.min(defaultLimits.connections, Math.floor((openFiles - otherFiles) / 2))),
});

/** Milliseconds from one line about closed connections to the next. */
const timeBetweenLines = 60_000;

/**
 * Logs that connections were closed because as many as the server takes were open: a line at once, then at most one a minute.
 * @param log takes a line
 */
export function logDroppedConnections(server: Server, { connections }: Limits, log: (line: string) => void): void {
  const advice = connections < defaultLimits.connections ? 'Raise ulimit -n, or limit' : 'Limit';
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    clearTimeout(timer);
    timer = undefined;
    if (dropped === 0) return;
    const closed = `${dropped} ${dropped === 1 ? 'connection was' : 'connections were'} closed without a response`;
    log(
      `${closed}: ${connections} were open, as many as this server takes. ${advice} the connections of each client in the proxy.`,
    );
    dropped = 0;
    timer = setTimeout(report, timeBetweenLines).unref();
  };
  server.on('drop', () => {
    dropped++;
    if (!timer) report();
  });
  server.once('close', report);
}

type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Makes a server close connections whose client is idle. `server.setTimeout` would set two timers for each request; here, a
 * connection gets a timer at its start, and later on if one of its requests takes long.
 * @param connections those that are open
 */
export function installIdleTimeout(server: Server, connections: Iterable<Socket>, { idle }: Limits): void {
  server.on('connection', (socket: Socket) => socket.setTimeout(idle));
  server.on('timeout', (socket: HttpSocket) => {
    const response = socket._httpMessage;
    // While the server works, the client can do nothing but wait.
    const working = response?.req.complete && !response.writableEnded && response.writableLength === 0;
    if (working) socket.setTimeout(idle);
    else socket.destroy();
  });
  // With each further request of a connection, Node takes its timer away.
  const sweep = setInterval(() => {
    for (const socket of connections) if (!socket.timeout) socket.setTimeout(idle);
  }, idle / 4).unref();
  server.once('close', () => clearInterval(sweep));
}

/** Refuses a body whose length is given, before it is read. @param largest limit in bytes @throws TooLargeError */
export function assertContentLength({ headers }: IncomingMessage, largest: number): void {
  if (Number(headers['content-length'] ?? 0) > largest) throw new TooLargeError(largest);
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
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();
  return (request, response) => {
    // Node gives a connection to one response at a time: the others have none.
    if (response.socket) return listener(request, response);
    const socket: HttpSocket = request.socket;
    const queue = waiting.get(socket) ?? [];
    waiting.set(socket, queue);
    queue.push([request, response]);
    if (queue.length >= maxWaiting) socket.pause();
    if (queue.length === 1) socket._httpMessage?.once('close', () => setImmediate(handleNext, socket, queue, listener));
  };
}

function handleNext(socket: Socket, queue: [IncomingMessage, ServerResponse][], listener: RequestListener): void {
  // After `Connection: close`, what follows is ignored.
  const next = socket.writable ? queue.shift() : undefined;
  if (!next) return;
  if (queue.length > 0) next[1].once('close', () => setImmediate(handleNext, socket, queue, listener));
  else if (socket.isPaused()) socket.resume();
  listener(...next);
}
