/** From a status and a body back to the error that was theirs: the other half of the server's table of errors. */
import {
  CatalogueError,
  ConflictError,
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
import { refAt } from '../catalogue/urls.ts';

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  readonly text: string;
  /** Where it came from, for messages. */
  readonly url: string;
}

/** The error that an answer tells of. */
export function refusedWith({ status, headers, text, url }: Refusal): Error {
  const { host } = new URL(url);
  if (status >= 300 && status < 400) return redirected(status, headers.location ?? '', url);
  const body = parsed(text);
  const detail = typeof body?.detail === 'string' ? body.detail : undefined;
  if (body === null || (detail === undefined && status !== 400)) return strange(status, headers, url);
  const said = detail ?? `${host} answered with status ${status}.`;
  switch (status) {
    case 400:
      return detail === undefined
        ? new ValidationError(fieldErrors(body))
        : new ValidationError({ non_field_errors: [detail] });
    case 401:
      return new NotAuthenticatedError(said);
    case 403:
      return new NotPermittedError(said);
    case 404:
      return new NotFoundError(detail);
    case 409:
      return new ConflictError(said);
    case 412:
      return new StaleError(detail);
    case 429:
    case 503:
      return new UnavailableError(said);
    case 413:
    case 415:
      return new ValidationError({ non_field_errors: [said] });
    case 500:
      return new CatalogueError(`Something went wrong at ${host}, and is in its log now.`);
    case 502:
    case 504:
      return new UnreachableError(said);
    default:
      return new CatalogueError(said);
  }
}

/** What a moved resource's new address names; any other redirection is for whoever chose the address. */
function redirected(status: number, location: string, url: string): Error {
  const target = URL.canParse(location, url) ? new URL(location, url) : null;
  const ref = target && refAt(target.pathname.replace(/^.*?(?=\/api\/v1\/)/, ''));
  if (status === 308 && ref && ref !== 'other') return new MovedError(ref);
  const { origin } = new URL(url);
  const hint = target && target.origin !== origin ? `Use that address: ${target.origin}` : 'Check the address.';
  return new UnreachableError(`${origin} sends us to ${target?.href ?? 'nowhere'}. ${hint}`);
}

/** An answer that no catalogue gives: a proxy's, a login page's, another program's. */
function strange(status: number, headers: Readonly<Record<string, string>>, url: string): Error {
  const { host } = new URL(url);
  if (status === 407)
    return new UnreachableError(`The proxy on the way to ${host} wants to know who asks: see HTTPS_PROXY.`);
  if (status === 502 || status === 503 || status === 504)
    return new UnreachableError(
      `${host} isn't there at the moment (status ${status} of what stands before it). Try again later.`,
    );
  const what = headers['content-type']?.includes('html') ? 'a web page' : 'something else';
  const refused =
    status === 401 || status === 403 ? ' It may want to know who asks before it lets anybody through.' : '';
  return new UnreachableError(
    `There is no catalogue at ${url}: it answers with ${what} (status ${status}).${refused} Check the address.`,
  );
}

/** An error's body is a JSON object; anything else is no answer of a catalogue. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
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
