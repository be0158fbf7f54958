/** Steps that find out who the viewer is and whether they may write, in the order of Django REST Framework. */
import { NotAuthenticatedError, NotPermittedError } from '../../catalogue/errors.ts';
import { assertSameSite, identify, notSignedIn } from '../credentials.ts';
import { ReadOnlyError } from '../errors.ts';
import { baseUrlOf } from '../request.ts';
import { type AppContext, allowedMethods, isSafe, type Step } from '../route.ts';

/** Finds the viewer, their catalogue, and the base URL of links. */
export function authenticate(app: AppContext): Step {
  return async (ctx, next) => {
    const { state } = ctx;
    const { viewer, bySession } = state.route.withoutSignIn ? notSignedIn : await identify(ctx, app.signIn.accounts);
    state.viewer = viewer;
    state.catalogue = app.catalogueFor(viewer);
    state.links = { base: baseUrlOf(ctx.req, state.catalogue.settings, app.baseUrl), suffix: state.suffix };
    if (bySession && !isSafe(ctx.method)) assertSameSite(ctx, state.links.base);
    if (viewer.username !== null) ctx.set('Allow', allowedMethods(state.route, true));
    await next();
  };
}

/** Refuses a write of a user who isn't signed in or has a read-only token, and all writes to a read-only server. */
export function authorizeWrite({ readOnly }: AppContext): Step {
  return async (ctx, next) => {
    const { route, viewer } = ctx.state;
    if (!isSafe(ctx.method)) {
      if (viewer.username === null && !route.withoutSignIn) throw new NotAuthenticatedError();
      if (viewer.readOnly) throw new NotPermittedError();
      if (readOnly && !route.withoutSignIn) throw new ReadOnlyError('This server is read-only.');
    }
    await next();
  };
}
