/** Errors of HTTP, and the one table from errors to statuses. */
import {
  CatalogueError,
  ConflictError,
  DataLossError,
  excerpt,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  ObjectStoreError,
  StaleError,
  UnavailableError,
  UnreachableError,
  UnusableCatalogueError,
  ValidationError,
} from '../catalogue/errors.ts';
import type { Headers } from './headers.ts';

/** The request is malformed. */
export class BadRequestError extends CatalogueError {}
/** The route has no handler for the method. */
export class MethodNotAllowedError extends CatalogueError {
  constructor(method: string) {
    super(`Method "${excerpt(method)}" not allowed.`);
  }
}
/** The route has no media type that the client accepts. */
export class NotAcceptableError extends CatalogueError {
  constructor(message = 'Could not satisfy the request Accept header.') {
    super(message);
  }
}
/** A resource has no document in a standard, which demands facts that it lacks: 404 at the document's own address. */
export class MissingDocumentError extends NotFoundError {
  /** Paths of all documents that the resource lacks. */
  readonly paths: ReadonlySet<string>;
  constructor(message: string, paths: ReadonlySet<string>) {
    super(message);
    this.paths = paths;
  }
}
/** There were too many attempts, or too much work. */
export class ThrottledError extends CatalogueError {
  /** Seconds to wait before the next attempt. */
  readonly seconds: number;
  /** @param reason why, and what to ask instead, as sentences */
  constructor(milliseconds: number, reason?: string) {
    const seconds = Math.ceil(milliseconds / 1000);
    const message = `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`;
    super(reason ? `${message} ${reason}` : message);
    this.seconds = seconds;
  }
}
/** The route doesn't read bodies of this media type. */
export class UnsupportedMediaTypeError extends CatalogueError {
  /**
   * @param type value of Content-Type, with its parameters
   * @param remedy what to send instead, as a sentence
   */
  constructor(type: string, remedy = '') {
    super(`Unsupported media type "${excerpt(type)}" in request. ${remedy}`.trimEnd());
  }
}
/** The body is too large. */
export class TooLargeError extends CatalogueError {
  /** @param limit in bytes */
  constructor(limit: number) {
    super(`The request is larger than ${limit} bytes.`);
  }
}
/** The write needs a condition, such as If-Match. */
export class PreconditionRequiredError extends CatalogueError {}
/** The server refuses all writes. */
export class ReadOnlyError extends CatalogueError {}

const statuses: readonly (readonly [new (...args: never[]) => CatalogueError, number])[] = [
  [ValidationError, 400],
  [BadRequestError, 400],
  [NotAuthenticatedError, 401],
  [NotPermittedError, 403],
  [ReadOnlyError, 403],
  [NotFoundError, 404],
  [MethodNotAllowedError, 405],
  [NotAcceptableError, 406],
  [ConflictError, 409],
  [StaleError, 412],
  [TooLargeError, 413],
  [UnsupportedMediaTypeError, 415],
  [PreconditionRequiredError, 428],
  [ThrottledError, 429],
  [UnreachableError, 502],
  [ObjectStoreError, 502],
  [UnavailableError, 503],
  [UnusableCatalogueError, 503],
  [MovedError, 308],
];

export interface ErrorResponse {
  readonly status: number;
  /** As Django REST Framework writes it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
  /** True if the error is ours: it goes to the log, and the client sees nothing of it. */
  readonly unexpected: boolean;
}

/** The response to an error. It shows no stack trace and no path of the machine. */
export function errorResponse(error: unknown): ErrorResponse {
  const status = statuses.find(([kind]) => error instanceof kind)?.[1];
  if (status !== undefined && error instanceof CatalogueError) {
    const body = error instanceof ValidationError ? error.fields : detailsOf(error);
    return { status, body, headers: headersOf(error, status), unexpected: false };
  }
  // Errors of Koa and its packages have a status, and `expose` if clients may see the message.
  const { status: code, expose, message } = Object(error) as { status?: number; expose?: boolean; message?: string };
  if (code && code >= 400 && code < 500 && expose)
    return { status: code, body: { detail: message }, headers: [], unexpected: false };
  return { status: 500, body: { detail: 'A server error occurred.' }, headers: [], unexpected: true };
}

/** The body of an error that isn't one of fields. A loss of data names the parameter that accepts it. */
function detailsOf(error: CatalogueError) {
  if (!(error instanceof DataLossError)) return { detail: error.message };
  const { message, override, advice } = error;
  const found = advice === null ? message : `${message} ${advice}.`;
  const detail = `${found} To publish it all the same, send ${override}=true.`;
  return { detail, reason: message, override, ...(advice !== null && { advice }) };
}

function headersOf(error: CatalogueError, status: number): Headers {
  if (error instanceof ThrottledError) return [['Retry-After', String(error.seconds)]];
  if (status === 401) return [['WWW-Authenticate', 'Token']];
  if (status === 503) return [['Retry-After', '5']];
  if (error instanceof ObjectStoreError) return [['Retry-After', '60']];
  return [];
}
