/** A route: its methods with their handlers, and all that a handler gets and returns. */
import type { ParameterizedContext } from 'koa';
import type { Catalogue, WritableKind } from '../catalogue/catalogue.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import type { Refs } from '../catalogue/ref.ts';
import type { Kind } from '../catalogue/types.ts';
import { baseUrlPath, type Links } from '../catalogue/urls.ts';
import type { FilteringOf, PageContext } from '../pages/page-context.ts';
import type { AccessLog } from './access-log.ts';
import type { DifferenceFigureStore } from './difference-figures.ts';
import type { Headers } from './headers.ts';
import type { Alternate } from './link-header.ts';
import type { Metrics } from './metrics.ts';
import type { ResponseCache } from './response-cache.ts';
import type { SignIn } from './sign-in.ts';
import type { WorkBudgets } from './work-budgets.ts';

export interface Route {
  readonly path: string;
  /** Name, as OPTIONS and the log show it. */
  readonly name: string;
  /** The handlers by method. That of GET answers HEAD, too; OPTIONS is answered for every route. */
  readonly handlers: Handlers;
  /** True if only signed-in users see the writing methods in `Allow`. */
  readonly hidesWrites?: boolean;
  /** True if anybody may write: credentials are ignored. */
  readonly withoutSignIn?: boolean;
  /** Media types of responses to GET, the default first. */
  readonly types: readonly string[];
  /** Media types of request bodies. */
  readonly parses: readonly string[];
  /** True if the handler reads ?format= itself. */
  readonly ownFormats?: boolean;
  /** The kind of record whose rows the parameters select: their names may be columns'. */
  readonly rowsOf?: 'version' | 'query';
  /** Parameter that selects `json` (the default type) or `html`, if it isn't ?format=. */
  readonly formatParameter?: string;
  /** The kind whose fields OPTIONS describes to users who may write them. */
  readonly fields?: WritableKind;
  /** Documents about the resource that GET answers with if Accept prefers their media type. */
  readonly documents?: readonly RouteDocument[];
  /** Body of errors in the form of a standard. @param body in the usual form */
  readonly errorBody?: (status: number, body: Readonly<Record<string, unknown>>, params: Params) => object;
  /** Further members of the response to OPTIONS. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A document in a standard, which has an address of its own, too. */
export interface RouteDocument {
  /** Media type, without parameters. */
  readonly type: string;
  /** URI of the standard, for a media type that several have (RFC 6906). */
  readonly profile?: string;
  /** Path of its own address: within that of the resource, or from the root of the site. */
  readonly path: string;
  readonly handler: Handler;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Handlers = { readonly [M in Method]?: Handler };

/** Handles a request; returns nothing if it has written the response itself. */
export type Handler = (request: RequestContext) => Promise<Representation | undefined>;

/** Facts about a request that the log and the responses to errors need (`ctx.state`). */
export interface RequestState {
  route?: Route;
  type?: string;
  viewer?: Viewer;
}

export type Context = ParameterizedContext<RequestState>;

/** A request whose credentials and parameters are checked. */
export interface RequestContext {
  readonly ctx: Context;
  readonly app: AppContext;
  /** The catalogue as the viewer sees it. */
  readonly catalogue: Catalogue;
  readonly viewer: Viewer;
  /** Parameters in the path. */
  readonly params: Params;
  /**
   * Parameters in the query string. On routes with `rowsOf`, names that may be a column's are exact (`page__exact`), as links
   * need them; errors name parameters as they were written, which `ctx.querystring` has.
   */
  readonly query: URLSearchParams;
  readonly links: Links;
  /** True if a write is only to be checked, and nothing changed. */
  readonly dryRun: boolean;
  /** Media type of the response. */
  readonly type: string;
  /** The document that Accept prefers to the resource itself. */
  readonly document?: RouteDocument | undefined;
  /** True if a page for people is asked for; false for the API in a browser (`?format=api`), too. */
  readonly isPage: boolean;
  /** Indentation of JSON; undefined for compact. */
  readonly indent: number | undefined;
}

export type Params = Readonly<Record<string, string>>;

/** A representation to respond with. Its functions are called only if the response isn't cached. */
export interface Representation {
  /** Title of the page. */
  readonly title: string;
  /** The response stays right as long as these are the same objects or values; empty: it isn't cached. */
  readonly dependsOn: readonly unknown[];
  /** Milliseconds after which a part that isn't of the catalogue's files, such as commits, may be another; by default it has none. */
  readonly freshFor?: number;
  /** A time in the body that only says when it was made: the ETag is made without it, and weak. */
  readonly madeAt?: string | undefined;
  /** The bytes that the ETag is made of, if the response to a write says more than the entity that it has made. */
  readonly taggedBytes?: () => Uint8Array;
  /** True if the handler answers HEAD by itself. */
  readonly isForGetOnly?: boolean;
  readonly json: () => string | Promise<string>;
  /** Bytes to send in place of `json`, which pages and indented JSON are made of. */
  readonly bytes?: () => Uint8Array | Promise<Uint8Array>;
  /** True if each call of `bytes` returns new ones. */
  readonly hasNewBytes?: boolean;
  /** The page for people; by default the JSON in a page. */
  readonly page?: ((context: PageContext) => string | Promise<string>) | undefined;
  /** Text in Markdown that the page shows, which may be long. */
  readonly description?: string | undefined;
  /** A page whose head is known before the rest, in place of `page`. */
  readonly pageInParts?: PageInParts;
  /** Addresses of the pages of a list before and after this one. */
  readonly beside?: { readonly next: string | null; readonly previous: string | null };
  /** Addresses that links in the page of the JSON lead to, in place of those shown. */
  readonly targets?: () => ReadonlyMap<string, string>;
  /** The JSON in the page, if it is not that of the API: a reviver of `JSON.parse`. */
  readonly reviver?: (name: string, value: unknown) => unknown;
  readonly headers?: Headers;
  /** Links of the header Link, behind those in `headers`; and of the head of the page. */
  readonly links?: () => readonly Alternate[];
  /** True if there is a document of the route about what is represented; by default there are all. */
  readonly hasDocument?: (document: RouteDocument) => boolean;
  /** True for a page that others may show in a frame. */
  readonly isFramable?: boolean;
  /** Media type; by default the negotiated one. */
  readonly type?: string;
  /** Default: 200. */
  readonly status?: number;
}

/** A page for people whose head can be sent while its content is still read. */
export interface PageInParts {
  /** HTML up to the content. */
  readonly head: (context: PageContext) => string;
  /**
   * The whole page, which begins with the head, and all that it depends on, beginning with what its representation names. What it
   * throws can't be responded to any more: whatever is wrong with the request was found before.
   */
  readonly complete: () => Promise<CompletePage>;
}

export interface CompletePage extends Pick<Representation, 'dependsOn' | 'freshFor'> {
  readonly page: (context: PageContext) => string | Promise<string>;
}

/** An app whose responses become static files: they are complete however long that takes, and the same at any time. */
export interface StaticExport {
  /** The day that pages count from, UTC: `2026-01-31`. */
  readonly today: string;
  /** How rows are filtered, by the path of their page. */
  readonly filteringOf: FilteringOf;
  /** False for paths that can't become a file. */
  readonly hasFile: (path: string) => boolean;
}

/** State that the requests to an app share. */
export interface AppContext {
  /** The catalogue as a user who isn't signed in sees it. */
  readonly publicCatalogue: Catalogue;
  readonly catalogueFor: (viewer: Viewer) => Catalogue;
  readonly signIn: SignIn;
  readonly workBudgets: WorkBudgets;
  readonly differenceFigures: DifferenceFigureStore;
  readonly cache: ResponseCache;
  /** Null if nothing logs or counts requests. */
  readonly accessLog: AccessLog | null;
  /** Null if requests aren't counted: there is no /metrics then. */
  readonly metrics: Metrics | null;
  /** Base URL of links; by default as the settings or the request say. */
  readonly baseUrl: string | undefined;
  /** Null for a server. */
  readonly staticExport: StaticExport | null;
  /** Most addresses in a file of the sitemap. */
  readonly sitemapLimit: number;
  /** True if all writes are refused. */
  readonly readOnly: boolean;
  /** Version of the program; '' if it isn't known. */
  readonly version: string;
  /** Further members of /readyz. @throws UnavailableError if the catalogue can't be read at the moment */
  readonly health: () => Readonly<Record<string, unknown>>;
  /** Null if no webhook starts a fetch. */
  readonly gitUpdates: GitUpdates | null;
  /** Logs an error on our side. */
  readonly log: (line: string) => void;
  /** Takes each error on our side. */
  readonly onError: (error: unknown) => void;
}

/** Updates of the catalogue from a git remote, started by a webhook. */
export interface GitUpdates {
  /** The secret that the webhook's sender knows. */
  readonly secret: string;
  /** Starts an update. */
  readonly start: () => void;
}

/** Path of the base URL that is configured: it precedes every path of this site; '' if there is none. */
export const pathPrefix = ({ baseUrl, publicCatalogue }: Pick<AppContext, 'baseUrl' | 'publicCatalogue'>): string =>
  baseUrlPath(baseUrl ?? publicCatalogue.settings.base_url);

const writes = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The value of `Allow`: the route's methods in a fixed order. */
export function allowHeader({ handlers, hidesWrites }: Route, signedIn: boolean): string {
  const written = hidesWrites && !signedIn ? [] : writes.filter((method) => handlers[method]);
  const read = handlers.GET !== undefined;
  return [...(read ? ['GET'] : []), ...written, ...(read ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

/** True if a method only reads (RFC 9110, section 9.2.1). */
export const isSafeMethod = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method);

/** The reference to the entity of an address; a version that isn't named is the latest. */
export function refFromRouteParams<K extends Kind>(kind: K, params: Params): Refs[K] {
  const { namespace = '', dataset = '', version = 'latest', [kind]: slug = '' } = params;
  if (kind === 'dataset') return { kind, namespace, slug } as Refs[K];
  if (kind === 'version') return { kind, namespace, dataset, slug: version } as Refs[K];
  return { kind, slug } as Refs[K];
}
