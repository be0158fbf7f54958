/** Responses: from the cache, in front of Koa; else a handler's representation, sent and put into the cache. */
import type { RequestListener } from 'node:http';
import type { Settings } from '../../catalogue/types.ts';
import { nextTurn } from '../../data/event-loop.ts';
import { renderJsonPage } from '../../pages/json-page.tsx';
import { documentLinks, negotiatedDocument, sentenceAboutTypes } from '../documents.ts';
import { MethodNotAllowedError, MissingDocumentError, NotAcceptableError } from '../errors.ts';
import { commonHeaders, framablePageHeaders, type Headers, pageHeaders } from '../headers.ts';
import { type Alternate, formatLinkHeader, relativeReference } from '../link-header.ts';
import { optionsMetadata } from '../metadata.ts';
import { acceptWithoutProfiles } from '../negotiate.ts';
import { makePageContext } from '../page-context.ts';
import { chooseRequestId, clientIpAddress, hasSeveralHosts, requestIdHeader, rewriteToOriginForm } from '../request.ts';
import {
  type CachedResponse,
  encodedVariantFor,
  makeCachedResponse,
  responseCacheKey,
  sendResponseVariant,
} from '../response-cache.ts';
import {
  type AppContext,
  isSafeMethod,
  type Method,
  type Representation,
  type RequestContext,
  type Route,
} from '../route.ts';
import { negotiateMediaType } from './negotiate.ts';

/** The listener in front of Koa: responses that are cached and unchanged are sent without any of the other steps. */
export function listenerWithCache(
  { publicCatalogue, cache, accessLog }: AppContext,
  next: RequestListener,
): RequestListener {
  return (request, response) => {
    rewriteToOriginForm(request);
    const { revision, settings } = publicCatalogue;
    const mayBeCached = !hasSeveralHosts(request);
    // A request id serves a log, ours or a proxy's. Without one, cached responses are sent as they are.
    if (mayBeCached && !accessLog && !settings.trust_proxy && cache.respond(request, response, revision)) return;
    const id = chooseRequestId(request.headers, settings.trust_proxy);
    accessLog?.watch(request, response, id, clientIpAddress(request, settings));
    const cached = mayBeCached && cache.respond(request, response, revision, [requestIdHeader, id]);
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
    negotiated = negotiateMediaType(request.ctx, others, accept);
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
  const exists = await handlers.GET?.(request).catch(() => undefined);
  return exists ? { actions: { PUT: optionsMetadata(fields) } } : {};
}

/** The state of the catalogue before a request is handled. */
export interface Baseline {
  readonly epoch: number;
  readonly settings: Settings;
}

/** To be read before the handler runs: a change meanwhile makes the response look older than it is, and never newer. */
export function responseCacheBaseline({ cache, publicCatalogue }: AppContext): Baseline {
  const { revision, settings } = publicCatalogue;
  return { epoch: cache.epochOf(revision), settings };
}

/** In characters. */
const largeBody = 128 * 1024;

/** Sends a representation: from the cache if all that it depends on is unchanged, else anew. */
export async function sendRepresentation(
  route: Route,
  request: RequestContext,
  representation: Representation,
  { epoch, settings }: Baseline,
): Promise<void> {
  const { ctx, app } = request;
  // The settings decide about links and the titles of pages.
  const dependsOn = [settings, ...representation.dependsOn];
  // Files are made once.
  const isCached = representation.dependsOn.length > 0 && !app.staticExport;
  const key = isCached ? responseCacheKey(ctx.req) : null;
  let response: CachedResponse | undefined = key === null ? undefined : app.cache.get(key);
  if (response && areSame(response.dependsOn, dependsOn)) response.epoch = epoch;
  else {
    const related = linksOf(route, request, representation);
    const linked = { ...representation, links: () => related };
    const body = bodyOf(request, linked);
    // Encoding and hashing it take a turn of their own.
    if (body.length >= largeBody) await nextTurn();
    response = makeCachedResponse(epoch, dependsOn, body, headersOf(request, linked), route.name);
    if (key !== null) app.cache.set(key, response);
  }
  const { freshFor } = representation;
  if (freshFor !== undefined) response.freshUntil = performance.now() + freshFor;
  const variant = await encodedVariantFor(response, ctx.get('Accept-Encoding'), !isSafeMethod(ctx.method));
  ctx.respond = false;
  sendResponseVariant(ctx.req, ctx.res, variant, representation.status);
}

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

function bodyOf(
  { ctx, app, type, indent, isPage, links, viewer }: RequestContext,
  representation: Representation,
): string | Uint8Array {
  if (representation.bytes && !representation.page) return representation.bytes();
  const { settings } = app.publicCatalogue;
  const context = () => ({
    ...makePageContext(ctx, settings, links.base, viewer.username, app.staticExport),
    links: representation.links?.() ?? [],
  });
  if (representation.page) return representation.page(context());
  if ((representation.type ?? type) === 'text/html')
    return renderJsonPage(context(), {
      title: representation.title,
      value: JSON.parse(representation.json(), representation.reviver),
      targets: representation.targets?.(),
      allow: ctx.response.get('Allow'),
      hasPage: !isPage,
      ...representation.beside,
    });
  const [mediaType = ''] = (representation.type ?? type).split(';');
  // A document in Turtle or XML is a text that no JSON can be parsed from.
  if (indent === undefined || !mediaType.endsWith('json')) return representation.json();
  return JSON.stringify(JSON.parse(representation.json()), null, indent);
}

function headersOf({ ctx, app, links, type: negotiated }: RequestContext, representation: Representation): Headers {
  const { authorization, cookie } = ctx.req.headers;
  const { type = negotiated, page, headers = [] } = representation;
  const isPage = type === 'text/html' || page;
  ctx.vary(isPage ? ['Accept-Encoding', 'Accept-Language'] : 'Accept-Encoding');
  return [
    ['Content-Type', isPage ? 'text/html; charset=utf-8' : type],
    ['Allow', ctx.response.get('Allow')],
    ['Vary', ctx.response.get('Vary')],
    // A shared cache may keep what everybody may see, and nothing else.
    ['Cache-Control', authorization || cookie ? 'private, no-cache' : 'no-cache'],
    ...commonHeaders(app.publicCatalogue.settings),
    ...(isPage ? (representation.isFramable ? framablePageHeaders : pageHeaders) : []),
    ...withLinks(headers, representation.links?.() ?? [], `${links.base}${ctx.path}`),
  ];
}

/**
 * Headers with more links, which follow those of the header Link.
 * @param address of the response, from which the links are shortened
 */
function withLinks(headers: Headers, related: readonly Alternate[], address: string): Headers {
  if (related.length === 0) return headers;
  const links = related.map((link) => ({ ...link, url: relativeReference(link.url, address) }));
  const own = headers.flatMap(([name, value]) => (name === 'Link' && value ? [value] : []));
  return [...headers.filter(([name]) => name !== 'Link'), ['Link', [...own, formatLinkHeader({}, links)].join(', ')]];
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}
