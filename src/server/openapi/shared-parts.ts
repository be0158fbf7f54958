/** Responses, headers and security schemes that operations share. */
import { sessionCookie } from '../headers.ts';
import type { Method } from '../route.ts';
import {
  type Answer,
  type Content,
  type HeaderName,
  headers,
  jsonContent,
  type Operation,
  schemaRef,
  text,
} from './description.ts';
import { fieldErrorsExample, problemExample } from './examples.ts';

type Json = Record<string, unknown>;

const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** A response. @param hasPage true if there is a page for people, too */
export function responseOf({ description: words, content, headers: names = [] }: Answer, hasPage: boolean): Json {
  const page = hasPage ? { 'text/html': { schema: text } } : {};
  return {
    description: words,
    ...(names.length > 0 && { headers: headerRefs(names) }),
    ...((content || hasPage) && { content: { ...content, ...page } }),
  };
}

/** Responses that many operations share, by status. */
const errors: Readonly<Record<number, readonly [name: string, description: string, header?: HeaderName]>> = {
  303: ['SeeOther', 'The page is at another address.', 'Location'],
  304: ['NotModified', 'The client has the current state.', 'ETag'],
  308: ['Moved', 'The record was renamed or moved.', 'Location'],
  400: ['BadRequest', 'Fields or parameters are invalid, or the body can’t be read.'],
  401: ['Unauthorized', 'Credentials are missing or wrong.', 'WWW-Authenticate'],
  403: ['Forbidden', 'The user may not do this.'],
  404: ['NotFound', 'It doesn’t exist, or the user may not see it.'],
  405: ['MethodNotAllowed', 'The address has no such method.', 'Allow'],
  406: ['NotAcceptable', 'No media type fits Accept.'],
  408: ['RequestTimeout', 'The body took too long to arrive.'],
  409: ['Conflict', 'It contradicts other records, or the state of the files.'],
  411: ['LengthRequired', 'Bytes are sent with their Content-Length.'],
  412: [
    'PreconditionFailed',
    'If-Match has another ETag: it has changed since. Or it is there, and If-None-Match forbids that.',
  ],
  413: ['TooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'Bodies of this media type aren’t read.'],
  416: ['RangeNotSatisfiable', 'The range is outside of the bytes.', 'Content-Range'],
  428: ['PreconditionRequired', 'The write needs If-Match.'],
  429: ['TooManyRequests', 'Too many attempts, or too much work.', 'Retry-After'],
  502: ['BadGateway', 'The object store that has the payload refuses, or has lost it.', 'Retry-After'],
  503: ['Unavailable', 'The server can’t answer at the moment.', 'Retry-After'],
};

/** The address of the response to an error in the document. */
export const responseRef = (status: number) => `#/components/responses/${errors[status]?.[0] ?? 'Error'}`;

const problemContent: Content = {
  ...jsonContent(schemaRef('Problem'), problemExample),
  'text/html': { schema: text },
};
const invalidContent: Content = {
  ...jsonContent({ anyOf: [schemaRef('FieldErrors'), schemaRef('Problem')] }, fieldErrorsExample),
  'text/html': { schema: text },
};

/** The response to an error at an address whose errors have a form of their own. @param status undefined for any other */
export function ownErrorResponse(status: number | undefined, schema: string): Json {
  const [, words = 'The request is refused.', header] = errors[status ?? 0] ?? [];
  return {
    description: words,
    ...(header && { headers: headerRefs([header]) }),
    content: { ...jsonContent(schemaRef(schema)), 'text/html': { schema: text } },
  };
}

export const sharedResponses: Json = {
  ...Object.fromEntries(
    Object.entries(errors).map(([status, [name, words, header]]) => [
      name,
      {
        description: words,
        ...(header && { headers: headerRefs([header]) }),
        ...(!['303', '304'].includes(status) && { content: status === '400' ? invalidContent : problemContent }),
      },
    ]),
  ),
  Error: { description: 'The request is refused.', content: problemContent },
  Options: {
    description: 'The metadata of Django REST Framework.',
    headers: headerRefs(['Allow']),
    content: { ...jsonContent(schemaRef('Metadata')), 'text/html': { schema: text } },
  },
};

export const sharedHeaders: Json = Object.fromEntries(
  Object.entries(headers).map(([name, words]) => [name, { description: words, schema: text }]),
);

/** The credentials that an operation needs; none of its own for those that the document names for all. */
export function securityOf(method: Method, { isOpen, needsUser }: Operation) {
  if (isOpen) return { security: [{}] };
  return method !== 'GET' || needsUser ? { security: [{ token: [] }, { bearer: [] }, { session: [] }] } : {};
}

export const securitySchemes: Json = {
  token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Token <token>`' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same token, as `Bearer <token>`.' },
  session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'The session of a browser.' },
};
