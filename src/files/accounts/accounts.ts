/**
 * The accounts of a catalogue folder. `.catalogue/accounts.json` is read again whenever it has changed, so that changes of
 * another process (such as the command line beside the server) apply at once. The permissions of the users are read from
 * the catalogue at each request.
 */
import { hash as digest, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Low } from 'lowdb';
import {
  type Accounts,
  type NewToken,
  type PasswordOptions,
  type Session,
  type TokenInfo,
  type TokenOptions,
  tokenScopes,
} from '../../catalogue/accounts.ts';
import { excerpt, NotFoundError, NotPermittedError, StaleError, ValidationError } from '../../catalogue/errors.ts';
import { lastTime } from '../../catalogue/iso-time.ts';
import { normalizeText } from '../../catalogue/normalize.ts';
import { normalizeNewPassword } from '../../catalogue/passwords.ts';
import type { Viewer } from '../../catalogue/permissions.ts';
import { usernameRule } from '../../catalogue/ref.ts';
import type { User } from '../../catalogue/types.ts';
import { withLock } from '../../disk/lock.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import {
  AccountsAdapter,
  type AccountsData,
  accountsPath,
  noAccounts,
  type StoredPassword,
  type StoredSession,
  type StoredToken,
} from './accounts-file.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { viewerOfUser } from './viewer-of-user.ts';

/** Lifetime of a session, in milliseconds. */
const sessionLifetime = 14 * 24 * 3600_000;
/** Minimum time between two updates of a token's last use, in milliseconds. */
const useInterval = 10 * 60_000;
/** Maximum number of sessions of a user; the oldest are removed. */
const maxSessions = 20;

const hashSecret = (secret: string) => digest('sha256', secret);

/** Contents of the file: passwords by username, tokens and sessions by hash. */
interface AccountsIndex {
  /** Stamp of the file when it was read. */
  readonly stamp: string;
  readonly passwords: ReadonlyMap<string, StoredPassword>;
  readonly tokens: ReadonlyMap<string, StoredToken>;
  readonly sessions: ReadonlyMap<string, StoredSession>;
}

export class FileAccounts implements Accounts {
  readonly #files: CatalogueFiles;
  readonly #adapter: AccountsAdapter;
  #index: AccountsIndex | undefined;
  /** Stamp of the file whose read error was logged. */
  #loggedStamp: string | undefined;
  /** Updates of last uses in progress, by token id. */
  readonly #pendingUses = new Map<string, Promise<void>>();

  constructor(files: CatalogueFiles) {
    this.#files = files;
    this.#adapter = new AccountsAdapter(files.root);
  }

  async verifyPassword(username: string, password: string): Promise<string | null> {
    const { passwords } = await this.#read();
    const user = await this.#findUser(username);
    const stored = (user && passwords.get(username)?.hash) ?? null;
    return (await verifyPassword(normalizeText(password, 'NFC'), stored)) ? stored : null;
  }

  async setPassword(username: string, password: string, options: PasswordOptions = {}): Promise<void> {
    const { keepTokens = false, passwordHash } = options;
    await this.#assertUserExists(username);
    const checked = normalizeNewPassword(password, username);
    const hash = await hashPassword(checked);
    await this.#edit((data) => {
      assertSamePassword(data, username, passwordHash);
      return {
        ...data,
        passwords: [...data.passwords.filter(({ user }) => user !== username), { user: username, hash }],
        tokens: keepTokens ? data.tokens : data.tokens.filter(({ user }) => user !== username),
        sessions: data.sessions.filter(({ user }) => user !== username),
      };
    });
  }

  async addToken(username: string, options: TokenOptions = {}): Promise<NewToken> {
    const { label = '', scope = 'write', expires = null, keep = Number.POSITIVE_INFINITY, passwordHash } = options;
    if (!tokenScopes.includes(scope))
      throw new ValidationError({ scope: [`"${excerpt(scope)}" is not a valid choice.`] });
    await this.#assertUserExists(username);
    const token = randomBytes(20).toString('hex');
    const stored: StoredToken = {
      id: randomBytes(6).toString('hex'),
      hash: hashSecret(token),
      user: username,
      label,
      scope,
      created: new Date().toISOString(),
      expires: expires && new Date(Math.min(expires.getTime(), lastTime)).toISOString(),
      last_used: null,
    };
    await this.#edit((data) => {
      assertSamePassword(data, username, passwordHash);
      const alike = data.tokens.filter((other) => other.user === username && other.label === label);
      const surplus = new Set(alike.slice(0, Math.max(0, alike.length + 1 - keep)));
      return { ...data, tokens: [...data.tokens.filter((other) => !surplus.has(other)), stored] };
    });
    return { token, ...tokenInfo(stored) };
  }

  /** True if any user has a password or a token. */
  async hasCredentials(): Promise<boolean> {
    const { passwords, tokens } = await this.#read();
    return passwords.size + tokens.size > 0;
  }

  async tokens(username?: string): Promise<readonly TokenInfo[]> {
    const { tokens } = await this.#read();
    return [...tokens.values()].filter(({ user }) => username === undefined || user === username).map(tokenInfo);
  }

  async removeToken(id: string): Promise<void> {
    await this.#edit((data) => {
      const tokens = data.tokens.filter((token) => token.id !== id);
      if (tokens.length === data.tokens.length) throw new NotFoundError(`There is no token ${excerpt(id)}.`);
      return { ...data, tokens };
    });
  }

  async viewerByToken(token: string): Promise<Viewer | null> {
    const found = (await this.#read()).tokens.get(hashSecret(token));
    if (!found || isExpired(found)) return null;
    const user = await this.#findUser(found.user);
    if (!user) return null;
    this.#recordUse(found);
    return { ...(await viewerOfUser(this.#files, user)), ...(found.scope === 'read' && { readOnly: true }) };
  }

  async startSession(username: string, passwordHash?: string): Promise<Session> {
    await this.#assertUserExists(username);
    const key = randomBytes(32).toString('base64url');
    const now = Date.now();
    const created = new Date(now).toISOString();
    const expires = new Date(now + sessionLifetime).toISOString();
    await this.#edit((data) => {
      assertSamePassword(data, username, passwordHash);
      const own = data.sessions.filter(({ user }) => user === username);
      const surplus = new Set(own.slice(0, Math.max(0, own.length + 1 - maxSessions)));
      const others = data.sessions.filter((session) => !surplus.has(session));
      return { ...data, sessions: [...others, { hash: hashSecret(key), user: username, created, expires }] };
    });
    return { key, expires };
  }

  async viewerBySession(key: string): Promise<Viewer | null> {
    const found = (await this.#read()).sessions.get(hashSecret(key));
    if (!found || isExpired(found)) return null;
    const user = await this.#findUser(found.user);
    return user ? viewerOfUser(this.#files, user) : null;
  }

  async endSession(key: string): Promise<void> {
    const hash = hashSecret(key);
    if (!(await this.#read()).sessions.has(hash)) return;
    await this.#edit((data) => ({ ...data, sessions: data.sessions.filter((session) => session.hash !== hash) }));
  }

  async removeCredentials(username: string): Promise<() => Promise<void>> {
    const isOwn = ({ user }: { readonly user: string }) => user === username;
    const { passwords, tokens, sessions } = await this.#read();
    if (![...passwords.values(), ...tokens.values(), ...sessions.values()].some(isOwn)) return async () => {};
    let removed = noAccounts;
    await this.#edit((data) => {
      removed = filterEntries(data, isOwn);
      return filterEntries(data, (entry) => !isOwn(entry));
    });
    return () =>
      this.#edit((data) => {
        if (data.passwords.some(isOwn)) return data;
        return {
          ...data,
          passwords: [...data.passwords, ...removed.passwords],
          tokens: [...data.tokens, ...removed.tokens],
          sessions: [...data.sessions, ...removed.sessions],
        };
      });
  }

  /** Waits for writes in progress. */
  async close(): Promise<void> {
    await Promise.all(this.#pendingUses.values());
  }

  async #findUser(username: string): Promise<User | undefined> {
    if (!usernameRule.test(username)) return undefined;
    await this.#files.ensureRead([{ kind: 'user', slug: username }]);
    return this.#files.snapshot.users.get(username);
  }

  async #assertUserExists(username: string): Promise<void> {
    if (!(await this.#findUser(username))) throw new NotFoundError(`There is no user ${excerpt(username)}.`);
  }

  async #read(): Promise<AccountsIndex> {
    // Taken before reading: if the file is written meanwhile, it is read again next time.
    const stamp = this.#stamp();
    if (this.#index?.stamp === stamp) return this.#index;
    // If the whole folder is gone, the last contents stay valid until it comes back.
    if (this.#index && stamp === '' && !this.#files.store.tree.isCatalogue()) return this.#index;
    const { passwords, tokens, sessions } =
      (await this.#adapter.read().catch((error) => this.#logOnce(error, stamp))) ?? noAccounts;
    this.#index = {
      stamp,
      passwords: new Map(passwords.map((entry) => [entry.user, entry])),
      tokens: new Map(tokens.map((entry) => [entry.hash, entry])),
      sessions: new Map(sessions.map((entry) => [entry.hash, entry])),
    };
    return this.#index;
  }

  /** Logs a read error, unless it was logged for this state of the file, and throws it. */
  #logOnce(error: Error, stamp: string): never {
    if (stamp !== this.#loggedStamp) this.#files.options.log?.(error.message);
    this.#loggedStamp = stamp;
    throw error;
  }

  #stamp(): string {
    try {
      const { ino, size, mtimeNs, ctimeNs } = statSync(join(this.#files.root, accountsPath), { bigint: true });
      return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    } catch {
      return '';
    }
  }

  /**
   * Changes the file under its lock, and removes expired entries.
   * @throws UnavailableError if the catalogue folder is gone: in an empty mount point, the file would be made anew, and empty
   */
  async #edit(change: (data: AccountsData) => AccountsData): Promise<void> {
    if (this.#files.options.readOnly) throw new NotPermittedError('The catalogue was opened read-only.');
    const { tree } = this.#files.store;
    tree.assertCatalogue();
    await withLock(this.#files.root, accountsPath, async (signal) => {
      tree.assertCatalogue();
      const file = new Low<AccountsData>(this.#adapter, noAccounts);
      await file.read();
      const { tokens, sessions, ...rest } = file.data;
      const valid = <T extends { readonly expires: string | null }>(list: readonly T[]) =>
        list.filter((entry) => !isExpired(entry));
      file.data = change({ ...rest, tokens: valid(tokens), sessions: valid(sessions) });
      signal.throwIfAborted();
      await file.write();
    });
  }

  /** Updates the last use of a token in the background, at most once per `useInterval`. */
  #recordUse({ id, last_used }: StoredToken): void {
    const now = Date.now();
    if (this.#files.options.readOnly || this.#pendingUses.has(id)) return;
    if (last_used !== null && now - Date.parse(last_used) < useInterval) return;
    const withUse = (token: StoredToken) =>
      token.id === id ? { ...token, last_used: new Date(now).toISOString() } : token;
    const work = this.#edit((data) => ({ ...data, tokens: data.tokens.map(withUse) }))
      // If the disk refuses it, the token is valid all the same.
      .catch(() => {})
      .finally(() => this.#pendingUses.delete(id));
    this.#pendingUses.set(id, work);
  }
}

/** Checks that a password which a user gave was not changed since it was verified. @throws StaleError */
function assertSamePassword({ passwords }: AccountsData, username: string, hash: string | undefined): void {
  if (hash !== undefined && passwords.findLast(({ user }) => user === username)?.hash !== hash) throw new StaleError();
}

/** The data with those entries of each list for which a test is true. */
const filterEntries = (data: AccountsData, test: (entry: { readonly user: string }) => boolean): AccountsData => ({
  ...data,
  passwords: data.passwords.filter(test),
  tokens: data.tokens.filter(test),
  sessions: data.sessions.filter(test),
});

const isExpired = ({ expires }: { readonly expires: string | null }) =>
  expires !== null && Date.parse(expires) <= Date.now();

function tokenInfo({ id, user, label, scope, created, expires, last_used }: StoredToken): TokenInfo {
  return { id, user, label, scope, created, expires, lastUsed: last_used };
}
