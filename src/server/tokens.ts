/** The tokens of whoever asks: listed, and revoked. Staff see those of all. */
import type { Accounts, TokenInfo } from '../catalogue/accounts.ts';
import { NotAuthenticatedError, NotFoundError } from '../catalogue/errors.ts';
import { pageOf } from '../catalogue/listing.ts';
import { representToken, toJson } from '../catalogue/represent.ts';
import { pageLinks } from './links.ts';
import { questionFrom } from './question.ts';
import type { Ask, Shown } from './route.ts';

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
async function tokensOf({ viewer, signIn: { accounts } }: Ask) {
  if (viewer.username === null || !accounts) throw new NotAuthenticatedError();
  return { accounts, tokens: await accounts.tokens(viewer.staff ? undefined : viewer.username) };
}
