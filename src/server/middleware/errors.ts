/** Errors, as responses in the media type that the client asked for. */
import type { Middleware, ParameterizedContext } from 'koa';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { FileProblems } from '../../catalogue/diagnostic.ts';
import { MovedError, NotFoundError } from '../../catalogue/errors.ts';
import { anonymous, type Viewer } from '../../catalogue/permissions.ts';
import { renderProblemPage } from '../../pages/problem.tsx';
import { dropBody } from '../continue.ts';
import { problemsOfFiles } from '../dataset-state.ts';
import { errorResponse } from '../errors.ts';
import { cacheControlOf, commonHeaders, pageHeaders } from '../headers.ts';
import { findNearestAddresses } from '../nearest-address.ts';
import { preferredType } from '../negotiate.ts';
import { makePageContext } from '../page-context.ts';
import { moved } from '../redirects.ts';
import { baseUrlOf, requestIdHeader } from '../request.ts';
import type { AppContext } from '../route.ts';

/** Codes of errors that only say that the client has closed the connection. */
const clientLeft = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Headers of bytes that a handler was about to send when it failed: they don't fit the error. */
const representationHeaders = [
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'Last-Modified',
  'Repr-Digest',
];

/** Responds to whatever is thrown, and sets the headers of every response. */
export function respondToErrors(app: AppContext): Middleware {
  return async (ctx, next) => {
    app.accessLog?.note(ctx.req, () => {
      const { route, viewer } = ctx.state;
      return { route: route?.name ?? null, viewer: viewer?.username ?? null, cached: false };
    });
    for (const [name, value] of commonHeaders(app.publicCatalogue.settings)) ctx.set(name, value);
    try {
      await next();
    } catch (error) {
      if (clientLeft.has((error as NodeJS.ErrnoException).code ?? '')) return;
      if (error instanceof MovedError) return redirect(ctx, error, app);
      dropBody(ctx.req);
      await sendError(ctx, app, error);
    } finally {
      if (ctx.response.is('html')) for (const [name, value] of pageHeaders) ctx.set(name, value);
    }
  };
}

/** A request in the log of errors. */
export const requestLabel = (ctx: ParameterizedContext): string =>
  `${ctx.method} ${ctx.path} (${ctx.response.get(requestIdHeader)})`;

async function sendError(ctx: ParameterizedContext, app: AppContext, error: unknown): Promise<void> {
  const { status, body, headers, unexpected } = errorResponse(error);
  if (status >= 500) app.onError(error);
  if (unexpected) app.log(`${requestLabel(ctx)}: ${(error as Error).stack ?? error}`);
  else if (Object(error).cause) app.log(`${requestLabel(ctx)}: ${Object(error).cause.message}`);
  ctx.set('Cache-Control', cacheControlOf(ctx.req));
  for (const [name, value] of headers) ctx.set(name, value);
  for (const name of representationHeaders) ctx.remove(name);
  ctx.status = status;
  ctx.vary('Accept');
  const type = ctx.state.type ?? preferredType(ctx.get('Accept'), ['application/json', 'text/html']);
  if (type === 'text/html' && status !== 406) {
    ctx.type = 'text/html; charset=utf-8';
    const { viewer } = ctx.state;
    const context = makePageContext(
      ctx,
      app.publicCatalogue.settings,
      baseUrl(ctx, app),
      viewer?.username ?? null,
      app.staticExport,
    );
    ctx.vary('Accept-Language');
    const catalogue = app.catalogueFor(viewer ?? anonymous);
    const suggestions = status === 404 ? await findNearestAddresses(catalogue, ctx.params ?? {}).catch(() => []) : [];
    const files = status === 404 && viewer ? await problemsAt(catalogue, viewer, ctx.params ?? {}) : [];
    const waiting = headers.find(([name]) => name === 'Retry-After')?.[1];
    const parts = {
      status,
      messages: body,
      suggestions,
      files,
      seconds: waiting === undefined ? null : Number(waiting),
    };
    ctx.body = renderProblemPage(context, parts);
  } else {
    ctx.body = JSON.stringify(ctx.state.route?.errorBody?.(status, body, ctx.params ?? {}) ?? body);
    ctx.set('Content-Type', 'application/json');
  }
}

/** Files with problems of a dataset that can't be read, for those who may write it. */
async function problemsAt(
  catalogue: Catalogue,
  viewer: Viewer,
  { namespace, dataset }: Readonly<Record<string, string>>,
): Promise<readonly FileProblems[]> {
  if (namespace === undefined || dataset === undefined) return [];
  const own = await catalogue.get<'namespace'>({ kind: 'namespace', slug: namespace }).catch(() => null);
  return problemsOfFiles(catalogue, viewer, own, dataset);
}

/** The base URL of links; '' in a page about an invalid Host header. */
function baseUrl(ctx: ParameterizedContext, app: AppContext): string {
  try {
    return baseUrlOf(ctx.req, app.publicCatalogue.settings, app.baseUrl);
  } catch {
    return '';
  }
}

/** Redirects to the new address of a resource that was renamed or moved: same sub-path, same query string. */
function redirect(ctx: ParameterizedContext, { to }: MovedError, app: AppContext): void {
  const { kind, slug, ...within } = to;
  const params: Readonly<Record<string, string>> = { ...ctx.params, ...within, [kind]: slug };
  const part = (_: string, name: string) => encodeURIComponent(params[name] ?? '');
  moved({ ctx, app }, ctx.state.route.path.replace(/:(\w+)/g, part) + ctx.search);
}

/** The last step of addresses without a route. */
export function throwNotFound(): never {
  throw new NotFoundError();
}

/** Logs an error that Koa reports, such as one of a stream that is being sent. */
export function makeErrorLogger({ log, onError }: AppContext): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (clientLeft.has(error.code ?? '')) return;
    log(`response: ${error.message}`);
    onError(error);
  };
}
