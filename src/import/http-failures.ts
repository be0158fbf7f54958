/** Failures of requests: which of them are transient, what they mean, and how long to wait. */
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';

const publicOnly = 'Nothing is sent to sign in: save the document as a file, and import that.';

/** A failure after which the request may be repeated. */
export class TransientError extends Error {
  /** Milliseconds that the server asks to wait. */
  readonly wait: number | undefined;
  constructor(message: string, wait?: number) {
    super(message);
    this.wait = wait;
  }
}

/** The error for a response without a document. @param retryAfter the value of Retry-After, or '' */
export function failureOf(address: string, status: number, retryAfter: string): Error {
  if (status === 202)
    return new TransientError('the server is still making the document (202)', retryAfterOf(retryAfter));
  if (status === 429 || status >= 500)
    return new TransientError(`the server answered ${status}`, retryAfterOf(retryAfter));
  if (status === 401 || status === 403)
    return new ValidationError({ source: [`${address}: the server refuses access (${status}). ${publicOnly}`] });
  return new NotFoundError(`${address}: the server answered ${status}.`);
}

/** Address that a response redirects to. @throws ValidationError if Location has none */
export function redirectTarget(address: string, location: string): URL {
  if (!URL.canParse(location, address))
    throw new ValidationError({ source: [`${address} redirects to ${location}, which is no address.`] });
  return new URL(location, address);
}

/** Milliseconds in Retry-After (RFC 9110, section 10.2.3): seconds or a date. */
function retryAfterOf(value: string): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

export function explainConnectionError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no server of this name';
  if (code === 'ECONNREFUSED') return 'no server answers there';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'the connection was cut';
  if (/TIMEOUT/.test(code ?? '')) return 'the server did not answer in time';
  return message;
}
