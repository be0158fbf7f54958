/** Errors of the catalogue from error responses: the reverse of the server's table of errors. */
import {
  CatalogueError,
  ConflictError,
  DataLossError,
  type FieldErrors,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  UnavailableError,
  UnreachableError,
  ValidationError,
} from '../catalogue/errors.ts';
import { apiRoot, parseApiPath } from '../catalogue/urls.ts';
import { parseUntrustedJson } from './shapes.ts';

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  readonly text: string;
  /** Of the request, for messages. */
  readonly url: string;
}

/** The error for a response whose status is not 2xx. */
export function responseError({ status, headers, text, url }: ErrorResponse): Error {
  const { host } = new URL(url);
  if (status >= 300 && status < 400) return redirectError(status, headers.location ?? '', url);
  const body = parseObject(text);
  const detail = typeof body?.detail === 'string' ? body.detail : undefined;
  if (body === null || (detail === undefined && status !== 400)) return foreignResponse(status, headers, url);
  const message = detail ?? `${host} answered with status ${status}.`;
  switch (status) {
    case 400:
      return detail === undefined
        ? new ValidationError(fieldErrors(body))
        : new ValidationError({ non_field_errors: [detail] });
    case 401:
      return new NotAuthenticatedError(message);
    case 403:
      return new NotPermittedError(message);
    case 404:
      return new NotFoundError(detail);
    case 409:
      return conflictFrom(body, message);
    case 412:
      return new StaleError(detail);
    case 429:
    case 503:
      return new UnavailableError(message);
    case 413:
    case 415:
      return new ValidationError({ non_field_errors: [message] });
    case 500:
      return new CatalogueError(`Internal error at ${host}. Its log has the details.`);
    case 502:
    case 504:
      return new UnreachableError(message);
    default:
      return new CatalogueError(message);
  }
}

/** DataLossError if the response names a parameter that accepts the loss; else ConflictError. */
function conflictFrom({ override, reason, advice }: Readonly<Record<string, unknown>>, message: string): ConflictError {
  if ((override === 'force' || override === 'replace') && typeof reason === 'string')
    return new DataLossError(reason, override, typeof advice === 'string' ? advice : null);
  return new ConflictError(message);
}

/** The server redirects to another address, where no record of a catalogue has moved to. */
export class RedirectError extends UnreachableError {
  /** Null if the response names no address. */
  readonly target: URL | null;
  constructor(target: URL | null, message: string) {
    super(message);
    this.target = target;
  }
}

/** MovedError for a 308 to another resource of a catalogue; any other redirect means that the address is wrong. */
function redirectError(status: number, location: string, url: string): Error {
  const requested = new URL(url);
  const target = URL.canParse(location, url) ? new URL(location, url) : null;
  const path = target && apiPathIn(target);
  const ref = path ? parseApiPath(path) : null;
  // A server may redirect all requests in this way, for one to http:// to https://.
  if (status === 308 && ref && ref !== 'other' && path !== apiPathIn(requested)) return new MovedError(ref);
  const address = target && (path ? target.href.slice(0, target.href.indexOf(apiRoot)) : target.origin);
  const isOther = target && (path ? address !== url.slice(0, url.indexOf(apiRoot)) : address !== requested.origin);
  const hint = isOther ? `Use that address: ${address}` : 'Check the address.';
  return new RedirectError(target, `${requested.origin} redirects to ${target?.href ?? 'no address'}. ${hint}`);
}

/** The path of the API in an address, without that before it; null if it has none. */
const apiPathIn = ({ pathname }: URL): string | null => /\/api\/v1\/.*$/.exec(pathname)?.[0] ?? null;

/** The error for a response that doesn't come from a catalogue, but from a proxy, a login page or another program. */
function foreignResponse(status: number, headers: Readonly<Record<string, string>>, url: string): Error {
  const { host } = new URL(url);
  if (status === 407)
    return new UnreachableError(
      `The proxy for ${host} requires a user name and a password: put them into HTTPS_PROXY.`,
    );
  if (status === 502 || status === 503 || status === 504)
    return new UnreachableError(
      `${host} is unavailable (status ${status} from a proxy in front of it). Try again later.`,
    );
  const found = headers['content-type']?.includes('html') ? 'a web page' : 'something else';
  const hint = status === 401 || status === 403 ? ' It may require a sign-in of its own.' : '';
  return new UnreachableError(
    `There is no catalogue at ${url}: it answers with ${found} (status ${status}).${hint} Check the address.`,
  );
}

/** The JSON object in the body of an error; null if it has none, and so isn't a catalogue's. */
function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseUntrustedJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

function fieldErrors(body: Readonly<Record<string, unknown>>): FieldErrors {
  const messages = (value: unknown): readonly string[] =>
    [value].flat(Number.POSITIVE_INFINITY).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return Object.fromEntries(Object.entries(body).map(([field, value]) => [field, messages(value)]));
}
