/** A served catalogue with users, and ways to ask it as one of them. */
import { randomBytes, scryptSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Accounts } from '../../src/catalogue/accounts.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import type { FolderContent } from './folder.ts';
import { type Served, served } from './served.ts';

/** alice is staff; bob's group owns parks and secret; eve has nothing. */
const content = {
  namespaces: {
    parks: { id: 1, label: 'Parks', owners: ['gardeners'] },
    water: { id: 2, label: 'Water' },
    secret: { id: 3, label: 'Secret', visibility: 'private', owners: ['gardeners'] },
  },
  groups: { gardeners: { id: 1, label: 'Gardeners' } },
  users: {
    alice: { id: 1, staff: true, email: 'alice@example.org', groups: [] },
    bob: { id: 2, email: 'bob@example.org', groups: ['gardeners'] },
    eve: { id: 3, groups: [] },
  },
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What the text says where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  readonly body: any;
}

export interface WithAccounts extends Served {
  /** As another process sees them. */
  readonly accounts: Accounts;
  ask(path: string, init?: RequestInit, token?: string): Promise<Answer>;
  /** Sends JSON. */
  send(method: string, path: string, body: unknown, token?: string): Promise<Answer>;
}

/** A hash of a password, in the format of those that are set, that takes a thousandth of their time to compute and to verify. */
function quickHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  const texts = [salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$scrypt$ln=1,r=1,p=1$${texts.join('$')}`;
}

/** The file of accounts in which users have these passwords, with hashes that are quick to verify. */
export const filesWithPasswords = (passwords: Readonly<Record<string, string>>) => ({
  '.catalogue/accounts.json': JSON.stringify({
    passwords: Object.entries(passwords).map(([user, password]) => ({ user, hash: quickHash(password) })),
    tokens: [],
    sessions: [],
  }),
});

/** @param more content beside the users, their groups and namespaces */
export async function serveAccounts(
  test: TestContext,
  settings: object = {},
  more: FolderContent = {},
): Promise<WithAccounts> {
  const server = await served({ ...content, ...more, settings: { ...settings } }, test);
  const files = await openFileCatalogue(server.folder.root);
  test.after(() => files.close());
  const ask = async (path: string, init: RequestInit = {}, token?: string): Promise<Answer> => {
    const headers = new Headers(init.headers);
    if (token) headers.set('Authorization', `Token ${token}`);
    const response = await fetch(new URL(path, server.base), { redirect: 'manual', ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  const send = (method: string, path: string, body: unknown, token?: string) =>
    ask(path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }, token);
  return { ...server, accounts: files.accounts, ask, send };
}
