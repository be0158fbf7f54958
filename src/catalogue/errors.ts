/**
 * Errors of a catalogue, named for their cause. The server (`server/errors.ts`) and the command line (`cli/main.ts`)
 * each have a table from errors to statuses or exit codes.
 */
import { beginningOf } from './beginning.ts';

/** Messages, keyed by field, as in Django REST Framework; `non_field_errors` has those of the whole input. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Maximum length of what a message quotes, in UTF-16 code units. */
const maxExcerpt = 200;

/** Maximum length of a value that people get among others. */
export const maxShownValue = 60;

/**
 * The beginning of a text that people or programs wrote, as messages quote it: a key, a name, a value, a cell or a header
 * may be megabytes long.
 * @param longest maximum length, in UTF-16 code units
 */
export function excerpt(value: unknown, longest = maxExcerpt): string {
  const text = String(value);
  return text.length <= longest ? text : `${beginningOf(text, longest - 1)}…`;
}

export class CatalogueError extends Error {
  override get name() {
    return this.constructor.name;
  }
}

/** The input is invalid; `fields` has the reasons, keyed by field. */
export class ValidationError extends CatalogueError {
  readonly fields: FieldErrors;
  constructor(fields: FieldErrors) {
    // A field may be a parameter of the request.
    const entries = Object.entries(fields).map(([field, messages]) => [excerpt(field), messages] as const);
    super(
      entries
        .map(([field, messages]) =>
          field === 'non_field_errors' ? messages.join(' ') : `${field}: ${messages.join(' ')}`,
        )
        .join('; '),
    );
    this.fields = Object.fromEntries(entries);
  }
}

/** The resource does not exist, or the viewer may not see it. */
export class NotFoundError extends CatalogueError {
  constructor(message = 'Not found.') {
    super(message);
  }
}

/** The resource was renamed or moved; `to` is its present reference. */
export class MovedError extends CatalogueError {
  readonly to: import('./ref.ts').Ref;
  constructor(to: import('./ref.ts').Ref) {
    super('Moved permanently.');
    this.to = to;
  }
}

/** The state of the files does not allow the write: a name is taken, a namespace has datasets, a file is broken. */
export class ConflictError extends CatalogueError {}

/** A new version would lose data of the version before. An upload that says so is accepted. */
export class DataLossError extends ConflictError {
  /** The field of the upload that accepts the loss. */
  readonly override: 'force' | 'replace';
  /** How the rows are read that seem to be read wrongly, or not at all: it may end with an option, and so without a full stop. */
  readonly advice: string | null;
  constructor(message: string, override: 'force' | 'replace', advice: string | null = null) {
    super(message);
    this.override = override;
    this.advice = advice;
  }
}

/** The record has changed since it was read (If-Match fails). */
export class StaleError extends CatalogueError {
  constructor(message = 'It was changed since you read it. Read it again, and then decide.') {
    super(message);
  }
}

/** The viewer is not signed in, but has to be. */
export class NotAuthenticatedError extends CatalogueError {
  constructor(message = 'Authentication credentials were not provided.') {
    super(message);
  }
}

/** The viewer has no permission to do this. */
export class NotPermittedError extends CatalogueError {
  constructor(message = 'You do not have permission to perform this action.') {
    super(message);
  }
}

/** The catalogue as a whole can't be used: the folder is missing or not readable, or catalogue.yaml is broken. */
export class UnusableCatalogueError extends CatalogueError {}

/** Temporary failure: another writer holds a lock for too long, the disk is full, a query takes too long. */
export class UnavailableError extends CatalogueError {}

/** A remote catalogue can't be reached: no network, timeout, untrusted certificate, or another kind of server. */
export class UnreachableError extends CatalogueError {}

/** The answer of a remote is longer than a client reads. */
export class LongAnswerError extends UnreachableError {}

/** What another service said: the cause of an error. The log and the command line show it, and readers of a server don't see it. */
export class ServiceReport extends Error {}

/** The object store refuses: a wrong key, no such bucket. Reading or writing payloads fails until somebody changes that. */
export class ObjectStoreError extends CatalogueError {}

/** An object of the store is missing, or has other bytes than its name says. */
export class DamagedObjectError extends ObjectStoreError {}
