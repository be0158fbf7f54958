/** Requests to an app without a network: the response is made by the same steps, and its bytes are read as fast as it is written. */
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex, PassThrough, type Readable } from 'node:stream';

export interface InProcessResponse {
  readonly status: number;
  /** Values by name, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Fails if the response is cut off. */
  readonly body: Readable;
}

const endOfHead = Buffer.from('\r\n\r\n');

/** A GET, without content coding. @param path with its query string */
export function getInProcess(listener: RequestListener, path: string, accept: string): Promise<InProcessResponse> {
  return new Promise((resolve, reject) => {
    const body = new PassThrough();
    let head: Buffer | null = Buffer.alloc(0);
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        if (head === null) return body.destroyed ? done() : void body.write(chunk, done);
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(endOfHead);
        if (end === -1) return done();
        const rest = head.subarray(end + endOfHead.length);
        resolve({ ...parseHead(head.toString('latin1', 0, end)), body });
        head = null;
        if (rest.length) body.write(rest, done);
        else done();
      },
      destroy(error, done) {
        const reason = error ?? new Error(`The response to ${path} was cut off.`);
        if (head !== null) reject(reason);
        else if (!body.writableEnded) body.destroy(reason);
        done(error);
      },
    });
    // A reader that leaves early ends the response, as a client that closes its connection.
    body.on('close', () => {
      if (!body.writableEnded) wire.destroy();
    });
    wire.on('error', () => {});
    // Who reads the body gets its error, also if it comes before the first read.
    body.on('error', () => {});
    const request = new IncomingMessage(wire as Socket);
    // HTTP/1.0 has no chunks: behind the head, all bytes are those of the body.
    Object.assign(request, {
      method: 'GET',
      url: path,
      httpVersion: '1.0',
      httpVersionMajor: 1,
      httpVersionMinor: 0,
      complete: true,
    });
    Object.assign(request.headers, { host: 'localhost', accept });
    request.push(null);
    const response = new ServerResponse(request);
    response.sendDate = false;
    response.assignSocket(wire as Socket);
    // As a server's connection does.
    wire.on('drain', () => response.emit('drain'));
    response.on('finish', () => body.end());
    listener(request, response);
  });
}

function parseHead(text: string): Pick<InProcessResponse, 'status' | 'headers'> {
  const [first = '', ...lines] = text.split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  return { status: Number(first.split(' ')[1]), headers };
}
