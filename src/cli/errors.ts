/** What can go wrong at a prompt only. */
import { CatalogueError } from '../catalogue/errors.ts';

/** The command was not written as it has to be; the message says how. */
export class UsageError extends CatalogueError {}

/** The person said no. */
export class DeclinedError extends CatalogueError {}

/** Somebody pressed Ctrl-C; the message says what remains. */
export class InterruptedError extends CatalogueError {}
