/**
 * Any catalogue over HTTP. `createApp` makes a function of requests and responses; it opens nothing and listens to
 * nothing. The life of a request is on this page.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Router } from '@koa/router';
import Koa, { type ParameterizedContext } from 'koa';
import type { Accounts } from '../catalogue/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { MovedError, NotFoundError } from '../catalogue/errors.ts';
import { anonymous, type Viewer } from '../catalogue/permissions.ts';
import type { Settings } from '../catalogue/types.ts';
import { plainPage } from '../pages/plain.ts';
import { answerTo } from './errors.ts';
import { type Exchange, type Finding, watch } from './exchange.ts';
import { always, crossOrigin, pageSecurity } from './headers.ts';
import { baseUrlOf } from './links.ts';
import { loginPages } from './login.ts';
import type { Metrics } from './metrics.ts';
import { preferredType } from './negotiate.ts';
import { formFor, keyOf, PreparedAnswers, prepare, send } from './prepared.ts';
import { remoteAddress } from './remote.ts';
import { requestIdHeader, requestIdOf } from './request-id.ts';
import { mustBeEncoded, normalise } from './request-line.ts';
import { type Shown, serve } from './route.ts';
import { routes } from './routes.ts';
import { SignIn } from './sign-in.ts';

export interface AppOptions {
  /** What links begin with; by default as the catalogue's settings or the request say. */
  readonly baseUrl?: string | undefined;
  /** Who may sign in; by default nobody. */
  readonly accounts?: Accounts;
  /** Refuse all writing. */
  readonly readOnly?: boolean;
  /** What `/readyz` says besides. */
  readonly health?: () => Readonly<Record<string, unknown>>;
  /** Takes one line for each thing that went wrong on our side. */
  readonly log?: (line: string) => void;
  /** Told of every exchange once it is over. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** What counts them; without it, there is no /metrics. */
  readonly metrics?: Metrics | undefined;
}

/**
 * The server's function of requests.
 * @param catalogueFor the catalogue as a viewer may see it
 */
export function createApp(catalogueFor: (viewer: Viewer) => Catalogue, options: AppOptions = {}): RequestListener {
  const open = catalogueFor(anonymous);
  const prepared = new PreparedAnswers();
  const { metrics, onExchange } = options;
  const tell = (exchange: Exchange) => {
    metrics?.answered(exchange);
    onExchange?.(exchange);
  };
  const findings = metrics || onExchange ? new WeakMap<IncomingMessage, Finding>() : null;
  const signIn = new SignIn(options.accounts ?? null);
  const routeOptions = {
    catalogueFor: (viewer: Viewer) => (viewer === anonymous ? open : catalogueFor(viewer)),
    signIn,
    baseUrl: options.baseUrl,
    readOnly: options.readOnly,
    health: options.health,
  };
  const router = new Router({ strict: true, sensitive: true });
  for (const route of routes)
    router.all(route.path, async (ctx) => {
      ctx.state = { route, open, metrics };
      // Looked at before the answer is made: what changes meanwhile makes it look older than it is, and never newer.
      const { revision, settings } = open;
      const moment = prepared.momentOf(revision);
      const shown = await serve(route, ctx, routeOptions);
      if (shown) await show(ctx, shown, moment, settings);
    });
  const pages = loginPages({ settings: () => open.settings, baseUrl: options.baseUrl, signIn });
  for (const [path, handler] of pages) router.all(path, handler);
  // By default the router's middleware answers unknown methods itself; `serve` does, in its own order.
  const app = new Koa();
  app.use(failures);
  app.use(slashes);
  app.use(router.routes() as unknown as Koa.Middleware);
  app.use(() => {
    throw new NotFoundError();
  });
  app.on('error', (error) => {
    if (!clientLeft.has(error.code)) options.log?.(`response: ${error.message}`);
  });
  const callback = app.callback();

  return (request, response) => {
    normalise(request);
    const { revision, settings } = open;
    // By its id a request is found in a log, ours or a proxy's. Without one, answers that lie ready are sent as they are.
    if (!findings && !settings.trust_proxy && prepared.answer(request, response, revision)) return;
    const id = requestIdOf(request.headers, settings.trust_proxy);
    const finding = findings && watch(request, response, id, remoteAddress(request, settings), tell);
    const answered = prepared.answer(request, response, revision, [requestIdHeader, id]);
    if (answered) {
      if (finding) Object.assign(finding, { prepared: true, route: answered.route });
      return;
    }
    response.setHeader(requestIdHeader, id);
    if (finding) findings?.set(request, finding);
    callback(request, response);
  };

  /** Writes what a route shows: as prepared before if it is still the same, else anew. */
  async function show(ctx: ParameterizedContext, shown: Shown, moment: number, settings: Settings): Promise<void> {
    const { type, route } = ctx.state;
    const key = shown.parts.length ? keyOf(ctx.req) : null;
    // The settings say what links begin with and what pages are called.
    const parts = [settings, ...shown.parts];
    const before = key === null ? undefined : prepared.get(key);
    let answer = before;
    if (before && sameParts(before.parts, parts)) before.moment = moment;
    else {
      const body = bodyOf(ctx, shown);
      ctx.vary('Accept-Encoding');
      const isPage = type === 'text/html' || shown.html;
      const headers = [
        ['Content-Type', isPage ? 'text/html; charset=utf-8' : type],
        ['Allow', ctx.response.get('Allow')],
        ['Vary', ctx.response.get('Vary')],
        // What one who is signed in sees is for their own cache only.
        ['Cache-Control', ctx.req.headers.authorization || ctx.req.headers.cookie ? 'private, no-cache' : 'no-cache'],
        ...common(),
        ...(isPage ? pageSecurity : []),
        ...(shown.headers ?? []),
      ] as const;
      answer = prepare(moment, parts, body, headers, route.name);
      if (key !== null) prepared.set(key, answer);
    }
    if (!answer) return;
    const form = await formFor(answer, ctx.get('Accept-Encoding'));
    ctx.respond = false;
    send(ctx.req, ctx.res, form, shown.status);
  }

  function bodyOf(ctx: ParameterizedContext, { title, json, html }: Shown): string {
    const { type, indent } = ctx.state;
    if (html) return html(open.settings, baseOf(ctx));
    if (type === 'text/html') return pageOf(ctx, title, JSON.parse(json()));
    return indent === undefined ? json() : JSON.stringify(JSON.parse(json()), null, indent);
  }

  function common() {
    return open.settings.cors ? [...always, ...crossOrigin] : always;
  }

  function pageOf(ctx: ParameterizedContext, title: string, value: unknown): string {
    return plainPage(title, open.settings, value, baseOf(ctx));
  }

  /** What links begin with; nothing on a page about a Host header that is none. */
  function baseOf(ctx: ParameterizedContext): string {
    try {
      return baseUrlOf(ctx.req, open.settings, options.baseUrl);
    } catch {
      return '';
    }
  }

  /** Turns whatever goes wrong into its answer, in the type that the client asked for. */
  async function failures(ctx: ParameterizedContext, next: () => Promise<void>): Promise<void> {
    for (const [name, value] of common()) ctx.set(name, value);
    try {
      mustBeEncoded(ctx.req);
      await next();
    } catch (error) {
      if (clientLeft.has((error as NodeJS.ErrnoException).code ?? '')) return;
      if (error instanceof MovedError) return moved(ctx, error);
      // What is still to come of a body is let pass: else the client, busy sending it, wouldn't read why it needn't.
      ctx.req.resume();
      const answer = answerTo(error);
      const asked = `${ctx.method} ${ctx.path} (${ctx.response.get(requestIdHeader)})`;
      if (answer.unexpected) options.log?.(`${asked}: ${(error as Error).stack ?? error}`);
      else if (Object(error).cause) options.log?.(`${asked}: ${Object(error).cause.message}`);
      for (const [name, value] of answer.headers) ctx.set(name, value);
      ctx.remove('Content-Disposition');
      ctx.status = answer.status;
      ctx.vary('Accept');
      const type = ctx.state.type ?? preferredType(ctx.get('Accept'), ['application/json', 'text/html']);
      if (type === 'text/html' && answer.status !== 406) {
        ctx.type = 'text/html; charset=utf-8';
        ctx.body = pageOf(ctx, `${answer.status}`, answer.body);
      } else {
        ctx.body = JSON.stringify(answer.body);
        ctx.set('Content-Type', 'application/json');
      }
    } finally {
      if (ctx.response.is('html')) for (const [name, value] of pageSecurity) ctx.set(name, value);
      const { route, viewer } = ctx.state;
      const finding = findings?.get(ctx.req);
      if (finding) Object.assign(finding, { route: route?.name ?? null, viewer: viewer?.username ?? null });
    }
  }

  /** What was renamed or moved is at another address: the same place below it, the same question. */
  function moved(ctx: ParameterizedContext, { to }: MovedError): void {
    const { kind, slug, ...within } = to;
    const params: Readonly<Record<string, string>> = { ...ctx.params, ...within, [kind]: slug };
    const part = (_: string, name: string) => encodeURIComponent(params[name] ?? '');
    ctx.body = '{"detail":"Moved permanently."}';
    ctx.status = 308;
    ctx.set('Content-Type', 'application/json');
    ctx.set('Location', `${ctx.state.route.path.replace(/:(\w+)/g, part)}${ctx.search}`);
    ctx.set('Cache-Control', 'no-cache');
  }

  /**
   * Addresses end in a slash. One who reads is sent there (a preflight and a write would fail or lose their body: they
   * are served as if it were there).
   */
  async function slashes(ctx: ParameterizedContext, next: () => Promise<void>): Promise<void> {
    if (!ctx.path.endsWith('/') && !known(ctx.path) && known(`${ctx.path}/`)) {
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
  }

  function known(path: string): boolean {
    return router.match(path, 'GET').route;
  }
}

/** That a client left in the middle of an answer is nothing that went wrong on our side. */
const clientLeft = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

function sameParts(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

/** Answers before there is a catalogue to show: the process lives, and is not ready. */
export function notReady({ url }: IncomingMessage, response: ServerResponse): void {
  const alive = url === '/healthz';
  for (const [name, value] of [...always, ...crossOrigin]) response.setHeader(name, value);
  response.setHeader(requestIdHeader, requestIdOf({}, false));
  response.writeHead(alive ? 200 : 503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  response.end(alive ? '{"status":"ok"}' : '{"detail":"The catalogue is being read."}');
}
