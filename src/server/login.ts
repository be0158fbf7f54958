/** /auth/login/ and /auth/logout/: pages for people, whose sessions are cookies. */
import type { Middleware, ParameterizedContext } from 'koa';
import type { Session } from '../catalogue/accounts.ts';
import type { Input } from '../catalogue/catalogue.ts';
import { NotPermittedError, StaleError } from '../catalogue/errors.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import { baseUrlPath } from '../catalogue/urls.ts';
import { renderSignInPage, renderSignOutPage, type SignInProblem } from '../pages/sign-in.tsx';
import { largestCredentials, readInputBody } from './body.ts';
import {
  assertOwnOrigin,
  ensureCsrfToken,
  isCsrfToken,
  sessionKeyOfRequest,
  sessionKeysOfRequest,
  setSessionCookie,
} from './credentials.ts';
import { MethodNotAllowedError, ThrottledError } from './errors.ts';
import { makePageContext } from './page-context.ts';
import { baseUrlOf } from './request.ts';
import type { AppContext } from './route.ts';

/** A request for a page. */
interface Visit {
  readonly ctx: ParameterizedContext;
  readonly base: string;
  readonly app: AppContext;
}

/** The pages, by their paths. */
export function loginPages(app: AppContext): readonly (readonly [path: string, page: Middleware])[] {
  const page = (
    get: (visit: Visit, attempt: Attempt) => Promise<void>,
    post: (visit: Visit, input: Input) => Promise<void>,
  ): Middleware => {
    return async (ctx) => {
      setHeaders(ctx);
      const base = baseUrlOf(ctx.req, app.publicCatalogue.settings, app.baseUrl);
      const visit = { ctx, base, app };
      if (ctx.method === 'GET' || ctx.method === 'HEAD') return get(visit, {});
      if (ctx.method === 'OPTIONS') {
        ctx.status = 204;
        return;
      }
      if (ctx.method !== 'POST') throw new MethodNotAllowedError(ctx.method);
      const input = await readInputBody(ctx, undefined, largestCredentials);
      assertOwnOrigin(ctx, base);
      if (isCsrfToken(ctx, ctx.get('X-CSRFToken') || input.csrfmiddlewaretoken)) return post(visit, input);
      // The form is older than the session: somebody signed in or out in another tab meanwhile. Here is a new one.
      ctx.status = 403;
      return get(visit, { username: usernameIn(input), problem: { key: 'formOutOfDate' }, input });
    };
  };
  return [
    ['/auth/login/', page(async (visit, attempt) => showSignIn(visit, attempt), logIn)],
    ['/auth/logout/', page(askToLogOut, logOut)],
  ];
}

/** Headers of every response: a page, not to be cached or framed or read by other origins. */
function setHeaders(ctx: ParameterizedContext): void {
  ctx.state.type = 'text/html';
  ctx.set('Allow', 'GET, POST, HEAD, OPTIONS');
  ctx.vary(['Cookie', 'Accept-Language']);
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Frame-Options', 'DENY');
  ctx.remove('Access-Control-Allow-Origin');
}

/** A failed attempt to sign in or out. */
interface Attempt {
  readonly username?: string;
  readonly problem?: SignInProblem;
  readonly input?: Input;
}

async function showSignIn(visit: Visit, { username, problem, input = {} }: Attempt): Promise<void> {
  const { ctx, base, app } = visit;
  const csrf = ensureCsrfToken(ctx, base);
  const signedIn = (await viewerOfSession(visit))?.username ?? null;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = renderSignInPage(makePageContext(ctx, app.publicCatalogue.settings, base, signedIn), {
    ...{ csrf, next: redirectTo(ctx, input) },
    ...(username !== undefined && { username }),
    ...(problem && { problem }),
  });
}

/** The user of the session that the browser has; null if it has none that is valid. */
async function viewerOfSession({ ctx, app }: Visit): Promise<Viewer | null> {
  const key = sessionKeyOfRequest(ctx);
  return (key === undefined ? null : await app.signIn.accounts?.viewerBySession(key)) ?? null;
}

const usernameIn = ({ username }: Input): string => (typeof username === 'string' ? username.trim() : '');

async function logIn(visit: Visit, input: Input): Promise<void> {
  const { ctx, base, app } = visit;
  const { accounts } = app.signIn;
  const username = usernameIn(input);
  const password = typeof input.password === 'string' ? input.password : '';
  const refuse = () => showSignIn(visit, { username, problem: { key: 'wrongPair' }, input });
  let session: Session;
  try {
    const { settings } = app.publicCatalogue;
    const hash = username && password && (await app.signIn.verifyPassword(ctx.req, settings, username, password));
    if (!hash || !accounts) return refuse();
    session = await accounts.startSession(username, hash);
  } catch (error) {
    // The password was changed while it was verified.
    if (error instanceof StaleError) return refuse();
    if (!(error instanceof ThrottledError)) throw error;
    ctx.status = 429;
    ctx.set('Retry-After', String(error.seconds));
    return showSignIn(visit, { username, problem: { key: 'tooManyAttempts', count: error.seconds }, input });
  }
  const { key, expires } = session;
  // The session and the CSRF token that the browser had before are worthless from now on.
  for (const before of sessionKeysOfRequest(ctx)) await accounts.endSession(before);
  setSessionCookie(ctx, base, key, expires);
  ensureCsrfToken(ctx, base, key);
  redirect(ctx, base, redirectTo(ctx, input));
}

async function askToLogOut(visit: Visit, { problem, input = {} }: Attempt): Promise<void> {
  const { ctx, base, app } = visit;
  const viewer = await viewerOfSession(visit);
  if (!viewer) return redirect(ctx, base, redirectTo(ctx, input) || `${baseUrlPath(base)}/api/v1/`);
  const { settings } = app.publicCatalogue;
  const { username } = viewer;
  const parts = {
    ...{ csrf: ensureCsrfToken(ctx, base), next: redirectTo(ctx, input), username: username ?? '' },
    ...(problem && { problem }),
  };
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = renderSignOutPage(makePageContext(ctx, settings, base, username), parts);
}

async function logOut({ ctx, base, app }: Visit, input: Input): Promise<void> {
  try {
    for (const key of sessionKeysOfRequest(ctx)) await app.signIn.accounts?.endSession(key);
  } catch (error) {
    // A read-only server can't end it, but the browser forgets it.
    if (!(error instanceof NotPermittedError)) throw error;
  }
  setSessionCookie(ctx, base, '', null);
  redirect(ctx, base, redirectTo(ctx, input));
}

/** The page to redirect to afterwards, from the form or the query string; '' if none is given. */
function redirectTo(ctx: ParameterizedContext, input: Input): string {
  const next = typeof input.next === 'string' ? input.next : ctx.query.next;
  return typeof next === 'string' ? ownPath(next) : '';
}

/** A path of this site, else '': a link to our login page must not lead to other sites. */
function ownPath(path: string): string {
  const site = 'http://site.invalid';
  if (!path.startsWith('/') || !URL.canParse(path, site)) return '';
  const { origin, pathname, search, hash } = new URL(path, site);
  return origin === site && !pathname.startsWith('//') ? pathname + search + hash : '';
}

function redirect(ctx: ParameterizedContext, base: string, path: string): void {
  ctx.status = 302;
  ctx.body = '';
  ctx.remove('Content-Type');
  ctx.set('Location', path || `${baseUrlPath(base)}/`);
}
