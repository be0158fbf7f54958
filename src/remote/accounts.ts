/** Accounts on a remote server: signing in, and the passwords and tokens of users. */
import type { Credentials, NewToken, PasswordOptions, TokenInfo, TokenOptions } from '../catalogue/accounts.ts';
import { NotAuthenticatedError, ValidationError } from '../catalogue/errors.ts';
import { apiPath, apiRoot, versionHeader } from '../catalogue/urls.ts';
import type { Http } from './http.ts';
import { parseListPage } from './pages.ts';
import { type Json, refFromUrl, unexpectedResponseFieldError } from './read.ts';

const tokensPath = `${apiRoot}auth/tokens/`;
const headers = { 'content-type': 'application/json' };

/** Passwords and tokens. Those of other users are for staff only. */
export class RemoteAccounts implements Credentials {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async setPassword(username: string, password: string, options: PasswordOptions = {}): Promise<void> {
    const path = apiPath({ kind: 'user', slug: username });
    const { keepTokens: keep_tokens, currentPassword: current_password } = options;
    const body = JSON.stringify({ password, keep_tokens, current_password });
    await this.#http.requestJson({ method: 'PATCH', path, headers, body });
  }

  async addToken(user: string, { label = '', scope = 'write', expires = null }: TokenOptions = {}): Promise<NewToken> {
    const body = JSON.stringify({ user, label, scope, expires });
    const { value } = await this.#http.requestJson({ method: 'POST', path: tokensPath, headers, body });
    return { token: stringIn(value, 'token'), ...tokenInfo(value) };
  }

  async tokens(username?: string): Promise<readonly TokenInfo[]> {
    const found: TokenInfo[] = [];
    for (let page = 1; ; page++) {
      const { value } = await this.#http.requestJson({ path: tokensPath, query: [['page', String(page)]] });
      const { items, pages } = parseListPage(value, { page }, tokenInfo);
      found.push(...items);
      if (page >= pages) return found.filter(({ user }) => username === undefined || user === username);
    }
  }

  removeToken(id: string): Promise<void> {
    return revokeToken(this.#http, id);
  }
}

function tokenInfo(object: Json): TokenInfo {
  const owner = refFromUrl(object.user);
  const time = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    id: stringIn(object, 'id'),
    user: owner?.kind === 'user' ? owner.slug : '',
    label: stringIn(object, 'label'),
    scope: object.scope === 'read' ? 'read' : 'write',
    created: stringIn(object, 'created'),
    expires: time(object.expires),
    lastUsed: time(object.last_used),
  };
}

function stringIn(object: Json, field: string): string {
  const value = object[field];
  if (typeof value === 'string') return value;
  throw unexpectedResponseFieldError(field);
}

export interface ObtainedToken {
  readonly token: string;
  /** Id of the token at the server; null if the server doesn't report it. */
  readonly id: string | null;
  readonly expires: string | null;
}

/**
 * Signs in: a token for a username and a password.
 * @throws NotAuthenticatedError if the pair is wrong; UnavailableError after too many wrong ones; UnreachableError
 */
export async function requestToken(http: Http, username: string, password: string): Promise<ObtainedToken> {
  const path = `${apiRoot}auth/token/obtain/`;
  const body = JSON.stringify({ username, password });
  const { value } = await http.requestJson({ method: 'POST', path, headers, body }).catch((error) => {
    if (!(error instanceof ValidationError)) throw error;
    throw new NotAuthenticatedError(
      'non_field_errors' in error.fields ? 'The user name or the password is not right.' : error.message,
    );
  });
  const { token, url, expires } = value;
  if (typeof token !== 'string' || token === '') throw unexpectedResponseFieldError('token');
  const id = /\/auth\/tokens\/([0-9a-f]+)\/$/.exec(typeof url === 'string' ? url : '')?.[1] ?? null;
  return { token, id, expires: typeof expires === 'string' ? expires : null };
}

/** The name of the user that the client's token belongs to. @throws NotAuthenticatedError if the token is not valid */
export async function fetchUsername(http: Http): Promise<string> {
  const { value } = await http.requestJson({ path: `${apiRoot}users/me/` });
  if (typeof value.username !== 'string') throw unexpectedResponseFieldError('username');
  return value.username;
}

/** The version of the server's program; null if the user may not see it. */
export async function fetchServerVersion(http: Http): Promise<string | null> {
  const { headers } = await http.requestJson({ path: apiRoot });
  return headers[versionHeader.toLowerCase()] ?? null;
}

/** Makes a token invalid. @throws NotFoundError if it is already */
export async function revokeToken(http: Http, id: string): Promise<void> {
  const { body } = await http.request({ method: 'DELETE', path: `${tokensPath}${encodeURIComponent(id)}/` });
  body.resume();
}
