/** Accounts on a remote server: signing in, and the passwords and tokens of users. */
import type { Credentials, NewToken, PasswordOptions, TokenInfo, TokenOptions } from '../catalogue/accounts.ts';
import { NotAuthenticatedError, ValidationError } from '../catalogue/errors.ts';
import { apiPath, apiRoot, versionHeader } from '../catalogue/urls.ts';
import { type Answer, answers, listPageShape } from './answers.ts';
import type { Http } from './http.ts';
import { fetchAllPages } from './pages.ts';
import { refFromUrl } from './read.ts';

const tokensPath = `${apiRoot}auth/tokens/`;
const tokens = listPageShape(answers.token);
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
    await this.#http.requestJson({ method: 'PATCH', path, headers, body }, answers.any);
  }

  async addToken(user: string, { label = '', scope = 'write', expires = null }: TokenOptions = {}): Promise<NewToken> {
    const body = JSON.stringify({ user, label, scope, expires });
    const { value } = await this.#http.requestJson(
      { method: 'POST', path: tokensPath, headers, body },
      answers.newToken,
    );
    return { token: value.token, ...tokenInfo(value) };
  }

  async tokens(username?: string): Promise<readonly TokenInfo[]> {
    const found = await fetchAllPages(this.#http, tokensPath, tokens, tokenInfo);
    return found.filter(({ user }) => username === undefined || user === username);
  }

  removeToken(id: string): Promise<void> {
    return revokeToken(this.#http, id);
  }
}

function tokenInfo({ id, user, label, scope, created, expires, last_used }: Answer<'token'>): TokenInfo {
  const owner = user ? refFromUrl(user) : null;
  return {
    ...{ id, label, created },
    user: owner?.kind === 'user' ? owner.slug : '',
    scope: scope === 'read' ? 'read' : 'write',
    expires: expires ?? null,
    lastUsed: last_used ?? null,
  };
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
  const request = { method: 'POST', path, headers, body } as const;
  const { value } = await http.requestJson(request, answers.obtainedToken).catch((error) => {
    if (!(error instanceof ValidationError)) throw error;
    throw new NotAuthenticatedError(
      'non_field_errors' in error.fields ? 'The user name or the password is not right.' : error.message,
    );
  });
  const { token, url, expires } = value;
  const id = /\/auth\/tokens\/([0-9a-f]+)\/$/.exec(url ?? '')?.[1] ?? null;
  return { token, id, expires: expires ?? null };
}

/** The name of the user that the client's token belongs to. @throws NotAuthenticatedError if the token is not valid */
export async function fetchUsername(http: Http): Promise<string> {
  return (await http.requestJson({ path: `${apiRoot}users/me/` }, answers.me)).value.username;
}

/** The version of the server's program; null if the user may not see it. */
export async function fetchServerVersion(http: Http): Promise<string | null> {
  const { headers } = await http.requestJson({ path: apiRoot }, answers.any);
  return headers[versionHeader.toLowerCase()] ?? null;
}

/** Makes a token invalid. @throws NotFoundError if it is already */
export async function revokeToken(http: Http, id: string): Promise<void> {
  const { body } = await http.request({ method: 'DELETE', path: `${tokensPath}${encodeURIComponent(id)}/` });
  body.resume();
}
