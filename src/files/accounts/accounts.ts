/**
 * The accounts of a catalogue folder. What they hold is read from `.catalogue/accounts.json` whenever that has changed,
 * so that another process (the command line beside the server, say) is heard at once; whom they stand for, and what
 * these may do, is read from the catalogue at the moment of asking.
 */
import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Low } from 'lowdb';
import {
  type Accounts,
  checkedPassword,
  type NewToken,
  type Session,
  type TokenInfo,
  type TokenOptions,
  tokenScopes,
} from '../../catalogue/accounts.ts';
import { NotFoundError, NotPermittedError, ValidationError } from '../../catalogue/errors.ts';
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

/** In milliseconds: how long a session lasts, and how exactly the last use of a token is known. */
const sessionLength = 14 * 24 * 3600_000;
const useEvery = 10 * 60_000;
/** More than anybody signs in with; the oldest go. */
const sessionsKept = 20;

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');

/** The file as it was last read, its entries by what they are looked up by. */
interface Known {
  readonly stamp: string;
  readonly passwords: ReadonlyMap<string, StoredPassword>;
  readonly tokens: ReadonlyMap<string, StoredToken>;
  readonly sessions: ReadonlyMap<string, StoredSession>;
}

export class FileAccounts implements Accounts {
  readonly #files: CatalogueFiles;
  readonly #adapter: AccountsAdapter;
  #known: Known | undefined;
  /** The state of the file in which it couldn't be read. */
  #toldOf: string | undefined;
  /** Tokens whose last use is being written down. */
  readonly #noting = new Map<string, Promise<void>>();

  constructor(files: CatalogueFiles) {
    this.#files = files;
    this.#adapter = new AccountsAdapter(files.root);
  }

  async signIn(username: string, password: string): Promise<boolean> {
    const { passwords } = await this.#read();
    const user = await this.#user(username);
    const stored = user ? passwords.get(username)?.hash : undefined;
    return verifyPassword(password.normalize('NFC'), stored ?? null);
  }

  async setPassword(username: string, password: string): Promise<void> {
    const checked = checkedPassword(password);
    await this.#mustExist(username);
    const hash = await hashPassword(checked);
    await this.#edit((data) => ({
      ...data,
      passwords: [...data.passwords.filter(({ user }) => user !== username), { user: username, hash }],
      sessions: data.sessions.filter(({ user }) => user !== username),
    }));
  }

  async addToken(username: string, options: TokenOptions = {}): Promise<NewToken> {
    const { label = '', scope = 'write', expires = null, keep = Number.POSITIVE_INFINITY } = options;
    if (!tokenScopes.includes(scope)) throw new ValidationError({ scope: [`"${scope}" is not a valid choice.`] });
    await this.#mustExist(username);
    const token = randomBytes(20).toString('hex');
    const stored: StoredToken = {
      id: randomBytes(6).toString('hex'),
      hash: hashOf(token),
      user: username,
      label,
      scope,
      created: new Date().toISOString(),
      expires: expires?.toISOString() ?? null,
      last_used: null,
    };
    await this.#edit((data) => {
      const alike = data.tokens.filter((other) => other.user === username && other.label === label);
      const surplus = new Set(alike.slice(0, Math.max(0, alike.length + 1 - keep)));
      return { ...data, tokens: [...data.tokens.filter((other) => !surplus.has(other)), stored] };
    });
    return { token, ...infoOf(stored) };
  }

  async tokens(username?: string): Promise<readonly TokenInfo[]> {
    const { tokens } = await this.#read();
    return [...tokens.values()].filter(({ user }) => username === undefined || user === username).map(infoOf);
  }

  async removeToken(id: string): Promise<void> {
    await this.#edit((data) => {
      const tokens = data.tokens.filter((token) => token.id !== id);
      if (tokens.length === data.tokens.length) throw new NotFoundError(`There is no token ${id}.`);
      return { ...data, tokens };
    });
  }

  async viewerOf(token: string): Promise<Viewer | null> {
    const found = (await this.#read()).tokens.get(hashOf(token));
    if (!found || isOver(found)) return null;
    const user = await this.#user(found.user);
    if (!user) return null;
    this.#noteUse(found);
    return { ...viewerFrom(user), ...(found.scope === 'read' && { readOnly: true }) };
  }

  async startSession(username: string): Promise<Session> {
    await this.#mustExist(username);
    const key = randomBytes(32).toString('base64url');
    const now = Date.now();
    const [created, expires] = [now, now + sessionLength].map((time) => new Date(time).toISOString()) as [
      string,
      string,
    ];
    await this.#edit((data) => {
      const own = data.sessions.filter(({ user }) => user === username);
      const surplus = new Set(own.slice(0, Math.max(0, own.length + 1 - sessionsKept)));
      const others = data.sessions.filter((session) => !surplus.has(session));
      return { ...data, sessions: [...others, { hash: hashOf(key), user: username, created, expires }] };
    });
    return { key, expires };
  }

  async viewerOfSession(key: string): Promise<Viewer | null> {
    const found = (await this.#read()).sessions.get(hashOf(key));
    if (!found || isOver(found)) return null;
    const user = await this.#user(found.user);
    return user ? viewerFrom(user) : null;
  }

  async endSession(key: string): Promise<void> {
    const hash = hashOf(key);
    if (!(await this.#read()).sessions.has(hash)) return;
    await this.#edit((data) => ({ ...data, sessions: data.sessions.filter((session) => session.hash !== hash) }));
  }

  async forget(username: string): Promise<void> {
    const others = <T extends { readonly user: string }>(list: readonly T[]) =>
      list.filter(({ user }) => user !== username);
    const { passwords, tokens, sessions } = await this.#read();
    const all = [...passwords.values(), ...tokens.values(), ...sessions.values()];
    if (others(all).length === all.length) return;
    await this.#edit((data) => ({
      ...data,
      passwords: others(data.passwords),
      tokens: others(data.tokens),
      sessions: others(data.sessions),
    }));
  }

  /** Waits for what is still being written. */
  async close(): Promise<void> {
    await Promise.all(this.#noting.values());
  }

  async #user(username: string): Promise<User | undefined> {
    if (!usernameRule.test(username)) return undefined;
    await this.#files.ensureRead([{ kind: 'user', slug: username }]);
    return this.#files.snapshot.users.get(username);
  }

  async #mustExist(username: string): Promise<void> {
    if (!(await this.#user(username))) throw new NotFoundError(`There is no user ${username}.`);
  }

  async #read(): Promise<Known> {
    // Looked at first: what is written meanwhile makes the file look older than it is, and it is read again.
    const stamp = await this.#stamp();
    if (this.#known?.stamp === stamp) return this.#known;
    // Where the whole folder is gone, what is known counts until it comes back, as with all else.
    if (this.#known && stamp === '' && !this.#files.store.tree.isCatalogue()) return this.#known;
    const { passwords, tokens, sessions } =
      (await this.#adapter.read().catch((error) => this.#tell(error, stamp))) ?? noAccounts;
    this.#known = {
      stamp,
      passwords: new Map(passwords.map((entry) => [entry.user, entry])),
      tokens: new Map(tokens.map((entry) => [entry.hash, entry])),
      sessions: new Map(sessions.map((entry) => [entry.hash, entry])),
    };
    return this.#known;
  }

  /** Tells of a file that can't be read: once, and not at every request. */
  #tell(error: Error, stamp: string): never {
    if (stamp !== this.#toldOf) this.#files.options.log?.(error.message);
    this.#toldOf = stamp;
    throw error;
  }

  async #stamp(): Promise<string> {
    const found = await stat(join(this.#files.root, accountsPath), { bigint: true }).catch(() => null);
    return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : '';
  }

  /** Changes the file under its lock. What has expired goes, whatever the change is. */
  async #edit(change: (data: AccountsData) => AccountsData): Promise<void> {
    if (this.#files.options.readOnly) throw new NotPermittedError('This catalogue is there to be read only.');
    await withLock(this.#files.root, accountsPath, async (signal) => {
      const file = new Low<AccountsData>(this.#adapter, noAccounts);
      await file.read();
      const { tokens, sessions, ...rest } = file.data;
      const valid = <T extends { readonly expires: string | null }>(list: readonly T[]) =>
        list.filter((entry) => !isOver(entry));
      file.data = change({ ...rest, tokens: valid(tokens), sessions: valid(sessions) });
      signal.throwIfAborted();
      await file.write();
    });
  }

  /** Writes down that a token is used; not at every use, and nobody waits for it. */
  #noteUse({ id, last_used }: StoredToken): void {
    const now = Date.now();
    if (this.#files.options.readOnly || this.#noting.has(id)) return;
    if (last_used !== null && now - Date.parse(last_used) < useEvery) return;
    const used = (token: StoredToken) =>
      token.id === id ? { ...token, last_used: new Date(now).toISOString() } : token;
    const work = this.#edit((data) => ({ ...data, tokens: data.tokens.map(used) }))
      // A disk that takes nothing is no reason to turn anybody away.
      .catch(() => {})
      .finally(() => this.#noting.delete(id));
    this.#noting.set(id, work);
  }
}

const isOver = ({ expires }: { readonly expires: string | null }) =>
  expires !== null && Date.parse(expires) <= Date.now();

const viewerFrom = ({ slug, staff, groups }: User): Viewer => ({ username: slug, staff, groups });

function infoOf({ id, user, label, scope, created, expires, last_used }: StoredToken): TokenInfo {
  return { id, user, label, scope, created, expires, lastUsed: last_used };
}
