/** Steps before the credentials are looked at: Allow and Vary, CORS preflights, and the media type of the response. */
import { NotFoundError } from '../../catalogue/errors.ts';
import { NotAcceptableError } from '../errors.ts';
import { preflightHeaders } from '../headers.ts';
import { preferredType } from '../negotiate.ts';
import { lastValue } from '../query-string.ts';
import { allowedMethods, type Params, type Route, type Step } from '../route.ts';

/** Sets the headers of every response of a route, and responds to a CORS preflight. */
export const answerPreflight: Step = async (ctx, next) => {
  const allow = allowedMethods(ctx.state.route, false);
  ctx.set('Allow', allow);
  ctx.vary(['Accept', 'Cookie']);
  if (ctx.method !== 'OPTIONS' || !ctx.get('Origin') || !ctx.get('Access-Control-Request-Method')) return next();
  for (const [name, value] of preflightHeaders(allow)) ctx.set(name, value);
  ctx.status = 204;
};

/** Chooses the media type of the response. */
export const negotiate: Step = async (ctx, next) => {
  const { accept } = ctx.req.headers;
  const query = new URLSearchParams(ctx.querystring);
  const chosen = chooseType(query, accept, ctx.state.route, ctx.params);
  Object.assign(ctx.state, { query, ...chosen, indent: indentIn(accept) });
  await next();
};

/** Spellings of ?format= by media type. `api` is what Django REST Framework calls its HTML. */
const formats: Readonly<Record<string, string>> = {
  json: 'application/json',
  api: 'text/html',
  html: 'text/html',
};

interface ChosenType {
  readonly type: string;
  /** Suffix of links in the response, so that they keep a format from the query string. */
  readonly suffix: string;
}

/**
 * The media type to respond in: ?format= (or ?_format=) wins over Accept.
 * @throws NotFoundError for an unknown format, NotAcceptableError
 */
function chooseType(query: URLSearchParams, accept: string | undefined, route: Route, params: Params): ChosenType {
  const { types, ownFormats } = route;
  const name = ['format', '_format'].find((parameter) => lastValue(query, parameter));
  if (ownFormats && (name || 'extension' in params)) return { type: types[0] ?? '', suffix: '' };
  if (name) {
    const value = lastValue(query, name) ?? '';
    const type = Object.hasOwn(formats, value) ? formats[value] : undefined;
    if (!type || !types.includes(type)) throw new NotFoundError();
    return { type, suffix: `?${name}=${value}` };
  }
  // Stored bytes have one media type, whatever the client prefers.
  const type = preferredType(accept, types) ?? types.find((offered) => offered === '*/*');
  if (!type) throw new NotAcceptableError();
  return { type, suffix: '' };
}

/** Indentation of JSON: `Accept: application/json; indent=4`, 0 to 8; undefined for compact. */
function indentIn(accept = ''): number | undefined {
  const json = accept.split(',').find((range) => /^\s*application\/json\s*;/i.test(range));
  const indent = Number(/;\s*indent=(\d+)/i.exec(json ?? '')?.[1]);
  return indent >= 0 ? Math.min(indent, 8) : undefined;
}
