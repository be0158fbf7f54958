/** A request listener on a port. */
import { executionAsyncResource } from 'node:async_hooks';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CatalogueError } from '../catalogue/errors.ts';
import { listenerWithContinue } from './continue.ts';
import { securityHeaders } from './headers.ts';
import {
  defaultLimits,
  installIdleTimeout,
  type Limits,
  listenerInTurns,
  logDroppedConnections,
  setBodyTimeout,
} from './limits.ts';
import { chooseRequestId, requestIdHeader } from './request.ts';

/** The server can't listen on the address. */
export class AddressError extends CatalogueError {}

export interface Listening {
  /** `http://host:port`, as a browser takes it. */
  readonly url: string;
  /** Replaces the request listener. */
  setListener(listener: RequestListener): void;
  /** Refuses new requests; resolves when those under way have their responses, or after the deadline (in ms). */
  close(deadline?: number): Promise<void>;
}

/**
 * @param port 0 for any that is free
 * @param log takes a line about connections that were closed
 * @throws AddressError that says what to do
 */
export async function listenForRequests(
  listener: RequestListener,
  host: string,
  port: number,
  limits: Limits = defaultLimits,
  log: (line: string) => void = () => {},
): Promise<Listening> {
  keepTickObject();
  let current = listener;
  const options = {
    // Uploads may take any time; `setBodyTimeout` limits all other bodies.
    requestTimeout: 0,
    headersTimeout: limits.headers,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: Math.min(5000, limits.headers),
  };
  const listen: RequestListener = (request, response) => {
    setBodyTimeout(request, response, limits);
    current(request, response);
  };
  const inTurns = listenerInTurns(listen);
  const server = createServer(options, inTurns);
  server.on('checkContinue', listenerWithContinue(inTurns));
  server.maxConnections = limits.connections;
  logDroppedConnections(server, limits, log);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  installIdleTimeout(server, sockets, limits);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(addressError(error, host, port)));
    server.listen(port, host, resolve);
  });
  server.on('clientError', refuseUnparsable);
  const { port: bound } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    setListener: (next) => {
      current = next;
    },
    close: (deadline = 10_000) => {
      current = refuse;
      return closeGently(server, sockets, deadline);
    },
  };
}

/** Objects that are kept for their hidden class. */
const keptForTheirClass: object[] = [];

/**
 * Keeps one of the objects that `process.nextTick` makes, several for each request. If a collection of all garbage finds none of
 * them, V8 forgets their hidden class, and makes each of them slowly from then on. (Decision 0139.)
 */
function keepTickObject(): void {
  // Within a tick, the resource is the object of the tick.
  if (keptForTheirClass.length === 0) process.nextTick(() => keptForTheirClass.push(executionAsyncResource()));
}

/** Responds to requests that still come over open connections while the server shuts down. */
const refuse: RequestListener = (_request, response) => {
  const headers = ['Content-Type', 'application/json', 'Retry-After', '5', 'Connection', 'close'];
  response.writeHead(503, [...securityHeaders.flat(), requestIdHeader, chooseRequestId({}, false), ...headers]);
  response.end('{"detail":"The server is shutting down."}');
};

const unparsable: Readonly<Record<string, readonly [status: number, reason: string, detail?: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Content Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_INVALID_URL: [400, 'Bad Request', 'The address holds characters that have to be percent-encoded.'],
};

/** Responds to what isn't a valid HTTP request, unless a response is being sent already. */
function refuseUnparsable(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse | null },
): void {
  // What follows a request with `Connection: close` is ignored.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const [status, reason, detail = `${reason}.`] = unparsable[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...securityHeaders.map(([name, value]) => `${name}: ${value}`),
    `${requestIdHeader}: ${chooseRequestId({}, false)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** @param sockets open connections */
async function closeGently(server: Server, sockets: Iterable<Socket>, deadline: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle after its response, and its client may keep it open for long.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    // Browsers open connections in advance: to Node, they are idle after their first request only.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  const timer = setTimeout(() => server.closeAllConnections(), deadline);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}

function addressError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new AddressError(`Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any.`);
    case 'EACCES':
      return new AddressError(`Port ${port} may not be used by this user. Choose one above 1023 with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AddressError(`${host} is not an address of this machine. Choose another with --host.`);
    default:
      return error;
  }
}
