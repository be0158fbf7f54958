/** A function of requests, listening on a port. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { CatalogueError } from '../catalogue/errors.ts';
import { always } from './headers.ts';
import { customaryLimits, cutIdle, hurry, type Limits } from './limits.ts';
import { requestIdHeader, requestIdOf } from './request-id.ts';

/** The address can't be listened on. */
export class AddressError extends CatalogueError {}

export interface Listening {
  /** `http://host:port`, as a browser would be told. */
  readonly url: string;
  /** Exchanges the function that answers. */
  answerWith(handler: RequestListener): void;
  /** Takes no more requests, and resolves when those under way are answered, or after the deadline (in ms). */
  close(deadline?: number): Promise<void>;
}

/**
 * @param port 0 for any that is free
 * @throws AddressError that says what to do
 */
export async function listen(
  first: RequestListener,
  host: string,
  port: number,
  limits: Limits = customaryLimits,
): Promise<Listening> {
  let handler = first;
  const options = {
    // Uploads take as long as they take: `hurry` looks after all others.
    requestTimeout: 0,
    headersTimeout: limits.headers,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: Math.min(5000, limits.headers),
  };
  const server = createServer(options, (request, response) => {
    hurry(request, response, limits);
    handler(request, response);
  });
  server.maxConnections = limits.connections;
  cutIdle(server, limits);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(addressError(error, host, port)));
    server.listen(port, host, resolve);
  });
  server.on('clientError', answerUnparsable);
  const { port: bound } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    answerWith: (next) => {
      handler = next;
    },
    close: (deadline = 10_000) => {
      handler = refuse;
      return closeGently(server, deadline);
    },
  };
}

/** What still comes over connections that are open, once the server is to end. */
const refuse: RequestListener = (_request, response) => {
  const headers = ['Content-Type', 'application/json', 'Retry-After', '5', 'Connection', 'close'];
  response.writeHead(503, [...always.flat(), requestIdHeader, requestIdOf({}, false), ...headers]);
  response.end('{"detail":"The server is about to end."}');
};

const unparsable: Readonly<Record<string, readonly [status: number, reason: string, detail?: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Content Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_INVALID_URL: [400, 'Bad Request', 'The address holds characters that have to be percent-encoded.'],
};

/** What isn't HTTP, or too much of it, gets an answer that is; unless another is under way already. */
function answerUnparsable(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse | null },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const [status, reason, detail = `${reason}.`] = unparsable[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...always.map(([name, value]) => `${name}: ${value}`),
    `${requestIdHeader}: ${requestIdOf({}, false)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

async function closeGently(server: Server, deadline: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that has got its answer is idle, and its client may keep it open for long.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
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
      return new AddressError(`${host} is no address of this machine. Choose another with --host.`);
    default:
      return error;
  }
}
