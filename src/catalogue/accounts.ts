/**
 * Who may sign in, and with what. Credentials are no part of the catalogue: they lie beside it, and nothing of them is
 * ever listed, served or logged. What their owners may do is read from the catalogue at the moment of asking.
 */
import { ValidationError } from './errors.ts';
import type { Viewer } from './permissions.ts';

/** What a token allows: to see what its user sees, or to do what its user may. */
export type TokenScope = 'read' | 'write';
export const tokenScopes: readonly TokenScope[] = ['read', 'write'];

/** What is known of a token; the token itself is known to nobody but its owner. */
export interface TokenInfo {
  readonly id: string;
  readonly user: string;
  readonly label: string;
  readonly scope: TokenScope;
  /** Moments are ISO 8601, in UTC. */
  readonly created: string;
  /** null for one that never does. */
  readonly expires: string | null;
  /** To within some minutes; null where it never was. */
  readonly lastUsed: string | null;
}

/** A token at the only moment at which it can be seen. */
export interface NewToken extends TokenInfo {
  readonly token: string;
}

export interface TokenOptions {
  readonly label?: string | undefined;
  /** Default: write. */
  readonly scope?: TokenScope | undefined;
  /** Default: never. */
  readonly expires?: Date | null | undefined;
  /** How many of the user's tokens of this label are kept, this one included; the oldest go. Default: all. */
  readonly keep?: number | undefined;
}

/** Somebody signed in with a browser. */
export interface Session {
  /** What the browser's cookie holds: as secret as a token. */
  readonly key: string;
  readonly expires: string;
}

/** What users sign in with: given, listed and taken away, here or over HTTP. */
export interface Credentials {
  /**
   * Gives a user a password, and ends the sessions that were begun with the one before.
   * @throws NotFoundError where there is no such user; ValidationError
   */
  setPassword(username: string, password: string): Promise<void>;
  /** @throws NotFoundError where there is no such user; ValidationError */
  addToken(username: string, options?: TokenOptions): Promise<NewToken>;
  /** Those of one user, or of all; the oldest first. */
  tokens(username?: string): Promise<readonly TokenInfo[]>;
  /** @throws NotFoundError where there is no such token */
  removeToken(id: string): Promise<void>;
}

export interface Accounts extends Credentials {
  /** Whether the pair is right. It takes as long for users that don't exist. */
  verifyPassword(username: string, password: string): Promise<boolean>;
  /** Whom a token stands for; null where nobody has it, it has expired, or its user is gone. */
  viewerByToken(token: string): Promise<Viewer | null>;
  /** @throws NotFoundError where there is no such user */
  startSession(username: string): Promise<Session>;
  /** Whom a session stands for; null where there is none (any more). */
  viewerBySession(key: string): Promise<Viewer | null>;
  endSession(key: string): Promise<void>;
  /** Drops all that a user could sign in with. */
  removeCredentials(username: string): Promise<void>;
}

/** Nobody types more, and hashing it would only be work. */
const longestPassword = 1024;

/**
 * The password as it is hashed: in one Unicode spelling, so that every keyboard types the same (RFC 8265, section 4.2).
 * @throws ValidationError
 */
export function normalizePassword(password: string): string {
  const refuse = (message: string) => new ValidationError({ password: [message] });
  if (password === '') throw refuse('This field may not be blank.');
  if (password.length > longestPassword)
    throw refuse(`Ensure this field has no more than ${longestPassword} characters.`);
  if (/[\0\r\n]/.test(password)) throw refuse('A password has no line breaks or null characters.');
  return password.normalize('NFC');
}
