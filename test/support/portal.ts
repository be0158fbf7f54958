/** A portal of somebody else: a server whose answers a test sets, by path; it remembers what it was asked. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class Portal {
  readonly answers = new Map<string, Answer>();
  readonly asked: string[] = [];
  base = '';
  #server: Server | undefined;

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://x');
      this.asked.push(`${pathname}${request.headers['if-none-match'] ? ' if-none-match' : ''}`);
      const answer = this.answers.get(pathname);
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    this.base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** Answers with JSON and an ETag, and 304 to those that have it. */
  json(path: string, value: unknown | ((request: IncomingMessage) => unknown)): void {
    this.answers.set(path, (request, response) => {
      const text = JSON.stringify(typeof value === 'function' ? value(request) : value);
      sendWithTag(request, response, text, 'application/json');
    });
  }

  /** Answers with a file and an ETag, and 304 to those that have it. */
  file(path: string, text: string, type: string): void {
    this.answers.set(path, (request, response) => sendWithTag(request, response, text, type));
  }
}

function sendWithTag(request: IncomingMessage, response: ServerResponse, text: string, type: string): void {
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;
  if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
  else response.writeHead(200, { etag, 'content-type': type }).end(text);
}
