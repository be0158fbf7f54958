/** Credentials of a request: a token in the Authorization header or a session cookie, and the CSRF token of its forms. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import type { Accounts } from '../catalogue/accounts.ts';
import { excerpt, NotAuthenticatedError, NotPermittedError } from '../catalogue/errors.ts';
import { anonymous, type Viewer } from '../catalogue/permissions.ts';
import { baseUrlPath } from '../catalogue/urls.ts';
import { sessionCookie } from './headers.ts';

export interface Identity {
  readonly viewer: Viewer;
  /** True if a cookie identifies the viewer: browsers send it along for pages of other sites, too. */
  readonly bySession: boolean;
}

/** The identity of a request without credentials. */
export const notSignedIn: Identity = { viewer: anonymous, bySession: false };

/**
 * The user of the token in the Authorization header (`Token <key>`, `Bearer <key>` or `JWT <key>`), else of the session
 * cookie. Another scheme, a blank header and an expired session are ignored.
 * @throws NotAuthenticatedError, worded as Django REST Framework does, if a token is malformed or unknown
 */
export async function identifyUser(ctx: ParameterizedContext, accounts: Accounts | null): Promise<Identity> {
  const token = tokenIn(ctx.req.headers.authorization ?? '');
  if (token !== null) {
    const viewer = await accounts?.viewerByToken(token);
    if (!viewer) throw new NotAuthenticatedError('Invalid token.');
    return { viewer, bySession: false };
  }
  const key = sessionKeyOfRequest(ctx);
  const viewer = key === undefined ? null : await accounts?.viewerBySession(key);
  return viewer ? { viewer, bySession: true } : notSignedIn;
}

function tokenIn(header: string): string | null {
  const [scheme = '', ...parts] = header.split(/\s+/).filter(Boolean);
  if (!/^(token|bearer|jwt)$/i.test(scheme)) return null;
  if (parts.length === 0) throw new NotAuthenticatedError('Invalid token header. No credentials provided.');
  if (parts.length > 1)
    throw new NotAuthenticatedError('Invalid token header. Token string should not contain spaces.');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(parts[0] ?? '', 'latin1'));
  } catch {
    throw new NotAuthenticatedError('Invalid token header. Token string should not contain invalid characters.');
  }
}

/** Name of the cookie, as Django calls it, since its clients look for it. */
const csrfCookie = 'csrftoken';

/** In seconds. */
const aYear = 365 * 24 * 3600;

/** The key of the request's session; undefined if it sends none. */
export function sessionKeyOfRequest(ctx: ParameterizedContext): string | undefined {
  return (ctx.req.headers.cookie && ctx.cookies.get(sessionCookie)) || undefined;
}

/**
 * The keys of all sessions that the request sends: a browser may also have a cookie of another path of this host, by an earlier
 * address of the catalogue or by another program.
 */
export const sessionKeysOfRequest = (ctx: ParameterizedContext): readonly string[] =>
  (ctx.req.headers.cookie ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${sessionCookie}=`))
    .map((cookie) => cookie.slice(sessionCookie.length + 1))
    .filter(Boolean);

/** @param expires ISO 8601; null ends the session */
export function setSessionCookie(ctx: ParameterizedContext, base: string, key: string, expires: string | null): void {
  const age = expires === null ? 0 : Math.floor((Date.parse(expires) - Date.now()) / 1000);
  setCookie(ctx, base, `${sessionCookie}=${key}; Max-Age=${age}; HttpOnly`);
}

/**
 * The CSRF token of a session. Another site of the same domain may set cookies, but can't compute it: it doesn't know the
 * session's key.
 */
const csrfTokenOfSession = (key: string) => createHmac('sha256', key).update('csrf').digest('base64url');

/**
 * The CSRF token for a form: that of the session; without one, the browser's own or a new one. Our scripts may read its
 * cookie, to send it as X-CSRFToken.
 * @param session key of the session; by default that of the request
 */
export function ensureCsrfToken(ctx: ParameterizedContext, base: string, session = sessionKeyOfRequest(ctx)): string {
  const own = ctx.cookies.get(csrfCookie) ?? '';
  const anonymousToken = () => (/^[\w-]{43}$/.test(own) ? own : randomBytes(32).toString('base64url'));
  const token = session === undefined ? anonymousToken() : csrfTokenOfSession(session);
  setCookie(ctx, base, `${csrfCookie}=${token}; Max-Age=${aYear}`);
  return token;
}

/**
 * Refuses a request that another site has made a browser send along with our cookies: that site knows neither the token
 * of the session nor, without a session, that in the CSRF cookie; and it can't choose the Origin.
 * @throws NotPermittedError, worded as Django REST Framework does
 */
export function assertCsrfTokenAndOrigin(ctx: ParameterizedContext, base: string): void {
  if (!isCsrfToken(ctx, ctx.get('X-CSRFToken')))
    throw new NotPermittedError('CSRF Failed: CSRF token missing or incorrect.');
  assertOwnOrigin(ctx, base);
}

/** True if the token is that of the session or, without a session, that in the CSRF cookie. */
export function isCsrfToken(ctx: ParameterizedContext, given: unknown): boolean {
  const session = sessionKeyOfRequest(ctx);
  const expected = Buffer.from(
    session === undefined ? (ctx.cookies.get(csrfCookie) ?? '') : csrfTokenOfSession(session),
  );
  const found = Buffer.from(typeof given === 'string' ? given : '');
  return expected.length > 0 && expected.length === found.length && timingSafeEqual(expected, found);
}

/** @throws NotPermittedError if the page that sent the request is another site's, as far as the browser tells */
export function assertOwnOrigin(ctx: ParameterizedContext, base: string): void {
  const origin = ctx.get('Origin');
  const ourHosts = [ctx.get('Host').toLowerCase(), hostOf(base)];
  if (origin && !ourHosts.includes(hostOf(origin)))
    throw new NotPermittedError(
      `CSRF Failed: Origin checking failed - ${excerpt(origin)} does not match any trusted origins.`,
    );
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

/** Sets a cookie for the paths of the catalogue: other programs of the host may have cookies of these names. */
function setCookie(ctx: ParameterizedContext, base: string, cookie: string): void {
  const secure = base.startsWith('https:') ? '; Secure' : '';
  ctx.append('Set-Cookie', `${cookie}; Path=${baseUrlPath(base)}/; SameSite=Lax${secure}`);
}
