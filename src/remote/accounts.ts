/** What the users of a catalogue elsewhere sign in with, over HTTP. Of others than oneself, only staff may ask. */
import type { Credentials, NewToken, TokenInfo, TokenOptions } from '../catalogue/accounts.ts';
import { apiRoot, pathOf } from '../catalogue/urls.ts';
import type { Http } from './http.ts';
import { pageFrom } from './pages.ts';
import { type Json, refIn, strange } from './read.ts';
import { revokeToken } from './sign-in.ts';

const list = `${apiRoot}auth/tokens/`;
const headers = { 'content-type': 'application/json' };

export class RemoteAccounts implements Credentials {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async setPassword(username: string, password: string): Promise<void> {
    const path = pathOf({ kind: 'user', slug: username });
    await this.#http.json({ method: 'PATCH', path, headers, body: JSON.stringify({ password }) });
  }

  async addToken(user: string, { label = '', scope = 'write', expires = null }: TokenOptions = {}): Promise<NewToken> {
    const body = JSON.stringify({ user, label, scope, expires });
    const { value } = await this.#http.json({ method: 'POST', path: list, headers, body });
    return { token: textOf(value, 'token'), ...infoFrom(value) };
  }

  async tokens(username?: string): Promise<readonly TokenInfo[]> {
    const found: TokenInfo[] = [];
    for (let page = 1; ; page++) {
      const { value } = await this.#http.json({ path: list, query: [['page', String(page)]] });
      const { items, pages } = pageFrom(value, { page }, infoFrom);
      found.push(...items);
      if (page >= pages) return found.filter(({ user }) => username === undefined || user === username);
    }
  }

  removeToken(id: string): Promise<void> {
    return revokeToken(this.#http, id);
  }
}

function infoFrom(object: Json): TokenInfo {
  const owner = refIn(object.user);
  const moment = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    id: textOf(object, 'id'),
    user: owner?.kind === 'user' ? owner.slug : '',
    label: textOf(object, 'label'),
    scope: object.scope === 'read' ? 'read' : 'write',
    created: textOf(object, 'created'),
    expires: moment(object.expires),
    lastUsed: moment(object.last_used),
  };
}

function textOf(object: Json, field: string): string {
  const value = object[field];
  if (typeof value === 'string') return value;
  throw strange(field);
}
