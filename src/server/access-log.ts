/** Access entries: one for each request, reported once its response is sent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and its response, for the log and the metrics. */
export interface AccessEntry extends RequestInfo {
  readonly id: string;
  readonly method: string;
  /** Path and query string as they came. */
  readonly url: string;
  readonly status: number;
  /** True if the whole response was sent. */
  readonly complete: boolean;
  /** Sent over the connection, headers included. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** IP address of the client. */
  readonly remote: string;
}

/** Facts that are found out while a request is handled. */
export interface RequestInfo {
  /** Name of the route; null if none matches. */
  readonly route: string | null;
  /** Username; null if not signed in. */
  readonly viewer: string | null;
  /** True if the response came from the response cache. */
  readonly cached: boolean;
}

/** Status of a request whose connection was closed before a response began, as nginx logs it: nobody has received one. */
const clientClosed = 499;

export class AccessLog {
  readonly #report: (entry: AccessEntry) => void;
  readonly #infos = new WeakMap<IncomingMessage, () => RequestInfo>();
  /** Bytes sent over a connection up to the end of its latest response. */
  readonly #bytes = new WeakMap<Socket, number>();

  constructor(report: (entry: AccessEntry) => void) {
    this.#report = report;
  }

  /** Starts the clock of a request, and reports it when its response is sent or its connection closed. */
  watch(request: IncomingMessage, response: ServerResponse, id: string, remote: string): void {
    const { socket, method = '', url = '' } = request;
    const start = performance.now();
    response.once('close', () => {
      const bytes = socket.bytesWritten - (this.#bytes.get(socket) ?? 0);
      this.#bytes.set(socket, socket.bytesWritten);
      this.#report({
        ...(this.#infos.get(request)?.() ?? { route: null, viewer: null, cached: false }),
        ...{ id, method, url, remote, bytes },
        status: response.headersSent ? response.statusCode : clientClosed,
        complete: response.writableFinished,
        milliseconds: performance.now() - start,
      });
    });
  }

  /** Notes how to tell the facts about a request; that is asked when it is reported, before its handler may have returned. */
  note(request: IncomingMessage, info: () => RequestInfo): void {
    this.#infos.set(request, info);
  }
}
