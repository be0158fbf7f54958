/** The OpenAPI document (version 3.1.1): made from the routes that serve, the descriptions of their operations, and the fields. */
import type { Settings } from '../../catalogue/types.ts';
import { catalogueFacts } from '../../standards/facts.ts';
import { contactOf } from '../../standards/ogc/openapi.ts';
import type { Method, Route } from '../route.ts';
import {
  type Answer,
  type Content,
  type JsonSchema,
  type Operation,
  type Parameter,
  schemaRef,
  tags,
  text,
} from './description.ts';
import { describedOperation } from './operations.ts';
import { formatParameter, ifNoneMatchHeader, parametersInPath, withUsual } from './parameters.ts';
import { schemas } from './schemas.ts';
import { type Reference, SharedParameters } from './shared-parameters.ts';
import {
  ownErrorResponse,
  responseOf,
  responseRef,
  securityOf,
  securitySchemes,
  sharedHeaders,
  sharedResponses,
} from './shared-parts.ts';

type Json = Record<string, unknown>;

/** An operation of the document. */
export interface DocumentOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security?: readonly unknown[];
}

/** The document, as far as its readers need its type. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly description: string;
    readonly version: string;
    readonly contact?: object;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, unknown>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

const description = `The catalogue over HTTP: JSON, paged lists, and errors as in Django REST Framework.

Reads of what is public need no credentials. Writes need a token (\`Authorization: Token …\` or \`Bearer …\`), or the session of a browser with its CSRF token in \`X-CSRFToken\`.

Every address that is read answers HEAD and OPTIONS, too. Paths end in a slash, or in the name of a file.`;

/** @param base URL that precedes the paths; '' if it isn't known */
export function openApiDocument(routes: readonly Route[], settings: Settings, base: string): OpenApiDocument {
  const { contact } = catalogueFacts(settings, base);
  const shared = new SharedParameters();
  const described = routes.flatMap((route) => {
    const item = pathItem(route, shared);
    return item ? [[templateOf(route.path), item] as const] : [];
  });
  return {
    openapi: '3.1.1',
    info: { title: settings.title, description, version: '1', ...(contact && { contact: contactOf(contact) }) },
    servers: [{ url: base || '/' }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    security: [{}, { token: [] }, { bearer: [] }, { session: [] }],
    paths: Object.fromEntries([...described, ...Object.entries(signInPaths)]),
    components: {
      schemas,
      parameters: shared.byName,
      responses: sharedResponses,
      headers: sharedHeaders,
      securitySchemes,
    },
  } as OpenApiDocument;
}

/** The path of a route as a template: `/users/{user}/`. */
export const templateOf = (path: string): string => path.replace(/[:*](\w+)/g, '{$1}');

const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const satisfies readonly Method[];

/** The operations of a route; null if it isn't a part of the document. */
function pathItem(route: Route, shared: SharedParameters): Readonly<Record<string, DocumentOperation>> | null {
  const item: Record<string, DocumentOperation> = {};
  for (const method of methods) {
    const described = route.handlers[method] && describedOperation(route.name, method);
    if (!described) continue;
    const operation = typeof described === 'function' ? described(route) : described;
    item[method.toLowerCase()] = documentOperation(route, method, operation, shared);
    if (method === 'GET') item.head = headOperation(route, operation, shared);
  }
  return Object.keys(item).length ? { ...item, options: optionsOperation(route, item, shared) } : null;
}

/** Statuses of errors by method, besides those of every method. */
const refusals: Readonly<Record<Method, readonly number[]>> = {
  GET: [304, 412],
  POST: [408, 409, 413, 415],
  PUT: [405, 408, 409, 411, 412, 413, 415, 428],
  PATCH: [408, 409, 412, 413, 415, 428],
  DELETE: [405, 409, 412, 428],
};
const usualRefusals = [400, 401, 403, 404, 406, 429, 502, 503];

/** Parameters in paths that name records, which may have moved. */
const namesRecord = /:(namespace|dataset|version|query|group)\b/;

function documentOperation(
  route: Route,
  method: Method,
  operation: Operation,
  shared: SharedParameters,
): DocumentOperation {
  const { tag, summary, description: words, parameters = [], body, answers, refusals: more = [] } = operation;
  const hasPage = hasPages(route);
  const statuses = [
    ...usualRefusals,
    ...refusals[method],
    ...(hasPage && method === 'GET' ? [303] : []),
    ...more,
    ...(namesRecord.test(route.path) ? [308] : []),
  ];
  const responses = Object.fromEntries([
    ...Object.entries(answers).map(([status, answer]) => [
      status,
      responseOf(
        status === '200' && method === 'GET' ? withDocuments(answer, route) : answer,
        hasPage && status !== '204',
      ),
    ]),
    ...statuses.filter((status) => !(status in answers)).map((status) => [status, refusalOf(route, status)]),
    ['default', refusalOf(route)],
  ]);
  const usual = [
    ...parametersInPath(route.path),
    ...(hasPage && !route.ownFormats ? [formatParameter] : []),
    ...(method === 'GET' ? [ifNoneMatchHeader] : []),
  ];
  return {
    operationId: operationId(method, route.path),
    tags: [tag],
    summary,
    ...(words !== undefined && { description: words }),
    ...(route.path.includes('/sources/') && { deprecated: true as const }),
    parameters: shared.refer(withUsual(parameters, usual)),
    ...(body && { requestBody: { content: body, ...(method === 'POST' && { required: true }) } }),
    responses,
    ...securityOf(method, operation),
  };
}

/** True if responses may be pages: where any type is accepted, there is one document, whatever the client prefers. */
const hasPages = ({ types }: Route): boolean => types.includes('text/html') && !types.includes('*/*');

/** The response to an error, or to a condition. @param status undefined for any other */
function refusalOf({ errorBody }: Route, status?: number): object {
  if (errorBody && (status === undefined || status >= 400)) return ownErrorResponse(status, 'IcebergError');
  return { $ref: status === undefined ? '#/components/responses/Error' : responseRef(status) };
}

/** A response with the documents that are there by Accept, too. */
function withDocuments(answer: Answer, { documents = [], types }: Route): Answer {
  const contents = documents.map(({ type, profile }) => {
    const name = types.includes(type) && profile !== undefined ? `${type};profile="${profile}"` : type;
    return [name, { schema: /json$/.test(type) ? schemaRef('Document') : text }] as const;
  });
  return { ...answer, content: { ...answer.content, ...Object.fromEntries(contents) } };
}

function headOperation(route: Route, operation: Operation, shared: SharedParameters): DocumentOperation {
  const { tag, summary, parameters = [] } = operation;
  return {
    ...securityOf('GET', operation),
    operationId: operationId('HEAD', route.path),
    tags: [tag],
    summary: `${summary}: headers alone`,
    parameters: shared.refer(withUsual(parameters, parametersInPath(route.path))),
    responses: {
      '2XX': { description: 'The headers of the response to GET.' },
      '3XX': { description: 'It is unchanged, or has moved.' },
      '4XX': { description: 'The request is refused.' },
      '5XX': { description: 'The server can’t answer.' },
    },
  };
}

/** OPTIONS: the metadata of the route, and the response to a CORS preflight. */
function optionsOperation(
  route: Route,
  item: Readonly<Record<string, DocumentOperation>>,
  shared: SharedParameters,
): DocumentOperation {
  return {
    operationId: operationId('OPTIONS', route.path),
    tags: Object.values(item)[0]?.tags ?? [],
    summary: 'Read the methods and writable fields',
    parameters: shared.refer(parametersInPath(route.path)),
    responses: {
      200: { $ref: '#/components/responses/Options' },
      204: { description: 'The response to a CORS preflight.' },
      '4XX': refusalOf(route),
    },
  };
}

/** A name of an operation, unique in the document: `getNamespacesByNamespace`. */
function operationId(method: string, path: string): string {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const parts = path
    .replace(/^\/api\/v1\//, '/')
    .split(/[/.]/)
    .filter(Boolean)
    .map((part) => (/^[:*]/.test(part) ? `By${capital(part.slice(1))}` : capital(part.replace(/\W/g, ''))));
  return `${method.toLowerCase()}${parts.join('') || 'Root'}`;
}

const signInForm: Content = {
  'application/x-www-form-urlencoded': { schema: { type: 'object', additionalProperties: text } },
};
const signInPage = { description: 'The page.', content: { 'text/html': { schema: text } } };
const signInPath = (path: string, summary: string): Json => ({
  head: {
    operationId: operationId('HEAD', path),
    tags: ['Credentials'],
    summary: `${summary}: headers alone`,
    responses: {
      200: { description: 'The headers of the response to GET.' },
      302: { description: 'To the page before.' },
    },
  },
  options: {
    operationId: operationId('OPTIONS', path),
    tags: ['Credentials'],
    summary: 'Read the methods',
    responses: { 204: { description: 'The methods are in Allow.' } },
  },
  get: {
    operationId: operationId('GET', path),
    tags: ['Credentials'],
    summary: `${summary}: the page`,
    responses: { 200: signInPage, 302: { description: 'To the page before.' } },
  },
  post: {
    operationId: operationId('POST', path),
    tags: ['Credentials'],
    summary,
    requestBody: { content: signInForm },
    responses: { 200: signInPage, 302: { description: 'To the page before.' }, '4XX': signInPage },
  },
});

/** Pages that aren't routes (`login.ts`). */
const signInPaths: Readonly<Record<string, Json>> = {
  '/auth/login/': signInPath('/auth/login/', 'Sign in with a browser'),
  '/auth/logout/': signInPath('/auth/logout/', 'Sign out with a browser'),
};
