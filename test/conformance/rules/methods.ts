/** OPTIONS, refused writes in the order of checks of Django REST Framework, and what other origins may ask. */
import { each, type Rule } from './rule.ts';

const dataset = '/api/v1/namespaces/harbour-city/datasets/street-trees/';
const version = `${dataset}version/20200518093015987654/`;
const list = 'GET, POST, HEAD, OPTIONS';
const detail = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS';
const readOnly = 'GET, HEAD, OPTIONS';

const options: readonly Rule[] = [
  ...each(
    [
      ['/api/v1/', 'Api Version 1', readOnly],
      ['/api/v1/datasets/', 'Dataset List', list],
      ['/api/v1/datasets', 'Dataset List', list],
      ['/api/v1/versions/', 'Version List', readOnly],
      ['/api/v1/namespaces/', 'Namespace List', list],
      ['/api/v1/groups/', 'Group List', readOnly],
      ['/api/v1/users/', 'User List', readOnly],
      ['/api/v1/queries/', 'Query List', readOnly],
      ['/api/v1/intrinsecus/', 'Intrinsecus List', readOnly],
      ['/api/v1/namespaces/harbour-city/', 'Namespace Instance', detail],
      ['/api/v1/namespaces/none/', 'Namespace Instance', detail],
      ['/api/v1/namespaces/none/datasets/none/', 'Dataset Instance', detail],
      [version, 'Version Instance', readOnly],
      [`${dataset}version/none/`, 'Version Instance', readOnly],
      ['/api/v1/groups/editors/', 'Group Instance', readOnly],
      ['/api/v1/groups/none/', 'Group Instance', readOnly],
      ['/api/v1/users/none/', 'User Instance', readOnly],
      ['/api/v1/users/chloe.d', 'User Instance', readOnly],
      ['/api/v1/queries/none/', 'Query Instance', readOnly],
      ['/api/v1/namespaces/harbour-city/datasets/street-lamps/data/', 'Data', readOnly],
      [`${dataset}download/`, 'Download', readOnly],
      ['/api/v1/namespaces/none/datasets/none/download/', 'Download', readOnly],
    ],
    (path, name, allow): Rule => ({
      ask: `OPTIONS ${path}`,
      status: 200,
      body: {
        name,
        description: '',
        renders: ['application/json', 'text/html'],
        parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
      },
      allow,
      why: 'what the resource is, whether it is there or not, with or without the final slash',
    }),
  ),
  ...each(
    [
      ['/api/v1/namespaces/harbour-city/datasets/', list],
      [`${dataset}version/`, readOnly],
    ],
    (path, allow) => ({ ask: `OPTIONS ${path}`, status: 200, allow, why: 'a collection within a resource' }),
  ),
  { ask: 'OPTIONS /api/v1/nothing/', status: 404, detail: 'Not found.', why: 'no route' },
];

const anonymous = 'Authentication credentials were not provided.';

const refused: readonly Rule[] = [
  ...each(
    [
      ['POST', '/api/v1/groups/', 'a new group'],
      ['PUT', '/api/v1/datasets/', 'a method that the collection does not have'],
      ['PATCH', '/api/v1/namespaces/', 'a method that the collection does not have'],
      ['DELETE', '/api/v1/', 'the root'],
      ['POST', dataset, 'POST on one dataset'],
      ['PATCH', dataset, 'without a body'],
      ['PUT', '/api/v1/namespaces/none/', 'before the look-up'],
      ['PATCH', `${dataset}data/`, 'the data'],
      ['DELETE', `${dataset}download/`, 'the download'],
      ['DELETE', version, 'one version'],
      ['POST', '/api/v1/namespaces/harbour-city/datasets/', 'within a namespace'],
      ['POST', `${dataset}version/`, 'within a dataset'],
      ['DELETE', '/api/v1/namespaces/harbour-city', 'without the final slash'],
      ['POST', '/api/v1/datasets?x=1', 'without the final slash, with a query'],
    ],
    (method, path, why): Rule => ({
      ask: `${method} ${path}`,
      status: 401,
      detail: anonymous,
      header: { 'www-authenticate': /^Token/i },
      why: `who it is comes before what may be done: ${why}`,
    }),
  ),
  ...each(
    [
      ['Basic YWxpY2U6eA==', 'another scheme'],
      ['nothing', 'no scheme at all'],
      ['Token:x', 'a keyword that is none'],
    ],
    (authorization, why): Rule => ({
      ask: 'GET /api/v1/namespaces/harbour-city/',
      headers: { Authorization: authorization },
      status: 200,
      body: { slug: 'harbour-city' },
      why: `is as good as none: ${why}`,
    }),
  ),
  ...each(
    [
      ['GET', '/api/v1/namespaces/harbour-city/', 'token 0000', 'Invalid token.'],
      ['OPTIONS', '/api/v1/datasets/', 'Token nope', 'Invalid token.'],
      ['PUT', '/api/v1/datasets/', 'Token nope', 'Invalid token.'],
      ['GET', '/api/v1/groups/', 'Token', 'Invalid token header. No credentials provided.'],
      ['GET', '/api/v1/namespaces/none/', 'Token a b', 'Invalid token header. Token string should not contain spaces.'],
    ],
    (method, path, authorization, message): Rule => ({
      ask: `${method} ${path}`,
      headers: { Authorization: authorization },
      status: 401,
      detail: message,
      header: { 'www-authenticate': /^Token/i },
      why: 'credentials that are wrong are refused on reads, too',
    }),
  ),
  ...each([['PUT'], ['PATCH'], ['DELETE'], ['GET']], (method) => ({
    ask: `${method} /api/v1/auth/token/obtain/`,
    status: 405,
    detail: `Method "${method}" not allowed.`,
    allow: 'POST, OPTIONS',
    why: 'whoever wants a token is not signed in yet: the method is looked at straight away',
  })),
  { ask: 'POST /api/v1/nothing/', send: {}, status: 404, detail: 'Not found.', why: 'no route comes before 401' },
];

const origin = { Origin: 'https://map.example' };
const open = { 'access-control-allow-origin': '*' };
const exposed = [
  'Link',
  'ETag',
  'Content-Length',
  'Content-Range',
  'Content-Disposition',
  'Repr-Digest',
  'Retry-After',
];

const origins: readonly Rule[] = [
  ...each<[method: string, path: string, status: number, type: string | null]>(
    [
      ['GET', dataset, 200, 'application/json'],
      ['GET', `${dataset}data/`, 200, 'application/json'],
      ['GET', `${dataset}download/`, 200, 'application/geo+json'],
      ['GET', '/api/v1/namespaces/none/', 404, 'application/json'],
      ['GET', '/api/v1/nothing/', 404, 'application/json'],
      ['GET', `${dataset}?format=xml`, 404, 'application/json'],
      ['GET', '/api/v1/datasets', 301, null],
    ],
    (method, path, status, type): Rule => ({
      ask: `${method} ${path}`,
      headers: origin,
      status,
      type,
      header: open,
      why: 'reads are open to pages of every origin, errors as well',
    }),
  ),
  ...each<[name: string]>(
    exposed.map((name) => [name]),
    (name): Rule => ({
      ask: `GET ${dataset}`,
      headers: origin,
      status: 200,
      header: { 'access-control-expose-headers': new RegExp(`(^|[ ,])${name}($|[ ,])`, 'i') },
      why: `scripts may read ${name}`,
    }),
  ),
  ...each(
    [['/api/v1/datasets/'], ['/api/v1/datasets'], [dataset], [`${dataset}data/`], ['/api/v1/namespaces/none/']],
    (path): Rule => ({
      ask: `OPTIONS ${path}`,
      headers: {
        ...origin,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization',
      },
      status: [200, 204],
      type: null,
      header: {
        ...open,
        'access-control-allow-methods': /(^|[ ,])(GET|\*)($|[ ,])/,
        'access-control-allow-headers': /(^|[ ,])authorization($|[ ,])/i,
        location: null,
      },
      why: 'a preflight is answered without credentials and without a redirect',
    }),
  ),
];

export const methods: readonly Rule[] = [...options, ...refused, ...origins];
