/** The two cookies there are: one that stands for a session, and one that shows that a form is ours. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import { NotPermittedError } from '../catalogue/errors.ts';

/** As Django calls them, since its clients look for them by name. */
const sessionCookie = 'sessionid';
const csrfCookie = 'csrftoken';

const aYear = 365 * 24 * 3600;

/** The key of the session that a request is part of; undefined where it is part of none. */
export function sessionKey(ctx: ParameterizedContext): string | undefined {
  return (ctx.req.headers.cookie && ctx.cookies.get(sessionCookie)) || undefined;
}

/** @param expires null ends it */
export function setSession(ctx: ParameterizedContext, base: string, key: string, expires: string | null): void {
  const age = expires === null ? 0 : Math.floor((Date.parse(expires) - Date.now()) / 1000);
  setCookie(ctx, base, `${sessionCookie}=${key}; Max-Age=${age}; HttpOnly`);
}

/** The token that forms carry: the browser's own, or a new one. Scripts of ours may read it, to send it as X-CSRFToken. */
export function csrfToken(ctx: ParameterizedContext, base: string, anew = false): string {
  const own = ctx.cookies.get(csrfCookie) ?? '';
  const token = !anew && /^[\w-]{43}$/.test(own) ? own : randomBytes(32).toString('base64url');
  setCookie(ctx, base, `${csrfCookie}=${token}; Max-Age=${aYear}`);
  return token;
}

/**
 * Makes sure that a request comes from a page of ours, and not from one that only knows that the browser will send the
 * cookies along: a page elsewhere can neither read the cookie to repeat it, nor choose another Origin.
 * @param given what the form holds; by default the X-CSRFToken header
 * @throws NotPermittedError, worded as Django REST Framework does
 */
export function mustBeOurs(ctx: ParameterizedContext, base: string, given: unknown = ctx.get('X-CSRFToken')): void {
  const expected = Buffer.from(ctx.cookies.get(csrfCookie) ?? '');
  const found = Buffer.from(typeof given === 'string' ? given : '');
  const same = expected.length > 0 && expected.length === found.length && timingSafeEqual(expected, found);
  if (!same) throw new NotPermittedError('CSRF Failed: CSRF token missing or incorrect.');
  const origin = ctx.get('Origin');
  if (origin && !hosts(ctx, base).includes(hostOf(origin)))
    throw new NotPermittedError(`CSRF Failed: Origin checking failed - ${origin} does not match any trusted origins.`);
}

/** The hosts under which we are reached: as the client says, and as our links say. */
const hosts = (ctx: ParameterizedContext, base: string) => [ctx.get('Host').toLowerCase(), hostOf(base)];
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

function setCookie(ctx: ParameterizedContext, base: string, cookie: string): void {
  ctx.append('Set-Cookie', `${cookie}; Path=/; SameSite=Lax${base.startsWith('https:') ? '; Secure' : ''}`);
}
