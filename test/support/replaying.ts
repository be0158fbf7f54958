/** A server that gives the recorded answers of a catalogue, and distorts them as a test asks. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Replaying {
  readonly base: string;
  /** By method and URL: `GET /api/v1/datasets/`. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Sends an answer, in place of the recorded one. */
  distort: (answer: Answer, response: ServerResponse, request: IncomingMessage) => void;
  /** From now on, nothing is asked of the catalogue any more. */
  stopRecording(): void;
  close(): void;
}

/** Sends an answer as it is, with the length of its body. */
export function send({ status, headers, body }: Answer, response: ServerResponse, { method }: IncomingMessage): void {
  const length = method === 'HEAD' && body.length === 0 ? headers['content-length'] : String(body.length);
  response.writeHead(status, {
    ...headers,
    ...(length !== undefined && status !== 304 && { 'content-length': length }),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** @param upstream address of the catalogue */
export async function replay(upstream: string): Promise<Replaying> {
  const answers = new Map<string, Answer>();
  let isRecording = true;
  const missing = {
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"detail":"Not found."}'),
  };

  async function ask(request: IncomingMessage, body: Buffer): Promise<Answer> {
    const key = `${request.method} ${request.url}`;
    const known = answers.get(key);
    if (known || !isRecording) return known ?? missing;
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    delete headers['content-length'];
    delete headers['accept-encoding'];
    delete headers['transfer-encoding'];
    const { method = 'GET' } = request;
    const found = await fetch(upstream + request.url, {
      method,
      headers,
      redirect: 'manual',
      ...(body.length && { body: body as BodyInit }),
    });
    const {
      connection: ___,
      'keep-alive': ____,
      'transfer-encoding': _____,
      'content-encoding': ______,
      ...kept
    } = Object.fromEntries(found.headers);
    const answer = { status: found.status, headers: kept, body: Buffer.from(await found.arrayBuffer()) };
    answers.set(key, answer as Answer);
    return answer as Answer;
  }

  const server = createServer(async (request, response) => {
    response.on('error', () => {});
    const answer = await ask(request, await buffer(request)).catch(() => missing);
    replaying.distort(answer, response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const replaying: Replaying = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    distort: send,
    stopRecording() {
      isRecording = false;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return replaying;
}
