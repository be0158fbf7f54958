/** Requests to one server: who asks, how long, how often, and what an answer that is none becomes. */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { NotFoundError, UnreachableError } from '../catalogue/errors.ts';
import { refusedWith } from './refusals.ts';
import { troubleWith } from './trouble.ts';

export interface HttpOptions {
  /** Presented with every request. */
  readonly token?: string | undefined;
  /** Milliseconds that connecting may take, and the longest silence in an answer; default 60,000. */
  readonly timeout?: number | undefined;
  /** How often a request that changes nothing is repeated, with growing pauses; default 2. */
  readonly retries?: number | undefined;
  /** Told of every request that was answered. */
  readonly onRequest?: ((told: RequestTold) => void) | undefined;
}

export interface RequestTold {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Until the answer began. */
  readonly milliseconds: number;
}

export interface HttpRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the server's root, with its first slash. */
  readonly path: string;
  readonly query?: Iterable<readonly [string, string]>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, unpacked. It has to be read or destroyed. */
  readonly body: Readable;
}

export interface JsonAnswer extends Omit<Answer, 'body'> {
  /** An object or an array. */
  readonly value: Record<string, unknown>;
}

export interface Http {
  /** The server's root, without a slash at the end. */
  readonly base: string;
  /**
   * The answer to a request: 2xx, or 304 where a condition was sent.
   * @throws what the server says of it, as one of `errors.ts`; UnreachableError where it says nothing or isn't a catalogue
   */
  ask(request: HttpRequest): Promise<Answer>;
  /** The JSON in the answer to a request. */
  json(request: HttpRequest): Promise<JsonAnswer>;
  close(): Promise<void>;
}

/** Statuses that pass by: somebody else asked at the same time, or what stands before the server is being restarted. */
const passing = [429, 502, 503, 504];
const passingErrors = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ENETDOWN', 'ENETUNREACH', 'EHOSTDOWN', 'EHOSTUNREACH'];
/** A body longer than that is no refusal that we know. */
const longestRefusal = 1024 * 1024;
/** A page of the longest records is shorter by far. What is packed small may be without end when it is unpacked. */
const longestJson = 128 * 1024 * 1024;

/**
 * Opens nothing yet: a connection is made when something is asked. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are minded.
 * @param base the server's root, without a slash at the end
 */
export async function openHttp(base: string, options: HttpOptions = {}): Promise<Http> {
  const { token, timeout = 60_000, retries = 2, onRequest } = options;
  const { Agent, EnvHttpProxyAgent, RetryAgent, request: send } = await import('undici');
  const limits = { headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout }, keepAliveTimeout: 4_000 };
  const isProxied = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some((name) => process.env[name]);
  const agent: Dispatcher = isProxied ? new EnvHttpProxyAgent(limits) : new Agent(limits);
  // Only what changes nothing is repeated; a download goes on where it broke off.
  const patient = new RetryAgent(agent, {
    methods: ['GET', 'HEAD'],
    statusCodes: passing,
    errorCodes: passingErrors,
    maxRetries: retries,
    minTimeout: 200,
    maxTimeout: 5_000,
    throwOnError: false,
  });
  const always = { 'user-agent': 'catalogue', ...(token && { authorization: `Token ${token}` }) };

  async function ask(request: HttpRequest): Promise<Answer> {
    const { method = 'GET', path, query, headers, body, signal } = request;
    // A URL has no such names: they would lead to what wasn't meant (RFC 3986, section 5.2.4).
    if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) throw new NotFoundError();
    const search = new URLSearchParams([...(query ?? [])] as [string, string][]).toString();
    const url = `${base}${path}${search && `?${search}`}`;
    const began = performance.now();
    const answered = await send(url, {
      method,
      headers: { ...always, ...headers },
      dispatcher: method === 'GET' || method === 'HEAD' ? patient : agent,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      // What is sent is also taken in before it is answered, which takes as long as it takes.
      ...(body !== undefined && { headersTimeout: 0 }),
    }).catch((error) => {
      throw signal?.aborted ? signal.reason : troubleWith(base, error);
    });
    const answerHeaders = flat(answered.headers);
    const status = answered.statusCode;
    onRequest?.({ method, url, status, milliseconds: performance.now() - began });
    if ((status >= 200 && status < 300) || status === 304)
      return { status, headers: answerHeaders, body: unpacked(answered.body, answerHeaders['content-encoding'], base) };
    // An answer without a body doesn't say what is wrong.
    if (method === 'HEAD') return ask({ ...request, method: 'GET' });
    throw refusedWith({ status, headers: answerHeaders, text: await textOf(answered.body), url });
  }

  return {
    base,
    ask,

    async json(request) {
      const accepts = { accept: 'application/json', 'accept-encoding': 'gzip', ...request.headers };
      const { status, headers, body } = await ask({ ...request, headers: accepts });
      const text = await textOf(body, longestJson);
      return { status, headers, value: objectIn(text, `${base}${request.path}`) };
    },

    close: () => agent.destroy(),
  };
}

function objectIn(text: string, url: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new UnreachableError(`There is no catalogue at ${url}: it answers with something else. Check the address.`);
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

/** The bytes as they were before they were packed for the journey; a break in them is told as what it is. */
function unpacked(body: Readable, coding: string | undefined, base: string): Readable {
  const bytes = Readable.from(told(body, base), { objectMode: false });
  // Whoever reads it is told of a break. Where nobody does, or not yet, it must not end the process.
  bytes.on('error', () => {});
  if (coding !== 'gzip') return bytes;
  const decoder = createGunzip();
  decoder.on('error', () => {});
  pipeline(bytes, decoder, () => {});
  return decoder;
}

async function* told(body: AsyncIterable<Uint8Array>, base: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw troubleWith(base, error);
  }
}

async function textOf(body: AsyncIterable<Uint8Array>, most = longestRefusal): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > most) break;
  }
  return text + decoder.decode();
}
