/** What a route is, and what happens to every request before and after its own work. */
import type { ParameterizedContext } from 'koa';
import type { Catalogue, WritableKind } from '../catalogue/catalogue.ts';
import { NotAuthenticatedError, NotFoundError, NotPermittedError } from '../catalogue/errors.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import type { Settings } from '../catalogue/types.ts';
import type { Links } from '../catalogue/urls.ts';
import { nobody, whoAsks } from './auth.ts';
import { mustBeOurs } from './cookies.ts';
import { MethodNotAllowedError, NotAcceptableError, ReadOnlyError } from './errors.ts';
import { preflight } from './headers.ts';
import { baseUrlOf } from './links.ts';
import { metadataOf } from './metadata.ts';
import { preferredType } from './negotiate.ts';
import { last } from './question.ts';
import type { SignIn } from './sign-in.ts';

/** A request, understood. */
export interface Ask {
  readonly ctx: ParameterizedContext;
  /** The catalogue as the one who asks may see it. */
  readonly catalogue: Catalogue;
  readonly viewer: Viewer;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly links: Links;
  /** The media type to answer in. */
  readonly type: string;
  readonly signIn: SignIn;
  readonly health: RouteOptions['health'];
}

/** An answer that shows something: how to write it is known, but it is written only if it hasn't been already. */
export interface Shown {
  /** For the page's title. */
  readonly title: string;
  /** What is shown: while these are the same, so is the answer. Empty where that can't be told. */
  readonly parts: readonly unknown[];
  readonly json: () => string;
  /** The page for people, where it is more than the JSON shown. */
  readonly html?: (settings: Settings, base: string) => string;
  readonly headers?: readonly (readonly [string, string])[];
  /** Default: 200. */
  readonly status?: number;
}

export interface Route {
  readonly path: string;
  /** As OPTIONS says it. */
  readonly name: string;
  readonly allow: string;
  /** Methods for those who are signed in, where they are more. */
  readonly allowSignedIn?: string;
  /** Media types that GET can answer in, the default first. */
  readonly types: readonly string[];
  /** Media types that writing takes. */
  readonly parses: readonly string[];
  /** Whether the route reads ?format= itself. */
  readonly ownFormats?: boolean;
  /** Whether anybody may write, as whom doesn't matter: credentials aren't looked at. */
  readonly open?: boolean;
  /** Further members of the answer to OPTIONS. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** What the resource is, where OPTIONS shows its fields to those who may write; and which method writes it here. */
  readonly fields?: { readonly kind: WritableKind; readonly method: 'POST' | 'PUT' };
  /** Answers GET and HEAD; nothing where it has written the answer itself. */
  readonly get?: (ask: Ask) => Promise<Shown | undefined>;
  /** Answers other methods. */
  readonly other?: Readonly<Record<string, (ask: Ask) => Promise<Shown | undefined>>>;
}

/** Spellings of ?format= by media type. `api` is what Django REST Framework calls its HTML. */
const formats: Readonly<Record<string, string>> = {
  json: 'application/json',
  api: 'text/html',
  html: 'text/html',
};

/** What the request asks to be answered in, and the suffix that keeps it in the answer's links. */
export interface Representation {
  readonly type: string;
  readonly suffix: string;
}

/**
 * Chooses the representation: ?format= (or ?_format=) wins over Accept.
 * @throws NotFoundError for an unknown format, NotAcceptableError
 */
export function representation(
  query: URLSearchParams,
  accept: string | undefined,
  route: Route,
  parameters: Ask['params'] = {},
): Representation {
  const name = ['format', '_format'].find((parameter) => last(query, parameter));
  if (route.ownFormats && (name || 'extension' in parameters)) return { type: route.types[0] ?? '', suffix: '' };
  if (name) {
    const value = last(query, name) ?? '';
    const type = Object.hasOwn(formats, value) ? formats[value] : undefined;
    if (!type || !route.types.includes(type)) throw new NotFoundError();
    return { type, suffix: `?${name}=${value}` };
  }
  // Stored bytes are what they are, whatever the client likes best.
  const type = preferredType(accept, route.types) ?? route.types.find((offered) => offered === '*/*');
  if (!type) throw new NotAcceptableError();
  return { type, suffix: '' };
}

/** Blanks by which a reader wants JSON indented: `Accept: application/json; indent=4`, 0 to 8; undefined for compact. */
function indentOf(accept = ''): number | undefined {
  const json = accept.split(',').find((range) => /^\s*application\/json\s*;/i.test(range));
  const indent = Number(/;\s*indent=(\d+)/i.exec(json ?? '')?.[1]);
  return indent >= 0 ? Math.min(indent, 8) : undefined;
}

export interface RouteOptions {
  readonly catalogueFor: (viewer: Viewer) => Catalogue;
  readonly signIn: SignIn;
  readonly baseUrl?: string | undefined;
  /** Refuse all writing. */
  readonly readOnly?: boolean | undefined;
  readonly health?: (() => Readonly<Record<string, unknown>>) | undefined;
}

/** The life of a request to a route, in the order in which Django REST Framework checks. */
export async function serve(
  route: Route,
  ctx: ParameterizedContext,
  options: RouteOptions,
): Promise<Shown | undefined> {
  const { method, req } = ctx;
  ctx.set('Allow', route.allow);
  ctx.vary(['Accept', 'Cookie']);
  if (method === 'OPTIONS' && ctx.get('Origin') && ctx.get('Access-Control-Request-Method')) {
    for (const [name, value] of preflight(route.allow)) ctx.set(name, value);
    ctx.status = 204;
    return undefined;
  }
  const query = new URLSearchParams(ctx.querystring);
  const { type, suffix } = representation(query, req.headers.accept, route, ctx.params);
  ctx.state.type = type;
  ctx.state.indent = indentOf(req.headers.accept);

  const { signIn } = options;
  const { viewer, bySession } = route.open ? nobody : await whoAsks(ctx, signIn.accounts);
  ctx.state.viewer = viewer;
  const catalogue = options.catalogueFor(viewer);
  const links = { base: baseUrlOf(req, catalogue.settings, options.baseUrl), suffix };
  const safe = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  if (!safe && bySession) mustBeOurs(ctx, links.base);
  if (viewer.username !== null && route.allowSignedIn) ctx.set('Allow', route.allowSignedIn);
  if (!safe && viewer.username === null && !route.open) throw new NotAuthenticatedError();
  if (!safe && viewer.readOnly) throw new NotPermittedError();
  if (!safe && options.readOnly && !route.open) throw new ReadOnlyError('This server is there to be read only.');

  const ask: Ask = { ctx, catalogue, viewer, params: ctx.params, query, links, type, signIn, health: options.health };
  const work = method === 'GET' || method === 'HEAD' ? route.get : route.other?.[method];
  if (work) return work(ask);
  if (method !== 'OPTIONS') throw new MethodNotAllowedError(method);
  const actions = await actionsFor(route, ask);
  return { title: route.name, parts: [], json: () => JSON.stringify({ ...description(route), ...actions }) };
}

/** The fields that the one who asks may write here: on a collection, or on an entity that exists. */
async function actionsFor({ fields, get }: Route, ask: Ask): Promise<object> {
  if (!fields || ask.viewer.username === null) return {};
  if (fields.method === 'PUT' && !(await get?.(ask).catch(() => undefined))) return {};
  return { actions: { [fields.method]: metadataOf(fields.kind) } };
}

/** The body of an answer to OPTIONS. */
function description(route: Route) {
  const { name, types, parses, options } = route;
  return { name, description: '', renders: types, parses, ...options };
}
