/** Errors that only a command line has. */
import { CatalogueError } from '../catalogue/errors.ts';

/** The command line is wrong; the message says what to type. */
export class UsageError extends CatalogueError {}

/** The person has answered no, or given nothing. */
export class DeclinedError extends CatalogueError {}

/** Ctrl-C was pressed; the message says what is left of the work. */
export class InterruptedError extends CatalogueError {}
