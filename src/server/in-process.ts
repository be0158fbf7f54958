/** Requests to an app without a network: the response is made by the same steps, and its bytes are read as fast as it is written. */
import { IncomingMessage, type OutgoingHttpHeader, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex, PassThrough, Readable } from 'node:stream';

export interface InProcessResponse {
  readonly status: number;
  /** Values by name, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Fails if the response is cut off. */
  readonly body: Readable;
}

/** A response that is there as a whole. */
export interface WholeResponse {
  readonly status: number;
  readonly bytes: Buffer;
}

/** Takes status and body of a response as they are, if they are written in two calls; else it writes to its connection. */
class CapturingResponse extends ServerResponse {
  #head: [status: number, headers: OutgoingHttpHeader[]] | undefined;
  /** Called with a response that is there as a whole. */
  onWhole: (response: WholeResponse) => void = () => {};

  override writeHead(status: number, ...more: unknown[]): this {
    const [headers] = more;
    if (!Array.isArray(headers)) return super.writeHead(status, ...(more as []));
    this.statusCode = status;
    this.#head = [status, headers];
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
  override write(...chunk: any[]): boolean {
    this.#sendHead();
    return super.write(...(chunk as [Buffer]));
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
  override end(...last: any[]): this {
    const [bytes, ...more] = last;
    if (this.#head && Buffer.isBuffer(bytes) && more.length === 0) {
      this.onWhole({ status: this.#head[0], bytes });
      return this;
    }
    this.#sendHead();
    return super.end(...(last as []));
  }

  #sendHead(): void {
    if (this.#head) super.writeHead(...this.#head);
    this.#head = undefined;
  }
}

const endOfHead = Buffer.from('\r\n\r\n');

/** A GET, without content coding. @param path with its query string */
export async function getInProcess(
  listener: RequestListener,
  path: string,
  accept: string,
): Promise<Pick<InProcessResponse, 'status' | 'body'>> {
  const response = await getWholeOrStream(listener, path, accept);
  return 'bytes' in response ? { status: response.status, body: Readable.from([response.bytes]) } : response;
}

/** A GET, without content coding; resolves to the bytes if the app has them as a whole. */
export function getWholeOrStream(
  listener: RequestListener,
  path: string,
  accept: string,
): Promise<WholeResponse | InProcessResponse> {
  return new Promise((resolve, reject) => {
    let body: PassThrough | undefined;
    let head = Buffer.alloc(0);
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        if (body) return body.destroyed ? done() : void body.write(chunk, done);
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(endOfHead);
        if (end === -1) return done();
        const rest = head.subarray(end + endOfHead.length);
        body = bodyThrough(wire);
        resolve({ ...parseHead(head.toString('latin1', 0, end)), body });
        if (rest.length) body.write(rest, done);
        else done();
      },
      destroy(error, done) {
        const reason = error ?? new Error(`The response to ${path} was cut off.`);
        if (!body) reject(reason);
        else if (!body.writableEnded) body.destroy(reason);
        done(error);
      },
    });
    wire.on('error', () => {});
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
    const response = new CapturingResponse(request);
    response.onWhole = resolve;
    response.sendDate = false;
    response.assignSocket(wire as Socket);
    // As a server's connection does.
    wire.on('drain', () => response.emit('drain'));
    response.on('finish', () => body?.end());
    listener(request, response);
  });
}

/** The body of a response that comes over a connection. */
function bodyThrough(wire: Duplex): PassThrough {
  const body = new PassThrough();
  // A reader that leaves early ends the response, as a client that closes its connection.
  body.on('close', () => {
    if (!body.writableEnded) wire.destroy();
  });
  // Who reads the body gets its error, also if it comes before the first read.
  body.on('error', () => {});
  return body;
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
