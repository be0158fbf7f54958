/** Steps before the credentials are looked at: the address, CORS preflights, and the media type of the response. */
import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { excerpt, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { NotAcceptableError } from '../errors.ts';
import { preflightHeaders } from '../headers.ts';
import { acceptedProfiles, preferredType } from '../negotiate.ts';
import { lastParameterValue } from '../query-string.ts';
import { assertValidTarget } from '../request.ts';
import {
  type AppContext,
  allowHeader,
  type Context,
  type Params,
  pathPrefix,
  type RequestState,
  type Route,
  type RouteDocument,
} from '../route.ts';

/**
 * Addresses end in a slash: GET and HEAD without it are redirected. A redirected preflight would fail and a redirected
 * write would lose its body: they are served as if the slash were there.
 */
export function redirectToSlash(router: Router<RequestState>, app: AppContext): Middleware {
  const isRoute = (path: string) => router.match(path, 'GET').route;
  return async (ctx, next) => {
    assertValidTarget(ctx.req);
    if (!ctx.path.endsWith('/') && !isRoute(ctx.path) && isRoute(`${ctx.path}/`)) {
      if (ctx.method === 'GET' || ctx.method === 'HEAD') {
        ctx.body = '';
        ctx.status = 301;
        ctx.remove('Content-Type');
        ctx.set('Location', `${pathPrefix(app)}${ctx.path}/${ctx.search}`);
        return;
      }
      ctx.path = `${ctx.path}/`;
    }
    await next();
  };
}

/**
 * Sets the headers of every response of a route, and responds to a CORS preflight, which has no credentials: it names the methods
 * of those who may write. @returns true if it was one
 */
export function setHeadersAndAnswerPreflight(ctx: Context, route: Route): boolean {
  ctx.set('Allow', allowHeader(route, false));
  ctx.vary(['Accept', 'Cookie']);
  if (ctx.method !== 'OPTIONS' || !ctx.get('Origin') || !ctx.get('Access-Control-Request-Method')) return false;
  for (const [name, value] of preflightHeaders(allowHeader(route, true))) ctx.set(name, value);
  ctx.status = 204;
  return true;
}

interface Negotiated {
  readonly type: string;
  readonly indent: number | undefined;
  readonly isPage: boolean;
  readonly document: RouteDocument | undefined;
  /** Suffix of links in the response, so that they keep a format from the query string. */
  readonly suffix: string;
}

/**
 * The media type of the response.
 * @throws NotFoundError for an unknown format, NotAcceptableError
 */
export function negotiateMediaType(
  ctx: Context,
  route: Route,
  query: URLSearchParams,
  accept = ctx.req.headers.accept,
): Negotiated {
  const chosen = chooseType(query, accept, route, ctx.params);
  ctx.state.type = chosen.type;
  const isApi =
    !route.formatParameter && ['format', '_format'].some((name) => lastParameterValue(query, name) === 'api');
  return { ...chosen, indent: indentIn(accept), isPage: chosen.type === 'text/html' && !isApi };
}

/** Spellings of ?format= by media type. `api` is what Django REST Framework calls its HTML: the API in a browser. */
const formats: Readonly<Record<string, string>> = {
  json: 'application/json',
  api: 'text/html',
  html: 'text/html',
};

/** ?format= (or ?_format=) wins over Accept. */
function chooseType(query: URLSearchParams, accept: string | undefined, route: Route, params: Params) {
  const { types, ownFormats, formatParameter, documents } = route;
  const standard = { type: types[0] ?? '', suffix: '', document: undefined };
  const wanted = formatParameter && lastParameterValue(query, formatParameter);
  if (wanted === 'json') return standard;
  if (wanted === 'html') return { ...standard, type: 'text/html' };
  if (formatParameter && wanted !== undefined)
    throw new ValidationError({ [formatParameter]: [`Unknown format "${excerpt(wanted)}". There are json and html.`] });
  const name = (formatParameter ? [] : ['format', '_format']).find((parameter) => lastParameterValue(query, parameter));
  if (ownFormats && (name || 'extension' in params)) return standard;
  if (name) {
    const value = lastParameterValue(query, name) ?? '';
    const type = Object.hasOwn(formats, value) ? formats[value] : undefined;
    if (!type || !types.includes(type)) throw new NotFoundError();
    return { type, suffix: `?${name}=${value}`, document: undefined };
  }
  // Stored bytes have one media type, whatever the client prefers.
  const offers = [...types, ...(documents?.map((document) => document.type) ?? [])];
  const type = preferredType(accept, offers) ?? types.find((offered) => offered === '*/*');
  if (!type) throw new NotAcceptableError();
  return { type, suffix: '', document: documents && chooseDocument(type, accept, documents, types) };
}

/** The document of a media type: that of a profile which the client names, else the first, unless the resource has the type. */
function chooseDocument(
  type: string,
  accept: string | undefined,
  documents: readonly RouteDocument[],
  types: readonly string[],
): RouteDocument | undefined {
  const ofType = documents.filter((document) => document.type === type);
  const profiles = ofType.length > 0 ? acceptedProfiles(accept, type) : [];
  const named = profiles.map((uri) => ofType.find(({ profile }) => profile === uri)).find(Boolean);
  return named ?? (types.includes(type) ? undefined : ofType[0]);
}

/** The widest indentation of JSON. */
export const maxIndent = 8;

/** Indentation of JSON: `Accept: application/json; indent=4`, at most `maxIndent`; undefined for compact. */
function indentIn(accept = ''): number | undefined {
  const json = accept.split(',').find((range) => /^\s*application\/json\s*;/i.test(range));
  const indent = Number(/;\s*indent=(\d+)/i.exec(json ?? '')?.[1]);
  return indent >= 0 ? Math.min(indent, maxIndent) : undefined;
}
