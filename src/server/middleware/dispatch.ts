/** The last step: the handler of the request's method. */
import { MethodNotAllowedError } from '../errors.ts';
import { metadataOf } from '../metadata.ts';
import type { Method, Representation, RequestContext, Route } from '../route.ts';

/**
 * Calls the handler of the method; that of GET answers HEAD, too.
 * @throws MethodNotAllowedError, and what handlers throw
 */
export async function dispatch(route: Route, request: RequestContext): Promise<Representation | undefined> {
  const { method } = request.ctx;
  const name = method === 'HEAD' ? 'GET' : method;
  const handler = Object.hasOwn(route.handlers, name) ? route.handlers[name as Method] : undefined;
  if (handler) return handler(request);
  if (method === 'OPTIONS') return describe(route, request);
  throw new MethodNotAllowedError(method);
}

/** The response to OPTIONS: Django REST Framework's metadata. */
async function describe(route: Route, request: RequestContext): Promise<Representation> {
  const { name, types, parses, options } = route;
  const metadata = { name, description: '', renders: types, parses, ...options, ...(await actionsOf(route, request)) };
  return { title: name, dependsOn: [], json: () => JSON.stringify(metadata) };
}

/** The fields that the viewer may write: of a new entity in a collection, or of an entity that exists. */
async function actionsOf({ fields, handlers }: Route, request: RequestContext): Promise<object> {
  if (!fields || request.viewer.username === null) return {};
  if (handlers.POST) return { actions: { POST: metadataOf(fields) } };
  const exists = await handlers.GET?.(request).catch(() => undefined);
  return exists ? { actions: { PUT: metadataOf(fields) } } : {};
}
