/** The step in front of Koa: responses that are cached and unchanged are sent without any of the other steps. */
import type { RequestListener } from 'node:http';
import { clientAddress, requestIdHeader, requestIdOf, useOriginForm } from '../request.ts';
import type { AppContext } from '../route.ts';

export function cacheFirst({ publicCatalogue, cache, accessLog }: AppContext, next: RequestListener): RequestListener {
  return (request, response) => {
    useOriginForm(request);
    const { revision, settings } = publicCatalogue;
    // A request id serves a log, ours or a proxy's. Without one, cached responses are sent as they are.
    if (!accessLog && !settings.trust_proxy && cache.respond(request, response, revision)) return;
    const id = requestIdOf(request.headers, settings.trust_proxy);
    accessLog?.watch(request, response, id, clientAddress(request, settings));
    const cached = cache.respond(request, response, revision, [requestIdHeader, id]);
    if (cached) {
      accessLog?.note(request, { route: cached.route, viewer: null, cached: true });
      return;
    }
    response.setHeader(requestIdHeader, id);
    next(request, response);
  };
}
