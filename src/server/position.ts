/**
 * Positions of servers that follow the same git remote, for a proxy in front of them: each response says how new it is, and a
 * request may say how new its response has to be, so that a reader who comes to another server doesn't go back in time.
 */
import type { RequestListener } from 'node:http';

/** Header of responses: the number of commits up to the one that is served. */
const positionHeader = 'X-Catalogue-Position';
/** Header of requests: the position that a response must have at least. */
const minPositionHeader = 'x-catalogue-min-position';
/** Milliseconds that a request waits for the commit that it wants. */
const patience = 2000;

/** A server that follows a git remote. */
export interface Positioned {
  readonly position: number | null;
  hasReached(position: number, patience: number): Promise<boolean>;
}

/** A listener that sends the position, and 503 if a later one is wanted than can be reached: the proxy tries another server. */
export const listenerWithPosition = (listener: RequestListener, server: Positioned): RequestListener => {
  const listen: RequestListener = (request, response) => {
    const { position } = server;
    if (position !== null) response.setHeader(positionHeader, position);
    listener(request, response);
  };
  return (request, response) => {
    const wanted = Number(request.headers[minPositionHeader] || 0);
    if (server.position === null || !(wanted > 0)) return listen(request, response);
    void server.hasReached(wanted, patience).then((isReached) => {
      if (isReached) return listen(request, response);
      response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
      response.end('{"detail":"This server is behind others. Ask again."}');
    });
  };
};
