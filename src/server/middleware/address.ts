/** Steps that check the address of a request before its route is looked up. */
import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { assertEncoded } from '../request.ts';

/** Refuses an address that holds more characters than a URL may. */
export const refuseUnencoded: Middleware = async (ctx, next) => {
  assertEncoded(ctx.req);
  await next();
};

/**
 * Addresses end in a slash: GET and HEAD without it are redirected. A redirected preflight would fail and a redirected
 * write would lose its body: they are served as if the slash were there.
 */
export function addSlash(router: Router): Middleware {
  const isRoute = (path: string) => router.match(path, 'GET').route;
  return async (ctx, next) => {
    if (!ctx.path.endsWith('/') && !isRoute(ctx.path) && isRoute(`${ctx.path}/`)) {
      if (ctx.method === 'GET' || ctx.method === 'HEAD') {
        ctx.body = '';
        ctx.status = 301;
        ctx.remove('Content-Type');
        ctx.set('Location', `${ctx.path}/${ctx.search}`);
        return;
      }
      ctx.path = `${ctx.path}/`;
    }
    await next();
  };
}
