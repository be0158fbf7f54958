/** The file `.catalogue/accounts.json`: read and validated, written durably, and readable by its owner only. */
import { chmod, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Adapter } from 'lowdb';
import type { TokenScope } from '../../catalogue/accounts.ts';
import { UnusableCatalogueError } from '../../catalogue/errors.ts';
import { privateFolder } from '../../catalogue/layout.ts';
import { isForbidden, unreadableText, writeDurably } from '../../disk/durable.ts';
import { namePathIn } from '../../disk/not-writable.ts';
import { keepOutOfGit, makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import { parseRecordText } from '../../text/parse.ts';
import { isAbsent } from '../tree/file-tree.ts';
import { isPasswordHash } from './password.ts';

/** Relative to the catalogue folder. */
export const accountsPath = `${privateFolder}/accounts.json`;

export interface StoredPassword {
  readonly user: string;
  /** As `password.ts` writes it. */
  readonly hash: string;
}
export interface StoredToken {
  readonly id: string;
  /** SHA-256 of the token, in hexadecimal: tokens are random, so nothing slower is needed. */
  readonly hash: string;
  readonly user: string;
  readonly label: string;
  readonly scope: TokenScope;
  readonly created: string;
  readonly expires: string | null;
  readonly last_used: string | null;
}
export interface StoredSession {
  /** SHA-256 of the key, in hexadecimal. */
  readonly hash: string;
  readonly user: string;
  readonly created: string;
  readonly expires: string;
}

/** Contents of the file: lists, not objects with usernames as keys, since a user may be called `__proto__`. */
export interface AccountsData {
  readonly passwords: readonly StoredPassword[];
  readonly tokens: readonly StoredToken[];
  readonly sessions: readonly StoredSession[];
}

export const noAccounts: AccountsData = Object.freeze({ passwords: [], tokens: [], sessions: [] });

/** Adapter of the file for lowdb. */
export class AccountsAdapter implements Adapter<AccountsData> {
  readonly #root: string;
  readonly #path: string;

  /** @param root the catalogue folder */
  constructor(root: string) {
    this.#root = root;
    this.#path = join(root, accountsPath);
  }

  /**
   * @returns null if there is no such file
   * @throws UnusableCatalogueError if it is damaged or can't be read; the message does not quote its contents
   */
  async read(): Promise<AccountsData | null> {
    const text = await this.#readText();
    return text === null ? null : parseAccounts(text);
  }

  async #readText(): Promise<string | null> {
    const file = await open(this.#path, 'r').catch((error) => {
      if (isAbsent(error)) return null;
      throw unreadableError(error);
    });
    if (file === null) return null;
    try {
      // A copied file may be readable by others.
      if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600).catch(() => {});
      await restrictToOwner(join(this.#root, privateFolder));
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  }

  async write(data: AccountsData): Promise<void> {
    await restrictToOwner(await makeFolderInPrivateFolder(this.#root));
    await keepOutOfGit(this.#root);
    await writeDurably(this.#path, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 }).catch((error) => {
      throw namePathIn(this.#root, error);
    });
  }
}

/**
 * The contents of the file, whose mode stays as it is; null if there is no such file.
 * @throws UnusableCatalogueError if it is damaged or can't be read
 */
export async function readAccounts(root: string): Promise<AccountsData | null> {
  const text = await readFile(join(root, accountsPath), 'utf8').catch((error) => {
    if (isAbsent(error)) return null;
    throw unreadableError(error);
  });
  return text === null ? null : parseAccounts(text);
}

/**
 * True if the folder is that of another user, who alone may read its accounts. The owner of the folder has to: its server
 * doesn't start without.
 */
export async function areAccountsOfAnotherUser(root: string): Promise<boolean> {
  const uid = process.geteuid?.();
  if (uid === undefined || (await stat(root)).uid === uid) return false;
  return open(join(root, accountsPath), 'r').then(async (file) => {
    await file.close();
    return false;
  }, isForbidden);
}

const unreadableError = (error: unknown) => new UnusableCatalogueError(unreadableText(accountsPath, error));

/** Ignores errors: if the folder belongs to another user, the file's own mode protects it. */
const restrictToOwner = (folder: string) => chmod(folder, 0o700).catch(() => {});

function parseAccounts(text: string): AccountsData {
  const parsed = parseRecordText(text, 'json');
  // The message of the parser may quote the text, which is secret.
  if ('error' in parsed) throw damagedError(`at line ${parsed.error.line}, column ${parsed.error.column}`);
  const data = parsed.value as Record<keyof AccountsData, unknown>;
  for (const name of Object.keys(shapes) as (keyof AccountsData)[]) {
    const list = data[name];
    if (!Array.isArray(list)) throw damagedError(`at /${name}, which is not a list`);
    const wrong = list.findIndex((item) => !hasShape(item, shapes[name]));
    if (wrong >= 0) throw damagedError(`at /${name}/${wrong}`);
  }
  return data as unknown as AccountsData;
}

const damagedError = (where: string) =>
  new UnusableCatalogueError(
    `${accountsPath} is damaged ${where}, and was not changed. Fix it, or restore it from a backup; ` +
      'or remove it, and set all passwords and tokens again.',
  );

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isHash: Test = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isDate: Test = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isDateOrNull: Test = (value) => value === null || isDate(value);

/** Required keys of the items of each list; unknown keys stay. */
const shapes: { readonly [K in keyof AccountsData]: Readonly<Record<string, Test>> } = {
  passwords: { user: isText, hash: (value) => typeof value === 'string' && isPasswordHash(value) },
  tokens: {
    id: isText,
    hash: isHash,
    user: isText,
    label: isText,
    scope: (value) => value === 'read' || value === 'write',
    created: isDate,
    expires: isDateOrNull,
    last_used: isDateOrNull,
  },
  sessions: { hash: isHash, user: isText, created: isDate, expires: isDate },
};

function hasShape(item: unknown, shape: Readonly<Record<string, Test>>): boolean {
  if (typeof item !== 'object' || item === null) return false;
  const record = item as Record<string, unknown>;
  return Object.entries(shape).every(([name, test]) => test(record[name]));
}
