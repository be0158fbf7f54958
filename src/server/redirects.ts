/** Redirects: of forms of pages to the plain address that they stand for, and of former addresses to the present ones. */
import type { ParameterizedContext } from 'koa';
import { cacheControlOf } from './headers.ts';
import { type AppContext, pathPrefix, type RequestContext } from './route.ts';

/** Redirects to a path with a query string, with GET (RFC 9110, section 15.4.4). */
export function seeOther({ ctx, app }: Pick<RequestContext, 'ctx' | 'app'>, path: string): void {
  ctx.status = 303;
  ctx.body = '';
  ctx.remove('Content-Type');
  ctx.set('Location', pathPrefix(app) + path);
  ctx.set('Cache-Control', cacheControlOf(ctx.req));
}

/** Redirects for good, with the same method, to a path with a query string (RFC 9110, section 15.4.9). */
export function moved(
  { ctx, app }: { readonly ctx: ParameterizedContext; readonly app: AppContext },
  path: string,
): void {
  ctx.body = '{"detail":"Moved permanently."}';
  ctx.status = 308;
  ctx.set('Content-Type', 'application/json');
  ctx.set('Location', pathPrefix(app) + path);
  ctx.set('Cache-Control', cacheControlOf(ctx.req));
}
