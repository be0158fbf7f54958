/** The last step: the handler of the request's method. */
import { MethodNotAllowedError } from '../errors.ts';
import { metadataOf } from '../metadata.ts';
import type { Method, Representation, RequestContext, Route, Step } from '../route.ts';

/** Calls the handler of the method, and leaves what it returns in `ctx.state.representation`. */
export const dispatch: Step = async (ctx) => {
  const { route, app, catalogue, viewer, query, links, type } = ctx.state;
  const request: RequestContext = { ctx, app, catalogue, viewer, params: ctx.params, query, links, type };
  const { handlers } = route;
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const handler = Object.hasOwn(handlers, method) ? handlers[method as Method] : undefined;
  if (handler) ctx.state.representation = await handler(request);
  else if (method === 'OPTIONS') ctx.state.representation = await describe(route, request);
  else throw new MethodNotAllowedError(ctx.method);
};

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
