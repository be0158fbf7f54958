/**
 * Any catalogue over HTTP. `createApp` makes a request listener; it opens nothing and listens to nothing. The life of a
 * request is the body of that function: first `listenerWithCache`, around all the rest, then the steps from top to bottom. The
 * steps are in `middleware/`.
 */
import type { RequestListener } from 'node:http';
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Accounts } from '../catalogue/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { anonymous, type Viewer } from '../catalogue/permissions.ts';
import { canonicalBaseUrl } from '../catalogue/urls.ts';
import { maxSitemapEntries } from '../standards/sitemap.ts';
import { type AccessEntry, AccessLog } from './access-log.ts';
import { assertNoContentRange, assertNoDryRunInBody, assertNotCompressed } from './body.ts';
import { DifferenceFigureStore } from './difference-figures.ts';
import { datasetEditPage } from './edit-page.ts';
import { loginPages } from './login.ts';
import type { Metrics } from './metrics.ts';
import { identifyRequest, refuseAnonymousOrReadOnlyWrite } from './middleware/authorize.ts';
import { readQuery } from './middleware/column-names.ts';
import { makeErrorLogger, respondToErrors, throwNotFound } from './middleware/errors.ts';
import { negotiateMediaType, redirectToSlash, setHeadersAndAnswerPreflight } from './middleware/negotiate.ts';
import { callHandler, listenerWithCache, responseCacheBaseline, sendRepresentation } from './middleware/respond.ts';
import { parseDryRun } from './query-string.ts';
import { ResponseCache } from './response-cache.ts';
import { type AppContext, type GitUpdates, isSafeMethod, type RequestState, type StaticExport } from './route.ts';
import { routes } from './routes.ts';
import { SignIn } from './sign-in.ts';
import { type WorkBudgetOptions, WorkBudgets } from './work-budgets.ts';

export interface AppOptions {
  /** Base URL of links; by default as the catalogue's settings or the request say. */
  readonly baseUrl?: string | undefined;
  /** The accounts that may sign in; by default none. */
  readonly accounts?: Accounts;
  /** Refuse all writes. */
  readonly readOnly?: boolean;
  /** Version of the program, which staff see in the headers of the API's root. */
  readonly version?: string | undefined;
  /** Further members of `/readyz`. @throws UnavailableError if the catalogue can't be read at the moment */
  readonly health?: () => Readonly<Record<string, unknown>>;
  /** Time that each client may use for filtering, ordering and comparing rows. */
  readonly work?: Partial<WorkBudgetOptions> | undefined;
  /** Updates from a git remote that a webhook may start; by default none. */
  readonly gitUpdates?: GitUpdates | null;
  /** Takes a line for each error on our side. */
  readonly log?: (line: string) => void;
  /** Takes each error on our side. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called for every request once its response is sent. */
  readonly onResponse?: ((entry: AccessEntry) => void) | undefined;
  /** Counts requests; without it, there is no /metrics. */
  readonly metrics?: Metrics | undefined;
  /** For an app whose responses become static files. */
  readonly staticExport?: StaticExport | undefined;
  /** Most addresses in a file of the sitemap; default: 50,000, as the protocol has it. */
  readonly sitemapLimit?: number | undefined;
}

/** @param catalogueFor the catalogue as a viewer sees it */
export function createApp(catalogueFor: (viewer: Viewer) => Catalogue, options: AppOptions = {}): RequestListener {
  const app = appContext(catalogueFor, options);
  const koa = new Koa();
  const router = new Router<RequestState>({ strict: true, sensitive: true });

  koa.use(respondToErrors(app)); // turns what the steps below throw into a response
  koa.use(redirectToSlash(router, app)); // 400 if it isn't percent-encoded; 301 if it lacks the slash at its end
  router.all(...datasetEditPage(app)); // `?_edit`; other requests of a dataset go on to its route
  for (const route of routes)
    router.all(route.path, async (ctx) => {
      ctx.state = { route };
      const baseline = responseCacheBaseline(app, ctx.method);
      if (setHeadersAndAnswerPreflight(ctx, route)) return; // CORS, without credentials
      const query = await readQuery(ctx, route, app); // parameters; of rows, with exact names
      const { suffix, ...negotiated } = negotiateMediaType(ctx, route, query); // media type; 404, 406
      const { viewer, catalogue, links } = await identifyRequest(ctx, route, app, suffix); // token or session, CSRF; 401, 403
      refuseAnonymousOrReadOnlyWrite(ctx, route, viewer, app); // 401, 403
      if (['POST', 'PUT', 'PATCH'].includes(ctx.method)) assertNotCompressed(ctx); // 415
      if (ctx.method === 'PUT') assertNoContentRange(ctx); // 400
      const dryRun = !isSafeMethod(ctx.method) && parseDryRun(query); // 400
      if (ctx.method === 'DELETE') await assertNoDryRunInBody(ctx); // 400
      const request = { ctx, app, catalogue, viewer, params: ctx.params, query, links, dryRun, ...negotiated };
      const representation = await callHandler(route, request); // the handler of the method; 405
      if (representation) await sendRepresentation(route, request, representation, baseline); // from the cache if it is unchanged, else anew
    });
  for (const [path, page] of loginPages(app)) router.all(path, page);
  koa.use(router.routes() as unknown as Koa.Middleware);
  koa.use(throwNotFound);
  koa.on('error', makeErrorLogger(app));

  // Around all that: an unchanged response is sent from the cache, as fast as bare node:http.
  return listenerWithCache(app, koa.callback());
}

function appContext(catalogueFor: (viewer: Viewer) => Catalogue, options: AppOptions): AppContext {
  const { accounts = null, baseUrl, readOnly = false, metrics = null, onResponse } = options;
  const publicCatalogue = catalogueFor(anonymous);
  const report = (entry: AccessEntry) => {
    metrics?.count(entry);
    onResponse?.(entry);
  };
  return {
    publicCatalogue,
    catalogueFor: (viewer) => (viewer === anonymous ? publicCatalogue : catalogueFor(viewer)),
    signIn: new SignIn(accounts),
    workBudgets: new WorkBudgets(options.work),
    differenceFigures: new DifferenceFigureStore(),
    cache: new ResponseCache(),
    accessLog: metrics || onResponse ? new AccessLog(report) : null,
    metrics,
    baseUrl: baseUrl && canonicalBaseUrl(baseUrl),
    staticExport: options.staticExport ?? null,
    sitemapLimit: options.sitemapLimit ?? maxSitemapEntries,
    readOnly,
    version: options.version ?? '',
    health: options.health ?? (() => ({})),
    gitUpdates: options.gitUpdates ?? null,
    log: options.log ?? (() => {}),
    onError: options.onError ?? (() => {}),
  };
}
