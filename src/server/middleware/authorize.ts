/** Steps that find out who the viewer is and whether they may write, in the order of Django REST Framework. */
import { NotAuthenticatedError, NotPermittedError } from '../../catalogue/errors.ts';
import type { Viewer } from '../../catalogue/permissions.ts';
import { assertCsrfTokenAndOrigin, identifyUser, notSignedIn } from '../credentials.ts';
import { ReadOnlyError } from '../errors.ts';
import { baseUrlOf } from '../request.ts';
import { type AppContext, allowHeader, type Context, isSafeMethod, type RequestContext, type Route } from '../route.ts';

/**
 * The viewer and their catalogue, and the base URL of links.
 * @throws NotAuthenticatedError, NotPermittedError (CSRF), BadRequestError (an invalid Host header)
 */
export async function identifyRequest(
  ctx: Context,
  route: Route,
  app: AppContext,
  suffix: string,
): Promise<Pick<RequestContext, 'viewer' | 'catalogue' | 'links'>> {
  const { viewer, bySession } = route.withoutSignIn ? notSignedIn : await identifyUser(ctx, app.signIn.accounts);
  ctx.state.viewer = viewer;
  const catalogue = app.catalogueFor(viewer);
  const links = { base: baseUrlOf(ctx.req, catalogue.settings, app.baseUrl), suffix };
  if (bySession && !isSafeMethod(ctx.method)) assertCsrfTokenAndOrigin(ctx, links.base);
  if (viewer.username !== null) ctx.set('Allow', allowHeader(route, true));
  return { viewer, catalogue, links };
}

/**
 * Refuses a write of a user who isn't signed in or has a read-only token, and all writes to a read-only server.
 * @throws NotAuthenticatedError, NotPermittedError, ReadOnlyError
 */
export function refuseAnonymousOrReadOnlyWrite(
  { method }: Context,
  route: Route,
  viewer: Viewer,
  { readOnly }: AppContext,
): void {
  if (isSafeMethod(method)) return;
  if (viewer.username === null && !route.withoutSignIn) throw new NotAuthenticatedError();
  if (viewer.readOnly) throw new NotPermittedError();
  if (readOnly && !route.withoutSignIn) throw new ReadOnlyError('This server is read-only.');
}
