/** Responses: from the cache, in front of Koa; else a handler's representation, sent and put into the cache. */
import type { RequestListener } from 'node:http';
import type { Settings } from '../../catalogue/types.ts';
import { nextTurn } from '../../data/event-loop.ts';
import { renderJsonPage } from '../../pages/json-page.tsx';
import type { PageContext } from '../../pages/page-context.ts';
import { renderDescription } from '../descriptions.ts';
import { documentLinks, negotiatedDocument, sentenceAboutTypes } from '../documents.ts';
import { MethodNotAllowedError, MissingDocumentError, NotAcceptableError } from '../errors.ts';
import { etagOf } from '../etags.ts';
import { cacheControlOf, commonHeaders, framablePageHeaders, type Headers, pageHeaders } from '../headers.ts';
import { runInTurns } from '../in-turns.ts';
import { type Alternate, withLinks } from '../link-header.ts';
import { optionsMetadata } from '../metadata.ts';
import { acceptWithoutProfiles, preferredCoding } from '../negotiate.ts';
import { makePageContext } from '../page-context.ts';
import { chooseRequestId, clientIpAddress, hasSeveralHosts, requestIdHeader, rewriteToOriginForm } from '../request.ts';
import {
  assertIfMatch,
  type CachedResponse,
  encodedVariantFor,
  makeCachedResponse,
  responseCacheKey,
  sendResponseVariant,
} from '../response-cache.ts';
import { acceptsParts, ResponseInParts } from '../response-in-parts.ts';
import {
  type AppContext,
  isSafeMethod,
  type Method,
  type PageInParts,
  type Representation,
  type RequestContext,
  type Route,
} from '../route.ts';
import { validatedBody, withOwnTag } from '../validated-body.ts';
import { requestLabel } from './errors.ts';
import { negotiateMediaType } from './negotiate.ts';

/** The listener in front of Koa: responses that are cached and unchanged are sent without any of the other steps. */
export function listenerWithCache(
  { publicCatalogue, cache, accessLog }: AppContext,
  next: RequestListener,
): RequestListener {
  return (request, response) => {
    rewriteToOriginForm(request);
    const { settings } = publicCatalogue;
    const fromCache = (headers?: readonly string[]) =>
      isSafeMethod(request.method ?? '') && !hasSeveralHosts(request)
        ? cache.respond(request, response, publicCatalogue.revision, headers)
        : undefined;
    // A request id serves a log, ours or a proxy's. Without one, cached responses are sent as they are.
    if (!accessLog && !settings.trust_proxy && fromCache()) return;
    const id = chooseRequestId(request.headers, settings.trust_proxy);
    accessLog?.watch(request, response, id, clientIpAddress(request, settings));
    const cached = fromCache([requestIdHeader, id]);
    if (cached) {
      accessLog?.note(request, () => ({ route: cached.route, viewer: null, cached: true }));
      return;
    }
    response.setHeader(requestIdHeader, id);
    next(request, response);
  };
}

/**
 * Calls the handler of the method; that of GET answers HEAD, too.
 * @throws MethodNotAllowedError, and what handlers throw
 */
export async function callHandler(route: Route, request: RequestContext): Promise<Representation | undefined> {
  const { method } = request.ctx;
  const name = method === 'HEAD' ? 'GET' : method;
  const handler = Object.hasOwn(route.handlers, name) ? route.handlers[name as Method] : undefined;
  if (handler && name === 'GET' && request.document)
    return negotiatedDocument(request, request.document).catch((error) => {
      if (error instanceof MissingDocumentError) return answerWithoutDocument(route, request, error);
      throw error;
    });
  if (handler) return handler(request);
  if (method === 'OPTIONS') return describe(route, request);
  throw new MethodNotAllowedError(method);
}

/** The next best of what Accept names, in place of a document that the resource lacks. @throws NotAcceptableError with a list */
async function answerWithoutDocument(
  route: Route,
  request: RequestContext,
  { message, paths }: MissingDocumentError,
): Promise<Representation | undefined> {
  const { documents = [] } = route;
  const available = documents.filter(({ path }) => !paths.has(path));
  const profiles = documents.flatMap(({ path, profile }) => (profile && paths.has(path) ? [profile] : []));
  const accept = acceptWithoutProfiles(request.ctx.get('Accept'), new Set(profiles));
  const others = { ...route, documents: available };
  const refusal = () => new NotAcceptableError(`${message} ${sentenceAboutTypes(route.types, available)}`);
  if (accept === '') throw refusal();
  let negotiated: ReturnType<typeof negotiateMediaType>;
  try {
    negotiated = negotiateMediaType(request.ctx, others, request.query, accept);
  } catch (error) {
    throw error instanceof NotAcceptableError ? refusal() : error;
  }
  const representation = await callHandler(others, { ...request, ...negotiated });
  return representation && { type: negotiated.type, ...representation };
}

/** The response to OPTIONS: Django REST Framework's metadata. */
async function describe(route: Route, request: RequestContext): Promise<Representation> {
  const { name, types, parses, options } = route;
  const metadata = { name, description: '', renders: types, parses, ...options, ...(await actionsOf(route, request)) };
  // It is JSON also of a picture, a file or a document.
  const type = request.type === 'text/html' ? request.type : 'application/json';
  return { title: name, dependsOn: [], type, json: () => JSON.stringify(metadata) };
}

/** The fields that the viewer may write: of a new entity in a collection, or of an entity that exists. */
async function actionsOf({ fields, handlers }: Route, request: RequestContext): Promise<object> {
  if (!fields || request.viewer.username === null) return {};
  if (handlers.POST) return { actions: { POST: optionsMetadata(fields) } };
  const exists = await handlers.GET?.({ ...request, isPage: false }).catch(() => undefined);
  return exists ? { actions: { PUT: optionsMetadata(fields) } } : {};
}

/** The state of the catalogue before a request is handled. */
export interface Baseline {
  readonly epoch: number;
  readonly settings: Settings;
}

/** To be read before the handler runs: a change meanwhile makes the response look older than it is, and never newer. */
export function responseCacheBaseline({ cache, publicCatalogue }: AppContext, method: string): Baseline {
  const { settings } = publicCatalogue;
  // The response to a write is not kept: the public part of a new snapshot need not be made for it.
  return { epoch: isSafeMethod(method) ? cache.epochOf(publicCatalogue.revision) : 0, settings };
}

/** Sends a representation: from the cache if all that it depends on is unchanged, else anew. */
export async function sendRepresentation(
  route: Route,
  request: RequestContext,
  found: Representation,
  baseline: Baseline,
): Promise<void> {
  const { ctx, app } = request;
  // Files are made once.
  const key = app.staticExport ? null : responseCacheKey(ctx.req);
  const kept = key === null ? undefined : app.cache.get(key);
  const { pageInParts } = found;
  if (pageInParts && !app.staticExport && acceptsParts(ctx.req)) {
    // What is known before the page is read decides whether the kept one may still be right.
    const mayBeRight =
      kept && areSame(kept.dependsOn.slice(0, found.dependsOn.length + 1), [baseline.settings, ...found.dependsOn]);
    if (!mayBeRight) return sendPageInParts(route, request, { ...found, pageInParts }, baseline, key);
  }
  const representation = pageInParts ? { ...found, ...(await pageInParts.complete()) } : found;
  const isKept = key !== null && representation.dependsOn.length > 0;
  const response = await unchangedOrNewResponse(route, request, representation, baseline, isKept ? key : null);
  const isOwn = !isKept && representation.hasNewBytes === true;
  const variant = await encodedVariantFor(response, ctx.req, { isWrite: !isSafeMethod(ctx.method), isOwn });
  assertIfMatch(ctx.req, variant);
  ctx.respond = false;
  sendResponseVariant(ctx.req, ctx.res, variant, representation.status);
}

/**
 * The response that is kept if all that it depends on is unchanged, else a new one, which is kept.
 * @param key null if none is kept
 */
async function unchangedOrNewResponse(
  route: Route,
  request: RequestContext,
  representation: Representation,
  { epoch, settings }: Baseline,
  key: string | null,
): Promise<CachedResponse> {
  const { cache } = request.app;
  // The settings decide about links and the titles of pages.
  const dependsOn = [settings, ...representation.dependsOn];
  let response = key === null ? undefined : cache.get(key);
  if (response && areSame(response.dependsOn, dependsOn)) response.epoch = epoch;
  else {
    const linked = withRelatedLinks(route, request, representation);
    const { madeAt, page, taggedBytes } = representation;
    const options = { isPage: Boolean(page), madeAt, tagged: taggedBytes?.() };
    const { bytes, validator } = await validatedBody(await bodyOf(request, linked), options);
    response = makeCachedResponse(epoch, dependsOn, bytes, headersOf(request, linked), route.name, validator);
    if (key !== null) cache.set(key, response);
  }
  const { freshFor, isForGetOnly = false } = representation;
  response.isForGetOnly = isForGetOnly;
  if (freshFor !== undefined) response.freshUntil = performance.now() + freshFor;
  return response;
}

/** Sends the head of a page, and the rest when it is ready. An error meanwhile is logged, and the connection cut. */
async function sendPageInParts(
  route: Route,
  request: RequestContext,
  representation: Representation & { readonly pageInParts: PageInParts },
  { epoch, settings }: Baseline,
  key: string | null,
): Promise<void> {
  const { ctx, app } = request;
  const { head, complete } = representation.pageInParts;
  const linked = withRelatedLinks(route, request, representation);
  const context = pageContextOf(request, linked);
  const start = head(context);
  const headers = headersOf(request, linked);
  ctx.respond = false;
  const parts = new ResponseInParts(ctx.res, preferredCoding(ctx.get('Accept-Encoding')));
  try {
    await parts.start(headers, start);
    // The start leaves before the rest is begun.
    await nextTurn();
    const { dependsOn, freshFor, page } = await complete();
    await renderDescription(representation, context);
    await nextTurn();
    const untagged = await page(context);
    const validator = { tag: etagOf(untagged), isWeak: false };
    const text = withOwnTag(untagged, validator.tag);
    const response = makeCachedResponse(epoch, [settings, ...dependsOn], text, headers, route.name, validator);
    if (freshFor !== undefined) response.freshUntil = performance.now() + freshFor;
    await parts.finish(text, response);
    if (key !== null && dependsOn.length > 0) app.cache.set(key, response);
  } catch (error) {
    if (!ctx.res.destroyed) app.log(`${requestLabel(ctx)}: ${(error as Error).stack ?? error}`);
    parts.abort();
  }
}

const withRelatedLinks = (route: Route, request: RequestContext, representation: Representation): Representation => {
  const related = linksOf(route, request, representation);
  return { ...representation, links: () => related };
};

/** The links of a representation, and those to the documents about the same resource. */
function linksOf(
  { documents = [] }: Route,
  { ctx, links, document }: RequestContext,
  representation: Representation,
): readonly Alternate[] {
  const own = representation.links?.() ?? [];
  if (documents.length === 0 || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return own;
  const others = documents.filter((one) => one !== document && (representation.hasDocument?.(one) ?? true));
  return [...own, ...documentLinks(others, `${links.base}${ctx.path}`, links.base)];
}

function pageContextOf({ ctx, app, links, viewer }: RequestContext, representation: Representation): PageContext {
  const context = makePageContext(ctx, app.publicCatalogue.settings, links.base, viewer.username, app.staticExport);
  return { ...context, links: representation.links?.() ?? [] };
}

async function bodyOf(request: RequestContext, representation: Representation): Promise<string | Uint8Array> {
  const { ctx, type, indent, isPage } = request;
  if (representation.page) {
    // A page is up to 20 ms of work: it has a turn of its own.
    const context = pageContextOf(request, representation);
    await renderDescription(representation, context);
    await nextTurn();
    return representation.page(context);
  }
  if ((representation.type ?? type) === 'text/html')
    return runInTurns(
      request,
      renderJsonPage(pageContextOf(request, representation), {
        title: representation.title,
        json: await representation.json(),
        reviver: representation.reviver,
        targets: representation.targets?.(),
        allow: ctx.response.get('Allow'),
        hasPage: !isPage,
        ...representation.beside,
      }),
    );
  const [mediaType = ''] = (representation.type ?? type).split(';');
  // A document in Turtle or XML is a text that no JSON can be parsed from.
  if (indent === undefined || !mediaType.endsWith('json')) return representation.bytes?.() ?? representation.json();
  return JSON.stringify(JSON.parse(await representation.json()), null, indent);
}

function headersOf({ ctx, app, links, type: negotiated }: RequestContext, representation: Representation): Headers {
  const { type = negotiated, page, headers = [] } = representation;
  const isPage = type === 'text/html' || page;
  ctx.vary(isPage ? ['Accept-Encoding', 'Accept-Language'] : 'Accept-Encoding');
  return [
    ['Content-Type', isPage ? 'text/html; charset=utf-8' : type],
    ['Allow', ctx.response.get('Allow')],
    ['Vary', ctx.response.get('Vary')],
    ['Cache-Control', cacheControlOf(ctx.req)],
    ...commonHeaders(app.publicCatalogue.settings),
    ...(isPage ? (representation.isFramable ? framablePageHeaders : pageHeaders) : []),
    ...withLinks(headers, representation.links?.() ?? [], `${links.base}${ctx.path}`),
  ];
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}
