/** HTTP client for one server: authentication, timeouts, retries, and errors of the catalogue for error responses. */
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { NotFoundError } from '../catalogue/errors.ts';
import { makeClientFactory } from '../http/client-factory.ts';
import { connectionError } from './connection-errors.ts';
import { decodeResponseBody, parseJsonResponse, readResponseBeginning, readResponseText } from './http-body.ts';
import { responseError } from './response-errors.ts';
import { type Shape, valueOfShape } from './shapes.ts';

export interface HttpOptions {
  /** Sent with every request. */
  readonly token?: string | undefined;
  /** Limit for connecting, and for a pause in a response, in milliseconds; default 60,000. */
  readonly timeout?: number | undefined;
  /** Retries of a GET or HEAD request, with growing pauses; default 2. */
  readonly retries?: number | undefined;
  /** Called for every response. */
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
}

export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Time until the start of the response. */
  readonly milliseconds: number;
}

export interface HttpRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's root, with a slash at its start. */
  readonly path: string;
  readonly query?: Iterable<readonly [string, string]>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body. It has to be read or destroyed. */
  readonly body: Readable;
}

export interface JsonResponse<Value> extends Omit<HttpResponse, 'body'> {
  readonly value: Value;
}

export interface Http {
  /** Root of the server, without a slash at its end. */
  readonly base: string;
  /**
   * Sends a request. The response is 2xx, or 304 for a conditional request.
   * @throws one of `errors.ts` for an error response; UnreachableError if there is no response, or not one of a catalogue
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Sends a request for JSON of this shape. @throws as `request` */
  requestJson<Value>(request: HttpRequest, expected: Shape<Value>): Promise<JsonResponse<Value>>;
  close(): Promise<void>;
}

/** Statuses of temporary failures: too many requests, or a server that restarts behind its proxy. */
const transientStatuses = [429, 502, 503, 504];
const transientErrors = [
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
];
/** In characters. A catalogue's error response is shorter. */
const maxErrorBody = 1024 * 1024;

/**
 * Makes a client. It connects at the first request, through the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
 * @param base root of the server, without a slash at its end
 */
export async function openHttp(base: string, options: HttpOptions = {}): Promise<Http> {
  const { token, onRequest } = options;
  const undici = await import('undici');
  const { agent, retrying } = makeAgents(undici, options);
  const commonHeaders = { 'user-agent': 'catalogue', ...(token && { authorization: `Token ${token}` }) };

  async function send({ method = 'GET', path, query, headers, body, signal }: HttpRequest) {
    // Dot segments would be resolved to another path (RFC 3986, section 5.2.4); no name of a catalogue has them.
    if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) throw new NotFoundError();
    const search = new URLSearchParams([...(query ?? [])] as [string, string][]).toString();
    const url = `${base}${path}${search && `?${search}`}`;
    const start = performance.now();
    const response = await undici
      .request(url, {
        method,
        headers: { ...commonHeaders, ...headers },
        dispatcher: method === 'GET' || method === 'HEAD' ? retrying : agent,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
        // A server may read an upload slowly before it responds.
        ...(body !== undefined && { headersTimeout: 0 }),
      })
      .catch((error) => {
        throw signal?.aborted ? signal.reason : connectionError(base, error);
      });
    const status = response.statusCode;
    onRequest?.({ method, url, status, milliseconds: performance.now() - start });
    return { url, status, headers: joinValues(response.headers), body: response.body };
  }

  async function request(options: HttpRequest): Promise<HttpResponse> {
    const { url, status, headers, body } = await send(options);
    if ((status >= 200 && status < 300) || status === 304)
      return { status, headers, body: decodeResponseBody(body, headers['content-encoding'], base) };
    // A response to HEAD has no body to explain the error.
    if (options.method === 'HEAD') {
      const answer = await request({ ...options, method: 'GET' });
      answer.body.destroy();
      return answer;
    }
    throw responseError({ status, headers, text: await readResponseBeginning(body, maxErrorBody), url });
  }

  return {
    base,
    request,

    async requestJson(options, expected) {
      const requested = { accept: 'application/json', 'accept-encoding': 'gzip', ...options.headers };
      const { status, headers, body } = await request({ ...options, headers: requested });
      const value = parseJsonResponse(await readResponseText(body), `${base}${options.path}`);
      return { status, headers, value: valueOfShape(expected, value) };
    },

    close: () => agent.destroy(),
  };
}

/** Dispatchers that hold the connections: for all methods, and for those that are safe to retry. */
function makeAgents(
  undici: typeof import('undici'),
  { timeout = 60_000, retries = 2 }: HttpOptions,
): { readonly agent: Dispatcher; readonly retrying: Dispatcher } {
  const { Agent, EnvHttpProxyAgent, RetryAgent } = undici;
  const timeouts = { headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout }, keepAliveTimeout: 4_000 };
  // A server may repeat the query string, which may have 8 KB, in several links of one header.
  const limits = { ...timeouts, maxHeaderSize: 64 * 1024, factory: makeClientFactory(undici) };
  const isProxied = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some((name) => process.env[name]);
  const agent = isProxied ? new EnvHttpProxyAgent(limits) : new Agent(limits);
  // A download continues where it was interrupted.
  const retrying = new RetryAgent(agent, {
    methods: ['GET', 'HEAD'],
    statusCodes: transientStatuses,
    errorCodes: transientErrors,
    maxRetries: retries,
    minTimeout: 200,
    maxTimeout: 5_000,
    throwOnError: false,
  });
  return { agent, retrying };
}

/** Headers with several values as one, separated by commas (RFC 9110, section 5.3). */
function joinValues(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}
