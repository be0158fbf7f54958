/** The one table from what went wrong to a status and a body. */
import {
  CatalogueError,
  ConflictError,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  UnavailableError,
  UnreachableError,
  UnusableCatalogueError,
  ValidationError,
} from '../catalogue/errors.ts';

/** The request itself can't be understood. */
export class BadRequestError extends CatalogueError {}
/** The resource knows the method not. */
export class MethodNotAllowedError extends CatalogueError {
  constructor(method: string) {
    super(`Method "${method}" not allowed.`);
  }
}
/** Nothing that the client accepts can be made. */
export class NotAcceptableError extends CatalogueError {
  constructor() {
    super('Could not satisfy the request Accept header.');
  }
}
/** The same was tried too often. */
export class ThrottledError extends CatalogueError {
  /** Seconds after which it may be tried again. */
  readonly seconds: number;
  constructor(milliseconds: number) {
    const seconds = Math.ceil(milliseconds / 1000);
    super(`Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`);
    this.seconds = seconds;
  }
}
/** The body is of a type that the resource doesn't read. */
export class UnsupportedMediaTypeError extends CatalogueError {
  /** @param type the Content-Type as it came, parameters too */
  constructor(type: string) {
    super(`Unsupported media type "${type}" in request.`);
  }
}
/** The body is larger than what is taken. */
export class TooLargeError extends CatalogueError {
  /** @param limit in bytes */
  constructor(limit: number) {
    super(`The request is larger than ${limit} bytes.`);
  }
}
/** What is to be written has to be said to be what the client has seen. */
export class PreconditionRequiredError extends CatalogueError {}
/** The server is there to be read only. */
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
  [UnavailableError, 503],
  [UnusableCatalogueError, 503],
  [MovedError, 308],
];

export interface ErrorAnswer {
  readonly status: number;
  /** The body, as Django REST Framework writes it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: readonly (readonly [string, string])[];
  /** Whether it is our fault: then it goes to the log, and the client is told nothing of it. */
  readonly unexpected: boolean;
}

/** Status, body and headers that tell a client of an error. Never a stack trace, never a path of the machine. */
export function answerTo(error: unknown): ErrorAnswer {
  const status = statuses.find(([kind]) => error instanceof kind)?.[1];
  if (status !== undefined && error instanceof CatalogueError) {
    const body = error instanceof ValidationError ? error.fields : { detail: error.message };
    return { status, body, headers: headersOf(error, status), unexpected: false };
  }
  // Koa and its family throw errors that say themselves what may be shown.
  const { status: code, expose, message } = Object(error) as { status?: number; expose?: boolean; message?: string };
  if (code && code >= 400 && code < 500 && expose)
    return { status: code, body: { detail: message }, headers: [], unexpected: false };
  return { status: 500, body: { detail: 'A server error occurred.' }, headers: [], unexpected: true };
}

function headersOf(error: CatalogueError, status: number): readonly (readonly [string, string])[] {
  if (error instanceof ThrottledError) return [['Retry-After', String(error.seconds)]];
  if (status === 401) return [['WWW-Authenticate', 'Token']];
  if (status === 503) return [['Retry-After', '5']];
  return [];
}
