/**
 * Credentials of users: passwords, tokens, sessions. They are not part of the catalogue, and are never listed, served or
 * logged. The rights of their owners are read from the catalogue at each request.
 */
import type { Viewer } from './permissions.ts';

/** Rights of a token: `read` allows to see what its user may see, `write` also to write what its user may write. */
export type TokenScope = 'read' | 'write';
export const tokenScopes: readonly TokenScope[] = ['read', 'write'];

/** Warning that no user has a password or a token, and what to do: at the start of a server, and by `catalogue doctor`. */
export const noCredentialsWarning = {
  message: 'Nobody can sign in yet.',
  advice:
    'Set a password with: catalogue user passwd NAME. Git does not hold passwords and tokens; to bring them back from a ' +
    'backup: catalogue restore BACKUP --accounts',
};

/** Description of a token, without the token itself, which only its owner has. */
export interface TokenInfo {
  readonly id: string;
  readonly user: string;
  readonly label: string;
  readonly scope: TokenScope;
  /** ISO 8601, UTC, like the times below. */
  readonly created: string;
  /** Null if it never expires. */
  readonly expires: string | null;
  /** Exact to some minutes; null if it was never used. */
  readonly lastUsed: string | null;
}

/** A new token: only now can the token itself be seen. */
export interface NewToken extends TokenInfo {
  readonly token: string;
}

export interface TokenOptions {
  readonly label?: string | undefined;
  /** Default: write. */
  readonly scope?: TokenScope | undefined;
  /** Default: never. */
  readonly expires?: Date | null | undefined;
  /** Number of the user's tokens with this label that are kept, this one included; older ones are removed. Default: all. */
  readonly keep?: number | undefined;
  /** Hash of the password with which the user signs in: it must still be the stored one. */
  readonly passwordHash?: string | undefined;
}

/** Session of a user who signed in with a browser. */
export interface Session {
  /** Value of the browser's cookie: as secret as a token. */
  readonly key: string;
  readonly expires: string;
}

export interface PasswordOptions {
  /** Keep the tokens of the user; else they end, as the sessions do. */
  readonly keepTokens?: boolean | undefined;
  /** The present password, which a server wants of users who aren't staff. */
  readonly currentPassword?: string | undefined;
  /** Hash of the present password that the user gave: it must still be the stored one. */
  readonly passwordHash?: string | undefined;
}

/** Management of passwords and tokens, in a local or a remote catalogue. */
export interface Credentials {
  /**
   * Sets the password of a user, and ends all sessions and tokens that the user has.
   * @throws NotFoundError if there is no such user; ValidationError; StaleError if the password was changed
   */
  setPassword(username: string, password: string, options?: PasswordOptions): Promise<void>;
  /** @throws NotFoundError if there is no such user; ValidationError; StaleError if the password was changed */
  addToken(username: string, options?: TokenOptions): Promise<NewToken>;
  /** Tokens of one user, or of all users; the oldest first. */
  tokens(username?: string): Promise<readonly TokenInfo[]>;
  /** @throws NotFoundError if there is no such token */
  removeToken(id: string): Promise<void>;
}

export interface Accounts extends Credentials {
  /** The stored hash of the user's password if the password is right, else null. Takes as long for users who don't exist. */
  verifyPassword(username: string, password: string): Promise<string | null>;
  /** The viewer with a token; null if the token is unknown or has expired, or its user no longer exists. */
  viewerByToken(token: string): Promise<Viewer | null>;
  /**
   * @param passwordHash of the password with which the user signs in
   * @throws NotFoundError if there is no such user; StaleError if the password was changed
   */
  startSession(username: string, passwordHash?: string): Promise<Session>;
  /** The viewer with a session; null if there is no such session (any more). */
  viewerBySession(key: string): Promise<Viewer | null>;
  endSession(key: string): Promise<void>;
  /**
   * Removes the password, the tokens and the sessions of a user.
   * @returns a function that puts them back, unless a password was set meanwhile
   */
  removeCredentials(username: string): Promise<() => Promise<void>>;
}
