/** Redirects of forms of pages to the plain address that they stand for. */
import { cacheControlOf } from './headers.ts';
import { pathPrefix, type RequestContext } from './route.ts';

/** Redirects to a path with a query string, with GET (RFC 9110, section 15.4.4). */
export function seeOther({ ctx, app }: Pick<RequestContext, 'ctx' | 'app'>, path: string): void {
  ctx.status = 303;
  ctx.body = '';
  ctx.remove('Content-Type');
  ctx.set('Location', pathPrefix(app) + path);
  ctx.set('Cache-Control', cacheControlOf(ctx.req));
}
