/** /auth/login/ and /auth/logout/: pages for people, whose sessions are cookies. */
import type { ParameterizedContext } from 'koa';
import type { Input } from '../catalogue/catalogue.ts';
import type { Settings } from '../catalogue/types.ts';
import { signInPage, signOutPage } from '../pages/sign-in.ts';
import { readInput } from './body.ts';
import { csrfToken, mustBeOurs, sessionKey, setSession } from './cookies.ts';
import { MethodNotAllowedError, ThrottledError } from './errors.ts';
import { baseUrlOf } from './links.ts';
import type { SignIn } from './sign-in.ts';

export interface PageOptions {
  readonly settings: () => Settings;
  readonly baseUrl?: string | undefined;
  readonly signIn: SignIn;
}

type Handler = (ctx: ParameterizedContext) => Promise<void>;

/** The pages, by their paths. */
export function loginPages(options: PageOptions): readonly (readonly [path: string, handler: Handler])[] {
  const page = (get: (visit: Visit) => Promise<void>, post: (visit: Visit, input: Input) => Promise<void>): Handler => {
    return async (ctx) => {
      prepareAnswer(ctx);
      const settings = options.settings();
      const base = baseUrlOf(ctx.req, settings, options.baseUrl);
      const visit = { ctx, base, settings, signIn: options.signIn };
      if (ctx.method === 'GET' || ctx.method === 'HEAD') return get(visit);
      if (ctx.method === 'OPTIONS') {
        ctx.status = 204;
        return;
      }
      if (ctx.method !== 'POST') throw new MethodNotAllowedError(ctx.method);
      const input = await readInput(ctx);
      mustBeOurs(ctx, base, ctx.get('X-CSRFToken') || input.csrfmiddlewaretoken);
      return post(visit, input);
    };
  };
  return [
    ['/auth/login/', page(async (visit) => showSignIn(visit, {}), logIn)],
    ['/auth/logout/', page(askToLogOut, logOut)],
  ];
}

interface Visit {
  readonly ctx: ParameterizedContext;
  readonly base: string;
  readonly settings: Settings;
  readonly signIn: SignIn;
}

/** What holds for every answer: it is a page for people, for nobody else's cache, and in nobody else's frame. */
function prepareAnswer(ctx: ParameterizedContext): void {
  ctx.state.type = 'text/html';
  ctx.set('Allow', 'GET, POST, HEAD, OPTIONS');
  ctx.vary('Cookie');
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Frame-Options', 'DENY');
  ctx.remove('Access-Control-Allow-Origin');
}

interface Attempt {
  readonly username?: string;
  readonly message?: string;
  readonly input?: Input;
}

function showSignIn({ ctx, base, settings }: Visit, { username, message, input = {} }: Attempt): void {
  const csrf = csrfToken(ctx, base);
  const next = wishIn(ctx, input);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = signInPage({
    ...{ settings, base, csrf, next },
    ...(username !== undefined && { username }),
    ...(message !== undefined && { message }),
  });
}

/** Django's words. */
const wrongPair = 'Please enter a correct username and password. Note that both fields may be case-sensitive.';

async function logIn(visit: Visit, input: Input): Promise<void> {
  const { ctx, base, settings, signIn } = visit;
  const { accounts } = signIn;
  const username = typeof input.username === 'string' ? input.username.trim() : '';
  const password = typeof input.password === 'string' ? input.password : '';
  try {
    const right = username && password && (await signIn.isRight(ctx.req, settings, username, password));
    if (!right || !accounts) return showSignIn(visit, { username, message: wrongPair, input });
  } catch (error) {
    if (!(error instanceof ThrottledError)) throw error;
    ctx.status = 429;
    ctx.set('Retry-After', String(error.seconds));
    return showSignIn(visit, { username, message: error.message, input });
  }
  const { key, expires } = await accounts.startSession(username);
  // Whoever was logged in before isn't any more; nor does what was known of this browser before count from now on.
  const before = sessionKey(ctx);
  if (before !== undefined) await accounts.endSession(before);
  setSession(ctx, base, key, expires);
  csrfToken(ctx, base, true);
  goOn(ctx, base, wishIn(ctx, input));
}

async function askToLogOut({ ctx, base, settings, signIn }: Visit): Promise<void> {
  const key = sessionKey(ctx);
  const viewer = key === undefined ? null : await signIn.accounts?.viewerOfSession(key);
  if (!viewer) return goOn(ctx, base, '/api/v1/');
  const parts = { settings, base, csrf: csrfToken(ctx, base), next: wishIn(ctx, {}) };
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = signOutPage({ ...parts, username: viewer.username ?? '' });
}

async function logOut({ ctx, base, signIn }: Visit, input: Input): Promise<void> {
  const key = sessionKey(ctx);
  if (key !== undefined) await signIn.accounts?.endSession(key);
  setSession(ctx, base, '', null);
  goOn(ctx, base, wishIn(ctx, input));
}

/** Where one who was sent here wants to go afterwards; '' where they don't say. */
function wishIn(ctx: ParameterizedContext, input: Input): string {
  const wish = typeof input.next === 'string' ? input.next : ctx.query.next;
  return typeof wish === 'string' ? ownPath(wish) : '';
}

/** The path, where it is one of this site: else anybody could send people from our address to theirs. */
function ownPath(wish: string): string {
  const site = 'http://site.invalid';
  if (!wish.startsWith('/') || !URL.canParse(wish, site)) return '';
  const { origin, pathname, search, hash } = new URL(wish, site);
  return origin === site && !pathname.startsWith('//') ? pathname + search + hash : '';
}

function goOn(ctx: ParameterizedContext, base: string, path: string): void {
  const prefix = new URL(base).pathname.replace(/\/+$/, '');
  ctx.status = 302;
  ctx.body = '';
  ctx.remove('Content-Type');
  ctx.set('Location', path || `${prefix}/`);
}
