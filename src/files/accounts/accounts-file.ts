/** `.catalogue/accounts.json`: read as it is, written durably, and for nobody's eyes but those of this system's user. */
import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Adapter } from 'lowdb';
import type { TokenScope } from '../../catalogue/accounts.ts';
import { UnusableCatalogueError } from '../../catalogue/errors.ts';
import { privateFolder } from '../../catalogue/layout.ts';
import { codeOf, toUnavailable, writeDurably } from '../../disk/durable.ts';
import { parseRecord } from '../../text/parse.ts';
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

/** What the file holds. Lists and no objects by name: a user may be called `__proto__`. */
export interface AccountsData {
  readonly passwords: readonly StoredPassword[];
  readonly tokens: readonly StoredToken[];
  readonly sessions: readonly StoredSession[];
}

export const noAccounts: AccountsData = Object.freeze({ passwords: [], tokens: [], sessions: [] });

/** The file for lowdb. */
export class AccountsAdapter implements Adapter<AccountsData> {
  readonly #path: string;

  /** @param root the catalogue folder */
  constructor(root: string) {
    this.#path = join(root, accountsPath);
  }

  /**
   * @returns null where there is no such file
   * @throws UnusableCatalogueError where it is damaged or can't be read; it says nothing of what stands in it
   */
  async read(): Promise<AccountsData | null> {
    const text = await this.#text();
    return text === null ? null : parseAccounts(text);
  }

  async #text(): Promise<string | null> {
    const file = await open(this.#path, 'r').catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
      throw new UnusableCatalogueError(
        `${accountsPath} can't be read (${codeOf(error)}): let the user of this process read it.`,
      );
    });
    if (file === null) return null;
    try {
      // A copy or a careless hand may have opened it to others: then it is closed again, before anything else.
      if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600).catch(() => {});
      await closeToOthers(dirname(this.#path));
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  }

  async write(data: AccountsData): Promise<void> {
    const folder = dirname(this.#path);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await closeToOthers(folder);
    } catch (error) {
      throw toUnavailable(error, folder);
    }
    await writeDurably(this.#path, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 });
  }
}

/** Where the folder isn't ours to close, the file's own mode has to do. */
const closeToOthers = (folder: string) => chmod(folder, 0o700).catch(() => {});

function parseAccounts(text: string): AccountsData {
  const parsed = parseRecord(text, 'json');
  // The error's own message may quote the text, and that is nothing to show.
  if ('error' in parsed) throw damagedError(`at line ${parsed.error.line}, column ${parsed.error.column}`);
  const data = parsed.value as Record<keyof AccountsData, unknown>;
  for (const name of Object.keys(shapes) as (keyof AccountsData)[]) {
    const list = data[name];
    if (!Array.isArray(list)) throw damagedError(`at /${name}, which is no list`);
    const wrong = list.findIndex((item) => !hasShape(item, shapes[name]));
    if (wrong >= 0) throw damagedError(`at /${name}/${wrong}`);
  }
  return data as unknown as AccountsData;
}

const damagedError = (where: string) =>
  new UnusableCatalogueError(
    `${accountsPath} is damaged ${where}. Mend it, put a copy in its place, or remove it: ` +
      'then nobody has a password or token until they are given anew. It was left as it is.',
  );

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isHash: Test = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isDate: Test = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isDateOrNull: Test = (value) => value === null || isDate(value);

/** Keys that nobody here knows stay. */
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
