/** The step that checks the address of a request before its route is looked up. */
import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { assertEncoded } from '../request.ts';
import type { RequestState } from '../route.ts';

/**
 * Addresses end in a slash: GET and HEAD without it are redirected. A redirected preflight would fail and a redirected
 * write would lose its body: they are served as if the slash were there.
 */
export function checkAddress(router: Router<RequestState>): Middleware {
  const isRoute = (path: string) => router.match(path, 'GET').route;
  return async (ctx, next) => {
    assertEncoded(ctx.req);
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
