/** Tokens: obtained with a password; listed, created and revoked by their user. Staff manage those of all users. */
import {
  type Accounts,
  type TokenInfo,
  type TokenOptions,
  type TokenScope,
  tokenScopes,
} from '../catalogue/accounts.ts';
import type { Input } from '../catalogue/catalogue.ts';
import {
  type FieldErrors,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  ValidationError,
} from '../catalogue/errors.ts';
import { invalidChoice } from '../catalogue/input.ts';
import { isDate } from '../catalogue/iso-time.ts';
import { paginate } from '../catalogue/listing.ts';
import { representToken, resourceUrl, toJson } from '../catalogue/represent.ts';
import { invalidInput, type Parsed, parseTextInput } from '../catalogue/text-input.ts';
import { assertInputWithoutDryRun, largestCredentials, readInputBody } from './body.ts';
import { resolveHyperlinks } from './hyperlinks.ts';
import { pageLinks } from './link-header.ts';
import { parseListOptions, refuseDryRun } from './query-string.ts';
import type { Representation, RequestContext } from './route.ts';

/** Lifetimes in milliseconds: of a token obtained with a password, and of one created without an expiry. */
const obtainedLifetime = 30 * 24 * 3600_000;
const createdLifetime = 365 * 24 * 3600_000;
/** Tokens of a user that were obtained with a password; beyond that, the oldest are revoked. */
const mostObtained = 50;

/** A new token for a username and a password. */
export async function obtainTokenHandler({
  ctx,
  catalogue,
  app,
  links,
  dryRun,
}: RequestContext): Promise<Representation> {
  refuseDryRun({ dryRun });
  const { signIn } = app;
  const { username, password } = parseCredentials(await readInputBody(ctx, undefined, largestCredentials));
  const passwordHash = await signIn.verifyPassword(ctx.req, catalogue.settings, username, password);
  const refusal = new ValidationError({ non_field_errors: ['Unable to log in with provided credentials.'] });
  if (passwordHash === null || !signIn.accounts) throw refusal;
  const expires = new Date(Date.now() + obtainedLifetime);
  const options = { label: 'sign-in', expires, keep: mostObtained, passwordHash };
  const added = await signIn.accounts.addToken(username, options).catch((error) => {
    throw error instanceof StaleError ? refusal : error;
  });
  const body = { token: added.token, expires: added.expires, url: representToken(added, links).url };
  return { title: 'Token', dependsOn: [], json: () => toJson(body), headers: [['Cache-Control', 'no-store']] };
}

/** Username and password, as Django REST Framework's serializer reads them: the username is trimmed, the password isn't. */
function parseCredentials(input: Input): { username: string; password: string } {
  const errors: Record<string, readonly string[]> = {};
  const read = (name: string, trim: boolean): string => {
    if (!Object.hasOwn(input, name)) errors[name] = ['This field is required.'];
    else {
      const parsed = parseTextInput(input[name], { blank: false, trim });
      if ('value' in parsed) return String(parsed.value);
      errors[name] = parsed.errors;
    }
    return '';
  };
  const credentials = { username: read('username', true), password: read('password', false) };
  if (Object.keys(errors).length) throw new ValidationError(errors);
  return credentials;
}

/** The fields of obtaining a token, as OPTIONS describes them. */
export function tokenRequestFields() {
  const field = (label: string, read_only = false) => ({ type: 'string', required: !read_only, read_only, label });
  return { username: field('Username'), password: field('Password'), token: field('Token', true) };
}

/** A page of tokens, without their secrets. */
export async function listTokensHandler(request: RequestContext): Promise<Representation> {
  const { ctx, query, links, catalogue } = request;
  const { tokens } = await visibleTokens(request);
  const page = paginate(tokens, parseListOptions('user', query), catalogue.settings);
  const { next, previous } = pageLinks(`${links.base}${ctx.path}`, query, page);
  const results = page.items.map((token) => representToken(token, links));
  return { title: 'Tokens', dependsOn: [], json: () => toJson({ count: page.count, next, previous, results }) };
}

export async function showTokenHandler(request: RequestContext): Promise<Representation> {
  const { token } = await findToken(request);
  return {
    title: token.label || token.id,
    dependsOn: [],
    json: () => toJson(representToken(token, request.links)),
  };
}

/** Creates a token; its secret is shown in this response only. A user of a read-only token doesn't get here. */
export async function createTokenHandler(request: RequestContext): Promise<Representation> {
  refuseDryRun(request);
  const { ctx, viewer, links, catalogue } = request;
  const { accounts, username } = signedIn(request);
  const given = assertInputWithoutDryRun(await readInputBody(ctx));
  // The user may be given by name, too: addresses have slashes.
  const byName =
    typeof given.user === 'string' && given.user !== '' && !given.user.includes('/') && given.user.isWellFormed();
  const linked = byName ? { ...given, user: resourceUrl(links, { kind: 'user', slug: String(given.user) }) } : given;
  const { input, errors } = await resolveHyperlinks('token', linked, catalogue);
  const options = parseTokenOptions(input, errors);
  const user = typeof input.user === 'string' ? input.user : username;
  if (user !== username && !viewer.staff) throw new NotPermittedError();
  const { token: secret, ...info } = await accounts.addToken(user, options);
  const object = representToken(info, links);
  return {
    title: info.label || info.id,
    dependsOn: [],
    json: () => toJson({ token: secret, ...object }),
    status: 201,
    headers: [
      ['Location', String(object.url)],
      ['Cache-Control', 'no-store'],
    ],
  };
}

export async function revokeTokenHandler(request: RequestContext): Promise<undefined> {
  refuseDryRun(request);
  const { token, accounts } = await findToken(request);
  await accounts.removeToken(token.id);
  request.ctx.status = 204;
}

async function findToken(request: RequestContext): Promise<{ readonly token: TokenInfo; readonly accounts: Accounts }> {
  const { tokens, accounts } = await visibleTokens(request);
  const token = tokens.find(({ id }) => id === request.params.token);
  if (!token) throw new NotFoundError();
  return { token, accounts };
}

async function visibleTokens(request: RequestContext) {
  const { accounts, username } = signedIn(request);
  return { accounts, tokens: await accounts.tokens(request.viewer.staff ? undefined : username) };
}

function signedIn({ viewer: { username }, app: { signIn } }: RequestContext) {
  if (username === null || !signIn.accounts) throw new NotAuthenticatedError();
  return { accounts: signIn.accounts, username };
}

const parsers: Readonly<Record<string, (value: unknown) => Parsed>> = {
  label: (value) => parseTextInput(value, { max: 200, blank: true }),
  scope: (value) => (tokenScopes.includes(value as TokenScope) ? { value } : invalidChoice(value)),
  expires: parseExpiry,
};

/**
 * The options of a new token.
 * @param input fields; null for `expires` means never
 * @param errors of other fields
 * @throws ValidationError with the errors of all fields together
 */
function parseTokenOptions(input: Input, errors: FieldErrors): TokenOptions {
  const wrong: Record<string, readonly string[]> = { ...errors };
  const options: Record<string, unknown> = { expires: new Date(Date.now() + createdLifetime) };
  for (const [name, parse] of Object.entries(parsers)) {
    if (input[name] === undefined) continue;
    const parsed = parse(input[name]);
    if ('errors' in parsed) wrong[name] = parsed.errors;
    else options[name] = parsed.value;
  }
  if (Object.keys(wrong).length) throw new ValidationError(wrong);
  return options;
}

/** A future date or time (RFC 3339), or null. */
function parseExpiry(value: unknown): Parsed {
  if (value === null) return { value };
  const isTime =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value) &&
    isDate(value);
  const time = new Date(isTime ? value : Number.NaN);
  if (Number.isNaN(time.getTime()))
    return invalidInput(
      'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
    );
  return time.getTime() > Date.now() ? { value: time } : invalidInput('The expiry is in the past.');
}
