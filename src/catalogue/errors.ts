/**
 * What can go wrong, named for what it is and not for HTTP or for a shell. The server (`server/errors.ts`) and the
 * command line (`cli/main.ts`) each have one table that turns these into a status or an exit code.
 */

/** Messages by field, as Django REST Framework writes them; `non_field_errors` holds those of the whole. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export class CatalogueError extends Error {
  override get name() {
    return this.constructor.name;
  }
}

/** The input doesn't fit; `fields` says which field and why. */
export class ValidationError extends CatalogueError {
  readonly fields: FieldErrors;
  constructor(fields: FieldErrors) {
    super(
      Object.entries(fields)
        .map(([field, messages]) =>
          field === 'non_field_errors' ? messages.join(' ') : `${field}: ${messages.join(' ')}`,
        )
        .join('; '),
    );
    this.fields = fields;
  }
}

/** There is nothing at this address, or nothing that the asker may see. */
export class NotFoundError extends CatalogueError {
  constructor(message = 'Not found.') {
    super(message);
  }
}

/** What was here has another address now: `to` is the reference of the resource that was renamed or moved. */
export class MovedError extends CatalogueError {
  readonly to: import('./ref.ts').Ref;
  constructor(to: import('./ref.ts').Ref) {
    super('Moved permanently.');
    this.to = to;
  }
}

/** The state of the files doesn't allow it: taken names, a namespace that still has datasets, a broken file. */
export class ConflictError extends CatalogueError {}

/** What is to be written isn't any more what the one who writes has seen. */
export class StaleError extends CatalogueError {
  constructor(message = 'It was changed since you read it. Read it again, and then decide.') {
    super(message);
  }
}

/** Nobody is signed in, and somebody has to be. */
export class NotAuthenticatedError extends CatalogueError {
  constructor(message = 'Authentication credentials were not provided.') {
    super(message);
  }
}

/** The one who asks may not do this. */
export class NotPermittedError extends CatalogueError {
  constructor(message = 'You do not have permission to perform this action.') {
    super(message);
  }
}

/** The catalogue as a whole can't be used: no such folder, no permission, a broken catalogue.yaml. */
export class UnusableCatalogueError extends CatalogueError {}

/** Another writer holds the record for too long, or the disk takes nothing more: worth trying again later. */
export class UnavailableError extends CatalogueError {}

/** A catalogue elsewhere can't be had: no network, nobody there, not in time, not trusted, or somebody else. */
export class UnreachableError extends CatalogueError {}
