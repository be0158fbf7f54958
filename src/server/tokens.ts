/** The tokens of whoever asks: listed, made, and revoked. Staff see those of all, and make some for others. */
import type { Accounts, TokenInfo } from '../catalogue/accounts.ts';
import { NotAuthenticatedError, NotFoundError, NotPermittedError } from '../catalogue/errors.ts';
import { pageOf } from '../catalogue/listing.ts';
import { representToken, toJson, urlOf } from '../catalogue/represent.ts';
import { readInput } from './body.ts';
import { followLinks } from './hyperlinks.ts';
import { pageLinks } from './links.ts';
import { questionFrom } from './question.ts';
import type { Ask, Shown } from './route.ts';
import { tokenOptions } from './token-input.ts';

/** A page of tokens; nothing of one could sign anybody in. */
export async function tokenList(ask: Ask): Promise<Shown> {
  const { ctx, query, links, catalogue } = ask;
  const { tokens } = await tokensOf(ask);
  const found = pageOf(tokens, questionFrom('user', query), catalogue.settings);
  const { next, previous } = pageLinks(`${links.base}${ctx.path}`, query, found);
  const results = found.items.map((token) => representToken(token, links));
  return { title: 'Tokens', parts: [], json: () => toJson({ count: found.count, next, previous, results }) };
}

export async function token(ask: Ask): Promise<Shown> {
  const { found } = await tokenAt(ask);
  return { title: found.label || found.id, parts: [], json: () => toJson(representToken(found, ask.links)) };
}

/** A new token, shown this once. One who may only read is turned away before, and so can't make one that writes. */
export async function createToken(ask: Ask): Promise<Shown> {
  const { ctx, viewer, links, catalogue } = ask;
  const { accounts, username } = signedIn(ask);
  const given = await readInput(ctx);
  // By their name, users are told from addresses: those have slashes.
  const named = typeof given.user === 'string' && given.user !== '' && !given.user.includes('/');
  const whole = named ? { ...given, user: urlOf(links, { kind: 'user', slug: String(given.user) }) } : given;
  const { input, errors } = await followLinks('token', whole, catalogue);
  const options = tokenOptions(input, errors);
  const user = typeof input.user === 'string' ? input.user : username;
  if (user !== username && !viewer.staff) throw new NotPermittedError();
  const { token: secret, ...info } = await accounts.addToken(user, options);
  const object = representToken(info, links);
  return {
    title: info.label || info.id,
    parts: [],
    json: () => toJson({ token: secret, ...object }),
    status: 201,
    headers: [
      ['Location', String(object.url)],
      ['Cache-Control', 'no-store'],
    ],
  };
}

export async function revokeToken(ask: Ask): Promise<undefined> {
  const { found, accounts } = await tokenAt(ask);
  await accounts.removeToken(found.id);
  ask.ctx.status = 204;
}

async function tokenAt(ask: Ask): Promise<{ readonly found: TokenInfo; readonly accounts: Accounts }> {
  const { tokens, accounts } = await tokensOf(ask);
  const found = tokens.find(({ id }) => id === ask.params.token);
  if (!found) throw new NotFoundError();
  return { found, accounts };
}

/** Those that the one who asks may know of. */
async function tokensOf(ask: Ask) {
  const { accounts, username } = signedIn(ask);
  return { accounts, tokens: await accounts.tokens(ask.viewer.staff ? undefined : username) };
}

function signedIn({ viewer: { username }, signIn: { accounts } }: Ask) {
  if (username === null || !accounts) throw new NotAuthenticatedError();
  return { accounts, username };
}
